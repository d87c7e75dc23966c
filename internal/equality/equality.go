// Package equality decides whether two values are equal wherever both are defined: by normal forms, by a search for a
// chain of laws, or by a point at which they differ.
package equality

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/internal/derivation"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/rulebook"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
	"frechet/rewrite/search"
	"frechet/rewrite/verify"
)

// An Outcome is what was found.
type Outcome string

const (
	Proved    Outcome = "proved"
	Refuted   Outcome = "refuted"
	Undecided Outcome = "not decided"
)

// A Verdict says whether two values are equal wherever both are defined.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	// By is how it was proved: "normal forms", or "search".
	By string `json:"by,omitempty"`
	// Assumed is the declaration that formulas do without; "" where the variables are declared.
	Assumed string `json:"assumed,omitempty"`
	// Domain is where both sides are defined: conditions that all entries meet.
	Domain []string `json:"domain"`
	// Derivation is a calculation from each side to the same term, or of their difference to 0, where they are proved equal.
	// It has a certificate where both sides are the two expressions of one program, as they stand.
	Derivation *derivation.Derivation `json:"-"`
	// Rules are the user's rules that the proof uses. It is worth what they are.
	Rules []rulebook.Claim `json:"rules,omitempty"`
	// Witness is a point at which the sides differ, where they are refuted; Exact says that they differ there as rational
	// numbers, and not in floating-point numbers alone.
	Witness *verify.Witness `json:"witness,omitempty"`
	Exact   bool            `json:"exact,omitempty"`
	// Tried says what was done where nothing was decided, and Limit which limit was reached; it is "" where the search had
	// nothing left to try.
	Tried []string `json:"tried,omitempty"`
	Limit string   `json:"limit,omitempty"`

	parts []derivation.Calculation
}

// String is the verdict in a line.
func (v *Verdict) String() string {
	switch {
	case v.Outcome == Proved:
		return fmt.Sprintf("%s, by %s", v.Outcome, v.By)
	case v.Outcome == Refuted && v.Exact:
		return fmt.Sprintf("%s, in rational numbers", v.Outcome)
	case v.Outcome == Refuted:
		return fmt.Sprintf("%s, in floating-point numbers", v.Outcome)
	case v.Limit != "":
		return fmt.Sprintf("%s: %s", v.Outcome, v.Limit)
	}
	return fmt.Sprintf("%s: nothing was left to try", v.Outcome)
}

// Options say how two texts are read, and how they are compared.
type Options struct {
	Declare string   // the declarations that both texts share: "A[n,n] x[n]"
	Wrt     []string // variables by which the left side is differentiated, in turn, before it is compared
	// Laws are the names of the laws that the search uses; nil for all.
	Laws []string
	// Progress, where it is not nil, is told how many terms the search has come to, now and then.
	Progress func(terms, limit int)
}

// Texts decides whether two texts have equal values.
func Texts(ctx context.Context, left, right string, o Options, p program.Options) (*Verdict, error) {
	q, err := Ask(left, right, o.Declare, o.Wrt, p)
	if err != nil {
		return nil, err
	}
	return q.Decide(ctx, o)
}

// Expressions decides whether the two expressions of a program are equal.
func Expressions(ctx context.Context, f *program.Program, o Options) (*Verdict, error) {
	q, err := Of(f, o.Wrt)
	if err != nil {
		return nil, err
	}
	return q.Decide(ctx, o)
}

// Decide answers the question.
func (q *Question) Decide(ctx context.Context, o Options) (v *Verdict, err error) {
	defer fault.Guard(&err)
	q.Program.Store.Stop = ctx.Done()
	v = &Verdict{Assumed: q.assumed, Domain: append([]string{}, derivation.DomainOf(q.Program, append(slices.Clone(q.sources), q.Left, q.Right)...)...)}
	a := q.newAttempt(o)
	if a.normalise() || a.byNormalForms() {
		return v.proved(a, "normal forms")
	}
	r := q.refute(ctx)
	if v.Witness, v.Exact = r.witness, r.exact; v.Witness != nil {
		v.Outcome = Refuted
		return v, ctx.Err()
	}
	found, limit := a.search()
	if found {
		return v.proved(a, "search")
	}
	v.Outcome, v.Limit = Undecided, limit
	v.Tried = []string{"normal forms of both sides, of their difference and of their quotient", r.String(), a.String()}
	return v, ctx.Err()
}

func (v *Verdict) proved(a *attempt, by string) (_ *Verdict, err error) {
	v.Outcome, v.By, v.parts = Proved, by, a.parts
	if u := a.q.Program.Options.Rules; u != nil {
		laws, _ := rulebook.Laws(u)
		for _, p := range a.parts {
			for _, t := range p.Steps {
				own := func(r *text.Rule) bool { return r.Name == t.Rule } // whichever way it is read
				if t.Firing != nil && slices.ContainsFunc(laws.File.Rules, own) {
					rewrite.UsedIn(a.q.Program.Store).Add(t.Rule)
				}
			}
		}
		v.Rules = a.q.Program.Claims()
	}
	v.Derivation, err = derivation.OfEquality(a.q.Program, !a.q.apart, a.parts...)
	return v, err
}

// An attempt is one search for a proof.
type attempt struct {
	q           *Question
	o           Options
	facts       *assumptions.Facts
	left, right *combinators.Node // what equals the sides by parts
	graph       *search.Graph
	goals       []goal
	parts       []derivation.Calculation
	limit       int
	turns       int // how often the search began anew
}

