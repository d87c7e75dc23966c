package terms

import (
	"math/big"

	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A Maps draws closed maps, of every constructor, on spaces whose sizes are symbols.
type Maps struct {
	*drawer
	// Open lets derivatives and adjoints stand in what is drawn, yet to be worked out.
	Open bool
}

// NewMaps draws into a store of its own.
func NewMaps(t *rapid.T) *Maps {
	return &Maps{drawer: &drawer{T: t, s: combinators.NewStore()}}
}

// Store is that of all maps drawn.
func (d *Maps) Store() *combinators.Store { return d.s }

// Space draws a space: a tensor space, or a product.
func (d *Maps) Space() combinators.Space {
	if d.pick("product", 3) > 0 {
		return d.tensor(2)
	}
	return d.factors()
}

// tensor draws a tensor space.
func (d *Maps) tensor(most int) combinators.Space { return combinators.TensorSpace(d.shape(most)) }

// factors draws a product of two or three tensor spaces.
func (d *Maps) factors() combinators.Space {
	factors := make([]combinators.Space, 2+d.pick("factors", 2))
	for i := range factors {
		factors[i] = d.tensor(2)
	}
	return combinators.ProductSpace(factors...)
}

// Fitting draws a space on which [Maps.Build] has a map of the constructor.
func (d *Maps) Fitting(op combinators.MapOp) combinators.Space {
	switch op {
	case combinators.MapProduct, combinators.MapCopair, combinators.MapProj:
		return d.factors()
	case combinators.MapAtom:
		u := d.tensor(2)
		if d.pick("binary atom", 3) > 0 {
			return u
		}
		return combinators.ProductSpace(u, u)
	case combinators.MapCopower:
		x := []size.Size{symbols[d.pick("size", len(symbols))]}
		if u := d.tensor(1); d.pick("product", 3) > 0 {
			return u.Power(x)
		}
		return d.factors().Power(x)
	}
	return d.Space()
}

// Value is an element of a space: of new variables.
func Value(s *combinators.Store, base string, sp combinators.Space) *combinators.Value {
	if !sp.IsProduct() {
		return s.Value(s.Fresh(base, sp.Shape()))
	}
	parts := make([]*combinators.Value, len(sp.Factors()))
	for i, f := range sp.Factors() {
		parts[i] = Value(s, base, f)
	}
	return s.Tuple(parts...)
}

// On draws a map on a space, nested at most as deep as depth.
func (d *Maps) On(dom combinators.Space, depth int) combinators.Map {
	if depth > 0 && d.pick("linear", 3) > 0 {
		for range 4 {
			if m, ok := d.Build(combinators.MapOp(d.pick("op", len(combinators.MapOps()))), dom, depth); ok {
				return m
			}
		}
	}
	return d.Linear(dom, depth).Map
}

// Linear draws a linear map on a space.
func (d *Maps) Linear(dom combinators.Space, depth int) combinators.PointFreeLinear {
	ops := combinators.LinearOps()
	for range 4 {
		op := ops[d.pick("linear op", len(ops))]
		if depth == 0 && op != combinators.MapEin && op != combinators.MapProj {
			continue
		}
		if m, ok := d.linear(op, dom, depth); ok {
			if l, ok := m.Linear(); ok {
				return l
			}
		}
	}
	return d.s.ID(dom)
}

// Build draws a map of a constructor, which need not fit the space: ok is false then.
func (d *Maps) Build(op combinators.MapOp, dom combinators.Space, depth int) (m combinators.Map, ok bool) {
	s := d.s
	on := func(u combinators.Space) combinators.Map { return d.On(u, depth-1) }
	switch op {
	case combinators.MapCompose:
		f := on(dom)
		return s.Compose(on(f.Cod()), f), true
	case combinators.MapPair:
		fs := make([]combinators.Map, 1+d.pick("parts", 3))
		for k := range fs {
			fs[k] = on(dom)
		}
		return s.Pair(fs...), true
	case combinators.MapProduct:
		fs := make([]combinators.Map, len(dom.Factors()))
		for k, u := range dom.Factors() {
			fs[k] = on(u)
		}
		return s.Product(fs...), len(fs) > 0
	case combinators.MapSum:
		f := on(dom)
		return s.SumMaps(f, s.Compose(d.endo(f.Cod(), depth-1), f)), true
	case combinators.MapConst:
		return s.ConstMap(dom, Value(d.s, "c", d.Space())), true
	case combinators.MapEin:
		return d.Contraction(dom), true
	case combinators.MapAtom:
		return d.atom(dom)
	case combinators.MapCopower:
		return d.copower(dom, func(u combinators.Space) combinators.Map { return on(u) })
	case combinators.MapDerivative:
		return s.Derivative(on(dom), Value(d.s, "p", dom)).Map, d.Open
	}
	return d.linear(op, dom, depth)
}

// linear draws a linear map of a constructor.
func (d *Maps) linear(op combinators.MapOp, dom combinators.Space, depth int) (m combinators.Map, ok bool) {
	s := d.s
	on := func(u combinators.Space) combinators.PointFreeLinear { return d.Linear(u, depth-1) }
	factors := dom.Factors()
	switch op {
	case combinators.MapID:
		return s.ID(dom).Map, true
	case combinators.MapCompose:
		f := on(dom)
		return s.Compose(on(f.Cod()).Map, f.Map), true
	case combinators.MapPair:
		return s.Pair(on(dom).Map, on(dom).Map), true
	case combinators.MapProduct:
		fs := make([]combinators.Map, len(factors))
		for k, u := range factors {
			fs[k] = on(u).Map
		}
		return s.Product(fs...), len(fs) > 0
	case combinators.MapCopair:
		if len(factors) == 0 {
			return m, false
		}
		ls := make([]combinators.PointFreeLinear, len(factors))
		cod := combinators.TensorSpace(d.shape(2))
		for k, u := range factors {
			if ls[k], ok = d.between(u, cod); !ok {
				return m, false
			}
		}
		return s.Copair(ls...).Map, true
	case combinators.MapSum:
		f := on(dom)
		return s.SumMaps(f.Map, s.Compose(d.linearEndo(f.Cod()), f.Map)), true
	case combinators.MapProj:
		if len(factors) == 0 {
			return m, false
		}
		return s.Proj(dom, d.pick("component", len(factors))).Map, true
	case combinators.MapInj:
		spaces := []combinators.Space{combinators.TensorSpace(d.shape(2)), combinators.TensorSpace(d.shape(1)), combinators.TensorSpace(nil)}
		k := d.pick("component", 3)
		spaces[k] = dom
		return s.Inj(combinators.ProductSpace(spaces...), k).Map, true
	case combinators.MapZero:
		return s.ZeroMap(dom, d.Space()).Map, true
	case combinators.MapEin:
		if dom.IsProduct() {
			return m, false
		}
		return d.section(dom), true
	case combinators.MapAtom:
		return d.linearAtom(dom)
	case combinators.MapCopower:
		return d.copower(dom, func(u combinators.Space) combinators.Map { return on(u).Map })
	case combinators.MapDerivative:
		return s.Derivative(d.On(dom, depth-1), Value(d.s, "p", dom)).Map, d.Open
	case combinators.MapAdjoint:
		if !d.Open {
			return m, false
		}
		// adjoint(L) . L : U -o U
		l := on(dom)
		return s.Compose(s.Adjoint(l).Map, l.Map), true
	}
	return m, false
}

// endo draws a map of a space to itself.
func (d *Maps) endo(sp combinators.Space, depth int) combinators.Map {
	if sp.IsProduct() || d.pick("endo", 2) == 0 {
		return d.linearEndo(sp)
	}
	return d.s.OpenMap(d.s.Unary([]*atom.Row{atom.Sin, atom.Tanh, atom.Exp}[d.pick("unary", 3)], d.s.Zero(sp.Shape())), func(int) bool { return true })
}

func (d *Maps) linearEndo(sp combinators.Space) combinators.Map {
	if !sp.IsProduct() {
		l, _ := d.between(sp, sp)
		return l.Map
	}
	fs := make([]combinators.Map, len(sp.Factors()))
	for k, f := range sp.Factors() {
		fs[k] = d.linearEndo(f)
	}
	return d.s.Product(fs...)
}

// between draws a linear map between two tensor spaces: a section at a new variable.
func (d *Maps) between(u, w combinators.Space) (combinators.PointFreeLinear, bool) {
	if u.IsProduct() || w.IsProduct() {
		return combinators.PointFreeLinear{}, false
	}
	if u.Equal(w) && d.pick("scale", 2) == 0 {
		c := d.s.Const(big.NewRat(int64(d.pick("num", 7)-3), 2))
		return d.s.EinMap(einsum.Plain([][]int{nil, einsum.UpTo(len(u.Shape()))}, einsum.UpTo(len(u.Shape())), u.Shape()), []*Node{c, nil}).Linear()
	}
	i, o := len(u.Shape()), len(w.Shape())
	dims := append(append([]size.Size{}, u.Shape()...), w.Shape()...)
	all := einsum.UpTo(i + o)
	return d.s.EinMap(einsum.Plain([][]int{all, all[:i]}, all[i:], dims), []*Node{d.s.Fresh("M", dims), nil}).Linear()
}

// Contraction draws a contraction of the components of a space, as a map: multilinear where there
// are several.
func (d *Maps) Contraction(dom combinators.Space) combinators.Map {
	if !dom.IsProduct() {
		return d.section(dom)
	}
	var open []*Node
	for _, f := range dom.Factors() {
		if f.IsProduct() || len(dom.Factors()) == 1 {
			return d.s.Proj(dom, d.pick("component", len(dom.Factors()))).Map
		}
		open = append(open, d.s.Zero(f.Shape()))
	}
	c := d.letters(open...)
	return d.s.EinMap(c, make([]*Node, len(open)))
}

// section draws a linear contraction of one open operand and at most two values; or a reduction.
func (d *Maps) section(dom combinators.Space) combinators.Map {
	s, sh := d.s, dom.Shape()
	switch d.pick("section", 7) {
	case 0:
		if len(sh) > 0 {
			return s.Scan(sh[0], sh[1:]).Map
		}
	case 1:
		return s.Rep(sh, symbols[:1]).Map
	case 2:
		return s.SumOver(nil, sh).Map
	case 3:
		if len(sh) > 1 {
			return s.Transpose(sh, rapid.Permutation(einsum.UpTo(len(sh))).Draw(d.T, "axes")).Map
		}
	}
	at := d.pick("operand", 3)
	var fixed, all []*Node
	for k := range 1 + d.pick("operands", 3) {
		fixed = append(fixed, s.Fresh("v", d.shape(2)))
		all = append(all, fixed[k])
	}
	if at >= len(all) {
		at = 0
	}
	fixed[at], all[at] = nil, s.Zero(sh)
	return s.EinMap(d.letters(all...), fixed)
}

// copower draws f^X on a space all of whose tensors have a first axis of one size.
func (d *Maps) copower(dom combinators.Space, on func(combinators.Space) combinators.Map) (m combinators.Map, ok bool) {
	leaves := dom.Factors()
	if !dom.IsProduct() {
		leaves = []combinators.Space{dom}
	}
	rest := make([]combinators.Space, len(leaves))
	var x []size.Size
	for k, l := range leaves {
		sh := l.Shape()
		if l.IsProduct() || len(sh) == 0 || x != nil && x[0] != sh[0] {
			return m, false
		}
		x, rest[k] = sh[:1], combinators.TensorSpace(sh[1:])
	}
	u := rest[0]
	if dom.IsProduct() {
		u = combinators.ProductSpace(rest...)
	}
	return d.s.Copower(on(u), x), true
}

// atom draws a function that is no contraction.
func (d *Maps) atom(dom combinators.Space) (m combinators.Map, ok bool) {
	s := d.s
	open := func(n *Node) (combinators.Map, bool) { return s.OpenMap(n, func(int) bool { return true }), true }
	if dom.IsProduct() {
		f := dom.Factors()
		if len(f) != 2 || f[0].IsProduct() || !f[0].Equal(f[1]) {
			return m, false
		}
		// distinct operands: equal ones would be one node
		return open(s.Binary([]*atom.Row{atom.Max, atom.Min}[d.pick("binary", 2)], s.Var("#1", f[0].Shape()), s.Var("#2", f[0].Shape())))
	}
	z := s.Zero(dom.Shape())
	k := len(dom.Shape())
	switch {
	case k > 0 && d.pick("reduce", 2) == 0:
		if n := 1 + d.pick("axes", k); d.pick("softmax", 2) == 0 {
			return open(s.Softmax(n, z))
		} else {
			return open(s.Reduce("logsumexp", n, z))
		}
	case d.pick("section", 5) == 0:
		n := s.Binary([]*atom.Row{atom.Max, atom.Min}[d.pick("binary", 2)], s.Fresh("v", dom.Shape()), s.Var("#1", dom.Shape()))
		return s.OpenMap(n, func(k int) bool { return n.Arg(k).Name() == "#1" }), true
	}
	return open(s.Unary([]*atom.Row{atom.Sin, atom.Cos, atom.Tanh, atom.Exp, atom.Sigmoid, atom.Arctan, atom.Softplus}[d.pick("unary", 7)], z))
}

// linearAtom draws a linear map that is no contraction.
func (d *Maps) linearAtom(dom combinators.Space) (m combinators.Map, ok bool) {
	s, sh := d.s, dom.Shape()
	if dom.IsProduct() {
		return m, false
	}
	if len(sh) > 1 && d.pick("merge", 2) == 0 {
		return s.OpenMap(s.Merge(d.pick("axis", len(sh)-1), s.Zero(sh)), func(int) bool { return true }), true
	}
	if len(sh) == 0 || len(sh) > 2 {
		return m, false
	}
	// a matrix that has an inverse: its diagonal is large
	a := s.Fresh("S", []size.Size{sh[0], sh[0]})
	a = s.Add(s.Scale(s.Int(4), s.Eye(sh[:1])), a)
	rhs := s.Var("#1", sh)
	return s.OpenMap(s.Solve(a, rhs), func(k int) bool { return k == 1 }), true
}
