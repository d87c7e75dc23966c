package query_test

import (
	"context"
	"fmt"
	"frechet"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const bigPrecision = 2700 // bits: 1 and e^-1600 are apart

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrecision).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(bigPrecision) }

// bigExp is e^x: the series at x/2^k, squared k times.
func bigExp(x *big.Float) *big.Float {
	const k = 40
	y := newBig().SetMantExp(x, -k)
	sum, term := bigOf(1), bigOf(1)
	for i := 1; term.Sign() != 0 && term.MantExp(nil) > -bigPrecision; i++ {
		term = newBig().Quo(newBig().Mul(term, y), bigOf(float64(i)))
		sum = newBig().Add(sum, term)
	}
	for range k {
		sum = newBig().Mul(sum, sum)
	}
	return sum
}

// bigLog solves e^y = x by Newton's method, from the logarithm of the mantissa and the exponent.
func bigLog(x *big.Float) *big.Float {
	m := newBig()
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := bigOf(math.Log(f) + float64(e)*math.Ln2)
	for range 7 { // y + x e^-y - 1
		y = newBig().Add(y, newBig().Sub(newBig().Mul(x, bigExp(newBig().Neg(y))), bigOf(1)))
	}
	return y
}

// What is written with exp has its value, and its derivative, to the last digits also where exp is
// infinite or 0: compared with arithmetic of 800 digits.
func TestStableForms(t *testing.T) {
	// each form is log(p e^a + q e^b + s), or e^a/(p e^a + q e^b)
	for _, c := range []struct {
		text    string
		log     bool
		p, q, s float64
	}{
		{"log(exp(a) + exp(b))", true, 1, 1, 0},
		{"log(exp(a) + 2*exp(b))", true, 1, 2, 0},
		{"log(3*exp(a) + 2*exp(b))", true, 3, 2, 0},
		{"log(0.25*exp(a) + 0.25*exp(b))", true, .25, .25, 0},
		{"log(exp(a) + 3)", true, 1, 0, 3},
		{"log(1 + 2*exp(a))", true, 2, 0, 1},
		{"log(2 + 2*exp(a))", true, 2, 0, 2},
		{"log(5*exp(a) + 0.5)", true, 5, 0, .5},
		{"log(exp(a) + exp(b) + 2)", true, 1, 1, 2},
		{"log(exp(a) + 3*exp(b) + 2)", true, 1, 3, 2},
		{"log(2*exp(a) + 3*exp(b) + 5)", true, 2, 3, 5},
		{"exp(a) ./ (exp(a) + exp(b))", false, 1, 1, 0},
		{"3 .* exp(a) ./ (exp(a) + exp(b)) / 3", false, 1, 1, 0},
		{"exp(a) ./ (2*exp(a) + 2*exp(b))", false, 2, 2, 0},
		{"1 - exp(b) ./ (exp(a) + exp(b))", false, 1, 1, 0},
	} {
		f, err := frechet.Parse("declare a[] b[]\nexpression " + c.text)
		require.NoError(t, err)
		g, err := f.Gradient("a")
		require.NoError(t, err)
		prog, err := frechet.CompileAll([]*frechet.Term{f.Value(), g}, nil)
		require.NoError(t, err)
		for _, at := range [][2]float64{{0, 0}, {1, -2}, {0.3, 40}, {40, 0.3}, {800, 790}, {790, 800}, {1e4, -1e4}, {-1e4, 1e4}, {-800, -801}, {1e6, 1e6 + 1}, {709.7, 709.7}, {-1e5, -1e5}} {
			a, b := at[0], at[1]
			v, err := prog.RunAll(context.Background(), frechet.Env{"a": &frechet.Tensor{Data: []float64{a}}, "b": &frechet.Tensor{Data: []float64{b}}})
			require.NoError(t, err)
			pa, qb := newBig().Mul(bigOf(c.p), bigExp(bigOf(a))), newBig().Mul(bigOf(c.q), bigExp(bigOf(b)))
			sum := newBig().Add(newBig().Add(pa, qb), bigOf(c.s))
			share := newBig().Quo(pa, sum)
			want := []*big.Float{newBig(), share} // d log(sum)/da is the share of p e^a
			if c.log {
				want[0] = bigLog(sum)
			} else { // share/p, and its derivative share (1 - share)/p
				want[0] = newBig().Quo(share, bigOf(c.p))
				want[1] = newBig().Quo(newBig().Mul(share, newBig().Quo(newBig().Add(qb, bigOf(c.s)), sum)), bigOf(c.p))
			}
			for k, what := range []string{"value", "derivative"} {
				w, _ := want[k].Float64()
				got := v[k].Data[0]
				text := fmt.Sprintf("%s of %s at a = %g, b = %g: %g, wanted %g", what, c.text, a, b, got, w)
				require.InDelta(t, w, got, 1e-14*max(1, math.Abs(a), math.Abs(b))*math.Abs(w)+1e-15, text)
			}
		}
	}
}

