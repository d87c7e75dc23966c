package query

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/atom"
	"frechet/internal/program"
)

// The table of conventions is closed: every atom's kink stands in it.
func TestConventionsOfAtoms(t *testing.T) {
	for _, a := range atom.Rows() {
		if a.Kink != "" {
			assert.True(t, slices.ContainsFunc(conventions, func(c Convention) bool { return c.ID == a.Kink }), "%s: %s", a.Name, a.Kink)
		}
	}
}

// A formula names a convention where some values use it, and only there.
func TestConventionsOfFormulas(t *testing.T) {
	for _, c := range []struct {
		expression string
		want       string
	}{
		{"2^s", ""}, {"2^(s^2)", ""}, {"(1 + r^2)^s", ""}, {"exp(r)^s", ""}, {"r^s", "power-at-0"}, {"(r - 1)^s", "power-at-0"},
		{"sqrt(s)", "power-at-0"}, {"sqrt(1 + s^2)", ""}, {"s^1.5", ""}, {"s^(1/3)", "power-at-0"}, {"s^(-0.5)", "power-at-0"}, {"1/s", ""}, {"log(s)", ""},
		{"abs(s)", "abs-at-0"}, {"abs(1 + s^2)", ""}, {"abs(-3 - exp(s))", ""}, {"relu(s)", "relu-at-0"}, {"relu(softplus(s))", ""},
		{"max(s, 2*s)", "max-at-tie"}, {"max(s, s + 1)", ""}, {"min(s, s - exp(s))", ""}, {"(s > s^2)*s", "comparison-at-tie"}, {"(s > s + 1)*s", ""},
		{"norm2(x*s)", "norm2-at-0"}, {"norm2(1 + (x*s) .^ 2)", ""}, {"sum(x*abs(r))*s", ""}, {"max(x*s)", "max-at-tie"},
	} {
		f, err := program.Read("declare s[] r[] x[n] expression "+c.expression, program.Options{})
		require.NoError(t, err)
		r, err := One(f, Query{Wrt: []string{"s"}, Order: 1})
		require.NoError(t, err)
		var ids []string
		for _, v := range r.Conventions() {
			ids = append(ids, v.ID)
		}
		assert.Equal(t, c.want, strings.Join(ids, " "), c.expression)
	}
}

// Functions of matrices name their conventions where the data have no derivative: at equal eigenvalues, and at those of a kink.
func TestConventionsOfEigenvalues(t *testing.T) {
	for _, c := range []struct {
		expression string
		data       []float64
		want       string
	}{
		{"sum(eigvals(S)^3)", []float64{2, 0, 0, 2}, "eigenvalues-at-tie"}, {"sum(eigvals(S)^3)", []float64{2, 1, 1, 2}, ""},
		{"sum(eigvecs(S))", []float64{2, 0, 0, 2}, "eigenvalues-at-tie"}, {"sum(eigvecs(S))", []float64{2, 1, 1, 2}, ""},
		{"nucnorm(S)", []float64{1, 2, 2, 4}, "abs-at-0"}, {"nucnorm(S)", []float64{1, 2, 2, 5}, ""},
		{"tr(matfun(relu, S))", []float64{1, 2, 2, 4}, "relu-at-0"}, {"tr(matfun(tanh, S))", []float64{2, 0, 0, 2}, ""}, {"tr(expm(S))", []float64{0, 0, 0, 0}, ""},
		{"opnorm(S)", []float64{2, 0, 0, 2}, "eigenvalues-at-tie"}, {"opnorm(S)", []float64{2, 0, 0, 1}, ""},
	} {
		f, err := program.Read("declare S[2,2] expression "+c.expression, program.Options{})
		require.NoError(t, err)
		r, err := One(f, Query{Wrt: []string{"S"}, Order: 1})
		require.NoError(t, err)
		_, met, err := r.Evaluate(t.Context(), []*Term{r.Outputs[0].Derivs[0].Term}, program.Env{"S": {Shape: []int{2, 2}, Data: c.data}})
		require.NoError(t, err)
		var ids []string
		for _, v := range met.Conventions {
			ids = append(ids, v.ID)
		}
		require.Equal(t, c.want, strings.Join(ids, " "), "%s at %v", c.expression, c.data)
	}
}
