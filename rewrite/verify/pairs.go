package verify

import (
	"context"
	"fmt"
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/rewrite"
	"frechet/rewrite/normal"
)

// A CriticalPair is a term to which two rules apply at overlapping places, with the two results.
type CriticalPair struct {
	Outer  string `json:"outer"` // applied at the top
	Inner  string `json:"inner"` // applied at a part of the outer rule's left side
	Term   string `json:"term"`
	First  string `json:"first"` // the normal forms of the results
	Second string `json:"second"`
	Joined bool   `json:"joined"`          // the normal forms are one term
	Equal  bool   `json:"equal,omitempty"` // not joined, but of equal values at points tried
}

// CriticalPairs computes the overlaps of the rules of the files on values, and those of the rules on
// closed combinators, and brings both results of each to normal form. Left sides are unified part by
// part, sums and products in both orders; metavariables that stay open become variables that meet
// the rules' conditions.
func CriticalPairs(ctx context.Context, files ...File) (pairs []*CriticalPair, err error) {
	var values, maps []*text.Rule
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text)
		if err != nil {
			return nil, err
		}
		for _, r := range parsed.Rules {
			if onMaps(r) {
				maps = append(maps, expandRule(r)...)
			} else {
				values = append(values, r)
			}
		}
	}
	for _, rules := range [][]*text.Rule{values, maps} {
		for _, outer := range rules {
			for _, inner := range rules {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				pairs = append(pairs, overlaps(outer, renamed(inner))...)
			}
		}
	}
	return pairs, nil
}

// renamed gives the metavariables of a rule names of their own.
func renamed(r *text.Rule) *text.Rule {
	names := map[string]*text.Term{}
	out := *r
	out.Vars = nil
	for _, v := range r.Vars {
		n := v.Name
		if v.Type != nil {
			n += "'"
			names[v.Name] = text.NewName(n)
		}
		out.Vars = append(out.Vars, text.Var{Name: n, Type: v.Type})
	}
	out.Left, out.Right = substitute(r.Left, names), substitute(r.Right, names)
	out.When = nil
	for _, w := range r.When {
		c := w
		c.Args = nil
		for _, a := range w.Args {
			c.Args = append(c.Args, substitute(a, names))
		}
		out.When = append(out.When, c)
	}
	return &out
}

// substitute puts terms for names, in attributes too; the heads of applications are names.
func substitute(t *text.Term, by map[string]*text.Term) *text.Term {
	if t.Op == text.Name && len(t.Attrs) == 0 {
		if u := by[t.Name]; u != nil {
			return substitute(u, by) // a binding may hold metavariables that are bound later
		}
		return t
	}
	u := *t
	if t.Op == text.Call {
		if h := by[t.Name]; h != nil && h.Op == text.Name {
			u.Name = h.Name
		} else if h != nil {
			return text.NewApply(substitute(h, by), substituteAll(t.Args, by)...)
		}
	}
	u.Args, u.Attrs = substituteAll(t.Args, by), substituteAll(t.Attrs, by)
	return &u
}

func substituteAll(ts []*text.Term, by map[string]*text.Term) []*text.Term {
	if ts == nil {
		return nil
	}
	out := make([]*text.Term, len(ts))
	for i, t := range ts {
		out[i] = substitute(t, by)
	}
	return out
}

// overlap is a unifier of the inner rule's left side with a part of the outer one's.
type overlap struct {
	outer, inner *text.Rule
	by           map[string]*text.Term
	replace      func(*text.Term) *text.Term // puts a term at the place of the part
	top          bool
}

func overlaps(outer, inner *text.Rule) (out []*CriticalPair) {
	vars := map[string]bool{}
	for _, v := range slices.Concat(outer.Vars, inner.Vars) {
		if v.Type != nil {
			vars[v.Name] = true
		}
	}
	seen := map[string]bool{}
	visit(outer.Left, func(part *text.Term, replace func(*text.Term) *text.Term) {
		top := part == outer.Left
		if part.Op == text.Name && vars[part.Name] || part.Op == text.Num || top && inner.Name <= outer.Name {
			return // at the top each pair counts once, and a rule meets itself trivially
		}
		for _, variant := range commuted(inner.Left) {
			by := map[string]*text.Term{}
			if !unifyTerms(part, variant, vars, by) {
				continue
			}
			o := &overlap{outer, inner, by, replace, top}
			p := o.pair(vars)
			if p != nil && !seen[p.Term] {
				seen[p.Term] = true
				out = append(out, p)
			}
		}
	})
	return out
}

