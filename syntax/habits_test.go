package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What people who come from NumPy, MATLAB, Julia, LaTeX and Mathematica write, and the words of the hint that
// say what to write here.
func TestHabits(t *testing.T) {
	for expr, want := range map[string]string{
		"np.sum(x)": "write sum(x)", "np.linalg.norm(x)": "write norm2(x)", "torch.logsumexp(x, dim=0)": "write logsumexp(x, axis=0)",
		"math.pi*x": "write pi", "jnp.foo(x)": "there is no function foo",
		"x.sum()": "write sum(x)", "x.sum(axis=0)": "write sum(x, axis=0)", "A.T*x": "a transpose is written A'", "x.dot(y)": "x'*y",
		"A@x": "*", "x**2": "x^2", "x'x": "x'*x", "diag(A)'x": "...'*x", "2x": "2*x",
		"||x||": "norm2(x)", "||x - y||_2^2": "norm2(x - y)", "||x||_1": "norm1(x)", "|x|": "abs(x)", "‖x‖": "norm2(x)",
		`A \cdot x`: "as *", `A^\top x`: "A'", `\frac{a}{b}`: "a/b", `\lambda x`: "lambda", `\log(x)`: "log(x)", `\foo x`: "LaTeX is not read",
		`A\b`: "inv(A)*b", "λ*x": "lambda", "x²": "x^2", "x₁": "x1", "∇f": "frechet grad", "A^{-1}": "inv(A)", "x_{i}": "x[i]",
		"sum_i x_i": "index notation", "if x": "(x > 0) .* a", "x and y": ".*", "$x$": "dollar",
		"x ? y": "(x > 0) .* a", "x & y": ".*",
	} {
		_, err := Parse("declare A 2 x 1 y 1 expression "+expr, Limits{})
		var e *Error
		require.ErrorAs(t, err, &e, expr)
		assert.Contains(t, e.Help, want, expr)
	}
}

// The functions of others lead to functions that exist.
func TestForeignFunctions(t *testing.T) {
	for name, here := range foreign {
		if f, ok := strings.CutSuffix(here, "(...)"); ok && !strings.Contains(f, " ") {
			_, known := functions[f]
			assert.True(t, known, "%s is said to be %s", name, here)
		}
		_, own := functions[name]
		assert.False(t, own, "%s is a function here", name)
	}
	assert.Equal(t, "log(...)", Foreign("Log"))
}
