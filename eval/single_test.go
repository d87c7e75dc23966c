package eval

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Sums, products and functions in single precision are those of float32.
func TestSingleIsFloat32(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		s := combinators.NewStore()
		shape := []size.Size{size.Sym("n")}
		x, y := s.Var("x", shape), s.Var("y", shape)
		a, b := NewTensor(n), NewTensor(n)
		var dot float32
		quotients := make([]float64, n)
		for i := range n {
			a.Data[i], b.Data[i] = r.NormFloat64(), r.NormFloat64()
			p, q := float32(a.Data[i]), float32(b.Data[i])
			dot += float32(p * q) // not fused
			quotients[i] = float64(p + 1/q)
		}
		nodes := []*combinators.Node{s.Einsum("i,i->", x, y), s.Add(x, s.Recip(y))}
		out, err := Run(context.Background(), nodes, Env{"x": a, "y": b}, WithSingle(true))
		require.NoError(t, err)
		assert.Equal(t, float64(dot), out[0].Data[0])
		assert.Equal(t, quotients, out[1].Data)
	})
}

// A chain of matrices, a function of one, loops with conditions and sizes as numbers agree with double precision as far
// as single precision goes, and not further.
func TestSingleBesideDouble(t *testing.T) {
	s, n := combinators.NewStore(), size.Sym("n")
	A, v := s.Var("A", []size.Size{n, n}), s.Var("v", []size.Size{n})
	y := s.Einsum("ij,jk,kl,l->i", s.Inv(A), A, s.Unary(atom.Exp, A), v)
	nodes := []*combinators.Node{y, s.LogDet(s.Einsum("ik,jk->ij", A, A)), s.Einsum(",i->i", s.SizeOf(n), v), s.Prod(1, v)}
	env := Env{"A": NewTensor(5, 5), "v": NewTensor(5)}
	r := rand.New(rand.NewPCG(1, 2))
	for _, x := range env {
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
	}
	single, err := Run(context.Background(), nodes, env, WithSingle(true))
	require.NoError(t, err)
	double, err := Run(context.Background(), nodes, env)
	require.NoError(t, err)
	for k := range nodes {
		for i, want := range double[k].Data {
			assert.InEpsilon(t, want, single[k].Data[i], 1e-3)
			assert.NotEqual(t, want, single[k].Data[i])
			assert.Equal(t, float64(float32(single[k].Data[i])), single[k].Data[i])
		}
	}
}
