package unparse_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/terms"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

// Numbers stand where fewer products are written, and common powers outside.
func TestNumbers(t *testing.T) {
	for _, c := range [][2]string{
		{"4*(3*x .* x - 1)", "12*x^2 - 4"},
		{"0.5*(2*A*A' - A - A')", "A*A' - 0.5*(A + A')"},
		{"-(y + 0.5*x)", "-0.5*x - y"},
		{"2*(x - y)", "2*(x - y)"},
		{"-2*(y - 3*x)", "2*(3*x - y)"},
		{"2*A'*(A*x - y)", "2*A'*(A*x - y)"},
		{"A*(0.5*(x + 2*y + sin(x)))", "A*(y + 0.5*(x + sin(x)))"},
		{"2*x + 2*y + exp(x)", "exp(x) + 2*(x + y)"},
		{"x .* x .* x ./ (y .* y .* y)", "(x ./ y)^3"},
		{"1 ./ (x .* x) ./ (y .* y)", "(x .* y)^-2"},
		{"3*x .* x .* y .* y", "3*(x .* y)^2"},
		{"x .* x .* y", "y .* x^2"},
		{"sum(x .* x .* y .* y)", "(x .* y)'*(x .* y)"},
	} {
		file, err := syntax.Parse("declare A[n,n] x[n] y[n] expression "+c[0], syntax.Limits{})
		require.NoError(t, err)
		prog, err := elab.Elaborate(file, elab.Options{})
		require.NoError(t, err)
		stmts, err := unparse.Program(normal.Simplify(prog.Outputs[0].Node), unparse.Options{ShapesKnown: true})
		require.NoError(t, err)
		assert.Equal(t, c[1], syntax.Print(stmts[0].Expr))
	}
}

// Sums and products of powers with random numbers keep their values.
func TestRoundTripNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		shape := []size.Size{size.Const(2)}
		pool := []*combinators.Node{s.Var("x", shape), s.Var("y", shape), s.Ones(shape)}
		a := s.Var("A", []size.Size{shape[0], shape[0]})
		env := terms.Env([]*combinators.Node{pool[0], pool[1], a}, 1)
		pick := func() *combinators.Node { return rapid.SampledFrom(pool).Draw(t, "of") }
		times := func(x *combinators.Node) *combinators.Node {
			return s.Scale(s.Const(big.NewRat(rapid.SampledFrom([]int64{-2, -1, 2, 2, 1, 4}).Draw(t, "number"), 2)), x)
		}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			var y *combinators.Node
			switch x := pick(); rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				y = times(x)
			case 1:
				y = s.Power(rapid.SampledFrom(pool[:2]).Draw(t, "base"), big.NewRat(rapid.SampledFrom([]int64{-2, -1, 2, 3}).Draw(t, "exponent"), 1))
			case 2:
				y = s.Mul(x, pick())
			default:
				y = times(x)
				for range rapid.IntRange(1, 3).Draw(t, "terms") {
					y = s.Add(y, times(pick()))
				}
				y = times(y)
			}
			pool = append(pool, y)
		}
		y := pool[len(pool)-1]
		if rapid.Bool().Draw(t, "inner") {
			y = s.Contract([][]int{{0}, {0}, nil}, nil, shape, y, pool[0], s.Int(-2))
		} else if rapid.Bool().Draw(t, "quadratic") { // operands of several shapes, whose order depends on what they are
			y = s.Contract([][]int{{0}, {0, 1}, {1}, nil}, nil, []size.Size{shape[0], shape[0]}, y, a, pick(), s.Int(-2))
		}
		same(t, "declare x[2] y[2] A[2,2]", []*combinators.Node{y}, env, nil)
	})
}
