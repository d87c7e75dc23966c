package denote

import (
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// A product of spaces is a vector space, and (U x V)^X is U^X x V^X: what texts write alike for
// tensors and tuples acts component by component.

// scaled is (c .* _) : U -o U for a number c.
func (r *mapReader) scaled(c *combinators.Node, u combinators.Space) (m combinators.Map) {
	if !u.IsProduct() {
		return r.times([]*combinators.Node{c, nil}, want{spaceOf(u), nil})
	}
	return r.componentwise(u, func(_ int, f combinators.Space) combinators.Map { return r.scaled(c, f) })
}

// multiple is c .* f or f ./ c for a number c and a map f into a product of spaces, which is operand k
// of t.
func (r *mapReader) multiple(t *text.Term, k int, f combinators.Map) (m combinators.Map, ok bool) {
	if t.Op == text.Ein || t.Op == text.Div && k == 1 {
		return m, false
	}
	var c *combinators.Node
	if r.try(func() { c = r.node(t.Args[1-k]) }) != nil || c.Order() != 0 {
		return m, false
	}
	if t.Op == text.Div {
		c = r.s.Recip(c)
	}
	return r.s.Compose(r.scaled(c, f.Cod()), f), true
}

// componentwise is the product of the maps that make gives for the components of u.
func (r *mapReader) componentwise(u combinators.Space, make func(k int, f combinators.Space) combinators.Map) (m combinators.Map) {
	var parts []combinators.Map
	for k, f := range u.Factors() {
		parts = append(parts, make(k, f))
	}
	return r.s.Product(parts...)
}

// byComponent are the standard maps of which a space V^X takes the place of R[X]: for V a product,
// they act on each of its components. A bare sum is over all entries of a tensor.
func byComponent(t *text.Term) bool {
	return slices.Contains([]string{"scan", "rep", "transpose"}, t.Name) || t.Name == "sum" && len(t.Attrs) > 0 || strings.HasPrefix(t.Name, "red{")
}

// dot is the inner product of U x U: of tensors their contraction, of tuples the sum of those of
// the components.
func (r *mapReader) dot(u combinators.Space) combinators.Map {
	if !u.IsProduct() {
		all := einsum.UpTo(len(u.Shape()))
		return r.s.EinMap(einsum.Plain([][]int{all, all}, nil, u.Shape()), make([]*combinators.Node, 2))
	}
	both := combinators.ProductSpace(u, u)
	var sum combinators.Map
	for k, f := range u.Factors() {
		of := func(half int) combinators.Map { return r.s.Compose(r.s.Proj(u, k).Map, r.s.Proj(both, half).Map) }
		m := r.s.Compose(r.dot(f), r.s.Pair(of(0), of(1)))
		if k > 0 {
			m = r.s.SumMaps(sum, m)
		}
		sum = m
	}
	if len(u.Factors()) == 0 {
		return r.s.ZeroMap(both, combinators.Space{}).Map
	}
	return sum
}

// tensor is the tensor product U x V ->2 U (x) V: of tensors the outer product, of tuples that of each
// component, as (U1 x U2) (x) V is U1 (x) V x U2 (x) V.
func (r *mapReader) tensor(u, v combinators.Space) combinators.Map {
	split := func(k int, w combinators.Space, part func(f combinators.Space) combinators.Map) combinators.Map {
		both := combinators.ProductSpace(u, v)
		parts := make([]combinators.Map, len(w.Factors()))
		for i, f := range w.Factors() {
			of := []combinators.Map{r.s.Proj(both, 0).Map, r.s.Proj(both, 1).Map}
			of[k] = r.s.Compose(r.s.Proj(w, i).Map, of[k])
			parts[i] = r.s.Compose(part(f), r.s.Pair(of...))
		}
		return r.s.Pair(parts...)
	}
	switch {
	case u.IsProduct():
		return split(0, u, func(f combinators.Space) combinators.Map { return r.tensor(f, v) })
	case v.IsProduct():
		return split(1, v, func(f combinators.Space) combinators.Map { return r.tensor(u, f) })
	}
	return r.s.EinMap(outer(u.Shape(), v.Shape()), make([]*combinators.Node, 2))
}

func outer(a, b []size.Size) *einsum.Contraction {
	all := einsum.UpTo(len(a) + len(b))
	return einsum.Plain([][]int{all[:len(a)], all[len(a):]}, all, slices.Concat(a, b))
}

// tensorOf reads u (x) v where a map is needed: a section (u (x) _), or the product of the values of
// maps.
func (r *mapReader) tensorOf(t *text.Term, w want) (m combinators.Map) {
	must.Hold(len(t.Args) == 2, "the tensor product has two operands, not %d", len(t.Args))
	fixed := make([]*combinators.Node, 2)
	if slices.ContainsFunc(t.Args, func(a *text.Term) bool { return a.Op == text.Hole }) {
		fixed = r.fixed(t.Args)
		must.Hold(w.dom != nil, "%s: the space of what is open is not known", t)
		return r.tensorSection(t, fixed, *w.dom)
	}
	var maps []combinators.Map
	for k, a := range t.Args {
		if r.try(func() { fixed[k] = r.node(a) }) != nil {
			maps = append(maps, r.match.term(a, want{dom: w.dom}))
		}
	}
	var arg combinators.Map
	switch len(maps) {
	case 0:
		panic(must.Errorf("%s is a value, where a map is needed: K(%s) is the constant map", t, t))
	case 1:
		arg = maps[0]
	default:
		arg = r.s.Pair(maps...)
	}
	return r.s.Compose(r.tensorSection(t, fixed, arg.Cod()), arg)
}

// tensorSection is the tensor product in its open operands, which are of dom.
func (r *mapReader) tensorSection(t *text.Term, fixed []*combinators.Node, dom combinators.Space) (m combinators.Map) {
	switch {
	case fixed[0] == nil && fixed[1] == nil:
		return r.standard(text.NewName("tensor"), want{dom: &dom})
	case dom.IsProduct():
		return r.componentwise(dom, func(_ int, f combinators.Space) combinators.Map { return r.tensorSection(t, fixed, f) })
	}
	shapes := operands(t, fixed, &dom)
	return r.s.EinMap(outer(shapes[0], shapes[1]), fixed)
}

// arithmetic: the operations of a vector space.
func arithmetic(t *text.Term) bool {
	return t.Op == text.Add || t.Op == text.Sub || t.Op == text.Neg || (t.Op == text.Mul || t.Op == text.Div) && len(t.Args) == 2
}

// tupled reports whether a term is a sum, difference, negative or multiple of tuples, by what stands
// first in it.
func (r *mapReader) tupled(t *text.Term) bool {
	for {
		switch {
		case t.Op == text.Tuple || t.Op == text.Call && t.Name == "tuple":
			return true
		case t.Op == text.Name:
			return r.env.Tuples[t.Name] != nil
		case arithmetic(t) && t.Op == text.Mul:
			t = t.Args[1]
		case arithmetic(t):
			t = t.Args[0]
		case r.applies(t):
			tuple := false
			err := r.try(func() { tuple = r.apply(t).Node() == nil })
			return err == nil && tuple
		default:
			return false
		}
	}
}

// vector is the value of a sum, difference, negative or multiple of tuples.
func (r *mapReader) vector(t *text.Term) (v *combinators.Value) {
	switch t.Op {
	case text.Mul, text.Div:
		scalar, tuple := t.Args[0], t.Args[1]
		if t.Op == text.Div {
			scalar, tuple = tuple, scalar
		}
		c := r.node(scalar)
		v = r.value(tuple)
		must.Hold(c.Order() == 0, "a tuple is multiplied by a number, not by a value of %s", combinators.TensorSpace(c.Shape()))
		if t.Op == text.Div {
			c = r.s.Recip(c)
		}
		return r.eachLeaf(func(ns ...*combinators.Node) *combinators.Node { return r.s.Scale(c, ns[0]) }, v)
	case text.Neg:
		v = r.value(t.Args[0])
		return r.eachLeaf(func(ns ...*combinators.Node) *combinators.Node { return r.s.Neg(ns[0]) }, v)
	}
	var both [2]*combinators.Value
	for k := range both {
		both[k] = r.value(t.Args[k])
	}
	if u, w := both[0].Space(), both[1].Space(); !u.Equal(w) {
		panic(must.Errorf("%s is of values of %s and of %s", t, u, w))
	}
	return r.eachLeaf(func(ns ...*combinators.Node) *combinators.Node {
		if t.Op == text.Sub {
			return r.s.Sub(ns[0], ns[1])
		}
		return r.s.Add(ns[0], ns[1])
	}, both[:]...)
}

// eachLeaf is the tuple of f at the corresponding tensors of values of one space.
func (r *mapReader) eachLeaf(f func(...*combinators.Node) *combinators.Node, vs ...*combinators.Value) *combinators.Value {
	if vs[0].Node() != nil {
		var ns []*combinators.Node
		ns = lists.Append(ns, vs, func(v *combinators.Value) *combinators.Node { return v.Node() })
		return r.s.Value(f(ns...))
	}
	parts := make([]*combinators.Value, len(vs[0].Parts()))
	for k := range parts {
		var ps []*combinators.Value
		ps = lists.Append(ps, vs, func(v *combinators.Value) *combinators.Value { return v.Parts()[k] })
		parts[k] = r.eachLeaf(f, ps...)
	}
	return r.s.Tuple(parts...)
}