// The same holds where the exponentials do not vary along all axes.
func TestStableFormsOfBroadcasts(t *testing.T) {
	pair := func(a, b float64) float64 { return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b))) }
	a, b, s := []float64{1000, -1000, 0.5}, []float64{999, -999}, 998.5
	env := frechet.Env{"a": {Shape: []int{3}, Data: a}, "b": {Shape: []int{2}, Data: b}, "s": {Data: []float64{s}}}
	all := pair(pair(a[0], a[1]), a[2])
	for src, want := range map[string]func(i, j int) float64{
		"declare a[m] b[n] s[]\nf[i; j] = log(exp(a[i]) + exp(b[j]))":                              func(i, j int) float64 { return pair(a[i], b[j]) },
		"declare a[m] b[n] s[]\nf[i; j] = log(2*exp(a[i]) + 3*exp(b[j]))":                          func(i, j int) float64 { return pair(a[i]+math.Log(2), b[j]+math.Log(3)) },
		"declare a[m] b[n] s[]\nf[i; j] = log(exp(a[i]) + exp(b[j]) + exp(s))":                     func(i, j int) float64 { return pair(pair(a[i], b[j]), s) },
		"declare a[m] b[n] s[] expression log(exp(a) *(i->ij) + exp(b) *(j->ij))":                  func(i, j int) float64 { return pair(a[i], b[j]) },
		"declare a[m] b[n] s[] expression log(exp(a) + exp(s)) *(i->ij) + b *(j->ij)":              func(i, j int) float64 { return pair(a[i], s) + b[j] },
		"declare a[m] b[n] s[] expression log(sum(exp(a)) + exp(s)) + a *(i->ij) - b *(j->ij)":     func(i, j int) float64 { return pair(all, s) + a[i] - b[j] },
		"declare a[m] b[n] s[] expression log(5 * sum(exp(a))) + 0 .* a *(i->ij) + b *(j->ij)":     func(i, j int) float64 { return math.Log(5) + all + b[j] },
		"declare a[m] b[n] s[] expression (a *(i->ij) + b *(j->ij)) .* log(exp(s) + 3 .* exp(-s))": func(i, j int) float64 { return (a[i] + b[j]) * pair(s, math.Log(3)-s) },
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		prog, err := frechet.Compile(f.Value(), nil)
		require.NoError(t, err)
		v, err := prog.Run(context.Background(), env)
		require.NoError(t, err)
		require.Equal(t, []int{3, 2}, v.Shape)
		for at, got := range v.Data {
			require.InEpsilon(t, want(at/2, at%2), got, 1e-14, "%s at %d", src, at)
		}
		j, err := f.Jacobian("a", frechet.Planned)
		require.NoError(t, err)
		prog, err = frechet.Compile(j, nil)
		require.NoError(t, err)
		v, err = prog.Run(context.Background(), env)
		require.NoError(t, err)
		for _, got := range v.Data {
			require.False(t, math.IsNaN(got-got), src)
		}
	}
}

