package atom

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// grid has numbers of both signs, small and large ones, and those at which functions have special values.
var grid = func() (xs []float64) {
	for k := -64; k <= 64; k++ {
		xs = append(xs, float64(k)/16)
	}
	xs = append(xs, -1e9, -300, -30.5, -30, -math.Pi, -math.Pi/2, -0.7518, -1+1e-12, -1e-3, 1e-3, math.Pi/2, math.Pi, 30, 300, 1e9)
	slices.Sort(xs)
	return xs
}()

// eachFunction runs a test of every element-wise function of one operand.
func eachFunction(t *testing.T, check func(t *testing.T, r *Row)) {
	for _, r := range Rows() {
		if r.F1 != nil {
			t.Run(r.Name, func(t *testing.T) { check(t, r) })
		}
	}
}

func regular(y float64) bool { return !math.IsNaN(y) && !math.IsInf(y, 0) }

func TestDomain(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		for _, x := range append([]float64{r.Domain.Low, r.Domain.High}, grid...) {
			if y := r.F1(x); math.Abs(x) <= 30 && (r.Where == "" || regular(y)) { // where something else must hold there may be poles
				assert.Equal(t, r.Domain.Has(x), regular(y), "%s(%g) = %g", r.Name, x, y)
			}
		}
		assert.True(t, r.Domain.Has(r.Low) && r.Domain.Has(r.High) && r.Low < r.High, "the sample range is in the domain")
	})
}

// Every value is in the range, and values come near to its ends.
func TestRange(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range append([]float64{r.Domain.Low + 1e-12, r.Domain.High - 1e-12}, grid...) {
			y := r.F1(x)
			if !r.Domain.Has(x) || !regular(y) {
				continue
			}
			low, high = min(low, y), max(high, y)
			closed := r.Range
			if math.Abs(x) >= 30 { // values are rounded to the ends
				closed.openLow, closed.openHigh = false, false
			}
			assert.True(t, closed.Has(y), "%s(%g) = %g", r.Name, x, y)
		}
		near := func(bound, y float64) bool {
			return math.IsInf(bound, 0) && math.Abs(y) > 10 || math.Abs(bound-y) < 0.01
		}
		assert.True(t, near(r.Range.Low, low) && near(r.Range.High, high), "values are between %g and %g", low, high)
	})
	for _, r := range Rows() {
		if r.F2 != nil && r.Range.Bounded() {
			for _, x := range grid {
				for _, y := range grid {
					assert.True(t, r.Range.Has(r.F2(x, y)), "%s(%g, %g)", r.Name, x, y)
				}
			}
		}
	}
	assert.True(t, Pi.Range.Has(Pi.Value))
}

func TestZeros(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		points := append([]float64{0, 1}, grid...)
		slices.Sort(points)
		none, left, several := true, false, false // several: zeros on both sides of what is none
		for _, x := range points {
			if y := r.F1(x); r.Domain.Has(x) && math.Abs(x) <= 4 {
				several = several || y == 0 && left
				left = left || y != 0 && !none
				none = none && y != 0
				if r.Zeros.stated {
					assert.Equal(t, r.Zeros.Has(x), y == 0, "%s(%g) = %g", r.Name, x, y)
				}
			}
		}
		assert.True(t, none || r.Zeros.stated || several || r.Period > 0, "it has zeros")
		assert.True(t, none == r.Range.Signs().Nonzero || r.Period > 0, "0 is in the range where there are zeros")
	})
}

func TestIncreasing(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		rises, last := true, math.Inf(-1)
		for _, x := range grid {
			if y := r.F1(x); r.Domain.Has(x) {
				rises, last = rises && y >= last, y
			}
		}
		assert.Equal(t, r.Increasing, rises)
	})
}

func TestParity(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		even, odd := true, true
		for _, x := range grid {
			a, b := r.F1(x), r.F1(-x)
			if regular(a) != regular(b) {
				even, odd = false, false
			} else if regular(a) {
				even, odd = even && a == b, odd && a == -b
			}
		}
		assert.Equal(t, map[Parity][2]bool{NoParity: {}, Even: {true, false}, Odd: {false, true}}[r.Parity], [2]bool{even, odd})
	})
}

