package combinators

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// With is the map's constructor on other parts, with the sort that follows from them.
func (m Map) With(maps []Map) Map {
	if slices.Equal(maps, m.t.maps) {
		return m
	}
	s := m.t.store
	switch m.t.op {
	case MapCompose:
		return s.Compose(maps[0], maps[1])
	case MapPair:
		return s.Pair(maps...)
	case MapProduct:
		return s.Product(maps...)
	case MapCopair:
		return s.Copair(linears(maps)...).Map
	case MapSum:
		return s.SumMaps(maps[0], maps[1])
	case MapCopower:
		return s.Copower(maps[0], m.t.shape)
	case MapDerivative:
		return s.Derivative(maps[0], m.t.value).Map
	case MapAdjoint:
		return s.Adjoint(PointFreeLinear{maps[0]}).Map
	}
	return m
}

func linears(maps []Map) []PointFreeLinear {
	out := make([]PointFreeLinear, len(maps))
	for i, m := range maps {
		l, ok := m.Linear()
		if !ok {
			panic(TypeErrorf("a map that is not linear where a linear one is needed"))
		}
		out[i] = l
	}
	return out
}

// Leaf reports whether a map has no parts: it is an identity, a projection, a constant, a
// contraction, an atom and so on.
func (m Map) Leaf() bool { return len(m.t.maps) == 0 }

// Lift is the copower f^X of a map without parts as one that is no copower: contractions get the
// axes X on their open operands and their output, projections and injections stay themselves,
// constants repeat along X, and every other atom takes leading batch axes as its row says. ok is
// false where f has parts.
func (s *Store) Lift(f Map, x []size.Size) (lifted Map, ok bool) {
	t := f.t
	dom, cod := t.dom.Power(x), t.cod.Power(x)
	switch t.op {
	case MapID:
		return s.ID(dom).Map, true
	case MapZero:
		return s.ZeroMap(dom, cod).Map, true
	case MapProj:
		return s.Proj(dom, t.k).Map, true
	case MapInj:
		return s.Inj(cod, t.k).Map, true
	case MapConst:
		return s.ConstMap(dom, s.repeatValue(t.value, x)), true
	case MapEin:
		return s.EinMap(t.proto.ein.Lift(x, t.holes, false), t.proto.Args()), true
	case MapAtom:
		p := *t.proto
		if p.Atom() == atom.Norm2 {
			// the root of the sum of squares, at each index
			e := slices.Concat(x, t.dom.shape)
			all := upTo(len(e))
			squares := s.EinMap(einsum.Plain([][]int{all, all}, all[:len(x)], e), make([]*Node, 2))
			root := s.open(&Node{store: s, atom: uint8(atom.Power.Number()), label: &label{rat: big.NewRat(1, 2)}, guard: GuardWeak, operands: 1}, [][]size.Size{x})
			return s.Compose(root, s.Compose(squares, s.Dup(dom).Map)), true
		}
		if p.Atom().Class == atom.ClassLinear {
			p.attr += int32(len(x))
		}
		p.setArgs(slices.Clone(p.Args()))
		shapes := make([][]size.Size, len(p.Args()))
		for i, k := range t.holes {
			sp := t.dom
			if t.dom.IsProduct() {
				sp = t.dom.factors[i]
			}
			shapes[k] = slices.Concat(x, sp.shape)
		}
		for k, a := range p.Args() {
			if a != nil {
				p.Args()[k] = s.repeat(a, x)
				shapes[k] = p.Args()[k].Shape()
			}
		}
		return s.open(&p, shapes), true
	}
	return f, false
}
