package normal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// A product that two terms of a sum share is used once when a common factor of both is taken out, and is then
// multiplied out before the third term is met: there is nothing to do in a second pass.
func TestJoinUses(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	a, b, c, d, e := s.Var("a", n), s.Var("b", n), s.Var("c", n), s.Var("d", n), s.Var("e", n)
	w := s.Mul(a, b)
	z := New(s, nil)
	got := z.Simplify(s.Add(s.Mul(s.Unary(atom.Sin, d), w), s.Add(s.Einsum("i,i,i->i", a, b, c), s.Mul(s.Unary(atom.Cos, e), w))))
	require.Equal(t, 2, z.passes)
	sum := s.Add(s.Unary(atom.Sin, d), s.Add(c, s.Unary(atom.Cos, e)))
	require.Equal(t, written(New(s, nil).Simplify(s.Einsum("i,i,i->i", a, b, sum))[0]), written(got[0]))
}

// How often functions of vectors are used is of no account to what they stand in.
func TestIndifferent(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	x, y := s.Var("x", n), s.Var("y", n)
	e := s.Unary(atom.Exp, s.Mul(x, y))
	sum := s.Add(e, s.Mul(x, x))
	z := New(s, nil)
	z.Simplify(sum)
	alone := z.useSignature(sum)
	z.Further(s.Mul(sum, s.Unary(atom.Sin, e)))
	require.EqualValues(t, 2, z.uses(e))
	require.Equal(t, alone, z.useSignature(sum))
}
