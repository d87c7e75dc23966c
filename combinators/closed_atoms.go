package combinators

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
)

// EinMap is the contraction c as a map of the operands that fixed leaves nil: linear in one, or
// multilinear in several, which are then the components of its argument. With all operands open it
// is Elsman's (*); with all but one fixed it is a section, (u *) or (* v).
func (s *Store) EinMap(c *einsum.Contraction, fixed []*Node) Map {
	if len(fixed) != len(c.In) {
		panic(TypeErrorf("a contraction of %s got %d", words.Count(len(c.In), "operand"), len(fixed)))
	}
	shapes := make([][]size.Size, len(fixed))
	for k, acc := range c.In {
		shapes[k] = acc.Shape
	}
	p := &Node{store: s, atom: uint8(atom.Ein.Number()), ein: c}
	p.setArgs(slices.Clone(fixed))
	return s.open(p, shapes)
}

// entrywise reports whether a contraction of two operands is their product entry by entry, or that
// of one with a scalar.
func entrywise(c *einsum.Contraction) bool {
	if !oneProduct(c) {
		return false
	}
	in, out, _ := c.IsPlain()
	return !slices.ContainsFunc(in, func(vs []int) bool { return len(vs) > 0 && !slices.Equal(vs, out) })
}

// AtomMap is an atom other than a contraction as a map of the operands that fixed leaves nil;
// shapes has the shapes of all operands. attr, rat and sizes are the atom's attributes, as in
// [Node.Attr], [Node.Rat] and [Node.Sizes].
func (s *Store) AtomMap(at *atom.Row, attr int, rat *big.Rat, sizes []size.Size, fixed []*Node, shapes [][]size.Size) Map {
	p := &Node{store: s, atom: uint8(at.Number()), attr: int32(attr), label: &label{rat: rat, sizes: sizes}}
	if p.atom == atom.DeclaredNumber {
		p.label.declared = at
	}
	p.setArgs(slices.Clone(fixed))
	return s.open(p, shapes)
}

// WithGuard is the map of an atom under another guard.
func (m Map) WithGuard(g Guard) Map {
	if m.t.proto == nil || m.t.proto.guard == g {
		return m
	}
	t, p := *m.t, *m.t.proto
	p.guard = g
	t.proto = &p
	return m.t.store.internMap(t)
}

// OpenMap is the operation of n as a map of those operands for which open holds.
func (s *Store) OpenMap(n *Node, open func(k int) bool) Map {
	fixed := slices.Clone(n.Args())
	for k := range fixed {
		if open(k) {
			fixed[k] = nil
		}
	}
	return s.OperationMap(n, fixed)
}

// OperationMap is the operation of n, of any store, which is a contraction only in s, as a map of the operands that fixed leaves nil.
func (s *Store) OperationMap(n *Node, fixed []*Node) Map {
	p := *n
	p.setArgs(fixed)
	shapes := make([][]size.Size, len(fixed))
	for k, a := range n.Args() {
		shapes[k] = a.Shape()
	}
	return s.open(&p, shapes)
}

// open makes the map of a prototype, whose nil arguments are open.
func (s *Store) open(p *Node, shapes [][]size.Size) Map {
	t := closedTerm{op: MapAtom, proto: p}
	if p.Atom() == atom.Ein {
		t.op = MapEin
		if len(p.Args()) == 2 && p.Args()[0] == nil && p.Args()[1] != nil && entrywise(p.ein) {
			// (v .* _) and (_ .* v) are one map
			p.ein = p.ein.Permute([]int{1, 0})
			slices.Reverse(p.Args())
			slices.Reverse(shapes)
		}
		p.ein = s.forms.Intern(p.ein)
	}
	typed := *p // with arguments of the right shapes, for the type rule
	typed.setArgs(slices.Clone(p.Args()))
	var doms []Space
	for k, a := range p.Args() {
		if a == nil {
			typed.Args()[k] = &Node{store: s, shape: &shapes[k]}
			t.holes = append(t.holes, k)
			doms = append(doms, TensorSpace(shapes[k]))
		} else if !slices.Equal(a.Shape(), shapes[k]) {
			panic(TypeErrorf("operand %d has shape %s, not %s", k+1, size.Shape(a.Shape()), size.Shape(shapes[k])))
		}
	}
	shape := typeRules[typed.atom](&typed)
	p.shape = &shape
	p.id, p.store = -1, s
	t.cod = TensorSpace(shape)
	switch len(doms) {
	case 0:
		panic(TypeErrorf("a map of %s without open operands", p.Atom().Name))
	case 1:
		t.dom = doms[0]
		if p.linearIn(t.holes[0]) {
			t.sort = sortLinear
		}
	default:
		t.dom = ProductSpace(doms...)
		if p.Atom() == atom.Ein {
			t.sort = sortMultilinear
		}
	}
	return s.internMap(t)
}

// linearIn reports whether the atom is linear in argument k: contractions and linear atoms are in
// every one, others where their row has an adjoint.
func (n *Node) linearIn(k int) bool {
	switch n.Atom().Class {
	case atom.ClassContraction, atom.ClassSum, atom.ClassLinear:
		return true
	}
	return k < len(n.Atom().Adjoint) && n.Atom().Adjoint[k] != ""
}

