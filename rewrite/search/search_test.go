package search

import (
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite"

	"github.com/stretchr/testify/require"
)

// A path in the forest of unions is an explanation: it says of each step which term it makes of which, and equal parts
// make equal terms.
func TestExplain(t *testing.T) {
	s := combinators.NewStore()
	rules := rewrite.MustLoadRules(`rule a "" [x: S] sin(x) => cos(x)
rule b "" [x: S] tan(x) => cos(x)`)
	x := s.Var("x", []size.Size{size.Sym("n")})
	f := func(at *atom.Row, n *Node) *Node { return s.Unary(at, n) }
	g := New(Options{Rules: only(rules)})
	left, right := f(atom.Exp, f(atom.Erf, f(atom.Sin, x))), f(atom.Exp, f(atom.Erf, f(atom.Tan, x)))
	require.Equal(t, 0, g.Run(1000, Goal{left, right}))
	p := g.Explain(left, right)
	path := p.Path()
	require.Len(t, path, 2)
	require.Equal(t, f(atom.Sin, x), path[0].Before)
	require.Equal(t, path[0].After, path[1].Before)
	require.Equal(t, f(atom.Tan, x), path[1].After)
	require.Equal(t, []bool{false, true}, []bool{path[0].Firing.Rule.Back, path[1].Firing.Rule.Back})
}

// A search ends at its limit, and where nothing is left to expand.
func TestLimits(t *testing.T) {
	s := combinators.NewStore()
	x, y := s.Var("x", nil), s.Var("y", nil)
	grow := rewrite.MustLoadRules(`rule grow "" [x: S] sin(x) => sin(cos(sin(x)))`)
	g := New(Options{Rules: only(grow)})
	require.Equal(t, -1, g.Run(50, Goal{s.Unary(atom.Sin, x), y}))
	require.Less(t, g.Len(), 200)
	g = New(Options{})
	require.Equal(t, -1, g.Run(50, Goal{s.Unary(atom.Sin, x), y}))
	require.Less(t, g.Len(), 50)
}

// Cost chooses which terms are expanded first, and which are too costly.
func TestCost(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	rules := rewrite.MustLoadRules(`rule a "" [x: S] sin(x) => cos(x)`)
	g := New(Options{Rules: only(rules), Cost: func(n *Node) int {
		if n.Is(atom.Cos) {
			return 1000
		}
		return 1
	}})
	require.Equal(t, -1, g.Run(50, Goal{s.Unary(atom.Sin, x), x}))
	for n := range g.parent {
		require.False(t, n.Is(atom.Cos))
	}
}

func only(rs *rewrite.Rules) func() (forth, back []*rewrite.Rules) {
	return func() (forth, back []*rewrite.Rules) { return []*rewrite.Rules{rs}, nil }
}