// f(c x) = c^d f(x), with powers of two for c, which round nothing.
func TestHomogeneous(t *testing.T) {
	for _, r := range Rows() {
		f := r.F2
		if r.F1 != nil {
			f = func(x, _ float64) float64 { return r.F1(x) }
		}
		if f == nil || r == Pow {
			continue
		}
		found := ""
		for d, degree := range []string{"0", "1"} {
			all := true
			for _, x := range grid {
				for _, y := range grid {
					for _, c := range []float64{0.25, 2} {
						a, b := f(c*x, c*y), math.Pow(c, float64(d))*f(x, y)
						all = all && (a == b || !regular(a) && !regular(b))
					}
				}
			}
			if all {
				found = degree
			}
		}
		assert.Equal(t, r.Homogeneous, found, r.Name)
	}
}

func TestPeriod(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		for _, part := range []float64{1, 2, 3} {
			same := true
			for _, x := range []float64{-1.3, -0.2, 0.7, 1.1} {
				same = same && math.Abs(r.F1(x+r.Period/part)-r.F1(x)) < 1e-12
			}
			assert.Equal(t, part == 1 || r.Period == 0, same || r.Period == 0, "period/%g", part)
		}
	})
}

// Exact values are those of the function, and none at 0 and 1 is missing that is a small rational number.
func TestExact(t *testing.T) {
	for _, r := range Rows() {
		if r.F1 == nil && r.F2 == nil || r == Pow {
			continue
		}
		for k := -8; k <= 8; k++ {
			for l := -8; l <= 8; l++ {
				x, y := big.NewRat(int64(k), 4), big.NewRat(int64(l), 4)
				a, b := float64(k)/4, float64(l)/4
				var want float64
				if r.F1 != nil {
					want, y = r.F1(a), nil
				} else {
					want = r.F2(a, b)
				}
				var exact *big.Rat
				if r.Exact != nil {
					exact = r.Exact(x, y)
				}
				if exact == nil {
					assert.False(t, regular(want) && want == math.Round(4*want)/4, "%s(%v, %v) = %g", r.Name, x, y, want)
					continue
				}
				got, _ := exact.Float64()
				require.InDelta(t, want, got, 1e-15, "%s(%v, %v)", r.Name, x, y)
			}
		}
	}
}

func TestRatPow(t *testing.T) {
	for _, c := range [][3]string{
		{"2", "10", "1024"}, {"2/3", "-2", "9/4"}, {"4/9", "1/2", "2/3"}, {"4", "-3/2", "1/8"}, {"-8", "3", "-512"}, {"0", "0", "1"}, {"0", "5", "0"}, {"1", "7/3", "1"},
		{"2", "1/2", ""}, {"8", "1/3", ""}, {"-4", "1/2", ""}, {"0", "-1", ""}, {"3", "4096", ""}, {"2", "-9223372036854775808", ""},
	} {
		x, _ := new(big.Rat).SetString(c[0])
		e, _ := new(big.Rat).SetString(c[1])
		got := ""
		if r := RatPow(x, e); r != nil {
			got = r.RatString()
		}
		assert.Equal(t, c[2], got, "%s^%s", c[0], c[1])
	}
}

// A kink is where the function jumps, or slopes differ, or one is infinite.
func TestKinks(t *testing.T) {
	eachFunction(t, func(t *testing.T, r *Row) {
		const h = 1e-9
		kinked := func(x float64) bool {
			left, right := (r.F1(x)-r.F1(x-h))/h, (r.F1(x+h)-r.F1(x))/h
			return !(math.Abs(left-right) < 1e-3*(1+math.Abs(left)) && math.Abs(left) < 1e6)
		}
		for _, x := range grid {
			if math.Abs(x) > 4 || !r.Domain.Has(x-h) || !r.Domain.Has(x+h) || math.Abs(r.F1(x)) > 1e3 {
				continue
			}
			if r.Where != "" && kinked(x) { // beside a pole
				continue
			}
			assert.Equal(t, r.Kink != "" && math.Abs(x-r.KinkNear(x)) < h, kinked(x), "%s at %g", r.Name, x)
		}
	})
}

