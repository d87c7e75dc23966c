package discover

import (
	"context"
	"slices"

	"frechet/combinators"
	"frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/rewrite/search"
	"frechet/rewrite/verify"
)

// Known are laws by which equations are proved.
type Known struct {
	algebra, laws, found *rewrite.Rules   // by which terms are brought to normal form; by which proofs go on; that were found
	normal               *rewrite.Rules   // algebra, and those of the found ones that decrease
	back                 []*rewrite.Rules // the first two, from right to left
	turned               *rewrite.Rules   // the found ones, from right to left
	given                *text.File       // the rules of algebra
}

// proofTerms bounds the terms that a proof of a guess looks at.
const proofTerms = 300

// NewKnown are the laws of two rule files: those of the first bring terms to normal form, as those of algebra.rules do, and
// those of the second are for proofs alone. Rules that without names are left out.
func NewKnown(algebra, laws string, without ...string) (*Known, error) {
	k := &Known{}
	read := func(src string) (*text.File, error) {
		f, err := text.ParseRules(src)
		if err != nil {
			return nil, err
		}
		f.Rules = slices.DeleteFunc(slices.Clone(f.Rules), func(r *text.Rule) bool { return slices.Contains(without, r.Name) })
		return f, nil
	}
	a, err := read(algebra)
	if err != nil {
		return nil, err
	}
	l, err := read(laws)
	if err != nil {
		return nil, err
	}
	k.given = a
	if k.algebra, err = rewrite.CompileRules(a); err != nil {
		return nil, err
	}
	if k.laws, err = rewrite.CompileRules(l); err != nil {
		return nil, err
	}
	if err := verify.AddForms(k.laws, func(*text.Rule, string) {}); err != nil {
		return nil, err
	}
	k.back = []*rewrite.Rules{rewrite.Reversed(k.laws.File), rewrite.Reversed(k.algebra.File)}
	return k, k.learn(nil, nil)
}

// learn takes rules as known that were found; others have been proved, and make proofs shorter.
func (k *Known) learn(found, others []*text.Rule) (err error) {
	if k.found, err = rewrite.CompileRules(&text.File{Rules: slices.Concat(found, others)}); err != nil {
		return err
	}
	if err := verify.AddForms(k.found, func(*text.Rule, string) {}); err != nil {
		return err
	}
	k.turned = rewrite.Reversed(&text.File{Rules: found})
	both := *k.given
	both.Rules = slices.Clone(k.given.Rules)
	for _, r := range found {
		if !r.Lemma && r.Domain != verify.Narrowed && r.Domain != verify.Widened {
			both.Rules = append(both.Rules, r)
		}
	}
	if k.normal != nil && slices.Equal(both.Rules, k.normal.File.Rules) {
		return nil
	}
	if k.normal, err = rewrite.CompileRules(&both); err != nil {
		return err
	}
	k.normal = k.normal.With(rules.Attributes)
	return nil
}

func (k *Known) simplifier(s *combinators.Store, facts *assumptions.Facts) *normal.Simplifier {
	z := normal.NewBy(s, facts, k.normal)
	z.Flatten = true
	return z
}

// A proof is how a rule follows from what is known.
type proof int

const (
	unproved proof = iota
	bySearch
	byNormalForms
)

// Proves reports whether the rule follows from what is known: at all orders and some numbers, its sides have one normal form,
// or a search for at most so many terms finds them equal.
func (k *Known) Proves(ctx context.Context, r *text.Rule) bool { return k.proof(ctx, r) != unproved }

func (k *Known) proof(ctx context.Context, r *text.Rule) (by proof) {
	cases, err := verify.Cases(r)
	if err != nil || len(cases) == 0 {
		return unproved
	}
	by = byNormalForms
	for _, c := range cases {
		c.Left.Store().Stop = ctx.Done()
		if by = min(by, k.equal(c)); by == unproved {
			break
		}
	}
	return by
}

func (k *Known) equal(c verify.Case) proof {
	s := c.Left.Store()
	c.Facts.Assume(c.Left, c.Right)
	z := k.simplifier(s, c.Facts)
	zero := s.Zero(c.Left.Shape())
	if z.Simplify(c.Left)[0] == z.Simplify(c.Right)[0] {
		return byNormalForms
	}
	difference := s.Sub(c.Left, c.Right)
	if z.Simplify(difference)[0] == zero {
		return byNormalForms
	}
	g := search.New(search.Options{Facts: c.Facts, Algebra: k.normal, Rules: func() (forth, back []*rewrite.Rules) {
		return []*rewrite.Rules{k.found, k.laws, k.algebra}, append(slices.Clip(k.back), k.turned)
	}})
	if g.Run(proofTerms, search.Goal{A: c.Left, B: c.Right}, search.Goal{A: difference, B: zero}) < 0 {
		return unproved
	}
	return bySearch
}
