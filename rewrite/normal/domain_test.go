package normal_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/rewrite/normal"
)

// A function of a value of one sign has no value in normal form either where that value has none.
func TestSignsKeepTheDomain(t *testing.T) {
	type node = combinators.Node
	s := combinators.NewStore()
	x := s.Var("x", nil)
	root := s.Power(x, big.NewRat(1, 2))
	call := func(at *atom.Row) func(*node) *node { return func(a *node) *node { return s.Unary(at, a) } }
	neg := func(f func(*node) *node) func(*node) *node { return func(a *node) *node { return f(s.Neg(a)) } }
	outer := []func(*node) *node{call(atom.Relu), call(atom.Step), call(atom.Sign), call(atom.Abs), neg(call(atom.Relu)), neg(call(atom.Step)),
		neg(call(atom.Sign)), func(a *node) *node { return s.Binary(atom.Max, a, s.Neg(a)) }, func(a *node) *node { return s.Unary(atom.Log, s.Unary(atom.Exp, a)) }}
	inner := []*node{root, s.Power(x, big.NewRat(-3, 2)), s.Unary(atom.Exp, root), s.Unary(atom.Exp, s.Unary(atom.Log, x)), s.Unary(atom.Sigmoid, root),
		s.Unary(atom.Softplus, s.Unary(atom.Arcsin, x)), s.Unary(atom.Cosh, s.Unary(atom.Log1p, x)), s.Unary(atom.Abs, s.Unary(atom.Log, x)),
		s.Mul(root, root), s.Add(s.Unary(atom.Exp, x), root), s.Unary(atom.Exp, s.Power(s.Unary(atom.Exp, x), big.NewRat(1, 2)))}
	for i, f := range outer {
		for j, a := range inner {
			n := f(a)
			m := normal.New(s, nil).Simplify(n)[0]
			for _, v := range []float64{-1.5, -0.5, 0.5, 2} {
				point := eval.NewTensor()
				point.Data[0] = v
				out, err := eval.Reference(context.Background(), []*node{n, m}, eval.Env{"x": point}, nil)
				require.NoError(t, err)
				want, got := out[0].Data[0], out[1].Data[0]
				assert.True(t, math.IsNaN(want) && math.IsNaN(got) || math.Abs(want-got) <= 1e-12*math.Abs(want), "%d of %d at %v: %v, in normal form %v", i, j, v, want, got)
			}
		}
	}
	// what is defined everywhere is still decided
	zero := normal.New(s, nil).Simplify(s.Unary(atom.Relu, s.Neg(s.Power(s.Unary(atom.Exp, x), big.NewRat(1, 2)))))[0]
	assert.True(t, normal.IsZero(zero))
}
