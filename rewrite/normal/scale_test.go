package normal

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// A number in a matrix is taken out of its inverse, of a solution and of the logarithm of its determinant,
// and stands inside of its determinant and its cofactors.
func TestNumbersInMatrices(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	a, b, x := s.Var("a", []size.Size{n, n}), s.Var("b", []size.Size{n, n}), s.Var("x", []size.Size{n})
	turn := func(m *Node) *Node { return s.Einsum("ij->ji", m) }
	times := func(c int64, m *Node) *Node { return s.Scale(s.Int(c), m) }
	half := func(m *Node) *Node { return s.Scale(s.Const(big.NewRat(1, 2)), m) }
	log2 := s.Mul(s.SizeOf(n), s.Unary(atom.Log, s.Int(2)))
	for name, all := range map[string][]*Node{
		"inverse":               {s.Inv(times(2, a)), half(s.Inv(a)), half(turn(s.Inv(turn(a))))},
		"inverse of a negative": {s.Inv(times(-1, a)), s.Neg(s.Inv(a)), turn(s.Inv(s.Neg(turn(a))))},
		"inverse of a difference": {
			s.Inv(s.Sub(a, b)), times(2, s.Inv(s.Sub(times(2, a), times(2, b)))),
		},
		"solution": {
			s.Solve(times(2, a), x), half(s.Solve(a, x)), s.Solve(a, half(x)), s.Solve(times(4, a), times(2, x)),
		},
		"logarithm": {
			s.LogDet(times(2, a)), s.Add(log2, s.LogDet(a)), s.Unary(atom.Log, s.Minor(0, times(2, turn(a)))),
		},
		"logarithm of a negative": {s.LogDet(times(-2, a)), s.Add(log2, s.LogDet(s.Neg(turn(a))))},
		"logarithm of an inverse": {s.LogDet(s.Inv(times(-1, a))), s.Neg(s.LogDet(s.Neg(a)))},
		"determinant of an inverse": {
			s.Minor(0, s.Inv(times(2, a))), s.Recip(s.Minor(0, times(2, a))), s.Recip(s.Minor(0, times(2, turn(a)))),
		},
		"cofactors over a determinant": {
			s.Einsum("ij,->ij", s.Minor(1, times(2, a)), s.Recip(s.Minor(0, times(2, a)))), half(turn(s.Inv(a))),
		},
		"cofactors of an inverse": {
			s.Minor(1, s.Inv(times(2, a))), s.Einsum("ij,->ji", times(2, a), s.Recip(s.Minor(0, times(2, a)))),
		},
	} {
		first := New(s, nil).Simplify(all[0])[0]
		for k, y := range all {
			require.Same(t, first, New(s, nil).Simplify(y)[0], "%s %d", name, k)
		}
	}
}

// Differences that are one another's negatives meet, also where nothing else in the term changes.
func TestNegativesMeet(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	a, b := s.Var("a", []size.Size{n, n}), s.Var("b", []size.Size{n, n})
	for _, f := range []func(*Node) *Node{s.Inv, func(x *Node) *Node { return s.Unary(atom.Sin, x) }} {
		y := New(s, nil).Simplify(s.Add(f(s.Sub(a, b)), f(s.Sub(b, a))))[0]
		require.True(t, IsZero(y))
	}
}
