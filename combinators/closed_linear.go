package combinators

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// The steps of the algebra of linear maps, by which sections, multiples and relations meet. Each gives a map
// that is equal to what it is given; ok is false where the step does not apply.

// multiplier is the fixed operand u of a section (u .* _), whose operands are multiplied entry by entry, or one of
// which is a number; nil for other maps.
func multiplier(m Map) *Node {
	if m.t.op != MapEin || len(m.t.proto.Args()) != 2 || len(m.t.holes) != 1 || !entrywise(m.t.proto.ein) {
		return nil
	}
	u := m.t.proto.Args()[1-m.t.holes[0]]
	if most := max(u.Order(), len(m.t.dom.shape)); most != len(m.t.cod.shape) {
		return nil // repeated along an axis that neither has
	}
	return u
}

// Times is (u .* _) on R[e], for u of the shape e or a number, or for R[] where e is empty.
func (s *Store) Times(u *Node, dom Space) Map {
	e := dom.shape
	if len(e) == 0 {
		e = u.Shape()
	}
	all := upTo(len(e))
	c := einsum.Plain([][]int{all[:u.Order()], all[:len(dom.shape)]}, all, e)
	return s.EinMap(c, []*Node{u, nil})
}

// scalar is the number of a constant of order 0, else nil.
func scalar(n *Node) *big.Rat {
	if n.Atom() == atom.Const {
		return n.Rat()
	}
	return nil
}

// productOf is the value u .* v, where one may be a number.
func (s *Store) productOf(u, v *Node) *Node {
	a, b := scalar(u), scalar(v)
	switch {
	case a != nil && b != nil:
		return s.Const(new(big.Rat).Mul(a, b))
	case a != nil && a.Cmp(big.NewRat(1, 1)) == 0:
		return v
	case u.Order() == 0:
		return s.Scale(u, v)
	case v.Order() == 0:
		return s.Scale(v, u)
	}
	return s.Mul(u, v)
}

// JoinLinear is g . f as one section, where g and f are contractions with one open operand:
//
//	(u .* _) . (v .* _) = ((u .* v) .* _)       but for a number u alone, which stays in front
//	red R . red S = red (R after S)     where no entry is met on several ways
//
// The second is that of transposes, picks and repetitions; of nothing is left, where they undo each other, id.
func (s *Store) JoinLinear(g, f Map) (m Map, ok bool) {
	if u, v := multiplier(g), multiplier(f); u != nil && v != nil {
		if scalar(u) != nil && scalar(v) == nil {
			return m, false
		}
		return s.Times(s.productOf(u, v), f.t.dom), true
	}
	if g.t.op != MapEin || f.t.op != MapEin || len(g.t.proto.Args()) != 1 || len(f.t.proto.Args()) != 1 {
		return m, false
	}
	outer, inner := g.t.proto.ein, f.t.proto.ein
	c := s.Fuse(outer, 0, inner)
	if len(c.Vars) > max(len(outer.Vars), len(inner.Vars)) || !visible(c) {
		return m, false
	}
	if c.IsIdentity() {
		return s.ID(f.t.dom).Map, true
	}
	return s.EinMap(c, []*Node{nil}), true
}

// FrontLinear is (u .* _) . f for f . (u .* _), where u is a scalar and f is no multiple itself.
func (s *Store) FrontLinear(f, d Map) (m Map, ok bool) {
	u := multiplier(d)
	if u == nil || u.Order() > 0 || multiplier(f) != nil || f.t.cod.IsProduct() || !d.t.dom.Equal(d.t.cod) {
		return m, false
	}
	return s.multiple(u, f), true
}

// visible: each variable of a contraction with one operand stands in an index, so that nothing is counted.
func visible(c *einsum.Contraction) bool {
	for v := range c.Vars {
		in := func(a einsum.Affine) bool { return a.Coef(v) != 0 }
		if !slices.ContainsFunc(c.In[0].Index, in) && !slices.ContainsFunc(c.Out.Index, in) {
			return false
		}
	}
	return true
}

// NumberOut is (s .* _) . red R of a contraction of its open operand and scalars with the product s, and
// (r .* _) of (u .* _) where all entries of u are r.
func (s *Store) NumberOut(m Map) (out Map, ok bool) {
	if m.t.op != MapEin || len(m.t.holes) != 1 {
		return m, false
	}
	if u := multiplier(m); u != nil && m.t.dom.Equal(m.t.cod) {
		r, ok := u.Filled()
		if ok {
			out = s.multiple(s.Const(r), s.ID(m.t.dom).Map)
		}
		return out, ok && out != m
	}
	args, c := m.t.proto.Args(), m.t.proto.ein
	u := s.Int(1)
	var kept []*Node
	var in []einsum.Access
	for k, a := range args {
		if a != nil && a.Order() == 0 {
			u = s.productOf(u, a)
			continue
		}
		kept, in = append(kept, a), append(in, c.In[k])
	}
	if len(kept) != 1 || len(args) == 1 || multiplier(m) != nil {
		return m, false
	}
	rest, err := einsum.New(c.Vars, in, c.Out, c.Eq, c.Ge)
	if err != nil {
		return m, false
	}
	out = s.EinMap(rest, kept)
	if rest.IsIdentity() {
		out = s.ID(m.t.dom).Map
	}
	return s.multiple(u, out), true
}

