package verify

import (
	"context"
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/verify/model"
	"frechet/rewrite/verify/order"
)

// A CriticalPair is a term to which two rules apply at overlapping places, with the two results.
type CriticalPair struct {
	Outer  string `json:"outer"` // applied at the top
	Inner  string `json:"inner"` // applied at a part of the outer rule's left side
	Term   string `json:"term"`
	First  string `json:"first"` // the normal forms of the results
	Second string `json:"second"`
	Join   Join   `json:"join"`             // how it joins, "" where it does not
	Chosen string `json:"chosen,omitempty"` // of a pair that does not join: the rule whose result the program gives
	Equal  string `json:"equal,omitempty"`  // of a pair that does not join: the claim on its two results
	// Skipped is why the results were not computed, "" where they were.
	Skipped string `json:"skipped,omitempty"`
}

// String shows the term and both results, and what is known of them.
func (p *CriticalPair) String() string {
	if p.Skipped != "" {
		return fmt.Sprintf("%s and %s at %s\n  not computed: %s\n", p.Outer, p.Inner, p.Term, p.Skipped)
	}
	end := string(p.Join)
	if p.Join == NoJoin {
		end = "open"
		if p.Equal != "" {
			end += ": " + p.Equal
		}
		if p.Chosen != "" {
			end += "; the program gives what " + p.Chosen + " leads to"
		}
	}
	return fmt.Sprintf("%s and %s at %s\n  %s\n  %s\n  %s\n", p.Outer, p.Inner, p.Term, p.First, p.Second, end)
}

// CriticalPairs computes the overlaps of the rules of the files on values, and those of the rules on
// closed combinators, and brings both results of each to normal form. Left sides are unified part by
// part, sums and products in both orders; metavariables that stay open become variables that meet
// the rules' conditions.
func CriticalPairs(ctx context.Context, files ...File) (pairs []*CriticalPair, err error) {
	defer must.Recover(&err)
	var values, maps []*text.Rule
	written := map[string]*text.Rule{} // rules on closed combinators, before families are written out
	for _, f := range files {
		for _, r := range order.Applied(must.Get(text.ParseRules(f.Text))).Rules {
			if r.OnMaps() {
				maps = append(maps, expandRule(r)...)
				written[r.Name] = r
			} else if r.Left.Op != text.Name { // a part in a subspace: see parts
				values = append(values, r)
			}
		}
	}
	y := newSystem(values)
	var forms []*text.Rule
	for _, r := range append(values, y.turned()...) {
		forms = lists.Append(forms, rewrite.Variants(r), func(w rewrite.Variant) *text.Rule { return w.Rule })
	}
	for _, rules := range [][]*text.Rule{forms, maps} {
		for _, outer := range rules {
			for _, inner := range rules {
				must.Do(ctx.Err())
				pairs = append(pairs, overlaps(y, outer, renamed(inner), written)...)
			}
		}
	}
	return pairs, nil
}

// overlap is a unifier of the inner rule's left side with a part of the outer one's.
type overlap struct {
	*system
	outer, inner *text.Rule
	by           map[string]*text.Term
	replace      func(*text.Term) *text.Term // puts a term at the place of the part
	top          bool
	rules        [2]*text.Rule // both as they are written
}

func overlaps(y *system, outer, inner *text.Rule, written map[string]*text.Rule) (out []*CriticalPair) {
	vars := map[string]bool{}
	for _, v := range slices.Concat(outer.Vars, inner.Vars) {
		if v.Type != nil {
			vars[v.Name] = true
		}
	}
	seen := map[string]bool{}
	visitParts(outer.Left, func(part *text.Term, replace func(*text.Term) *text.Term) {
		top := part == outer.Left
		if part.Op == text.Name && vars[part.Name] || part.Op == text.Num || top && inner.Name <= outer.Name {
			return // at the top each pair counts once, and a rule meets itself trivially
		}
		for _, variant := range commuted(inner.Left) {
			by := map[string]*text.Term{}
			if !unifyTerms(part, variant, vars, by) {
				continue
			}
			o := &overlap{y, outer, inner, by, replace, top, [2]*text.Rule{written[outer.Name], written[inner.Name]}}
			p := o.pair(vars)
			if p != nil && !seen[p.Term] {
				seen[p.Term] = true
				out = append(out, p)
			}
		}
	})
	return out
}

// visitParts is visit, and the ends of chains of compositions, which associate to the right: g . h is a
// part of f . g . h.
func visitParts(t *text.Term, f func(t *text.Term, replace func(*text.Term) *text.Term)) {
	visit(t, func(part *text.Term, replace func(*text.Term) *text.Term) {
		f(part, replace)
		if part.Op != text.Compose {
			return
		}
		for i := 1; i < len(part.Args)-1; i++ {
			f(text.New(text.Compose, part.Args[i:]...), func(u *text.Term) *text.Term {
				return replace(text.New(text.Compose, append(slices.Clone(part.Args[:i]), u)...))
			})
		}
	})
}

