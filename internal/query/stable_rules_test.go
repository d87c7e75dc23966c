package query_test

import (
	"context"
	"fmt"
	"frechet"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A stableKind is a term that has numbers only in its stable form, with numbers for P, Q and R.
type stableKind struct {
	text string
	at   func(c *bigCase) *big.Float
	ok   func(c *bigCase) bool // whether the value is in the domain, and not the difference of two that are nearly equal
}

// A bigCase is a term at data, in arithmetic of 800 digits.
type bigCase struct {
	p, q, r *big.Float
	x       []*big.Float
	y, z    *big.Float
}

func add(a ...*big.Float) *big.Float {
	sum := newBig()
	for _, x := range a {
		sum = newBig().Add(sum, x)
	}
	return sum
}
func sub(a, b *big.Float) *big.Float { return newBig().Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return newBig().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return newBig().Quo(a, b) }

// px, qy and rz are P e^x, Q e^y and R e^z.
func (c *bigCase) px() *big.Float { return mul(c.p, bigExp(c.x[0])) }
func (c *bigCase) qy() *big.Float { return mul(c.q, bigExp(c.y)) }
func (c *bigCase) rz() *big.Float { return mul(c.r, bigExp(c.z)) }

// weighted is the sum of e^x with the weights 1, w and 1, ...
func (c *bigCase) weighted(w *big.Float) *big.Float {
	sum := newBig()
	for i, x := range c.x {
		if i%2 == 1 {
			sum = add(sum, mul(w, bigExp(x)))
		} else {
			sum = add(sum, bigExp(x))
		}
	}
	return sum
}

func apart(a, b *big.Float) bool { // a > b, by far
	return newBig().Quo(b, a).Cmp(bigOf(0.9)) < 0
}

var one = bigOf(1)

var stableKinds = []stableKind{
	{"log(P*exp(x) - Q*exp(y))", func(c *bigCase) *big.Float { return bigLog(sub(c.px(), c.qy())) }, func(c *bigCase) bool { return apart(c.px(), c.qy()) }},
	{"log(P*exp(x) - Q)", func(c *bigCase) *big.Float { return bigLog(sub(c.px(), c.q)) }, func(c *bigCase) bool { return apart(c.px(), c.q) }},
	{"log(1 - exp(x))", func(c *bigCase) *big.Float { return bigLog(sub(one, bigExp(c.x[0]))) }, func(c *bigCase) bool { return c.x[0].Sign() < 0 }},
	{"log(1 - P*exp(x))", func(c *bigCase) *big.Float { return bigLog(sub(one, c.px())) }, func(c *bigCase) bool { return apart(one, c.px()) }},
	{"log(P*exp(x) + R*exp(z) - Q*exp(y))", func(c *bigCase) *big.Float { return bigLog(sub(add(c.px(), c.rz()), c.qy())) }, func(c *bigCase) bool { return apart(c.px(), c.qy()) }},
	{"P*exp(x)/(Q*exp(y) + R*exp(x))", func(c *bigCase) *big.Float { return quo(c.px(), add(c.qy(), mul(c.r, bigExp(c.x[0])))) }, nil},
	{"P*exp(x)/(1 + R*exp(x) + Q*exp(y))", func(c *bigCase) *big.Float { return quo(c.px(), add(one, c.qy(), mul(c.r, bigExp(c.x[0])))) }, nil},
	{"exp(x)/(P*exp(x) - Q*exp(y))", func(c *bigCase) *big.Float { return quo(bigExp(c.x[0]), sub(c.px(), c.qy())) }, func(c *bigCase) bool { return apart(c.px(), c.qy()) || apart(c.qy(), c.px()) }},
	{"exp(x)/(P*exp(x) + R*exp(z) - Q*exp(y))", func(c *bigCase) *big.Float { return quo(bigExp(c.x[0]), sub(add(c.px(), c.rz()), c.qy())) }, func(c *bigCase) bool { return apart(c.px(), c.qy()) }},
	{"exp(x)/(exp(x) - 1)", func(c *bigCase) *big.Float { e := bigExp(c.x[0]); return quo(e, sub(e, one)) }, nil},
	{"(P*exp(x) + Q*exp(y))/(R*exp(x) + Q*exp(y))", func(c *bigCase) *big.Float {
		return quo(add(c.px(), c.qy()), add(mul(c.r, bigExp(c.x[0])), c.qy()))
	}, nil},
	{"log(cosh(x))", func(c *bigCase) *big.Float {
		e := bigExp(c.x[0])
		return bigLog(quo(add(e, quo(one, e)), bigOf(2)))
	}, nil},
	{"log(sinh(x))", func(c *bigCase) *big.Float {
		e := bigExp(c.x[0])
		return bigLog(quo(sub(e, quo(one, e)), bigOf(2)))
	}, func(c *bigCase) bool { return c.x[0].Sign() > 0 }},
	{"exp(x) - 1", func(c *bigCase) *big.Float { return sub(bigExp(c.x[0]), one) }, func(c *bigCase) bool { return c.x[0].Cmp(bigOf(700)) < 0 }},
	{"P*exp(x) - P*exp(-x)", func(c *bigCase) *big.Float { return mul(c.p, sub(bigExp(c.x[0]), quo(one, bigExp(c.x[0])))) }, func(c *bigCase) bool { return newBig().Abs(c.x[0]).Cmp(bigOf(700)) < 0 }},
	{"log(1 + x*x)", func(c *bigCase) *big.Float { return bigLog(add(one, mul(c.x[0], c.x[0]))) }, nil},
	{"sum(A .* exp(X)) / sum(B .* exp(X))", func(c *bigCase) *big.Float { return quo(c.weighted(c.p), c.weighted(c.q)) }, nil},
	{"log(sum(A .* exp(X)) - 0)", func(c *bigCase) *big.Float { return bigLog(c.weighted(c.p)) }, nil},
}

// Each kind of term that rules give a stable form has, with numbers, data and scales of data drawn at random, its value and its
// gradient to the last digits, compared with arithmetic of 800 digits and differences in it.
func TestStableRules(t *testing.T) {
	programs := map[string]*frechet.Program{}
	rapid.Check(t, func(t *rapid.T) {
		k := stableKinds[rapid.IntRange(0, len(stableKinds)-1).Draw(t, "kind")]
		number := rapid.SampledFrom([]float64{1, 2, 3, 0.5, 7})
		p, q, r := number.Draw(t, "P"), number.Draw(t, "Q"), number.Draw(t, "R")
		text := strings.NewReplacer("P*", fmt.Sprintf("%g*", p), "Q*", fmt.Sprintf("%g*", q), "R*", fmt.Sprintf("%g*", r), "- Q", fmt.Sprintf("- %g", q)).Replace(k.text)
		vector := strings.Contains(text, "X")
		wrt := "x"
		if vector {
			wrt = "X"
		}
		if programs[text] == nil {
			f, err := frechet.Parse("declare x[] y[] z[] X[n] A[n] B[n] expression " + text)
			require.NoError(t, err)
			g, err := f.Gradient(wrt)
			require.NoError(t, err)
			programs[text], err = frechet.CompileAll([]*frechet.Term{f.Value(), g}, nil)
			require.NoError(t, err)
		}
		scale := rapid.SampledFrom([]float64{1e-6, 1, 30, 800}).Draw(t, "scale")
		draw := func(name string) float64 { return scale * rapid.Float64Range(-1, 1).Draw(t, name) }
		data := []float64{draw("x"), draw("x1"), draw("x2")}
		y, z := draw("y"), draw("z")
		weights := func(w float64) frechet.Tensor { return frechet.Tensor{Shape: []int{3}, Data: []float64{1, w, 1}} }
		a, b := weights(p), weights(q)
		env := frechet.Env{"x": {Data: data[:1]}, "y": {Data: []float64{y}}, "z": {Data: []float64{z}}, "X": {Shape: []int{3}, Data: data}, "A": &a, "B": &b}
		if !vector {
			data = data[:1]
		}
		c := &bigCase{p: bigOf(p), q: bigOf(q), r: bigOf(r), y: bigOf(y), z: bigOf(z)}
		for _, x := range data {
			c.x = append(c.x, bigOf(x))
		}
		if math.Abs(data[0]) < 1e-9*scale || k.ok != nil && !k.ok(c) {
			t.Skip("no value, or no digits")
		}
		got, err := programs[text].RunAll(context.Background(), env)
		require.NoError(t, err)
		lost := 1e-300
		if strings.HasPrefix(k.text, "log(") && strings.ContainsAny(k.text, "PA") {
			lost = 1e-15 // where the argument is 1
		}
		near := func(want *big.Float, got float64, what string) {
			w, _ := want.Float64()
			require.InDelta(t, w, got, 1e-12*max(1, scale)*math.Abs(w)+lost, "%s of %s at %v, %g, %g", what, text, data, y, z)
		}
		value := k.at(c)
		near(value, got[0].Data[0], "value")
		if lost = 1e-300; strings.Contains(text, "/") { // the slope of a ratio is a difference: that of sigma(x) is sigma(x)(1 - sigma(x))
			lost = max(lost, 1e-14*math.Abs(got[0].Data[0]))
		}
		step := newBig().SetMantExp(bigOf(scale), -300)
		for i := range c.x {
			at := c.x[i]
			c.x[i] = add(at, step)
			up := k.at(c)
			c.x[i] = sub(at, step)
			down := k.at(c)
			c.x[i] = at
			slope := quo(sub(up, down), add(step, step))
			if s, _ := quo(slope, value).Float64(); value.Sign() != 0 && math.Abs(s) < 1e-60*max(1, 1/scale) {
				continue // below the digits of the differences
			}
			near(slope, got[1].Data[i], "derivative")
		}
	})
}

// bigErf is the error function, by its series.
func bigErf(x *big.Float) *big.Float {
	term, sum, square := x, newBig(), mul(x, x)
	for n := 0; term.Sign() != 0 && term.MantExp(nil) > -bigPrecision; n++ {
		sum = add(sum, quo(term, bigOf(float64(2*n+1))))
		term = quo(mul(term, newBig().Neg(square)), bigOf(float64(n+1)))
	}
	return quo(mul(bigOf(2), sum), newBig().Sqrt(bigPi()))
}

// bigPi is 16 arctan(1/5) - 4 arctan(1/239).
func bigPi() *big.Float {
	arctan := func(n float64) *big.Float {
		sum, power := newBig(), quo(one, bigOf(n))
		for k := 1.0; power.MantExp(nil) > -bigPrecision; k += 2 {
			sum = add(sum, quo(power, bigOf(k*(2-math.Mod(k, 4)))))
			power = quo(power, bigOf(n*n))
		}
		return sum
	}
	return sub(mul(bigOf(16), arctan(5)), mul(bigOf(4), arctan(239)))
}

// The distribution function of the normal distribution, and what is made of it, has all its digits in both tails, and derivatives
// there: compared with arithmetic of 800 digits, and with the limits where squares are too large for a number.
func TestGeluTails(t *testing.T) {
	programs := map[string]*frechet.Program{}
	for _, text := range []string{"gelu(x)", "x*(1 + erf(x/sqrt(2)))/2", "x*(0.5 + erf(x/sqrt(2))/2)", "x*erfc(-x/sqrt(2))/2", "x*(1 - erf(-x/sqrt(2)))/2"} {
		f, err := frechet.Parse("declare x[] expression " + text)
		require.NoError(t, err)
		g, err := f.Gradient("x")
		require.NoError(t, err)
		h, err := f.Hessian("x")
		require.NoError(t, err)
		programs[text], err = frechet.CompileAll([]*frechet.Term{f.Value(), g, h}, nil)
		require.NoError(t, err)
	}
	root := newBig().Sqrt(bigOf(2))
	for _, x := range []float64{-37, -30, -12.5, -5, -1, 0.25, 3, 30, 37, 1e200, -1e200} {
		want := []float64{max(x, 0), max(x/math.Abs(x), 0), 0}
		if math.Abs(x) < 100 {
			b := bigOf(x)
			phi := quo(bigExp(quo(mul(b, b), bigOf(-2))), mul(root, newBig().Sqrt(bigPi())))
			cdf := quo(add(one, bigErf(quo(b, root))), bigOf(2))
			for k, w := range []*big.Float{mul(b, cdf), add(cdf, mul(b, phi)), mul(phi, sub(bigOf(2), mul(b, b)))} {
				want[k], _ = w.Float64()
			}
		}
		for text, p := range programs {
			got, err := p.RunAll(context.Background(), frechet.Env{"x": {Data: []float64{x}}})
			require.NoError(t, err)
			for k, w := range want {
				require.InDelta(t, w, got[k].Data[0], 1e-12*math.Abs(w), "derivative %d of %s at %g", k, text, x)
			}
		}
	}
}

// The share of the largest is 1, also where the rest is below its last digit.
func TestSoftmaxOfLargeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "n")
		data := make([]float64, n)
		top := rapid.IntRange(0, n-1).Draw(t, "top")
		want := make([]float64, n)
		for i := range data {
			data[i] = rapid.Float64Range(-10, 10).Draw(t, "x")
		}
		data[top], want[top] = math.Pow(10, rapid.Float64Range(4, 300).Draw(t, "exponent")), 1
		f, err := frechet.Parse("declare y[n] expression sum(y .* softmax(y))")
		require.NoError(t, err)
		g, err := f.Gradient("y")
		require.NoError(t, err)
		prog, err := frechet.Compile(g, nil)
		require.NoError(t, err)
		v, err := prog.Run(context.Background(), frechet.Env{"y": {Shape: []int{n}, Data: data}})
		require.NoError(t, err)
		for i, w := range want {
			require.InDelta(t, w, v.Data[i], 1e-15)
		}
	})
}
