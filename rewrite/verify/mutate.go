package verify

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators/text"
	"frechet/internal/must"
	"frechet/rewrite/normal"
)

// A Mutant is a rule with one thing wrong on its right side: two indices swapped, a transpose
// dropped, an evaluation point moved, a sign flipped, the order of a composition turned, a component
// exchanged. The verifier is tested by them: each is refuted, ill-typed, or right for a reason that
// is checked.
type Mutant struct {
	Rule     string `json:"rule"`
	Change   string `json:"change"`
	Right    string `json:"right"`
	Verdict  string `json:"verdict"`
	Refuted  bool   `json:"refuted"` // or ill-typed
	Reason   string `json:"reason,omitempty"`
	mutation *text.Rule
}

// Mutants makes and checks the mutants of every rule of the files.
func Mutants(ctx context.Context, files ...File) (_ []*Mutant, err error) {
	defer must.Recover(&err)
	var out []*Mutant
	for _, f := range files {
		for _, r := range must.Get(text.ParseRules(f.Text)).Rules {
			must.Do(ctx.Err())
			for _, m := range mutantsOf(r) {
				rep := Rule(m.mutation)
				m.Verdict = rep.Verdict()
				m.Refuted = m.Verdict == Refuted || m.Verdict == IllTyped || m.Verdict == WrongDomain
				if !m.Refuted {
					m.Reason = equivalence(r, m.mutation)
				}
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// mutantsOf are the rules that differ from r by one change of a term of the right side.
func mutantsOf(r *text.Rule) (out []*Mutant) {
	seen := map[string]bool{r.Right.String(): true}
	emit := func(change string, right *text.Term) {
		if seen[right.String()] {
			return
		}
		seen[right.String()] = true
		m := *r
		m.Right = right
		out = append(out, &Mutant{Rule: r.Name, Change: change, Right: right.String(), mutation: &m})
	}
	changes := &changes{onMaps: r.OnMaps(), values: map[string]bool{}}
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Arrow == text.NoArrow {
			changes.values[v.Name] = true
		}
	}
	emit("flip the sign of the right side", text.NewNeg(r.Right))
	visit(r.Right, func(t *text.Term, replace func(*text.Term) *text.Term) {
		for _, u := range changes.of(t) {
			emit(fmt.Sprintf("%s becomes %s", t, u), replace(u))
		}
	})
	return out
}

// changes are what may stand by mistake in the place of a term of a rule.
type changes struct {
	onMaps bool            // the rule is one on closed maps
	values map[string]bool // its value metavariables
}

// of are the terms that may stand in the place of t: t but for one thing.
func (c *changes) of(t *text.Term) (out []*text.Term) {
	switch t.Op {
	case text.Ein:
		return c.contraction(t)
	case text.Neg:
		return t.Args[:1]
	case text.Num:
		if t.Rat.Sign() != 0 {
			return []*text.Term{text.NewNum(new(big.Rat).Neg(t.Rat))}
		}
	case text.Add:
		return []*text.Term{text.New(text.Sub, t.Args...), t.Args[0]}
	case text.Sub:
		return []*text.Term{text.New(text.Add, t.Args...)}
	case text.Compose:
		reversed := slices.Clone(t.Args)
		slices.Reverse(reversed)
		return []*text.Term{text.New(text.Compose, reversed...)}
	case text.Call:
		return c.call(t)
	case text.Apply:
		// D(f)(x) at another point of the rule
		for _, n := range slices.Sorted(maps.Keys(c.values)) {
			if !text.Equal(t.Args[1], text.NewName(n)) && len(t.Args) == 2 {
				out = append(out, text.New(text.Apply, t.Args[0], text.NewName(n)))
			}
		}
	case text.Family:
		if other := map[string]string{"pair": "copair", "copair": "pair", "prod": "pair", "sum": "pair"}[t.Name]; other != "" {
			u := *t
			u.Name = other
			return []*text.Term{&u}
		}
	case text.Name:
		return c.component(t)
	}
	return out
}

// contraction: two indices exchanged, a transpose left out, or two operands exchanged.
func (c *changes) contraction(t *text.Term) (out []*text.Term) {
	for _, x := range swappedIndices(t.Index) {
		u := *t
		u.Index = x
		out = append(out, &u)
	}
	if len(t.Args) == 1 && isTranspose(t.Index) {
		out = append(out, t.Args[0])
	}
	for i := range len(t.Args) - 1 {
		u := *t
		u.Args = slices.Clone(t.Args)
		u.Args[i], u.Args[i+1] = u.Args[i+1], u.Args[i]
		out = append(out, &u)
	}
	return out
}

// call: a function left out, at the other side of 0, or with its arguments exchanged.
func (c *changes) call(t *text.Term) (out []*text.Term) {
	one := len(t.Args) == 1
	switch {
	case t.Name == "adjoint" || c.onMaps && one && !c.values[t.Name] && t.Name != "K" && nativeName(t.Name):
		out = append(out, t.Args[0])
	case !c.onMaps && one:
		u := *t
		u.Args = []*text.Term{text.NewNeg(t.Args[0])}
		out = append(out, &u)
	case c.onMaps && one && t.Args[0].Op == text.Name && c.values[t.Args[0].Name]:
		out = append(out, t.Args[0]) // x instead of f(x)
	}
	if c.onMaps && len(t.Args) == 2 && t.Name != "section" && t.Args[0].Op != t.Args[1].Op {
		out = append(out, &text.Term{Op: text.Call, Name: t.Name, Attrs: t.Attrs, Args: []*text.Term{t.Args[1], t.Args[0]}})
	}
	return out
}

// component: a projection as an injection, and the other way; another component.
func (c *changes) component(t *text.Term) []*text.Term {
	head, k := text.Component(t)
	switch {
	case head == "pi" && k.Op == text.Name:
		return []*text.Term{text.NewName("iota", k)}
	case head == "iota" && k.Op == text.Name:
		return []*text.Term{text.NewName("pi", k)}
	case head != "" && k.Op == text.Num:
		other := int64(1)
		if k.Rat.Num().Int64() == 1 {
			other = 2
		}
		return []*text.Term{text.NewName(fmt.Sprintf("%s%d", head, other))}
	}
	return nil
}

func nativeName(n string) bool {
	return adjoint.Natives()[n] != nil
}

// visit calls f on every subterm, with what puts another in its place.
func visit(t *text.Term, f func(t *text.Term, replace func(*text.Term) *text.Term)) {
	var rec func(t *text.Term, replace func(*text.Term) *text.Term)
	rec = func(t *text.Term, replace func(*text.Term) *text.Term) {
		f(t, replace)
		for i, a := range t.Args {
			rec(a, func(u *text.Term) *text.Term {
				c := *t
				c.Args = slices.Clone(t.Args)
				c.Args[i] = u
				return replace(&c)
			})
		}
	}
	rec(t, func(u *text.Term) *text.Term { return u })
}

// swappedIndices has the index group with two neighbours exchanged, in the result or in an operand.
func swappedIndices(x *text.Index) (out []*text.Index) {
	swap := func(a text.Axes, i int) text.Axes {
		a.Letters = slices.Clone(a.Letters)
		a.Letters[i], a.Letters[i+1] = a.Letters[i+1], a.Letters[i]
		return a
	}
	for i := range len(x.Out.Letters) - 1 {
		y := *x
		y.Out = swap(x.Out, i)
		out = append(out, &y)
	}
	for k, a := range x.In {
		for i := range len(a.Letters) - 1 {
			y := *x
			y.In = slices.Clone(x.In)
			y.In[k] = swap(a, i)
			out = append(out, &y)
		}
	}
	return out
}

// isTranspose: one operand, the same letters in another order.
func isTranspose(x *text.Index) bool {
	a, b := slices.Clone(x.In[0].Letters), slices.Clone(x.Out.Letters)
	if slices.Equal(a, b) {
		return false
	}
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// equivalence is the reason why a mutant that is not refuted is right, checked anew; "" for none.
func equivalence(r, m *text.Rule) string {
	if r.Right.Op == text.Num && r.Right.Rat.Sign() == 0 {
		return "0 = -0"
	}
	if text.Equal(m.Left, m.Right) {
		return "both sides are one term: the step changes the form alone"
	}
	if r.OnMaps() {
		if step := nativeStep(m); step != "" && slices.Equal(nativeRule(m, step, &Report{}).Shapes, []string{counted(0, "map")}) {
			return "the step is made at no map: the rule changes nothing"
		}
		return ""
	}
	g, err := newSignature(r)
	if err != nil {
		return ""
	}
	// both right sides are one node, or one contraction
	both := *r
	both.Left, both.Right = r.Right, m.Right
	h := *g
	h.rule = &both
	if h.exact() {
		return "both right sides have one canonical form"
	}
	by := map[string]bool{}
	for _, o := range g.orders() {
		for _, numbers := range g.numberChoices(numberTrials) {
			in, err := h.instantiate(g.symbolic(o[0], o[1]), numbers)
			if err != nil {
				continue
			}
			z := normal.New(in.left.Store(), nil)
			z.Trace = func(s normal.Step) { by[s.Rule] = true }
			if out := z.Simplify(in.left, in.right); out[0] != out[1] {
				return ""
			}
		}
	}
	names := slices.Sorted(maps.Keys(by))
	if len(names) == 0 {
		return "both right sides are one term"
	}
	return "both right sides have one normal form, by " + strings.Join(names, ", ")
}

// MutationScore is the line that sums up the mutants, and whether each is accounted for.
func MutationScore(ms []*Mutant) (line string, complete bool) {
	refuted, equivalent := 0, 0
	for _, m := range ms {
		switch {
		case m.Refuted:
			refuted++
		case m.Reason != "":
			equivalent++
		}
	}
	open := len(ms) - refuted - equivalent
	share := 100.0
	if n := len(ms) - equivalent; n > 0 {
		share = 100 * float64(refuted) / float64(n)
	}
	return fmt.Sprintf("%d mutants: %d refuted, %d equivalent, %d open; score %.1f%%", len(ms), refuted, equivalent, open, share), open == 0
}
