package proof

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/must"
)

// native checks that m is what a native step gives, by what the step is defined to be.
func (r *mapDenotation) native(t *text.Term, m Map) {
	hold := func(ok bool) { must.Hold(ok, "a map is not %s", t) }
	hold(len(t.Args) != 0)
	f, known := r.u.Maps[t.Args[0].Name]
	switch t.Name {
	case "swap":
		l, ok := f.Linear()
		hold(known && ok && f.Op() == combinators.MapEin && r.k.s.Swap(l).Map == m)
	case "lift":
		hold(t.Args[0].Op == text.Copower && len(t.Args[0].Args) == 1)
		f, known = r.u.Maps[t.Args[0].Args[0].Name]
		hold(known)
		g, ok := r.k.s.Lift(f, r.u.Index)
		hold(ok && g == m)
	case "share":
		hold(t.Args[0].String() == r.rule.Left.String())
		shared(r.before, m)
	case "join", "front", "extract", "gather", "select", "push":
		r.linearStep(t, m)
	case "transpose":
		hold(known)
		r.k.adjointRow(f, m)
	case "derivative":
		hold(known && len(t.Args) == 2)
		r.k.derivativeRow(f, r.value(t.Args[1]), m)
	default:
		panic(must.Errorf("there is no step %s", t.Name))
	}
}

// linearStep checks a step of the algebra of linear maps at parts of the term before: the whole, or the first two
// links of a chain, of which the rule's left side says the same.
func (r *mapDenotation) linearStep(t *text.Term, m Map) {
	hold := func(ok bool) { must.Hold(ok, "a map is not %s", t) }
	says := func(arg, left *text.Term) bool {
		if left.Op == text.Call && left.Name == "contraction" && len(left.Args) == 1 {
			left = left.Args[0]
		}
		return arg.String() == left.String()
	}
	s, left := r.k.s, r.rule.Left
	var got Map
	var ok bool
	switch len(t.Args) {
	case 1:
		hold(says(t.Args[0], left))
		step := map[string]func(Map) (Map, bool){"extract": s.NumberOut, "gather": s.CollectLinear}[t.Name]
		if step != nil {
			got, ok = step(r.before)
		}
	case 2:
		hold(left.Op == text.Compose && says(t.Args[0], left.Args[0]) && says(t.Args[1], left.Args[1]) && r.before.Op() == combinators.MapCompose)
		f, g := r.before.Maps()[0], r.before.Maps()[1]
		if len(left.Args) > 2 {
			hold(g.Op() == combinators.MapCompose)
			g = g.Maps()[0]
		}
		step := map[string]func(f, g Map) (Map, bool){"join": s.JoinLinear, "front": s.FrontLinear, "select": s.SelectLinear, "push": s.PushLinear}[t.Name]
		if step != nil {
			got, ok = step(f, g)
		}
	}
	hold(ok && got == m)
}

// shared: after is <.. fk ..> . s, or (f + g) . s, and each fk . s is the part of before.
func shared(before, after Map) {
	hold := func(ok bool) { must.Hold(ok, "the parts, after what they share, are not the parts before") }
	hold(after.Op() == combinators.MapCompose)
	outer, tail := after.Maps()[0], chain(after.Maps()[1])
	hold(outer.Op() == before.Op() && len(outer.Maps()) == len(before.Maps()))
	for i, f := range outer.Maps() {
		hold(slices.Equal(append(chain(f), tail...), chain(before.Maps()[i])))
	}
}

// chain lists the maps of a composition, without identities.
func chain(m Map) (out []Map) {
	stack := []Map{m}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch f.Op() {
		case combinators.MapCompose:
			stack = append(stack, f.Maps()[1], f.Maps()[0])
		case combinators.MapID:
		default:
			out = append(out, f)
		}
	}
	return out
}

// variable is a variable that occurs nowhere: no term of the store is it, whatever a certificate
// calls its own variables.
func (k *checker) variable(sp combinators.Space) *Node {
	for i := k.s.Len(); ; i++ {
		k.work.add(1)
		terms := k.s.Len()
		if v := k.s.Var(fmt.Sprintf("#%d", i), sp.Shape()); k.s.Len() > terms {
			return v
		}
	}
}

