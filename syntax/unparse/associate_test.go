package unparse

import (
	"testing"

	"frechet/combinators"
	"frechet/einsum/size"

	"github.com/stretchr/testify/require"
)

var m, n = size.Sym("m"), size.Sym("n")

// products lists the contractions below nodes, as index strings.
func products(nodes ...*combinators.Node) []string {
	var out []string
	for _, n := range combinators.Topo(nodes...) {
		if c := n.Ein(); c != nil {
			out = append(out, c.String())
		}
	}
	return out
}

func TestAssociateAvoidsLargeIntermediates(t *testing.T) {
	s := combinators.NewStore()
	X := s.Var("X", []size.Size{m, n})
	w := s.Var("w", []size.Size{n})
	// X'*(X*w), never (X'*X)*w
	g := s.Einsum("ij,ik,k->j", X, X, w)
	out := Associate([]*combinators.Node{g})
	require.Equal(t, []string{"ij,j->i", "ij,i->j"}, products(out[0]))
	// a*(b'*c), never (a*b')*c
	a, b := s.Var("a", []size.Size{m}), s.Var("b", []size.Size{n})
	out = Associate([]*combinators.Node{s.Einsum("i,j,j->i", a, b, w)})
	require.Equal(t, []string{"i,i->", "i,->i"}, products(out[0]))
}

func TestAssociateShares(t *testing.T) {
	s := combinators.NewStore()
	A, B, C := s.Var("A", []size.Size{n, n}), s.Var("B", []size.Size{n, n}), s.Var("C", []size.Size{n, n})
	x := s.Einsum("ij,jk,kl->il", A, B, C)
	y := s.Einsum("ij,jk,kl->li", C, B, A)
	bc := s.Einsum("ij,jk->ki", B, C)
	out := Associate([]*combinators.Node{x, y, bc})
	require.Len(t, combinators.Topo(out...), 3+4)
	// -A*B and A*B*C share A*B.
	neg := s.Einsum(",ij,jk->ik", s.Int(-1), A, B)
	out = Associate([]*combinators.Node{x, neg})
	require.Len(t, combinators.Topo(out...), 3+2+1+1)
}

func TestAssociateScalars(t *testing.T) {
	s := combinators.NewStore()
	A, x := s.Var("A", []size.Size{n, n}), s.Var("x", []size.Size{n})
	g := s.Einsum(",ij,j->i", s.Int(-2), A, x)
	out := Associate([]*combinators.Node{g})
	require.Equal(t, []string{"ij,j->i", ",i->i", "i,->i"}, products(out[0]))
	require.Equal(t, "-1", out[0].Arg(1).Rat().RatString())
}

func TestAssociateKeepsValues(t *testing.T) {
	// A product of two operands must not run over the letters of the others, which would
	// multiply by their sizes.
	s := combinators.NewStore()
	X, w := s.Var("X", []size.Size{m, n}), s.Var("w", []size.Size{n})
	for _, c := range combinators.Topo(Associate([]*combinators.Node{s.Einsum("ij,ik,k->j", X, X, w)})...) {
		if c.Ein() != nil {
			require.Len(t, c.Ein().Vars, 2)
		}
	}
}
