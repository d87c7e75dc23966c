package normal

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum/size"
)

// Products of powers of |x| and of x'x are a power of |x|, or of x'x where that is even; where the product
// has no value at 0 the power has none, and where a derivative made it 0 there, so is the power.
func TestPowersOfNorms(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	x, y := s.Var("x", []size.Size{n}), s.Var("y", []size.Size{n})
	norm, square := s.Norm2(x), s.Einsum("i,i->", x, x)
	power := func(a *Node, r int64) *Node { return s.Power(a, big.NewRat(r, 1)) }
	zero := func(r int64) *Node { return power(norm, r).WithGuard(combinators.GuardZero) }
	product := func(all ...*Node) *Node {
		m := all[0]
		for _, a := range all[1:] {
			m = s.Mul(m, a)
		}
		return m
	}
	simplify := func(a *Node) *Node { return New(s, nil).Simplify(a)[0] }
	for name, all := range map[string][]*Node{
		"cube":      {power(norm, 3), product(norm, square), product(norm, norm, norm), s.Einsum("i,,i->", x, norm, x)},
		"fourth":    {power(square, 2), product(norm, square, norm), power(norm, 4), product(norm, power(norm, 3))},
		"seventh":   {power(norm, 7), product(norm, power(square, 3)), product(power(norm, 3), square, square)},
		"inverse":   {power(norm, -1), product(norm, power(square, -1)), product(square, power(norm, -3))},
		"derived":   {norm, product(square, zero(-1)), s.Einsum("i,i,->", x, x, zero(-1))},
		"half":      {s.Power(norm, big.NewRat(-1, 2)).WithGuard(combinators.GuardZero), product(s.Power(norm, big.NewRat(1, 2)), zero(-1))},
		"direction": {s.Einsum(",i->i", norm, x), s.Einsum("j,,j,i->i", x, zero(-1), x, x)},
	} {
		first := simplify(all[0])
		for k, a := range all {
			require.Same(t, first, simplify(a), "%s %d", name, k)
		}
	}
	for name, a := range map[string]*Node{
		"no value at 0":  product(square, power(norm, -1)),
		"0 at 0":         product(square, zero(-2)),
		"another square": product(norm, s.Einsum("i,i->", y, y)),
		"entries":        s.Einsum(",i,i->i", norm, x, x),
	} {
		require.NotEqual(t, norm, simplify(a), name)
		require.Greater(t, len(simplify(a).Args()), 1, name)
	}
}

// A size over itself is 1 in a tensor with an axis of that size, which has no entries where it is 0, and stays
// in others.
func TestSizesOverThemselves(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	x, y := s.Var("x", []size.Size{n}), s.Var("y", []size.Size{n.Mul(m)})
	ratio := s.Mul(s.SizeOf(n), s.Recip(s.SizeOf(n)))
	simplify := func(a *Node) *Node { return New(s, nil).Simplify(a)[0] }
	require.Same(t, x, simplify(s.Scale(ratio, x)))
	require.Same(t, y, simplify(s.Scale(ratio, y)))
	require.NotEqual(t, s.Int(1), simplify(ratio))
	require.NotEqual(t, s.Var("z", []size.Size{m}), simplify(s.Scale(ratio, s.Var("z", []size.Size{m}))))
}