// column reads a column of the table of atoms at n; more names what else stands in it.
func (k *checker) column(n *Node, src string, more map[string]*Node) *Node {
	t := must.Get(text.Parse(src))
	text.Resolve(t, n.Atom().Scope())
	r := &denotation{s: k.s, values: map[string]*Node{}, numbers: map[string]*big.Rat{"k": big.NewRat(int64(n.Attr()), 1)}, batch: n.BatchAxes()}
	for i, a := range n.Args() {
		r.values[atom.Operand(i)] = a
	}
	for name, v := range more {
		r.values[name] = v
	}
	r.values["one"] = k.s.Ones(n.Arg(0).Shape())
	if n.Rat() != nil {
		r.numbers["r"] = n.Rat()
	}
	r.sizes = n.TypeSizes()
	return r.value(t)
}

// atVariables is m at new variables, one for each component of its space.
func (k *checker) atVariables(m Map) (y *Node, vars []*Node) {
	spaces := []combinators.Space{m.Dom()}
	if m.Dom().IsProduct() {
		spaces = m.Dom().Factors()
	}
	parts := make([]*Value, len(spaces))
	for i, sp := range spaces {
		must.Hold(!sp.IsProduct(), "an operation on tuples of tuples")
		vars = append(vars, k.variable(sp))
		parts[i] = k.s.Value(vars[i])
	}
	v := parts[0]
	if m.Dom().IsProduct() {
		v = k.s.Tuple(parts...)
	}
	w := must.Get(k.s.ApplyMap(m, v))
	must.Hold(w.Node() != nil, "an operation that gives a tuple")
	return w.Node(), vars
}

// derivativeRow: after is D(p)(x) by the row of the atom p: the sum of the derivatives in each open
// operand, at its tangent.
func (k *checker) derivativeRow(p Map, x *Value, after Map) {
	must.Hold(p.Op() == combinators.MapAtom && x.Space().Equal(p.Dom()), "only an atom has a row")
	n := must.Get(k.s.ApplyMap(p, x)).Node()
	got, tangents := k.atVariables(after)
	points := []*Value{x}
	if x.Node() == nil {
		points = x.Parts()
	}
	must.Hold(len(points) == len(tangents) && len(points) == len(p.Holes()), "the derivative is of other operands")
	want := k.s.Zero(n.Shape())
	for i, h := range p.Holes() {
		if n.Arg(h) != points[i].Node() { // a commutative function has its operands sorted
			h = slices.Index(n.Args(), points[i].Node())
		}
		dx := tangents[i]
		must.Hold(n.Atom() == p.Atom() && h >= 0, "the operation is written by another one")
		var t *Node
		switch n.Atom().Class {
		case atom.ClassLinear:
			t = n.With([]*Node{dx})
		case atom.ClassElementwise, atom.ClassPrimitive:
			must.Hold(h < len(n.Atom().Deriv) && n.Atom().Deriv[h] != "", "%s has no derivative in operand %d", n.Atom().Name, h+1)
			t = k.column(n, n.Atom().Deriv[h], map[string]*Node{atom.Tangent(h): dx})
			if n.Atom().Class == atom.ClassElementwise {
				r := &denotation{s: k.s}
				t, dx = r.broadcast(t, dx)
				t = k.s.Mul(t, dx)
			}
		}
		if t == nil || !slices.Equal(t.Shape(), n.Shape()) {
			panic(must.Errorf("%s has no derivative", n.Atom().Name))
		}
		want = k.s.Add(want, t)
	}
	if !k.refines(want, got, theory{sums: true}, newSigns(nil, k.work)) {
		panic(must.Errorf("it is not the derivative that the row of %s says", n.Atom().Name))
	}
}

// adjointRow: after is the adjoint of the linear atom p. That of merge is split, that of split is
// merge; others have it in their row.
func (k *checker) adjointRow(p, after Map) {
	must.Hold(p.Op() == combinators.MapAtom && len(p.Holes()) == 1, "only an atom in one operand has a row")
	n, _ := k.atVariables(p)
	got, ws := k.atVariables(after)
	must.Hold(len(ws) == 1, "the adjoint is of one operand")
	w, h := ws[0], p.Holes()[0]
	var want *Node
	switch {
	case n.Is(atom.Merge):
		sh := n.Arg(0).Shape()
		want = k.s.Split(n.Attr(), sh[n.Attr()], sh[n.Attr()+1], w)
	case n.Is(atom.Split):
		want = k.s.Merge(n.Attr(), w)
	case h < len(n.Atom().Adjoint) && n.Atom().Adjoint[h] != "":
		want = k.column(n, n.Atom().Adjoint[h], map[string]*Node{"w": w})
	default:
		panic(must.Errorf("%s has no adjoint in operand %d", n.Atom().Name, h+1))
	}
	if !k.refines(want, got, theory{sums: true}, newSigns(nil, k.work)) {
		panic(must.Errorf("it is not the adjoint that the row of %s says", n.Atom().Name))
	}
}