func TestCommutes(t *testing.T) {
	for _, r := range Rows() {
		if r.F2 == nil {
			assert.Equal(t, r.Class == ClassSum, r.Commutes, r.Name)
			continue
		}
		same := true
		for _, x := range grid {
			for _, y := range grid {
				a, b := r.F2(x, y), r.F2(y, x)
				same = same && (a == b || a != a && b != b)
			}
		}
		assert.Equal(t, r.Commutes, same, r.Name)
	}
}

// A guard may stand where a derivative puts one: around the functions that some column guards.
func TestGuarded(t *testing.T) {
	for _, r := range Rows() {
		found := false
		for _, other := range Rows() {
			for _, d := range other.Deriv {
				for _, guard := range []string{"weak(", "zero("} {
					found = found || strings.Contains(d, guard+r.Name+"(") || strings.Contains(d, guard+r.Name+"[")
				}
			}
		}
		assert.Equal(t, found, r.Guarded, r.Name)
	}
}

func TestNotation(t *testing.T) {
	seen := map[int]string{}
	for _, r := range Rows() {
		if r.Class >= ClassLinear {
			require.NotEmpty(t, r.LaTeX, r.Name)
			depth := 0
			for _, c := range strings.ReplaceAll(strings.ReplaceAll(r.LaTeX, `\lvert`, "("), `\rvert`, ")") {
				switch c {
				case '(', '{', '[':
					depth++
				case ')', '}', ']':
					depth--
				}
				require.GreaterOrEqual(t, depth, 0, r.LaTeX)
			}
			assert.Zero(t, depth, r.LaTeX)
			assert.Equal(t, r.Arity, strings.Count(r.LaTeX, "#"), r.Name)
			assert.Len(t, r.Deriv, map[bool]int{true: 0, false: r.Arity}[r.Class == ClassLinear], r.Name)
		}
		if r.Precedence > 0 {
			assert.Empty(t, seen[r.Precedence], "%s has the precedence of another", r.Name)
			seen[r.Precedence] = r.Name
		}
		assert.Equal(t, r, Named(r.Name))
		if r.Infix != "" {
			assert.Equal(t, r, InfixNamed(r.Infix))
		}
	}
	for k := range seen {
		assert.LessOrEqual(t, k, len(seen), "precedences are numbers from 1 on")
	}
}

func TestIntervals(t *testing.T) {
	i := in("(-1, pi/2]")
	assert.True(t, !i.Has(-1) && i.Has(0) && i.Has(math.Pi/2) && !i.Has(2))
	assert.False(t, Interval{}.Has(0))
	assert.Equal(t, Signs{}, Interval{}.Signs())
	assert.Equal(t, Signs{true, true, true}, in("(0, 1]").Signs())
	assert.Equal(t, Signs{Nonneg: true}, in("[0, inf)").Signs())
	assert.Equal(t, Signs{Nonzero: true}, in("[-2, 0)").Signs())
	pos, nonneg := Signs{true, true, true}, Signs{Nonneg: true}
	assert.True(t, Log.Defined(pos) && !Log.Defined(nonneg) && Log1p.Defined(nonneg) && !Log1p.Defined(Signs{}) && !Arcsin.Defined(pos) && Exp.Defined(Signs{}) && !Tan.Defined(pos))
	assert.Equal(t, pos, Sinh.Signs(pos))
	assert.Equal(t, nonneg, Sinh.Signs(nonneg))
	assert.Equal(t, pos, Abs.Signs(Signs{Nonzero: true}))
	assert.Equal(t, pos, Relu.Signs(pos))
	assert.Equal(t, nonneg, Relu.Signs(Signs{Nonzero: true}))
	assert.Equal(t, Signs{}, Sin.Signs(pos))
	assert.Equal(t, Signs{}, Gelu.Signs(nonneg))
	assert.Equal(t, nonneg, AMax.Signs(nonneg))
}
