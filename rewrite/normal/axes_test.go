package normal

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
)

// Products, transposes and traces of Kronecker products are those of their factors: in normal form nothing
// but the last step merges axes.
func TestKroneckerProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		m, n := size.Const(2), size.Const(3)
		env := eval.Env{}
		matrix := func(name string, d size.Size, k int64) *Node {
			x := eval.NewTensor(int(k), int(k))
			for j := range x.Data {
				x.Data[j] = rapid.Float64Range(-1, 1).Draw(t, name)
			}
			for j := range int(k) {
				x.Data[j*int(k)+j] += 3
			}
			env[name] = x
			return s.Var(name, []size.Size{d, d})
		}
		left := []*Node{matrix("A", m, 2), matrix("C", m, 2)}
		right := []*Node{matrix("B", n, 3), matrix("D", n, 3)}
		kron := func() *Node {
			a, b := rapid.SampledFrom(left).Draw(t, "left"), rapid.SampledFrom(right).Draw(t, "right")
			return s.Merge(1, s.Merge(0, s.Einsum("ik,jl->ijkl", a, b)))
		}
		x := kron()
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				x = s.Einsum("ij,jk->ik", x, kron())
			case 1:
				x = s.Einsum("ji,jk->ik", kron(), x)
			case 2:
				x = s.Einsum("ij->ji", x)
			}
		}
		trace := s.Einsum("ii->", x)
		z := New(s, nil).Simplify(x, trace)
		require.True(t, z[0].Is(atom.Merge) && z[0].Arg(0).Is(atom.Merge))
		for _, y := range combinators.Topo(z[0].Arg(0).Arg(0), z[1]) {
			require.False(t, y.Is(atom.Merge) || y.Is(atom.Split))
		}
		out, err := eval.Reference(context.Background(), []*Node{x, trace, z[0], z[1]}, env, nil)
		require.NoError(t, err)
		for k := range 2 {
			for i, v := range out[k].Data {
				require.InDelta(t, v, out[k+2].Data[i], 1e-8*(1+abs(v)))
			}
		}
	})
}

func abs(x float64) float64 { return max(x, -x) }
