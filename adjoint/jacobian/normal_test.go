package jacobian

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/normal"
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
		}, vec(n), 1, "{i,ji->j;x, (A + {ij->ji;A})}"},
		{"quadratic form", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum("i,ij,j->", x, s.Var("A", vec(n, n)), x)
		}, vec(n), 2, "(A + {ij->ji;A})"},
		{"least squares", func(s *combinators.Store, x *Node) *Node {
			r := s.Sub(s.Einsum("ij,j->i", s.Var("X", vec(m, n)), x), s.Var("y", vec(m)))
			return s.Einsum("i,i->", r, r)
		}, vec(n), 1, "{ij,i,->j;X, ({i,ji->j;x, X} + {i,->i;y, -1}), 2}"},
		{"least squares", func(s *combinators.Store, x *Node) *Node {
			r := s.Sub(s.Einsum("ij,j->i", s.Var("X", vec(m, n)), x), s.Var("y", vec(m)))
			return s.Einsum("i,i->", r, r)
		}, vec(n), 2, "{ij,ik,->jk;X, X, 2}"},
		{"norm", func(s *combinators.Store, x *Node) *Node { return s.Norm2(x) }, vec(n), 2, "{,ij->ij;norm2(x)^-1, ({->ii;} + {i,j,,,->ij;x, x, -1, norm2(x)^-1, norm2(x)^-1})}"},
		{"x.*sin(x)", func(s *combinators.Store, x *Node) *Node { return s.Mul(x, s.Unary(atom.Sin, x)) }, vec(n), 1, "{i->ii;(sin(x) + {i,i->i;x, cos(x)})}"},
		{"trace of X X A", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum("ij,ji->", s.Einsum("ij,jk->ik", x, x), s.Var("A", vec(n, n)))
		}, vec(n, n), 1, "({ij,ki->jk;x, A} + {ij,jk->ki;x, A})"},
		{"x over x'x", func(s *combinators.Store, x *Node) *Node {
			return s.Scale(s.Recip(s.Einsum("i,i->", x, x)), x)
		}, vec(n), 1, "{,ij->ij;{i,i->;x, x}^-1, ({->ii;} + {i,j,,->ij;x, x, {i,i->;x, x}^-1, -2})}"},
		{"log sum exp", func(s *combinators.Store, x *Node) *Node { return s.Reduce("logsumexp", 1, x) }, vec(n), 2, "({i->ii;softmax(x)} + {i,j,->ij;softmax(x), softmax(x), -1})"},
		{"solve", func(s *combinators.Store, x *Node) *Node {
			return s.Solve(s.Var("A", vec(n, n)), x)
		}, vec(n), 1, "inv(A)"},
		{"solve", func(s *combinators.Store, x *Node) *Node { return s.Solve(x, s.Var("b", vec(n))) }, vec(n, n), 1, "{i,,jk->jki;solve(x, b), -1, inv(x)}"},
		{"solve of outer products", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum("ij,j->i", s.Solve(s.Var("A", vec(n, n)), s.Einsum("i,j->ij", s.Var("b", vec(n)), x)), x)
		}, vec(m), 1, "{i,j,->ji;x, solve(A, b), 2}"},
		{"cross entropy of softmaxes", func(s *combinators.Store, x *Node) *Node {
			return s.Einsum(",i,i->", s.Int(-1), s.Softmax(1, s.Var("y", vec(n))), s.Unary(atom.Log, s.Softmax(1, x)))
		}, vec(n), 1, "(softmax(x) + {,i->i;-1, softmax(y)})"},
		{"gelu", func(s *combinators.Store, x *Node) *Node { return s.Unary(atom.Gelu, x) }, nil, 2, "{,,,->;2^-1/2, pi()^-1/2, exp({,,->;x, x, -1/2}), (2 + {,,->;x, x, -1})}"},
		{"maximum of equals", func(s *combinators.Store, x *Node) *Node { return s.Binary(atom.Max, x, x) }, nil, 1, "1"},
		{"zero", func(s *combinators.Store, x *Node) *Node { return s.Var("u", vec(m)) }, vec(n), 1, "{->ij;0}"},
	} {
		s := combinators.NewStore()
		x := s.Var("x", c.shape)
		y := normal.Simplify(c.f(s, x))[0]
		for range c.order {
			j, err := Of(adjoint.Standard(), y, []*Node{x}, Reverse)
			require.NoError(t, err)
			y = normal.Simplify(j[0])[0]
		}
		require.Equal(t, c.want, show(y), "%s, order %d", c.name, c.order)
	}
}
