package jacobian

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

func TestGradientOfAQuadraticForm(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	a, x := s.Var("A", []size.Size{n, n}), s.Var("x", []size.Size{n})
	y := s.Einsum("ij,i,j->", a, x, x)
	g, err := adjoint.Standard().Gradient(y, []*Node{x, a})
	require.NoError(t, err)
	require.Equal(t, x.Shape(), g[0].Shape())
	h, err := Of(adjoint.Standard(), g[0], []*Node{x}, Reverse)
	require.NoError(t, err)
	require.Equal(t, a.Shape(), h[0].Shape())
}

func TestEveryRowBuildsItsDerivative(t *testing.T) {
	n, m := size.Const(3), size.Const(2)
	for _, at := range atom.Rows() {
		if at.Class < atom.ClassLinear {
			continue
		}
		s := combinators.NewStore()
		x := s.Var("x", []size.Size{m, n, n})
		var y *Node
		switch {
		case at == atom.Power:
			continue
		case at == atom.Split:
			y = s.Split(1, size.Const(3), size.Const(1), x)
		case at == atom.Merge:
			y = s.Merge(1, x)
		case at.Arity > 1:
			y = s.Apply(at, 1, slices.Repeat([]*Node{x}, at.Arity)...)
		case at.Class == atom.ClassElementwise:
			y = s.Apply(at, 0, x)
		default:
			y = s.Apply(at, 1, x)
		}
		for _, mode := range []Mode{Reverse, Forward} {
			j, err := Of(adjoint.Standard(), y, []*Node{x}, mode)
			if at == atom.Matfun[atom.Directions] {
				require.ErrorContains(t, err, "no derivative")
				continue
			}
			require.NoError(t, err, at.Name)
			require.Len(t, j[0].Shape(), y.Order()+3, at.Name)
			if at == atom.Matfun[atom.Directions-1] {
				continue
			}
			_, err = Of(adjoint.Standard(), j[0], []*Node{x}, mode)
			require.NoError(t, err, at.Name)
		}
	}
}
