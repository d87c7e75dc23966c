package jacobian

import (
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/normal"

	"github.com/stretchr/testify/require"
)

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
