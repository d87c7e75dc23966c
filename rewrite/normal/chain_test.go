package normal

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Sums of up to maxTerms terms have one normal form in one store, in whatever order they are added,
// and whether or not it is seen from their newest terms alone.
func TestSumsInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, coef := range []func(k int) int64{
		func(int) int64 { return 1 },
		func(k int) int64 { return int64(k + 1) },
		func(k int) int64 { return int64(2 * (k + 1)) },
		func(k int) int64 { return int64(6 - 4*(k%2)) },
		func(k int) int64 { return -1 },
		func(k int) int64 { return int64(k/20)*2 - 1 },
		func(k int) int64 { return int64(4+2*(k%2)) / int64(1+k/20%2) }, // 4, 6, .. and then 2, 3, ..
		func(k int) int64 { return int64(min(4+2*(k%2), 6-4*(k/20%2))) },
	} {
		for n := 2; n <= maxTerms-2; n++ {
			s := combinators.NewStore()
			x := s.Var("x", []size.Size{size.Sym("n")})
			terms := make([]*Node, n)
			for k := range terms {
				terms[k] = s.Scale(s.Int(coef(k)), s.Unary(atom.Sin, s.Scale(s.Int(int64(k+2)), x)))
			}
			sum := func(order []int) *Node {
				var y *Node
				for _, k := range order {
					if y == nil {
						y = terms[k]
					} else {
						y = s.Add(y, terms[k])
					}
				}
				return New(s, nil).Simplify(y)[0]
			}
			straight := sum(einsum.UpTo(n))
			for range 3 {
				require.Same(t, straight, sum(r.Perm(n)), "%d terms", n)
			}
		}
	}
}

// What is added to a long sum meets its like among the terms before it.
func TestLongSumsCollect(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", []size.Size{size.Sym("n")})
	f := func(k int) *Node { return s.Unary(atom.Sin, s.Scale(s.Int(int64(k+2)), x)) }
	y := f(0)
	for k := 1; k < 200; k++ {
		y = s.Add(y, f(k))
	}
	require.Same(t, y, New(s, nil).Simplify(y)[0])
	require.Len(t, combinators.Topo(New(s, nil).Simplify(s.Sub(s.Add(y, s.Unary(atom.Exp, x)), f(180)))...), len(combinators.Topo(s.Add(y, s.Unary(atom.Exp, x))))-4)
}
