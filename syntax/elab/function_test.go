package elab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

func elaborated(t *testing.T, src string) (*Program, error) {
	t.Helper()
	file, err := syntax.Parse(src, syntax.Limits{})
	require.NoError(t, err, src)
	return Elaborate(file, Options{})
}

// A use of a function is the body with the arguments in the places of the parameters: the same node, for
// arguments of any order, sizes and names, also where a parameter is called as a variable or a size.
func TestFunctions(t *testing.T) {
	const declared = "declare A[m,n] x[n] y[m] c[] "
	for src, want := range map[string]string{
		"let f(z) = sin(z) + z expression f(x)":                           "expression sin(x) + x",
		"let f(z) = sin(z) + z expression f(A) *(ij,j->i) f(x)":           "expression (sin(A) + A) *(ij,j->i) (sin(x) + x)",
		"let f(A, x) = A*x expression f(A', y)":                           "expression A'*y",
		"let f(x) = x'*x let g(a, b) = f(a) + f(b) expression g(x, A'*y)": "expression x'*x + (A'*y)'*(A'*y)",
		"let f(z) = c*z let c1 = 2*c expression f(c1*x)":                  "expression c*(2*c*x)",
		"let f(n) = n .* x expression f(y'*A)":                            "expression (y'*A) .* x",
		"let f(z) = z .* sum(z) expression f(f(f(x)))":                    "let u = x .* sum(x) let v = u .* sum(u) expression v .* sum(v)",
		"let f(z) = A*z expression f(2)":                                  "expression A*2",
		"let f(z) = n*z expression f(x)":                                  "expression n*x",
	} {
		p, err := elaborated(t, declared+src+" "+want)
		require.NoError(t, err, src)
		assert.Same(t, p.Outputs[1].Node, p.Outputs[0].Node, src)
		printed := syntax.PrintFile(p.File)
		again, err := syntax.Parse(printed, syntax.Limits{})
		require.NoError(t, err, src)
		assert.Equal(t, printed, syntax.PrintFile(again))
	}
}

func TestFunctionErrors(t *testing.T) {
	const declared = "declare A[m,n] x[n] y[m] "
	for src, code := range map[string]syntax.Code{
		"let f(z) = f(z) expression f(x)":                         "N002",
		"let f(z) = z expression f":                               "N002",
		"let f(z) = w expression f(x)":                            "N002",
		"let f(z) = z expression f(x, y)":                         "S013",
		"let f(z, z) = z expression f(x, y)":                      "N001",
		"let f(z) = z let f(w) = w expression f(x)":               "N001",
		"let f(z) = A*z expression f(y)":                          "T012",
		"let x1(z) = z let x1 = x expression x1(x)":               "N001",
		"let f(z) = z expression f(x, axis=0)":                    "S013",
		"let f(a) = a let g(a) = f(a, a) expression g(x)":         "S013",
		"let norm1(z) = z expression norm1(x)":                    "N001",
		"let f(z) = z let g(z) = f(z) + h(z) expression g(x) + 1": "S014",
	} {
		_, err := elaborated(t, declared+src)
		var e *syntax.Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, code, e.Code, "%s: %s", src, e)
	}
}