// close is the node of a map's operation at its open operands, which carry the axes batch in
// front.
func (t *closedTerm) close(args []*Node, batch []size.Size) *Node {
	s, p := t.store, t.proto
	all := slices.Clone(p.Args())
	for i, k := range t.holes {
		all[k] = args[i]
	}
	if p.Atom() == atom.Ein {
		return s.Ein(p.ein.Lift(batch, t.holes, false), all...)
	}
	m := p.form()
	if m.body != nil {
		if len(batch) == 0 {
			return s.bodied(m.body, all)
		}
		return s.lift(m.body, all, func(k int) bool { return slices.Contains(t.holes, k) }, batch)
	}
	if len(batch) > 0 {
		for k := range all {
			if !slices.Contains(t.holes, k) {
				all[k] = s.repeat(all[k], batch)
			}
		}
		switch {
		case p.Atom().Class == atom.ClassLinear:
			m.attr += int32(len(batch))
		case p.Atom() == atom.Norm2:
			// the root of the sum of squares, along the axes that are no batch
			x := all[0]
			k := x.Order()
			return s.Power(s.Ein(einsum.Plain([][]int{upTo(k), upTo(k)}, upTo(len(batch)), x.Shape()), x, x), big.NewRat(1, 2)).WithGuard(GuardWeak)
		}
	}
	return s.intern(m, all...)
}

// repeat puts the axes batch in front of a, constant along them.
func (s *Store) repeat(a *Node, batch []size.Size) *Node {
	k := a.Order()
	in := lists.Make(k, func(i int) int { return len(batch) + i })
	return s.Ein(einsum.Plain([][]int{in}, upTo(len(batch)+k), slices.Concat(batch, a.Shape())), a)
}

// Section is the multilinear map b with all components but k fixed, at those of parts: (u b) and
// (b v). Component k of parts does not count. The laws are those of the constructors:
//
//	section[k](L . b, v)  = L . section[k](b, v)
//	section[k](b . h, v)  = section[j](b, h(v)) . Lj   where component j of h is Lj . pi_k
//	section[k](b + c, v)  = section[k](b, v) + section[k](c, v), and of pairings
//
// The error says that a linear map inside of b holds a derivative or an adjoint that is not worked out.
func (s *Store) Section(b Multilinear, k int, parts []*Value) (PointFreeLinear, error) {
	t := b.t
	for i, f := range t.dom.factors {
		if i != k && !parts[i].space.Equal(f) {
			panic(TypeErrorf("component %d of %s is fixed at a value of %s", i+1, t.dom, parts[i].space))
		}
	}
	sections := func(maps []Map) ([]Map, error) {
		out := make([]Map, len(maps))
		for i, m := range maps {
			if m.t.op == MapZero {
				out[i] = s.ZeroMap(t.dom.factors[k], m.Cod()).Map
				continue
			}
			l, err := s.Section(Multilinear{m}, k, parts)
			if err != nil {
				return nil, err
			}
			out[i] = l.Map
		}
		return out, nil
	}
	switch t.op {
	case MapEin:
		fixed := slices.Clone(t.proto.Args())
		for i, h := range t.holes {
			if i != k {
				fixed[h] = parts[i].node
			}
		}
		return PointFreeLinear{s.EinMap(t.proto.ein, fixed)}, nil
	case MapSum, MapPair:
		maps, err := sections(t.maps)
		if err != nil {
			return PointFreeLinear{}, err
		}
		if t.op == MapSum {
			return PointFreeLinear{s.SumMaps(maps[0], maps[1])}, nil
		}
		return PointFreeLinear{s.Pair(maps...)}, nil
	case MapCompose:
		g, f := t.maps[0], t.maps[1]
		if g.t.sort == sortLinear {
			l, err := s.Section(Multilinear{f}, k, parts)
			if err != nil {
				return l, err
			}
			return PointFreeLinear{s.Compose(g, l.Map)}, nil
		}
		at := make([]*Value, len(g.t.dom.factors))
		var open int
		var inner Map
		for j := range at {
			from, l := s.source(f, j)
			if from == k {
				open, inner = j, l
				continue
			}
			v, err := s.ApplyMap(l, parts[from])
			if err != nil {
				return PointFreeLinear{}, err
			}
			at[j] = v
		}
		l, err := s.Section(Multilinear{g}, open, at)
		if err != nil || inner.t.op == MapID {
			return l, err
		}
		return PointFreeLinear{s.Compose(l.Map, inner)}, nil
	}
	return PointFreeLinear{}, TypeErrorf("%s has no sections", b)
}

