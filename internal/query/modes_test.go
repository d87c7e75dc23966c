package query_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// Second derivatives that are finite where a factor of theirs is infinite, and another one exactly 0, are
// so in every mode.
func TestModesAtZeros(t *testing.T) {
	env := frechet.Env{
		"x": {Shape: []int{2}, Data: []float64{0, 1}},
		"A": {Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}},
	}
	for src, want := range map[string][]float64{
		"sqrt(x) .* (exp(x) - 1) .* x": {0, 0, 0, 0, 0, 0, 0, 12.161838685180465},
		"sqrt(x) .* x.^2 .* (A*x - 2)": {0, 0, 0, 0, 0, 7.5, 7.5, 27.5},
	} {
		f, err := frechet.Parse("declare x[n] A[n,n] expression " + src)
		require.NoError(t, err)
		for _, mode := range []frechet.Mode{frechet.Planned, frechet.Forward, frechet.Reverse} {
			d, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{"x"}, Order: 2, Mode: mode})
			require.NoError(t, err)
			got, _, err := d.Evaluate(context.Background(), []*frechet.Term{d.Outputs[0].Derivs[1].Term}, env)
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got[0].Data, 1e-9, "%s %v: %s", src, mode, d.Outputs[0].Derivs[1].Term)
		}
	}
}
