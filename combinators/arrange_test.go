package combinators_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

func TestArrange(t *testing.T) {
	build := func(backwards bool) *combinators.Node {
		s := combinators.NewStore()
		n := size.Sym("n")
		x, a := s.Var("x", []size.Size{n}), s.Var("A", []size.Size{n, n})
		parts := []func() *combinators.Node{
			func() *combinators.Node { return s.Unary(atom.Exp, x) },
			func() *combinators.Node { return s.Einsum("ij,j->i", a, s.Unary(atom.Sin, x)) },
			func() *combinators.Node { return s.Unary(atom.Sin, s.Unary(atom.Exp, x)) },
			func() *combinators.Node { return x },
		}
		if !backwards {
			return s.Add(s.Add(parts[0](), parts[1]()), s.Add(parts[2](), parts[3]()))
		}
		y := s.Add(parts[3](), parts[2]())
		return s.Add(s.Add(parts[1](), y), parts[0]())
	}
	for _, backwards := range []bool{false, true} {
		n := build(backwards)
		m := combinators.Arrange(n)[0]
		require.NotSame(t, n.Store(), m.Store())
		require.Equal(t, n.Shape(), m.Shape())
		require.Equal(t, "let v1 = exp(x) in x + (v1 + (ein(ij,j->i; A, sin(x)) + sin(v1)))", text.Printer{}.Print(text.Value(m)))
	}
}

// An axis that is split in two ways stands in one order.
func TestArrangeSplits(t *testing.T) {
	written := func(first, second int64) string {
		s := combinators.NewStore()
		x := s.Var("x", []size.Size{size.Const(6)})
		norm := func(n int64) *combinators.Node { return s.Norm2(s.Split(0, size.Const(n), size.Const(6/n), x)) }
		a := norm(first)
		return text.Printer{}.Print(text.Value(combinators.Arrange(s.Add(a, norm(second)))[0]))
	}
	require.Equal(t, written(2, 3), written(3, 2))
}

// What is arranged is as it was, guards and attributes included, and is arranged already.
func TestArrangeKeeps(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	a := s.Var("A", []size.Size{n, n})
	split := s.Split(0, n, n, s.Merge(0, a))
	shared := s.Add(a, s.Inv(a))
	y := s.Einsum("ij,ij,jk->ik", split, s.Power(shared, combinators.NewStore().Fraction(-1, 2).Rat()).WithGuard(combinators.GuardWeak), s.Minor(1, shared))
	m := combinators.Arrange(y, shared)
	again := combinators.Arrange(m...)
	for i, n := range []*combinators.Node{y, shared} {
		require.Equal(t, len(combinators.Topo(n)), len(combinators.Topo(m[i])))
		require.Equal(t, text.Printer{}.Print(text.Value(m[i])), text.Printer{}.Print(text.Value(again[i])))
	}
	guards := 0
	for _, n := range combinators.Topo(m...) {
		if n.Guard() == combinators.GuardWeak {
			guards++
		}
	}
	require.Equal(t, 1, guards)
}