// maxTurns bounds how often a search begins anew.
const maxTurns = 8

// A goal is two terms that are equal only if the sides are.
type goal struct {
	search.Goal
	kind    proof.Kind
	factors []factor // of a product
}

// A factor is what the difference, or the product before, was multiplied by, with the product, and that multiplied out.
type factor struct{ by, product, sum *combinators.Node }

// laws are the rules of the search, from left to right and from right to left.
var laws = sync.OnceValues(func() (forth, back []*rewrite.Rules) {
	own := rewrite.MustLoadRules(rules.Laws)
	if err := verify.AddForms(own, func(*text.Rule, string) {}); err != nil {
		panic(err)
	}
	forth = []*rewrite.Rules{own, rewrite.MustLoadRules(rules.Algebra), rewrite.MustLoadRules(rules.Spectral)}
	for _, r := range forth {
		back = append(back, rewrite.Reversed(r.File))
	}
	return forth, back
})

// named are the laws of a file with some names.
func named(all *text.File, names []string) (forth, back []*rewrite.Rules) {
	f := *all
	f.Rules = slices.DeleteFunc(slices.Clone(f.Rules), func(r *text.Rule) bool { return !slices.Contains(names, r.Name) })
	own, err := rewrite.CompileRules(&f)
	if err != nil {
		panic(err)
	}
	return []*rewrite.Rules{own}, []*rewrite.Rules{rewrite.Reversed(&f)}
}

func (q *Question) newAttempt(o Options) *attempt {
	a := &attempt{q: q, o: o, facts: assumptions.New(), left: q.Left, right: q.Right, limit: q.Program.Options.Limits.Search}
	a.start()
	return a
}

// start begins a graph with what is known of both sides.
func (a *attempt) start() {
	a.facts.Assume(append(slices.Clone(a.q.sources), a.left, a.right)...)
	a.goals = nil
	a.graph = search.New(search.Options{Facts: a.facts, Rules: a.rules, Progress: a.o.Progress})
}

// rules are those of the search, the user's first.
func (a *attempt) rules() (forth, back []*rewrite.Rules) {
	forth, back = laws()
	if a.o.Laws != nil {
		forth, back = named(forth[0].File, a.o.Laws)
	}
	if u := a.q.Program.Options.Rules; u != nil {
		own, turned := rulebook.Laws(u)
		forth, back = append([]*rewrite.Rules{own}, forth...), append([]*rewrite.Rules{turned}, back...)
	}
	return forth, back
}

// normalise brings both sides to normal form; what these say of signs is then known, too. It reports whether they are
// equal.
func (a *attempt) normalise() bool {
	form := func(n *combinators.Node, kind proof.Kind) *combinators.Node {
		a.graph.Add(n)
		m := a.graph.Normal(n)
		a.parts = append(a.parts, derivation.Calculation{Kind: kind, Start: n, End: m, Steps: a.graph.Explain(n, m).Left})
		return m
	}
	a.left, a.right = form(a.left, proof.KindLeft), form(a.right, proof.KindRight)
	a.start()
	return a.left == a.right
}

// reached adds the parts that prove a goal. It is false where the proof reads a law that widens the domain from right to left,
// and both sides were rewritten by such laws instead, from left to right: the search begins anew.
func (a *attempt) reached(g goal) bool {
	p := a.graph.Explain(g.A, g.B)
	if a.forwards(p.Path()) {
		return false
	}
	add := func(kind proof.Kind, start, end, factor *combinators.Node, steps []normal.Step) {
		if start == end && factor == nil {
			return // the side is there already
		}
		a.parts = append(a.parts, derivation.Calculation{Kind: kind, Start: start, End: end, Factor: factor, Steps: steps})
	}
	if g.kind == proof.KindLeft {
		add(proof.KindLeft, g.A, p.Meet, nil, p.Left)
		add(proof.KindRight, g.B, p.Meet, nil, p.Right)
		return true
	}
	var by *combinators.Node
	for i, f := range g.factors {
		if by = f.by; i < len(g.factors)-1 {
			add(g.kind, f.product, f.product, by, nil)
		}
	}
	add(g.kind, g.A, g.B, by, p.Path())
	return true
}

// forwards rewrites both sides by the laws that widen the domain in a calculation that reads one of them from right to left. It
// reports whether that changed a side.
func (a *attempt) forwards(steps []normal.Step) (changed bool) {
	widens := func(t normal.Step) bool { return t.Firing != nil && t.Firing.Rule.Domain == "widened" }
	back := func(t normal.Step) bool { return widens(t) && t.Firing.Rule.Back }
	if a.turns++; a.turns > maxTurns || !slices.ContainsFunc(steps, back) {
		return false
	}
	for i, side := range []**combinators.Node{&a.left, &a.right} {
		c := derivation.Calculation{Kind: []proof.Kind{proof.KindLeft, proof.KindRight}[i], Start: *side}
		for _, t := range steps {
			if back(t) {
				t = search.Backwards(t)
			}
			if !widens(t) {
				continue
			}
			if after := combinators.Replace([]*combinators.Node{*side}, t.Before, t.After)[0]; after != *side {
				*side, c.Steps = after, append(c.Steps, t)
			}
		}
		if c.End = *side; len(c.Steps) > 0 {
			a.parts, changed = append(a.parts, c), true
		}
	}
	return changed
}
