package proof

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// What differs at a zero, or by the size of an axis, has no common form.
func TestUnequal(t *testing.T) {
	s := combinators.NewStore()
	k := &checker{s: s, work: &work{}}
	power := func(x *Node, e int64, g combinators.Guard) *Node { return s.Power(x, big.NewRat(e, 1)).WithGuard(g) }
	x := s.Var("x", []size.Size{size.Sym("n")})
	y, z, w := s.Var("y", nil), s.Var("z", nil), s.Var("w", nil)
	norm := s.Norm2(x)
	zero := power(norm, -1, combinators.GuardZero)
	number := s.Const(new(big.Rat))
	none, weak := combinators.GuardNone, combinators.GuardWeak
	for _, c := range []struct {
		name   string
		a, b   *Node
		theory theory
	}{
		{"the square of an inverse that is 0 at 0", s.Power(zero, big.NewRat(2, 1)), power(norm, -2, none), theory{powers: true}},
		{"its inverse", power(zero, -1, none), norm, theory{powers: true}},
		{"that inverse times its base is 0 at 0", s.Add(zero, s.Mul(zero, norm)), s.Add(zero, s.Int(1)), theory{powers: true}},
		{"0/0", s.Mul(s.Mul(power(number, -1, none), number), power(y, -1, none)), number, theory{}},
		{"a function of a size", s.Unary(atom.Exp, s.SizeOf(size.Sym("n"))), s.Unary(atom.Exp, s.Int(1)), theory{pick: true}},
		{"a function of a size, along an axis", s.Unary(atom.Exp, s.Broadcast(s.SizeOf(size.Sym("n")), x.Shape())),
			s.Unary(atom.Exp, s.Ones(x.Shape())), theory{pick: true}},
	} {
		require.False(t, k.refines(c.a, c.b, c.theory, newSigns(nil, k.work)), c.name)
	}
	require.True(t, k.refines(s.Unary(atom.Exp, s.Broadcast(s.SizeOf(size.Sym("n")), x.Shape())),
		s.Broadcast(s.Unary(atom.Exp, s.SizeOf(size.Sym("n"))), x.Shape()), theory{pick: true}, newSigns(nil, k.work)))

	// a factor is taken out with the joined guard; guards are not exchanged
	sum := s.Add(s.Mul(power(y, -1, none), z), s.Mul(power(y, -1, weak), w))
	factor := func(after *Node) error {
		return must.Try(func() {
			k.native("factor", &Step{Before: Line{Nodes: []*Node{sum}}, After: Line{Nodes: []*Node{after}}})
		})
	}
	require.NoError(t, factor(s.Mul(power(y, -1, weak), s.Add(z, w))))
	require.Error(t, factor(s.Mul(power(y, -1, none), s.Add(z, w))))
	require.Error(t, factor(s.Add(s.Mul(power(y, -1, weak), z), s.Mul(power(y, -1, none), w))))

	require.False(t, newSigns(nil, k.work).positive(zero))
	require.True(t, newSigns(nil, k.work).positive(power(norm, -1, none)))
}
