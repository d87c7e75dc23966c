package export_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

func code(t *testing.T, target, program string) (string, error) {
	t.Helper()
	f, err := frechet.Parse(program)
	require.NoError(t, err)
	r, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
	require.NoError(t, err)
	return f.Code(r, frechet.ExportOptions{Target: target})
}

// TestRefused: what a target cannot state is an error of its own, and nothing is printed.
func TestRefused(t *testing.T) {
	for _, target := range frechet.Targets() {
		text, err := code(t, target, "primitive h : R -> R\ndeclare x[n]\nexpression sum(h(x))")
		var e *frechet.Error
		require.True(t, errors.As(err, &e), target)
		require.EqualValues(t, "R002", e.Code)
		require.NotEmpty(t, e.Help)
		require.Empty(t, text)
	}
	_, err := code(t, "dask", "declare A[n,n] expression det(A) gradient wrt A")
	require.ErrorContains(t, err, "a derivative of det")
	_, err = code(t, "cobol", "declare x[n] expression sum(x)")
	require.ErrorContains(t, err, "known are numpy")
}

// TestNames: names that a target reserves, or that what is printed uses, get another name there.
func TestNames(t *testing.T) {
	const program = "declare range[n] int[n] lambda[n] t1[n] end[n] Result[n] expression sum(range .* int .* lambda .* t1 .* end .* Result)"
	for target, want := range map[string]string{
		"numpy": "def f(range_, int, lambda_, t1_, end, Result_):", "c": "const double *int_",
		"go": "range_ []float64, int_ []float64, lambda []float64", "octave": "f(range, int, lambda, t1_, end_, Result)"} {
		text, err := code(t, target, program)
		require.NoError(t, err)
		require.Contains(t, text, want)
	}
}

// TestSizes: a size that no shape shows is an argument, one that a shape gives by an equation is found.
func TestSizes(t *testing.T) {
	text, err := code(t, "numpy", "declare x[m*n] y[n+1] expression sum(x)*sum(y)")
	require.NoError(t, err)
	require.Contains(t, text, `n = _size("y", y, 1, 0) - 1`)
	require.Contains(t, text, `m = (_size("x", x, 1, 0)) // max(1, n)`)
	text, err = code(t, "numpy", "declare x[m*n] expression sum(x)")
	require.NoError(t, err)
	require.Contains(t, text, "def f(x, *, m, n):")
}
