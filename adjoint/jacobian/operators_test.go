package jacobian

import (
	"testing"

	random "frechet/internal/terms"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/normal"
)

func logistic(s *combinators.Store) (y, z, w *Node) {
	m, n := size.Sym("m"), size.Sym("n")
	x := s.Var("X", []size.Size{m, n})
	w = s.Var("w", []size.Size{n})
	z = s.Einsum("ij,j->i", x, w)
	return s.Einsum("i->", s.Unary(atom.Softplus, z)), z, w
}

func TestHessianVectorProductsAreTheHessianApplied(t *testing.T) {
	s := combinators.NewStore()
	y, _, w := logistic(s)
	v := s.Var("v", w.Shape())
	hv, err := adjoint.Standard().HVP(y, w, v)
	require.NoError(t, err)
	for _, n := range combinators.Topo(hv) {
		require.Less(t, n.Order(), 3)
	}
	h, err := (&Planner{}).Hessian(y, w, w)
	require.NoError(t, err)
	vals := random.Values(t, []*Node{h.Apply(v), hv}, random.Env([]*Node{y, v}, 1))
	random.Close(t, vals[0], vals[1], 1e-12, "hvp")
	_, err = adjoint.Standard().HVP(s.Scale(y, w), w, v)
	require.Error(t, err)
}

func TestGaussNewtonIsTheHessianOfALinearModel(t *testing.T) {
	s := combinators.NewStore()
	y, z, w := logistic(s)
	h, err := (&Planner{}).Hessian(y, w, w)
	require.NoError(t, err)
	g, err := (&Planner{}).GaussNewton(y, z, w)
	require.NoError(t, err)
	require.Same(t, h.Entries, g.Entries)
	_, err = (&Planner{}).GaussNewton(s.Add(y, s.Einsum("i,i->", w, w)), z, w)
	require.ErrorContains(t, err, "past the value")
}

func TestResidualOfLeastSquares(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	x, b := s.Var("x", n), s.Var("b", n)
	r := s.Sub(s.Unary(atom.Sin, x), b)
	y := s.Scale(s.Recip(s.Int(2)), s.Einsum("i,i->", r, r))
	require.Same(t, normal.Simplify(r)[0], Residual(y))
	require.Nil(t, Residual(s.Unary(atom.Exp, y)))
	g, err := (&Planner{}).GaussNewton(normal.Simplify(y)[0], Residual(y), x)
	require.NoError(t, err)
	// J'J with J = diag(cos x)
	c := s.Unary(atom.Cos, x)
	vals := random.Values(t, []*Node{s.Einsum("i,i->ii", c, c), g.Entries}, random.Env([]*Node{y}, 1))
	random.Close(t, vals[0], vals[1], 1e-12, "gauss-newton")
}