// commuted is a left side with the operands at its top in both orders.
func commuted(t *text.Term) []*text.Term {
	if (t.Op == text.Add || t.Op == text.Mul) && len(t.Args) == 2 {
		u := *t
		u.Args = []*text.Term{t.Args[1], t.Args[0]}
		return []*text.Term{t, &u}
	}
	return []*text.Term{t}
}

// holds reports whether a name occurs in t, through bindings too.
func holds(t *text.Term, name string, by map[string]*text.Term) bool {
	found := false
	text.Walk(t, func(u *text.Term) bool {
		found = found || u.Name == name
		if b := by[u.Name]; b != nil && !found {
			found = holds(b, name, by)
		}
		return !found
	})
	return found
}

func unifyTerms(a, b *text.Term, vars map[string]bool, by map[string]*text.Term) bool {
	walk := func(t *text.Term) *text.Term {
		for t.Op == text.Name && len(t.Attrs) == 0 && vars[t.Name] && by[t.Name] != nil {
			t = by[t.Name]
		}
		return t
	}
	a, b = walk(a), walk(b)
	isVar := func(t *text.Term) bool { return t.Op == text.Name && len(t.Attrs) == 0 && vars[t.Name] }
	switch {
	case text.Equal(a, b):
		return true
	case isVar(a):
		if holds(b, a.Name, by) {
			return false
		}
		by[a.Name] = b
		return true
	case isVar(b):
		return unifyTerms(b, a, vars, by)
	case a.Op == text.Neg && b.Op == text.Neg:
		return unifyTerms(a.Args[0], b.Args[0], vars, by)
	case a.Op != b.Op || a.Name != b.Name || len(a.Args) != len(b.Args) || len(a.Attrs) != len(b.Attrs) || a.Op == text.Num ||
		a.Op == text.Let || a.Op == text.Family:
		return false
	case a.Op == text.Ein && a.Index.String() != b.Index.String():
		return false
	}
	for i := range a.Args {
		if !unifyTerms(a.Args[i], b.Args[i], vars, by) {
			return false
		}
	}
	for i := range a.Attrs {
		if !unifyTerms(a.Attrs[i], b.Attrs[i], vars, by) {
			return false
		}
	}
	return true
}

