package unparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/terms"
	"frechet/rewrite/normal"
)

// Contractions with repeated letters, numbers and few axes, in sums and under functions, keep their values
// when they are simplified and printed, in every notation, and so do their derivatives.
func TestRoundTripDiagonals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		n := size.Const(2)
		declare := "declare"
		var pool []*combinators.Node
		for _, v := range []struct {
			name  string
			order int
		}{{"A", 2}, {"B", 2}, {"v", 1}, {"T", 3}, {"c", 0}} {
			shape := make([]size.Size, v.order)
			for i := range shape {
				shape[i] = n
			}
			x := s.Var(v.name, shape)
			declare += " " + v.name + size.Shape(shape)
			pool = append(pool, x)
		}
		params := append([]*combinators.Node{}, pool...)
		env := terms.Env(pool, 1)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			pick := func(name string) *combinators.Node { return pool[rapid.IntRange(0, len(pool)-1).Draw(t, name)] }
			var y *combinators.Node
			switch rapid.IntRange(0, 4).Draw(t, "op") {
			case 0:
				x := pick("x")
				y = s.Unary(rapid.SampledFrom([]*atom.Row{atom.Sin, atom.Exp, atom.Abs}).Draw(t, "f"), x)
			case 1:
				x := pick("x")
				y = x
				for range 4 {
					if z := pick("z"); z.Order() == x.Order() {
						y = s.Add(x, z)
						break
					}
				}
			default:
				var in [][]int
				var args []*combinators.Node
				most := rapid.IntRange(0, 3).Draw(t, "letters")
				for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "operands") {
					x := pick("x")
					g := make([]int, x.Order())
					for i := range g {
						g[i] = rapid.IntRange(0, most).Draw(t, "letter")
					}
					in, args = append(in, g), append(args, x)
				}
				if rapid.Bool().Draw(t, "number") {
					in, args = append(in, nil), append(args, s.Int(rapid.SampledFrom([]int64{-2, -1, 3}).Draw(t, "k")))
				}
				out := make([]int, rapid.IntRange(0, 3).Draw(t, "order"))
				for i := range out {
					out[i] = rapid.IntRange(0, most).Draw(t, "out")
				}
				to := map[int]int{}
				number := func(g []int) {
					for i, l := range g {
						if _, ok := to[l]; !ok {
							to[l] = len(to)
						}
						g[i] = to[l]
					}
				}
				for _, g := range in {
					number(g)
				}
				number(out)
				sizes := make([]size.Size, len(to))
				for i := range sizes {
					sizes[i] = n
				}
				y = s.Ein(einsum.Plain(in, out, sizes), args...)
			}
			pool = append(pool, y)
		}
		outs := []*combinators.Node{pool[len(pool)-1]}
		switch rapid.IntRange(0, 2).Draw(t, "of") {
		case 1:
			outs = normal.Simplify(outs...)
		case 2:
			wrt := params[rapid.IntRange(0, len(params)-1).Draw(t, "wrt")]
			if outs[0].Order()+wrt.Order() > 5 {
				return
			}
			js, err := jacobian.Of(adjoint.Standard(), outs[0], []*combinators.Node{wrt}, jacobian.Reverse)
			require.NoError(t, err)
			outs = normal.Simplify(js...)
		}
		same(t, declare, outs, env, nil)
	})
}
