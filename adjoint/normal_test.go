package adjoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum/size"
)

func TestNormalFormsOfDerivatives(t *testing.T) {
	m, n := size.Sym("m"), size.Sym("n")
	vec := func(d ...size.Size) []size.Size { return d }
	for _, c := range []struct {
		name  string
		f     func(s *combinators.Store, x *Node) *Node
		shape []size.Size
		order int
		want  string
	}{
		{"quadratic form", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum("i,ij,j->", x, s.Var("A", vec(n, n)), x)
		}, vec(n), 1, ""},
		{"quadratic form", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum("i,ij,j->", x, s.Var("A", vec(n, n)), x)
		}, vec(n), 2, ""},
		{"least squares", func(s *combinators.Store, x *Node) *Node {
			r := s.Sub(s.Einsum("ij,j->i", s.Var("X", vec(m, n)), x), s.Var("y", vec(m)))
			return s.Einsum("i,i->", r, r)
		}, vec(n), 1, ""},
		{"least squares", func(s *combinators.Store, x *Node) *Node {
			r := s.Sub(s.Einsum("ij,j->i", s.Var("X", vec(m, n)), x), s.Var("y", vec(m)))
			return s.Einsum("i,i->", r, r)
		}, vec(n), 2, ""},
		{"norm", func(s *combinators.Store, x *Node) *Node { return s.Norm2(x) }, vec(n), 2, ""},
		{"x.*sin(x)", func(s *combinators.Store, x *Node) *Node { return s.Mul(x, s.Unary("sin", x)) }, vec(n), 1, ""},
		{"trace of X X A", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum("ij,ji->", s.Einsum("ij,jk->ik", x, x), s.Var("A", vec(n, n)))
		}, vec(n, n), 1, ""},
		{"x over x'x", func(s *combinators.Store, x *Node) *Node {
			return s.Scale(s.Recip(s.Einsum("i,i->", x, x)), x)
		}, vec(n), 1, ""},
		{"log sum exp", func(s *combinators.Store, x *Node) *Node { return s.Reduce("logsumexp", 1, x) }, vec(n), 2, ""},
		{"zero", func(s *combinators.Store, x *Node) *Node { return s.Var("u", vec(m)) }, vec(n), 1, ""},
	} {
		s := combinators.NewStore()
		x := s.Var("x", c.shape)
		y := Simplify(c.f(s, x))[0]
		for range c.order {
			j, err := Jacobian(y, []*Node{x}, Reverse)
			require.NoError(t, err)
			y = Simplify(j[0])[0]
		}
		t.Log(c.name, c.order, show(y))
	}
}