// pair builds the overlap and both its results; nil where the rules' types or conditions exclude it.
func (o *overlap) pair(vars map[string]bool) *CriticalPair {
	term := substitute(o.outer.Left, o.by)
	second := substitute(o.replace(o.inner.Right), o.by)
	if onMaps(o.outer) {
		return o.mapPair(term, substitute(o.outer.Right, o.by), second)
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
				if p := o.valuePair(g, l, numbers); p != nil {
					return p
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

func (o *overlap) valuePair(g *signature, l *layout, numbers []rewrite.Number) *CriticalPair {
	s := combinators.NewStore()
	env := &rewrite.Env{}
	for _, n := range numbers {
		if b := o.by[n.Name]; b != nil {
			r := arith(substitute(text.NewName(n.Name), o.by), numbers)
			if r == nil {
				return nil
			}
			n.Value = r
		}
		env.Numbers = append(env.Numbers, n)
	}
	for _, w := range g.rule.When {
		if ok, applies := numberCondition(w, env.Numbers); applies && !ok {
			return nil
		}
	}
	for n, z := range l.sizes {
		env.Sizes = append(env.Sizes, rewrite.SizeBinding{Name: n, Size: z})
	}
	for _, v := range g.values {
		if o.by[v.Name] != nil {
			continue
		}
		shape, err := l.shape(v.Type.Cod)
		if err != nil {
			return nil
		}
		n := s.Var(v.Name, shape)
		for _, w := range g.rule.When {
			if w.Rel == "" && w.Args[0].Args[0].Name == v.Name && slices.Contains([]string{"positive", "nonneg", "nonzero"}, w.Args[0].Name) {
				n = s.Unary("cosh", n) // positive, and in no rule's way
			}
		}
		env.Values = append(env.Values, rewrite.Binding{Name: v.Name, Value: n})
	}
	top, err := buildSide(s, g.rule.Left, env)
	if err != nil {
		return nil
	}
	for _, w := range g.rule.When {
		if !o.shown(s, w, env) {
			return nil
		}
	}
	rules, err := rewrite.LoadRules(o.outer.String())
	if err != nil {
		return nil
	}
	f, ok := rules.Fire(top, rewrite.NewFacts())
	if !ok {
		return nil
	}
	second, err := buildSide(s, g.rule.Right, env)
	if err != nil || size.Shape(second.Shape()) != size.Shape(top.Shape()) {
		return nil
	}
	forms := normal.New(s, nil).Simplify(f.After, second)
	p := &CriticalPair{Outer: o.outer.Name, Inner: o.inner.Name, Term: show(top), First: show(forms[0]), Second: show(forms[1]), Joined: forms[0] == forms[1]}
	if !p.Joined {
		p.Equal = equalNodes(forms[0], forms[1])
	}
	return p
}

// shown reports whether a condition on the sign of a term holds by the term's form.
func (o *overlap) shown(s *combinators.Store, w text.Cond, env *rewrite.Env) bool {
	if w.Rel != "" || len(w.Args[0].Args) != 1 || o.by[w.Args[0].Args[0].Name] == nil {
		return true
	}
	n, err := buildSide(s, substitute(w.Args[0].Args[0], o.by), env)
	if err != nil {
		return true // of numbers, which were chosen to hold
	}
	facts := rewrite.NewFacts()
	switch w.Args[0].Name {
	case "positive":
		return facts.Positive(n) != w.Not
	case "nonneg":
		return facts.Nonneg(n) != w.Not
	case "nonzero":
		return facts.Nonzero(n) != w.Not
	}
	return true
}

func show(n *combinators.Node) string { return text.Printer{}.Print(text.Value(n)) }

// equalNodes compares two values at points where both are defined.
func equalNodes(a, b *combinators.Node) bool {
	sizes := map[string]int64{}
	env := map[string]*eval.Tensor{}
	in := &instance{left: a, right: b}
	for _, n := range combinators.Topo(a, b) {
		for _, d := range n.Shape() {
			for _, z := range d.Symbols() {
				if sizes[z] == 0 {
					sizes[z] = int64(2 + len(sizes))
				}
			}
		}
	}
	t := newTrial(nil, nil)
	for k := range floatTrials {
		for _, n := range combinators.Topo(a, b) {
			if n.Name() == "" {
				continue
			}
			shape := make([]int, n.Order())
			for i, d := range n.Shape() {
				v, _ := d.Eval(sizes)
				shape[i] = int(v)
			}
			x := eval.NewTensor(shape...)
			for j := range x.Data {
				x.Data[j] = 4*t.rand.Float64() - 2
				if k < 4 {
					x.Data[j] = float64(k - 1)
				}
			}
			env[n.Name()] = x
		}
		if compare(in, env) == sidesDiffer {
			return false
		}
	}
	return true
}

// expandRule writes families out for two members, one rule for each choice of components.
func expandRule(r *text.Rule) (out []*text.Rule) {
	count := counts(r)[0]
	if count < 2 {
		count = 2
	}
	for _, ks := range componentChoices(r, count) {
		e := &expansion{count: count, ks: ks, maps: map[string]*text.Term{}, types: map[string]*text.Type{}}
		m := *r
		m.Vars, m.When = nil, nil
		for _, v := range r.Vars {
			if v.Type == nil {
				m.Vars = append(m.Vars, v)
				continue
			}
			e.types[v.Name] = v.Type
			if v.Type.Arrow == text.NoArrow || !hasFamily(v.Type.Dom) && !hasFamily(v.Type.Cod) {
				e.maps[v.Name] = text.NewName(v.Name)
				m.Vars = append(m.Vars, v)
				continue
			}
			for k := 1; k <= count; k++ {
				n := fmt.Sprintf("%s%d", v.Name, k)
				e.maps[fmt.Sprintf("%s#%d", v.Name, k)] = text.NewName(n)
				m.Vars = append(m.Vars, text.Var{Name: n, Type: v.Type})
			}
		}
		m.Left, m.Right = e.expand(r.Left), e.expand(r.Right)
		out = append(out, &m)
	}
	return out
}

// mapPair reads both results as maps on R[n], with functions for the metavariables that stay open,
// and simplifies them.
func (o *overlap) mapPair(term, first, second *text.Term) *CriticalPair {
	s := combinators.NewStore()
	n := size.Sym("n")
	env := &rewrite.Env{Sizes: []rewrite.SizeBinding{{Name: "n", Size: n}, {Name: "X", Size: size.Sym("k")}}}
	for _, v := range []string{"a", "b", "c", "d", "e", "g", "p", "q"} {
		env.Values = append(env.Values, rewrite.Binding{Name: v, Value: s.Var(v, []size.Size{n})})
	}
	by := map[string]*text.Term{}
	linear, other := 0, 0
	// what a linear metavariable stands for is built of linear maps
	mustBeLinear, constants := map[string]bool{}, false
	for _, v := range slices.Concat(o.outer.Vars, o.inner.Vars) {
		if b := o.by[v.Name]; b != nil && v.Type != nil && v.Type.Arrow == text.LinearTo {
			text.Walk(substitute(b, o.by), func(t *text.Term) bool {
				mustBeLinear[t.Name] = true
				constants = constants || t.Name == "K"
				return true
			})
		}
	}
	if constants {
		return nil
	}
	for _, v := range slices.Concat(o.outer.Vars, o.inner.Vars) {
		if v.Type == nil || o.by[v.Name] != nil {
			continue
		}
		arrow := v.Type.Arrow
		if arrow == text.MapTo && mustBeLinear[v.Name] {
			arrow = text.LinearTo
		}
		switch arrow {
		case text.LinearTo:
			by[v.Name] = text.New(text.Mul, text.NewName([]string{"a", "b", "c", "d", "e", "g"}[linear%6]), text.New(text.Hole))
			linear++
		case text.MapTo:
			by[v.Name] = text.NewName([]string{"sin", "exp", "tanh", "cos", "arctan", "sigmoid"}[other%6])
			other++
		case text.NoArrow:
			by[v.Name] = text.NewName([]string{"p", "q"}[other%2])
		default:
			return nil
		}
	}
	term, first, second = substitute(term, by), substitute(first, by), substitute(second, by)
	vec := combinators.TensorSpace([]size.Size{n})
	two := combinators.ProductSpace(vec, vec)
	power := vec.Power([]size.Size{size.Sym("k")})
	spaces := []combinators.Space{vec, two, power, power.Power(nil), two.Power([]size.Size{size.Sym("k")})}
	for _, dom := range spaces {
		for _, cod := range spaces {
			read := func(t *text.Term) (combinators.Map, bool) {
				local := *env
				local.Values = slices.Clone(env.Values)
				m, err := rewrite.ReadMap(s, t, &dom, &cod, &local)
				if err != nil {
					return m, false
				}
				m, err = adjoint.ClosedSimplify(m, nil)
				return m, err == nil
			}
			a, ok := read(first)
			if !ok {
				continue
			}
			b, ok := read(second)
			if !ok {
				continue
			}
			p := &CriticalPair{Outer: o.outer.Name, Inner: o.inner.Name, Term: text.Printer{}.Print(term),
				First: text.PrintClosed(a, false), Second: text.PrintClosed(b, false), Joined: a == b}
			if !p.Joined {
				arg := namedValue(s, dom, new(int))
				x, errX := s.ApplyMap(a, arg)
				y, errY := s.ApplyMap(b, arg)
				p.Equal = errX == nil && errY == nil && equalValues(x, y)
			}
			return p
		}
	}
	return nil
}

func namedValue(s *combinators.Store, sp combinators.Space, k *int) *combinators.Value {
	if !sp.IsProduct() {
		*k++
		return s.Value(s.Var(fmt.Sprintf("v%d", *k), sp.Shape()))
	}
	parts := make([]*combinators.Value, len(sp.Factors()))
	for i, f := range sp.Factors() {
		parts[i] = namedValue(s, f, k)
	}
	return s.Tuple(parts...)
}

func equalValues(x, y *combinators.Value) bool {
	if x.Node() != nil {
		return equalNodes(x.Node(), y.Node())
	}
	for i := range x.Parts() {
		if !equalValues(x.Parts()[i], y.Parts()[i]) {
			return false
		}
	}
	return true
}