// pair builds the overlap and both its results; nil where the rules' types or conditions exclude it.
func (o *overlap) pair(vars map[string]bool) *CriticalPair {
	term := text.Substitute(o.outer.Left, o.by)
	second := text.Substitute(o.replace(o.inner.Right), o.by)
	if o.outer.OnMaps() {
		p, err := o.mapPair()
		if err != nil {
			return &CriticalPair{Outer: o.outer.Name, Inner: o.inner.Name, Term: text.Printer{}.Print(term), Skipped: err.Error()}
		}
		return p
	}
	both := *o.outer
	both.Vars = slices.Concat(o.outer.Vars, o.inner.Vars)
	both.When = slices.Concat(o.outer.When, o.inner.When)
	both.Left, both.Right = term, second
	g, err := newSignature(&both)
	if err != nil {
		return nil
	}
	for _, order := range []int{2, 1, 0} {
		for _, l := range pairLayouts(g, order) {
			for _, numbers := range g.numberChoices(numberTrials) {
				for _, positive := range []bool{false, true} {
					if p := o.valuePair(g, l, numbers, positive); p != nil {
						return p
					}
				}
			}
		}
	}
	return nil
}

// pairLayouts: sizes of the two rules may have to agree.
func pairLayouts(g *signature, order int) []*layout {
	n := size.Sym("n")
	all := g.fill(order, 0, func() size.Size { return n })
	return []*layout{g.symbolic(order, 0), all}
}

// valuePair is the overlap under a layout of symbols, at positive values where that is asked for; nil
// where it does not arise there.
func (o *overlap) valuePair(g *signature, l *layout, numbers []denote.Number, positive bool) *CriticalPair {
	r := o.results(g, l, numbers, positive)
	if r == nil {
		return nil
	}
	forms := o.simplify(r.top.Store(), r.left, r.right, r.top)
	p := &CriticalPair{Outer: o.outer.Name, Inner: o.inner.Name, Term: show(r.top), First: show(forms[0]), Second: show(forms[1])}
	if p.Join = join(forms[0], forms[1]); p.Join != NoJoin {
		return p
	}
	switch forms[2] {
	case forms[0]:
		p.Chosen = o.outer.Name
	case forms[1]:
		p.Chosen = o.inner.Name
	}
	var instances []*instance
	for _, l := range g.layouts() {
		if r := o.results(g, l, numbers, positive); r != nil {
			instances = append(instances, &r.instance)
		}
	}
	p.Equal = claimEqual(instances)
	return p
}

// overlapped is a term with the results of both rules.
type overlapped struct {
	instance
	top *combinators.Node
}

func (o *overlap) results(g *signature, l *layout, numbers []denote.Number, positive bool) *overlapped {
	s := combinators.NewStore()
	if !g.allows(l, numbers) {
		return nil // m = n in one rule, and m < n in the other
	}
	var bound []denote.Number
	for _, n := range numbers {
		if b := o.by[n.Name]; b != nil {
			r, err := denote.ReadNumber(text.Substitute(text.NewName(n.Name), o.by), numbers)
			if err != nil {
				return nil
			}
			n.Value = r
		}
		bound = append(bound, n)
	}
	for _, w := range g.rule.When {
		if ok, applies := model.NumberCondition(w, bound); applies && !ok {
			return nil
		}
	}
	out := &overlapped{instance: instance{layout: l, numbers: numbers}}
	env, err := g.env(s, l, bound, func(name string, x *combinators.Node) *combinators.Node {
		if o.by[name] != nil {
			return nil
		}
		if of := o.attributes(g, name) & drawn; of != 0 {
			x = s.Member(x.Name(), x.Shape(), of)
			out.vars = append(out.vars, x)
			return x
		}
		out.vars = append(out.vars, x)
		if positive {
			return s.Unary(atom.Cosh, x)
		}
		return g.presumed(s, name, x, atom.Cosh) // in no rule's way
	})
	if err != nil {
		return nil
	}
	top, err := denote.ReadNode(s, g.rule.Left, env)
	if err != nil {
		return nil
	}
	for _, w := range g.rule.When {
		if !o.shown(s, w, env) {
			return nil
		}
	}
	rules, err := rewrite.LoadRules(o.outer.String(), o.outer.Functions)
	if err != nil {
		return nil
	}
	f, ok := rules.Fire(top, assumptions.New())
	if !ok {
		return nil
	}
	second, err := denote.ReadNode(s, g.rule.Right, env)
	if err != nil {
		return nil
	}
	if second = repeated(second, top); size.Shape(second.Shape()) != size.Shape(top.Shape()) {
		return nil
	}
	out.top, out.left, out.right = top, f.After, second
	return out
}

// attributes are those that the conditions of both rules ask of the values of a metavariable, or of what it stands for.
func (o *overlap) attributes(g *signature, name string) atom.Attributes {
	of := g.attributes(name)
	for other, t := range o.by {
		if t.Op == text.Name && t.Name == name {
			of = of.With(g.attributes(other))
		}
	}
	return of
}

// shown reports whether a condition on the sign of a term holds by the term's form.
func (o *overlap) shown(s *combinators.Store, w text.Cond, env *denote.Env) bool {
	if w.Rel != "" || len(w.Args[0].Args) != 1 || o.by[w.Args[0].Args[0].Name] == nil {
		return true
	}
	n, err := denote.ReadNode(s, text.Substitute(w.Args[0].Args[0], o.by), env)
	if err != nil {
		return true // of numbers, which were chosen to hold
	}
	return rewrite.Shown(w.Args[0].Name, assumptions.New(), n) != w.Not
}

func show(n *combinators.Node) string { return text.Printer{}.Print(text.Value(n)) }