// source says of component j of an aligned map which component of the argument it is of, from 0, and by
// which linear map.
func (s *Store) source(f Map, j int) (k int, l Map) {
	switch f.t.op {
	case MapID:
		return j, s.ID(f.t.dom.factors[j]).Map
	case MapProduct:
		return j, f.t.maps[j]
	case MapPair:
		return int(f.t.maps[j].t.from) - 1, s.beforeProj(f.t.maps[j])
	}
	i, outer := s.source(f.t.maps[0], j)
	k, inner := s.source(f.t.maps[1], i)
	if outer.t.op == MapID {
		return k, inner
	}
	return k, s.Compose(outer, inner)
}

// beforeProj is L of a map L . pi_k.
func (s *Store) beforeProj(m Map) Map {
	if m.t.op == MapProj {
		return s.ID(m.t.cod).Map
	}
	if inner := s.beforeProj(m.t.maps[1]); inner.t.op != MapID {
		return s.Compose(m.t.maps[0], inner)
	}
	return m.t.maps[0]
}

// Swap is the adjoint of a linear contraction: the exchange of the open operand's access with the
// output's.
//
//	<w, c(.., x, ..)> = <swap(c, k)(.., w, ..), x>
func (s *Store) Swap(l PointFreeLinear) PointFreeLinear {
	p := l.t.proto
	return PointFreeLinear{s.EinMap(s.SwapOperand(p.ein, l.t.holes[0]), p.Args())}
}

// The relational reductions of Elsman, section 2.2.3, are contractions of one operand.

// Rep is rep_X : R[e] -o R[X,e], constant along X.
func (s *Store) Rep(e, x []size.Size) PointFreeLinear {
	in := lists.Make(len(e), func(i int) int { return len(x) + i })
	return PointFreeLinear{s.EinMap(einsum.Plain([][]int{in}, upTo(len(x)+len(e)), slices.Concat(x, e)), []*Node{nil})}
}

// SumOver is the sum over X : R[X,e] -o R[e], the adjoint of rep_X.
func (s *Store) SumOver(e, x []size.Size) PointFreeLinear { return s.Swap(s.Rep(e, x)) }

// Dup is <id, id> : U -o U x U.
func (s *Store) Dup(u Space) PointFreeLinear {
	return PointFreeLinear{s.Pair(s.ID(u).Map, s.ID(u).Map)}
}

// Plus is [id, id] : U x U -o U, the sum of the components and the adjoint of dup.
func (s *Store) Plus(u Space) PointFreeLinear { return s.Copair(s.ID(u), s.ID(u)) }

// Scan is scan_n : R[n,e] -o R[n,e], the sums of the first entries along the first axis, each with
// itself. Its adjoint sums the last ones.
func (s *Store) Scan(n size.Size, e []size.Size) PointFreeLinear {
	// out[j, t] += in[i, t] for i <= j
	vars := slices.Concat([]size.Size{n, n}, e)
	access := func(first int) einsum.Access {
		acc := einsum.Access{Shape: slices.Concat([]size.Size{n}, e), Index: []einsum.Affine{einsum.Variable(first)}}
		for i := range e {
			acc.Index = append(acc.Index, einsum.Variable(2+i))
		}
		return acc
	}
	c, err := einsum.New(vars, []einsum.Access{access(0)}, access(1), nil,
		[]einsum.Affine{einsum.Variable(1).Plus(-1, einsum.Variable(0))})
	if err != nil {
		panic(err) // the variables are those above
	}
	return PointFreeLinear{s.EinMap(c, []*Node{nil})}
}

// Zip is the unitary zip : (U1 x ... x Un) x (W1 x ... x Wn) -o (U1 x W1) x ... x (Un x Wn).
func (s *Store) Zip(u, w Space) PointFreeLinear {
	if len(u.factors) != len(w.factors) {
		panic(TypeErrorf("zip of %s and %s", u, w))
	}
	both := ProductSpace(u, w)
	parts := make([]Map, len(u.factors))
	for k := range parts {
		parts[k] = s.Pair(s.Compose(s.Proj(u, k).Map, s.Proj(both, 0).Map), s.Compose(s.Proj(w, k).Map, s.Proj(both, 1).Map))
	}
	return PointFreeLinear{s.Pair(parts...)}
}

// Unzip is the inverse of [Store.Zip], and its adjoint.
func (s *Store) Unzip(u, w Space) PointFreeLinear {
	if len(u.factors) != len(w.factors) {
		panic(TypeErrorf("unzip to %s and %s", u, w))
	}
	pairs := lists.Make(len(u.factors), func(k int) Space { return ProductSpace(u.factors[k], w.factors[k]) })
	dom := ProductSpace(pairs...)
	halves := make([]Map, 2)
	for h := range halves {
		parts := lists.Indexed(pairs, func(k int, p Space) Map { return s.Compose(s.Proj(p, h).Map, s.Proj(dom, k).Map) })
		halves[h] = s.Pair(parts...)
	}
	return PointFreeLinear{s.Pair(halves...)}
}

// Transpose is the unitary map R[shape] -o R[shape permuted]: axis i of the result is axis perm[i].
func (s *Store) Transpose(shape []size.Size, perm []int) PointFreeLinear {
	return PointFreeLinear{s.EinMap(einsum.Plain([][]int{upTo(len(shape))}, perm, shape), []*Node{nil})}
}