// Shares of sums of exponentials, means of them, and products with them have stable forms as well.
func TestStableShares(t *testing.T) {
	lse := func(xs ...float64) float64 {
		top, sum := slices.Max(xs), 0.0
		for _, x := range xs {
			sum += math.Exp(x - top)
		}
		return top + math.Log(sum)
	}
	for _, c := range []struct {
		in, text string
		at       func(s, t, r float64) float64
	}{
		{"exp(s)/(exp(s) + exp(t) + exp(r))", "sigmoid(s - logaddexp(t, r))", func(s, t, r float64) float64 { return math.Exp(s - lse(s, t, r)) }},
		{"exp(s)/(exp(s) + exp(t) + exp(r) + exp(s - r))", "sigmoid(s - logaddexp(t, logaddexp(r, s - r)))", func(s, t, r float64) float64 { return math.Exp(s - lse(s, t, r, s-r)) }},
		{"exp(s)/(1 + exp(s) + exp(t))", "sigmoid(s - softplus(t))", func(s, t, r float64) float64 { return math.Exp(s - lse(s, t, 0)) }},
		{"exp(s)/(1 + exp(s) + exp(t) + exp(r))", "sigmoid(s - softplus(logaddexp(t, r)))", func(s, t, r float64) float64 { return math.Exp(s - lse(s, t, r, 0)) }},
		{"(exp(s) + exp(t))/(exp(s) + exp(t) + exp(r))", "sigmoid(logaddexp(s, t) - r)", func(s, t, r float64) float64 { return math.Exp(lse(s, t) - lse(s, t, r)) }},
		{"log(exp(s)/(exp(s) + exp(t) + exp(r)))", "-softplus(logaddexp(t, r) - s)", func(s, t, r float64) float64 { return s - lse(s, t, r) }},
		{"(exp(s) - exp(-s))/(exp(s) + exp(-s))", "tanh(s)", func(s, t, r float64) float64 { return math.Tanh(s) }},
		{"log(exp(-(s - t)^2/2)/(exp(r)*sqrt(2*pi)))", "log(1/sqrt(2*pi)) - r - 0.5*(s - t)^2", func(s, t, r float64) float64 { return -(s-t)*(s-t)/2 - r - math.Log(2*math.Pi)/2 }},
	} {
		f, err := frechet.Parse("declare s[] t[] r[] expression " + c.in)
		require.NoError(t, err)
		require.Equal(t, c.text, f.Value().String())
		for _, p := range [][3]float64{{800, -700, 795}, {-800, -795, -790}, {0.3, -0.2, 1.1}} {
			env := frechet.Env{"s": {Data: p[:1]}, "t": {Data: p[1:2]}, "r": {Data: p[2:]}}
			prog, err := frechet.Compile(f.Value(), nil)
			require.NoError(t, err)
			v, err := prog.Run(context.Background(), env)
			require.NoError(t, err)
			for _, of := range []string{"s", "r"} {
				h, err := f.Gradient(of)
				require.NoError(t, err)
				prog, err := frechet.Compile(h, nil)
				require.NoError(t, err)
				v, err := prog.Run(context.Background(), env)
				require.NoError(t, err)
				require.False(t, math.IsNaN(v.Data[0]-v.Data[0]), "%s by %s at %v: %s", c.in, of, p, h)
			}
			want := c.at(p[0], p[1], p[2])
			require.InDelta(t, want, v.Data[0], 1e-12*(1+math.Abs(want)), "%s at %v", c.in, p)
		}
	}
	for in, text := range map[string]string{
		"log(mean(exp(a)))":                    "logsumexp(a) - log(n)",
		"log(sum(exp(a))/n)":                   "logsumexp(a) - log(n)",
		"log(mean(exp(A)))":                    "logsumexp(A) - log(m*n)",
		"sum(log(mean(exp(A), axis=1)))":       "sum(logsumexp(A, axis=1) - log(n))",
		"sum(log(mean(exp(A), axis=0)))":       "sum(logsumexp(A, axis=0) - log(m))",
		"log(sum(softmax(b) .* exp(a)))":       "logsumexp(a + b - logsumexp(b))",
		"log(sum(exp(a) .* exp(b)))":           "logsumexp(a + b)",
		"b'*(exp(a) ./ (exp(a) + exp(b) + 1))": "b'*sigmoid(a - softplus(b))",
	} {
		f, err := frechet.Parse("declare A[m,n] a[n] b[n] expression " + in)
		require.NoError(t, err)
		require.Equal(t, text, f.Value().String(), in)
	}
}

// Derivatives of erf and gelu have no rounded numbers, and their values are those of pi.
func TestErfIsExact(t *testing.T) {
	f, err := frechet.Parse("declare x[] expression erf(x) ^ 2")
	require.NoError(t, err)
	h, err := f.Hessian("x")
	require.NoError(t, err)
	require.Equal(t, "let s = exp(-x^2)\nexpression 8*s*(s/pi - x*erf(x)/sqrt(pi))", h.String())
	prog, err := frechet.Compile(h, nil)
	require.NoError(t, err)
	for _, x := range []float64{-3, -0.7, 0, 0.1, 2} {
		v, err := prog.Run(context.Background(), frechet.Env{"x": {Data: []float64{x}}})
		require.NoError(t, err)
		e := math.Exp(-x * x)
		want := 8/math.Pi*e*e - 8/math.Sqrt(math.Pi)*x*math.Erf(x)*e
		require.InDelta(t, want, v.Data[0], 1e-15*(1+math.Abs(want)))
	}
	for _, src := range []string{"erf(x)", "gelu(x)", "erf(gelu(x))"} {
		f, err := frechet.Parse("declare x[] expression " + src)
		require.NoError(t, err)
		h, err := f.Hessian("x")
		require.NoError(t, err)
		require.NotRegexp(t, `\d{5}`, h.String())
	}
}
