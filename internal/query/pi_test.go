package query_test

import (
	"context"
	"frechet"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The number pi is a name in all notations, is exact, and is read back where it is printed.
func TestPi(t *testing.T) {
	for _, c := range []struct{ in, text, derivative string }{
		{"declare x[] expression x*pi*2", "2*pi*x", "2*pi"},
		{"declare x[] expression sin(π*x)", "sin(pi*x)", "pi*cos(pi*x)"},
		{"declare x[] expression cos(4*pi) + cos(pi)*x + sin(-3*pi) + tan(pi) + cos(5*pi)*x", "1 - 2*x", "-2"},
		{"declare x[] expression 4*arctan(1)*x", "pi*x", "pi"},
		{"declare x[] expression abs(pi)*x*log(π)", "pi*log(pi)*x", "pi*log(pi)"},
		{"declare x[] expression sqrt(pi)*erf(x)", "sqrt(pi)*erf(x)", "2*exp(-x^2)"},
		{"declare x[] pi[] expression erf(pi*x)", "erf(x*pi)", "2*pi*exp(-(x*pi)^2)/sqrt(4*arctan(1))"},
		{"declare x[] let pi = 3 expression pi*x", "3*x", "3"},
		{"declare x[pi] expression sum(erf(x))", "sum(erf(x))", "2*exp(-x^2)/sqrt(4*arctan(1))"},
		{"declare x[] y[] = pi*x**2 + π", "y[] = pi + pi * x**2", "dx[] = 2 * pi * x"},
		{"f : R[] -> R[] = sin . (π .* _)", "sin(pi*x)", "pi*cos(pi*x)"},
		{"f : R[] -> R[] = K(pi)", "pi", "0"},
	} {
		f, err := frechet.Parse(c.in)
		require.NoError(t, err, c.in)
		require.Equal(t, c.text, f.Value().String(), c.in)
		d, err := f.Gradient("x")
		require.NoError(t, err, c.in)
		require.Equal(t, c.derivative, d.String(), c.in)
	}
	for src, code := range map[string]string{
		"declare x[] expression pi[2]*x":                "T002",
		"expression pi declare pi[]":                    "N001",
		"declare x[] expression x*pi derivative wrt pi": "N003",
		"f : R[] -> R[] = pi":                           "T012",
		"declare x[3] y[i] = pi[i]*x[i]":                "T002",
		"declare x[3] expression x*pi + piu":            "N002",
		"declare x[3] expression x *(i,i->i) pi":        "T002",
	} {
		_, err := frechet.Parse(src)
		require.Error(t, err, src)
		require.Equal(t, code, string(err.(*frechet.Error).Code), "%s: %s", src, err)
	}
}

func TestPiIsEvaluated(t *testing.T) {
	f, err := frechet.Parse("declare x[n] expression sum(gelu(x)*pi)/sqrt(2*pi)")
	require.NoError(t, err)
	g, err := f.Gradient("x")
	require.NoError(t, err)
	prog, err := frechet.Compile(g, nil)
	require.NoError(t, err)
	v, err := prog.Run(context.Background(), frechet.Env{"x": {Shape: []int{2}, Data: []float64{0.5, -1}}})
	require.NoError(t, err)
	for i, x := range []float64{0.5, -1} {
		want := math.Sqrt(math.Pi/2) * (0.5*(1+math.Erf(x/math.Sqrt2)) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi))
		require.InDelta(t, want, v.Data[i], 1e-15)
	}
}
