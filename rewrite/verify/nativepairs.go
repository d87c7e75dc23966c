package verify

import (
	"context"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/verify/order"
)

// nativeForms are values that the native steps of the normal form rewrite, of the shape of x, by the
// step that they are for: put for a metavariable of a rule, they change the form in which its left
// side is met.
var nativeForms = []struct {
	step string
	make func(s *combinators.Store, x, y *combinators.Node) *combinators.Node
}{
	{"scale", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node { return s.Scale(s.Int(2), x) }},
	{"negation", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node { return s.Neg(x) }},
	{"sum", func(s *combinators.Store, x, y *combinators.Node) *combinators.Node { return s.Add(x, y) }},
	{"product", func(s *combinators.Store, x, y *combinators.Node) *combinators.Node { return s.Mul(x, y) }},
	{"square", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node { return s.Mul(x, x) }},
	{"reciprocal", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node { return s.Recip(x) }},
	{"root", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node {
		return s.Power(x, big.NewRat(1, 2))
	}},
	{"number", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node {
		return s.Fill(big.NewRat(3, 1), x.Shape())
	}},
	{"broadcast", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node {
		return s.Broadcast(s.Var("s", nil), x.Shape())
	}},
	{"transpose", func(s *combinators.Store, x, _ *combinators.Node) *combinators.Node {
		n := x.Order()
		if n < 2 || x.Shape()[n-1] != x.Shape()[n-2] {
			return nil
		}
		m := s.Var(x.Name()+"t", x.Shape())
		batch := "abcdefgh"[:n-2] // no rule has more axes
		return s.Einsum(batch+"ij->"+batch+"ji", m)
	}},
}

// NativePairs are the left sides of the rules on values in the forms of native steps, with the normal
// forms of both sides.
func NativePairs(ctx context.Context, files ...File) (out []*CriticalPair, err error) {
	defer must.Recover(&err)
	var values []*text.Rule
	for _, f := range files {
		for _, r := range order.Applied(must.Get(text.ParseRules(f.Text))).Rules {
			if !r.OnMaps() {
				values = append(values, r)
			}
		}
	}
	y := newSystem(values)
	for _, r := range values {
		must.Do(ctx.Err())
		out = append(out, y.nativePairs(r)...)
	}
	return out, nil
}

// nativePairs puts each native form for a metavariable of a rule on values, and brings both sides to
// normal form: the native steps may come before the rule on the left, and not on the right.
func (y *system) nativePairs(r *text.Rule) (out []*CriticalPair) {
	g, err := newSignature(r)
	if err != nil {
		return nil
	}
	for _, v := range g.values {
		for _, form := range nativeForms {
			for _, order := range []int{2, 1, 0} {
				if p := y.nativePair(g, v.Name, form.step, form.make, order); p != nil {
					out = append(out, p)
					break
				}
			}
		}
	}
	return out
}

func (y *system) nativePair(g *signature, name, step string, form func(s *combinators.Store, x, y *combinators.Node) *combinators.Node, order int) *CriticalPair {
	for _, l := range slices.Backward(pairLayouts(g, order)) {
		for _, numbers := range g.numberChoices(numberTrials) {
			s := combinators.NewStore()
			env, err := g.env(s, l, numbers, func(v string, x *combinators.Node) *combinators.Node {
				shape := x.Shape()
				x = g.presumed(s, v, x, atom.Cosh)
				if v == name {
					x = form(s, x, s.Var(v+"2", shape))
				}
				return x
			})
			if err != nil || len(env.Values) < len(g.values) {
				return nil
			}
			g.tie(env)
			left, err := denote.ReadNode(s, g.rule.Left, env)
			if err != nil {
				continue
			}
			if !g.shownAll(env) {
				return nil
			}
			right, err := denote.ReadNode(s, g.rule.Right, env)
			if err != nil {
				continue
			}
			right = repeated(right, left)
			forms := y.simplify(s, left, right)
			return &CriticalPair{Outer: g.rule.Name, Inner: step, Term: show(left), First: show(forms[1]), Second: show(forms[0]),
				Join: join(forms[0], forms[1]), Chosen: step}
		}
	}
	return nil
}

// shownAll reports whether the conditions on signs hold by the form of the values.
func (g *signature) shownAll(env *denote.Env) bool {
	facts := assumptions.New()
	for _, w := range g.rule.When {
		if w.Rel != "" || len(w.Args[0].Args) != 1 {
			continue
		}
		for _, b := range env.Values {
			if b.Name != w.Args[0].Args[0].Name {
				continue
			}
			if rewrite.Shown(w.Args[0].Name, facts, b.Value) == w.Not {
				return false
			}
		}
	}
	return true
}
