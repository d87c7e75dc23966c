package jacobian

import (
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/normal"

	"github.com/stretchr/testify/require"
)

func TestExpanded(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	v := func(name string) *Node { return s.Var(name, n) }
	a, b, c, d := v("a"), v("b"), v("c"), v("d")
	outer := func(x, y *Node) *Node { return s.Einsum("i,j->ij", x, y) }
	require.Equal(t, s.Add(s.Add(s.Add(outer(a, c), outer(a, d)), outer(b, c)), outer(b, d)), expanded(outer(s.Add(a, b), s.Add(c, d)), true))
	require.Nil(t, expanded(outer(a, b), true))
	require.Nil(t, expanded(s.Unary(atom.Exp, outer(s.Add(a, b), c)), true)) // a function is not linear
	number := s.Add(s.Einsum("i,i->", a, b), s.Int(1))
	require.Nil(t, expanded(outer(s.Scale(number, a), b), true)) // numbers stay whole
	weak := s.Recip(d).WithGuard(combinators.GuardWeak)
	require.Nil(t, expanded(outer(s.Sub(a, b), weak), true)) // (a - b)/d is 0 where a = b and d = 0
	require.Nil(t, expanded(outer(s.Sub(a, b), s.Mul(c, weak)), true))
	require.NotNil(t, expanded(s.Mul(outer(s.Sub(a, b), c), outer(s.Add(a, b), c)), true))
	wide := a
	for range 8 {
		wide = s.Add(wide, s.Unary(atom.Sin, wide))
	}
	require.Nil(t, expanded(outer(wide, wide), true))
}

// A value that another one is made of is not computed twice, in two forms.
func TestShorterTogether(t *testing.T) {
	s := combinators.NewStore()
	v := func(name string) *Node { return s.Var(name, []size.Size{size.Sym("n")}) }
	outer := func(c *Node) *Node { return s.Einsum("i,j,k->ijk", v("x"), v("y"), c) }
	sizes := map[string]int64{"n": 5}
	p := &Planner{Sizes: sizes, Cost: multiplications(sizes)}
	n := s.Sub(outer(s.Add(v("a"), v("b"))), outer(v("a")))
	values := []*Node{n, s.Unary(atom.Sin, n)}
	require.Equal(t, []*Node{outer(v("b"))}, p.shorter(normal.New(s, nil), values[:1]))
	require.Equal(t, values, p.shorter(normal.New(s, nil), values))
}
