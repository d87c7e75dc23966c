package vecmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

var functions = []struct {
	name string
	f    func(dst, x []float64)
	want func(float64) float64
	ulps float64
}{
	{"exp", Exp, math.Exp, 2},
	{"log", Log, math.Log, 2},
	{"tanh", Tanh, math.Tanh, 3},
	{"sigmoid", Sigmoid, sigmoid, 4},
	{"softplus", Softplus, softplus, 4},
}

// ulps is the distance of a from b in units in the last place of b.
func ulps(a, b float64) float64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	_, e := math.Frexp(b)
	return math.Abs(a-b) / math.Max(math.Ldexp(1, e-53), 5e-324)
}

func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var x []float64
	for range 20000 {
		x = append(x, r.NormFloat64(), 20*r.NormFloat64(), 300*r.NormFloat64(), math.Exp(300*r.NormFloat64()), 1+1e-3*r.NormFloat64(), 0.6249+0.0002*r.Float64())
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 708, 708.1, -708, -745, -746, 709.78, 709.79, 710,
		5e-324, 2.2250738585072014e-308, math.MaxFloat64, -math.MaxFloat64, math.Sqrt2, math.Sqrt2 / 2, 0.625, -0.625, 1e-20, 36.7, 37, -37}
	for i, v := range special { // among ordinary arguments, at every place of a group
		x[1000+i*37] = v
	}
	x = append(x, special...)
	for _, c := range functions {
		dst := make([]float64, len(x))
		c.f(dst, x)
		for i, v := range x {
			require.LessOrEqual(t, ulps(dst[i], c.want(v)), c.ulps, "%s(%g) = %g, not %g", c.name, v, dst[i], c.want(v))
		}
		for n := range 40 { // all lengths
			short := make([]float64, n)
			c.f(short, x[:n])
			for i := range short {
				require.LessOrEqual(t, ulps(short[i], dst[i]), c.ulps)
			}
		}
	}
}

// exp against its series in 200 bits: the vector loop is as exact as package math.
func TestExpIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 512)
	for i := range x {
		x[i] = 20 * (r.Float64() - 0.5)
	}
	dst := make([]float64, len(x))
	Exp(dst, x)
	for i, v := range x {
		sum, term := big.NewFloat(1).SetPrec(200), big.NewFloat(1).SetPrec(200)
		for k := 1; k < 120; k++ {
			term.Mul(term, big.NewFloat(v))
			term.Quo(term, big.NewFloat(float64(k)))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		require.LessOrEqual(t, ulps(dst[i], want), 1.0, "exp(%g)", v)
	}
}

func BenchmarkFunctions(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, dst := make([]float64, 4096), make([]float64, 4096)
	for i := range x {
		x[i] = math.Abs(r.NormFloat64()) + 0.01
	}
	for _, c := range functions {
		b.Run(c.name+"/vector", func(b *testing.B) {
			for b.Loop() {
				c.f(dst, x)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/4096, "ns/entry")
		})
		b.Run(c.name+"/math", func(b *testing.B) {
			for b.Loop() {
				for i, v := range x {
					dst[i] = c.want(v)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/4096, "ns/entry")
		})
	}
}

// Sums and products of slices of all lengths, in place too, with NaN and infinities.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		x, y := make([]float64, n), make([]float64, n)
		total := 0.0
		for i := range x {
			x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			total += x[i]
		}
		require.InDelta(t, total, Sum(x), 1e-12)
		if n > 3 {
			x[n/2], y[n/3] = math.Inf(1), math.NaN()
		}
		sum, product := make([]float64, n), make([]float64, n)
		Add(sum, x, y)
		Mul(product, x, y)
		for i := range x {
			require.Equal(t, math.Float64bits(x[i]+y[i]), math.Float64bits(sum[i]))
			require.Equal(t, math.Float64bits(x[i]*y[i]), math.Float64bits(product[i]))
		}
		Mul(x, x, y)
		require.Equal(t, math.Float64bits(Sum(product)), math.Float64bits(Sum(x)))
	}
}
