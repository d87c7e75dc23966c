package eval

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// NaN wins over every number, infinities among them, in whatever order they come.
func TestNaNWins(t *testing.T) {
	s := combinators.NewStore()
	x, y := s.Var("x", dims(3)), s.Var("y", dims(3))
	number := rapid.OneOf(rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), 0, 1e308}), rapid.Float64Range(-5, 5))
	rapid.Check(t, func(t *rapid.T) {
		v, w := NewTensor(3), NewTensor(3)
		for i := range 3 {
			v.Data[i], w.Data[i] = number.Draw(t, "x"), number.Draw(t, "y")
		}
		at := rapid.IntRange(0, 2).Draw(t, "at")
		v.Data[at] = math.NaN()
		nodes := []*combinators.Node{s.Reduce("amax", 1, x), s.Reduce("amin", 1, x), s.Reduce("logsumexp", 1, x), s.Norm2(x),
			s.Binary(atom.Max, x, y), s.Binary(atom.Min, x, y), s.Binary(atom.LogAddExp, x, y), s.Binary(atom.LogAddExp, y, x),
			s.Unary(atom.Relu, x), s.Unary(atom.Softplus, x), s.Softmax(1, x)}
		env := Env{"x": v, "y": w}
		got, err := Run(context.Background(), nodes, env)
		require.NoError(t, err)
		reference, err := Reference(context.Background(), nodes, env, nil)
		require.NoError(t, err)
		for k, n := range nodes {
			for _, out := range []*Tensor{got[k], reference[k]} {
				i := 0
				if n.Order() > 0 {
					i = at
				}
				require.True(t, math.IsNaN(out.Data[i]), "%s of %v and %v is %v", n.Atom().Name, v.Data, w.Data, out.Data)
			}
		}
	})
}
