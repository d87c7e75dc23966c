package linear_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

// Multilinear maps are closed under linear maps after them, linear maps before each component in any
// order of the components, sums, pairings, and the zero map; D-multilinear takes sections of all of
// them, which checkMap compares with differences.
func TestMultilinearMapsAreClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := terms.NewMaps(t)
		s := d.Store()
		var multilinear func(dom combinators.Space, depth int) combinators.Map
		multilinear = func(dom combinators.Space, depth int) combinators.Map {
			factors := dom.Factors()
			if depth == 0 {
				return d.Contraction(dom)
			}
			switch rapid.IntRange(0, 4).Draw(t, "closed under") {
			case 0: // L . b
				b := multilinear(dom, depth-1)
				return s.Compose(d.Linear(b.Cod(), 1).Map, b)
			case 1: // b . (L1 x .. x Ln)
				maps, cods := make([]combinators.Map, len(factors)), make([]combinators.Space, len(factors))
				for k, f := range factors {
					maps[k] = s.ID(f).Map
					if l := d.Linear(f, 1); !l.Cod().IsProduct() {
						maps[k] = l.Map
					}
					cods[k] = maps[k].Cod()
				}
				return s.Compose(multilinear(combinators.ProductSpace(cods...), depth-1), s.Product(maps...))
			case 2: // b . <pi2, .., pi1>
				order := rapid.Permutation(make([]int, len(factors))).Draw(t, "lengths")
				for k := range order {
					order[k] = k
				}
				order = rapid.Permutation(order).Draw(t, "order")
				maps, cods := make([]combinators.Map, len(factors)), make([]combinators.Space, len(factors))
				for i, k := range order {
					maps[i], cods[i] = s.Proj(dom, k).Map, factors[k]
				}
				return s.Compose(multilinear(combinators.ProductSpace(cods...), depth-1), s.Pair(maps...))
			case 3: // b + c, b + 0
				b := multilinear(dom, depth-1)
				c := s.ZeroMap(dom, b.Cod()).Map
				if rapid.Bool().Draw(t, "twice") {
					c = b
				}
				return s.SumMaps(b, c)
			default: // <b, c>
				return s.Pair(multilinear(dom, depth-1), multilinear(dom, depth-1))
			}
		}
		n := rapid.IntRange(2, 3).Draw(t, "components")
		factors := make([]combinators.Space, n)
		for k := range factors {
			for factors[k] = d.Space(); factors[k].IsProduct(); factors[k] = d.Space() {
			}
		}
		m := multilinear(combinators.ProductSpace(factors...), rapid.IntRange(1, 3).Draw(t, "depth"))
		_, ok := m.Multilinear()
		require.True(t, ok, m.String())
		checkMap(t, m, newNumeric(sizings[rapid.IntRange(0, len(sizings)-1).Draw(t, "sizes")]))
	})
}

// What is linear in no component, or in the components only together, is not multilinear.
func TestOtherMapsAreNotMultilinear(t *testing.T) {
	s := combinators.NewStore()
	u := combinators.TensorSpace(nil)
	uu := combinators.ProductSpace(u, u)
	b := s.EinMap(einsum.Plain([][]int{nil, nil}, nil, nil), make([]*combinators.Node, 2))
	sin := s.AtomMap(atom.Sin, 0, nil, nil, make([]*combinators.Node, 1), make([][]size.Size, 1))
	first, second, id := s.Proj(uu, 0).Map, s.Proj(uu, 1).Map, s.ID(u).Map
	for _, m := range []combinators.Map{
		s.Compose(b, s.Pair(first, first)),
		s.Compose(b, s.Pair(first, s.SumMaps(first, second))),
		s.Compose(b, s.Product(sin, id)),
		s.Compose(b, s.Dup(u).Map),
		s.Compose(b, s.Pair(s.Proj(combinators.ProductSpace(u, u, u), 0).Map, s.Proj(combinators.ProductSpace(u, u, u), 2).Map)),
		s.Compose(sin, b),
		s.SumMaps(b, first),
		s.Pair(b, first),
	} {
		_, multi := m.Multilinear()
		require.False(t, multi, text.PrintClosed(m, false))
	}
}
