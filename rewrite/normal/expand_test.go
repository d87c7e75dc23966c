package normal

import (
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"

	"github.com/stretchr/testify/require"
)

func TestExpanded(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	v := func(name string) *Node { return s.Var(name, n) }
	a, b, c, d := v("a"), v("b"), v("c"), v("d")
	outer := func(x, y *Node) *Node { return s.Einsum("i,j->ij", x, y) }
	require.Equal(t, s.Add(s.Add(s.Add(outer(a, c), outer(a, d)), outer(b, c)), outer(b, d)), Expanded(outer(s.Add(a, b), s.Add(c, d)), true, false))
	require.Nil(t, Expanded(outer(a, b), true, false))
	require.Nil(t, Expanded(s.Unary(atom.Exp, outer(s.Add(a, b), c)), true, false)) // a function is not linear
	number := s.Add(s.Einsum("i,i->", a, b), s.Int(1))
	require.Nil(t, Expanded(outer(s.Scale(number, a), b), true, false)) // numbers stay whole
	require.NotNil(t, Expanded(outer(s.Scale(number, a), b), true, true))
	weak := s.Recip(d).WithGuard(combinators.GuardWeak)
	require.Nil(t, Expanded(outer(s.Sub(a, b), weak), true, false)) // (a - b)/d is 0 where a = b and d = 0
	require.Nil(t, Expanded(outer(s.Sub(a, b), s.Mul(c, weak)), true, false))
	require.NotNil(t, Expanded(s.Mul(outer(s.Sub(a, b), c), outer(s.Add(a, b), c)), true, false))
	wide := a
	for range 8 {
		wide = s.Add(wide, s.Unary(atom.Sin, wide))
	}
	require.Nil(t, Expanded(outer(wide, wide), true, false))
}
