package derivation_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// A term's derivation ends with the term.
func TestTermSteps(t *testing.T) {
	fresh := regexp.MustCompile(`\bd_\d+`) // a tangent; others have been made before
	last := func(x *frechet.Term) string {
		lines := slices.Collect(x.Steps())
		require.NotEmpty(t, lines)
		require.Equal(t, lines, slices.Collect(x.Steps()))
		return fresh.ReplaceAllString(lines[len(lines)-1].Text("text"), "d")
	}
	for _, c := range []struct{ src, value, gradient, hessian string }{
		{"declare x[n] A[n,n] expression x'*A*x", "x'*A*x", "(A + A')*x", "A + A'"},
		{"declare x[n] expression sum(x .* log(x)) + 0*sum(x)", "x'*log(x)", "log(x) + 1", "diag(1 ./ x)"},
		{"declare x[n] expression f = sum(exp(x)) expression g = sum(x .* x)", "sum(exp(x))", "exp(x)", "diag(exp(x))"},
	} {
		f, err := frechet.Parse(c.src)
		require.NoError(t, err)
		r, err := f.Derive(t.Context(), frechet.Query{Wrt: []string{"x"}, Order: 2})
		require.NoError(t, err)
		o := r.Outputs[0]
		require.Equal(t, c.value, last(o.Value))
		require.Equal(t, c.gradient, last(o.Derivs[0].Term))
		require.Equal(t, c.gradient, o.Derivs[0].Term.String())
		require.Equal(t, c.hessian, last(o.Derivs[1].Term))
		require.Equal(t, c.hessian, o.Derivs[1].Term.String())
	}

	// by two variables, in their order
	f, err := frechet.Parse("declare u[n] v[n] expression sum(exp(u) .* sin(v))")
	require.NoError(t, err)
	r, err := f.Derive(t.Context(), frechet.Query{Wrt: []string{"v", "u"}, Order: 2})
	require.NoError(t, err)
	for _, d := range r.Outputs[0].Derivs {
		if slices.Equal(d.Wrt, []string{"v", "u"}) {
			require.Equal(t, "diag(exp(u) .* cos(v))", last(d.Term))
		}
	}

	// steps are the ones that Func.Steps gives, and may be left early
	g, err := f.Derive(t.Context(), frechet.Query{Wrt: []string{"u"}, Order: 1})
	require.NoError(t, err)
	d, err := f.Steps("u")
	require.NoError(t, err)
	own, err := g.Outputs[0].Derivs[0].Term.Derivation()
	require.NoError(t, err)
	require.Equal(t, fresh.ReplaceAllString(d.Text("text", true), "d"), fresh.ReplaceAllString(own.Text("text", true), "d"))
	for range own.Steps() {
		break
	}

	// a term that was made in another way has no derivation
	m, err := f.HessianMap("u")
	require.NoError(t, err)
	_, err = m.Entries().Derivation()
	require.ErrorContains(t, err, "it has no derivation")
	require.Empty(t, slices.Collect(m.Entries().Steps()))
}