// multiple is (u .* _) . m, for a number or a value of the shape of m's results.
func (s *Store) multiple(u *Node, m Map) Map {
	if r := scalar(u); r != nil {
		switch {
		case r.Sign() == 0:
			return s.ZeroMap(m.t.dom, m.t.cod).Map
		case r.IsInt() && r.Num().IsInt64() && r.Num().Int64() == 1:
			return m
		}
	}
	times := s.Times(u, m.t.cod)
	if m.t.op == MapID {
		return times
	}
	return s.Compose(times, m)
}

// CollectLinear brings like summands of a sum of linear maps together:
//
//	(u .* _) . f + (v .* _) . f = ((u + v) .* _) . f     with 1 for u where there is none
//
// and drops those that vanish.
func (s *Store) CollectLinear(m Map) (out Map, ok bool) {
	type group struct {
		of    Map // f, the identity for (u .* _) alone
		coef  []*Node
		alone Map // the summand, where it is the only one
	}
	var groups []*group
	found := map[Map]*group{}
	for _, f := range summands(m) {
		of, coef := f, s.Int(1)
		for {
			first, rest := of, s.ID(of.t.dom).Map
			if of.t.op == MapCompose {
				first, rest = of.t.maps[0], of.t.maps[1]
			}
			u := multiplier(first)
			if u == nil || !first.t.dom.Equal(first.t.cod) {
				break
			}
			of, coef = rest, s.productOf(coef, u)
		}
		if g := found[of]; g != nil {
			g.coef, ok = append(g.coef, coef), true
			continue
		}
		found[of] = &group{of, []*Node{coef}, f}
		groups = append(groups, found[of])
	}
	if !ok || m.t.cod.IsProduct() {
		return m, false
	}
	var parts []Map
	for _, g := range groups {
		part := g.alone
		if len(g.coef) > 1 {
			part = s.multiple(s.sumOf(g.coef, g.of.t.cod.shape), g.of)
		}
		if part.t.op != MapZero {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return s.ZeroMap(m.t.dom, m.t.cod).Map, true
	}
	return s.sumMaps(parts), true
}

// sumOf is the sum of coefficients, a number where all are numbers; else the numbers stand where the first one does.
func (s *Store) sumOf(us []*Node, shape []size.Size) *Node {
	number, first, most := new(big.Rat), -1, 0
	var values []*Node
	stack := slices.Clone(us)
	slices.Reverse(stack)
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		most = max(most, u.Order())
		switch r, ok := u.Filled(); {
		case ok:
			if number.Add(number, r); first < 0 {
				first = len(values)
			}
		case u.Atom() == atom.Add:
			stack = append(stack, u.Arg(1), u.Arg(0))
		default:
			values = append(values, u)
		}
	}
	if len(values) == 0 {
		return s.Const(number)
	}
	if number.Sign() != 0 {
		values = slices.Insert(values, first, s.Const(number))
	}
	var sum *Node
	for _, u := range values {
		if most > 0 && u.Order() == 0 {
			u = s.Broadcast(u, shape)
		}
		if sum == nil {
			sum = u
		} else {
			sum = s.Add(sum, u)
		}
	}
	return sum
}

// summands are the parts of a sum, from left to right.
func summands(m Map) (out []Map) {
	stack := []Map{m}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if f.t.op == MapSum {
			stack = append(stack, f.t.maps[1], f.t.maps[0])
			continue
		}
		out = append(out, f)
	}
	return out
}

func (s *Store) sumMaps(parts []Map) Map {
	sum := parts[0]
	for _, f := range parts[1:] {
		sum = s.SumMaps(sum, f)
	}
	return sum
}

// SelectLinear is f . h for a sum f of maps that each see one component, another one each, and a pairing h: each
// summand takes its own.
//
//	(f . pi_j + g . pi_k) . <h1, .., hn> = f . hj + g . hk
func (s *Store) SelectLinear(f, h Map) (m Map, ok bool) {
	if f.t.op != MapSum || h.t.op != MapPair {
		return m, false
	}
	var parts []Map
	taken := map[int32]bool{}
	for _, g := range summands(f) {
		k := g.t.from
		if k == 0 || taken[k] {
			return m, false
		}
		taken[k] = true
		part := h.t.maps[k-1]
		if outer := s.beforeProj(g); outer.t.op != MapID {
			part = s.Compose(outer, part)
		}
		parts = append(parts, part)
	}
	return s.sumMaps(parts), true
}

// PushLinear is f . d for a sum or pairing f and a contraction d that each part takes in, by [Store.JoinLinear].
func (s *Store) PushLinear(f, d Map) (m Map, ok bool) {
	if f.t.op != MapSum && f.t.op != MapPair {
		return m, false
	}
	parts := make([]Map, len(f.t.maps))
	for k, g := range f.t.maps {
		if parts[k], ok = s.pushed(g, d); !ok {
			return m, false
		}
	}
	return f.With(parts), true
}

// pushed is g . d, where d is taken in by what g does first.
func (s *Store) pushed(g, d Map) (m Map, ok bool) {
	switch g.t.op {
	case MapID:
		return d, true
	case MapSum, MapPair:
		return s.PushLinear(g, d)
	case MapCompose:
		inner, ok := s.pushed(g.t.maps[1], d)
		switch {
		case !ok:
			return m, false
		case inner.t.op == MapID:
			return g.t.maps[0], true
		}
		return s.Compose(g.t.maps[0], inner), true
	}
	return s.JoinLinear(g, d)
}
