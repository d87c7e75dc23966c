package conformance_test

import (
	"math"
	"slices"
)

// Numbers of an evaluator that shares nothing with that of the program: an entry is computed where it is read, from those
// that it reads, as docs/semantics.md says, with its slopes by the entries of one variable.

// A num is an entry as the program is written.
type num struct {
	v, e float64 // the number, and a bound of its rounding error: 0 where it is exact
	none bool    // there is none
	d    []slope
}

// A slope is a derivative by one entry: at a pole the function is steep there, which loses beside an exact 0 (docs/semantics.md, Guards). Where the
// program has no derivative, at a pole or by the exponent of a negative number, no number is claimed (A derivative).
type slope struct {
	v, size float64 // size is the sum of the amounts that v is a sum of
	pole    bool
	open    bool // by an exponent of a negative number
}

// The reasons for which nothing is compared.
type unsettled string

const (
	nearBoundary unsettled = "a number is a boundary but for rounding"
	tooLarge     unsettled = "a number is too large"
)

func (m *meaning) number(v float64) num { return num{v: v, d: make([]slope, m.slopes)} }

// near is a result with its rounding error; a number that is too large or too small is not compared.
func near(v, e float64) num {
	if v-v != 0 || e-e != 0 {
		panic(tooLarge)
	}
	if a := math.Abs(v); a < 1e-290 {
		e += 1e-290
	}
	return num{v: v, e: e + math.Abs(v)*0x1p-50}
}

func undefined(args ...num) bool {
	return slices.ContainsFunc(args, func(a num) bool { return a.none })
}

// clear panics where the error of a number leaves open on which side of b it is; it reports whether it is b.
func (a num) clear(b float64) bool {
	if math.Abs(a.v-b) <= a.e && a.e > 0 {
		panic(nearBoundary)
	}
	return a.v == b
}

// times is c times a slope: at a pole of c, an exact 0 wins.
func (s slope) times(c num, pole bool) slope {
	switch {
	case s == slope{}, !pole && !s.open && c.v == 0 && c.e == 0:
		return slope{}
	case s.open:
		return s
	case pole || s.pole:
		return slope{pole: true}
	}
	return slope{v: c.v * s.v, size: math.Abs(c.v)*s.size + c.e*math.Abs(s.v)*0x1p50}
}

func (s slope) plus(t slope) slope {
	return slope{v: s.v + t.v, size: s.size + t.size, pole: s.pole || t.pole, open: s.open || t.open}
}

func (m *meaning) plus(a, b num) num {
	if undefined(a, b) {
		return num{none: true}
	}
	v := a.v + b.v
	rest := v - a.v
	out := num{v: v, e: a.e + b.e}
	if (a.v-(v-rest))+(b.v-rest) != 0 {
		out = near(v, out.e+(math.Abs(a.v)+math.Abs(b.v))*0x1p-51)
	} else if v-v != 0 {
		panic(tooLarge)
	}
	out.d = make([]slope, m.slopes)
	for i := range out.d {
		out.d[i] = a.d[i].plus(b.d[i])
	}
	return out
}

// beside is a factor that a pole meets: a 0 counts where it stays 0. Else the product has no derivative there: sqrt(x) .* x has one at 0, sqrt(x) .* y
// has none (docs/semantics.md, A derivative).
func (a num) beside(pole, own slope) num {
	if pole.pole && own != (slope{}) && a.e == 0 {
		a.e = math.SmallestNonzeroFloat64
	}
	return a
}

func (m *meaning) times(a, b num) num {
	if undefined(a, b) {
		return num{none: true}
	}
	v := a.v * b.v
	out := num{v: v, e: a.e*math.Abs(b.v) + b.e*math.Abs(a.v) + a.e*b.e}
	if zero := a.v == 0 && a.e == 0 || b.v == 0 && b.e == 0; !zero && (math.FMA(a.v, b.v, -v) != 0 || math.Abs(v) < 1e-290) {
		out = near(v, out.e)
	} else if zero {
		out.e = 0
	}
	out.d = make([]slope, m.slopes)
	for i := range out.d {
		out.d[i] = a.d[i].times(b.beside(a.d[i], b.d[i]), false).plus(b.d[i].times(a.beside(b.d[i], a.d[i]), false))
	}
	return out
}

// A function of one number, written here anew.
type function struct {
	f, df func(float64) float64
	in    func(float64) bool // where it has values
	edges []float64          // where that begins or ends
	kinks []float64
	at    float64 // its derivative there
	kink  string  // the convention
	exact bool    // whole results are exact
}

var functions = map[string]function{
	"exp":      {f: math.Exp, df: math.Exp},
	"expm1":    {f: math.Expm1, df: math.Exp},
	"sin":      {f: math.Sin, df: math.Cos},
	"cos":      {f: math.Cos, df: func(x float64) float64 { return -math.Sin(x) }},
	"tanh":     {f: math.Tanh, df: func(x float64) float64 { return 1 / (math.Cosh(x) * math.Cosh(x)) }},
	"cosh":     {f: math.Cosh, df: math.Sinh},
	"sinh":     {f: math.Sinh, df: math.Cosh},
	"arctan":   {f: math.Atan, df: func(x float64) float64 { return 1 / (1 + x*x) }},
	"square":   {exact: true, f: func(x float64) float64 { return x * x }, df: func(x float64) float64 { return 2 * x }},
	"erf":      {f: math.Erf, df: func(x float64) float64 { return 2 / math.Sqrt(math.Pi) * math.Exp(-x*x) }},
	"sigmoid":  {f: logistic, df: func(x float64) float64 { return logistic(x) * logistic(-x) }},
	"softplus": {f: func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, df: logistic},
	"log":      {f: math.Log, df: inverse, in: func(x float64) bool { return x > 0 }, edges: []float64{0}},
	"log1p":    {f: math.Log1p, df: func(x float64) float64 { return 1 / (1 + x) }, in: func(x float64) bool { return x > -1 }, edges: []float64{-1}},
	"arcsin":   {f: math.Asin, df: func(x float64) float64 { return 1 / math.Sqrt((1-x)*(1+x)) }, in: unit, edges: []float64{-1, 1}},
	"arccos":   {f: math.Acos, df: func(x float64) float64 { return -1 / math.Sqrt((1-x)*(1+x)) }, in: unit, edges: []float64{-1, 1}},
	"sqrt":     {exact: true, f: math.Sqrt, df: func(x float64) float64 { return 0.5 / math.Sqrt(x) }, in: func(x float64) bool { return x >= 0 }, edges: []float64{0}},
	"gelu": {f: func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }, df: func(x float64) float64 {
		return math.Erfc(-x/math.Sqrt2)/2 + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
	}},
	"abs":  {exact: true, f: math.Abs, df: func(x float64) float64 { return math.Copysign(1, x) }, kinks: []float64{0}, kink: "abs-at-0"},
	"relu": {exact: true, f: func(x float64) float64 { return math.Max(x, 0) }, df: above, kinks: []float64{0}, kink: "relu-at-0"},
	"sign": {exact: true, f: func(x float64) float64 { return above(x) - above(-x) }, df: zero, kinks: []float64{0}, kink: "sign-at-0"},
	"step": {exact: true, f: above, df: zero, kinks: []float64{0}, kink: "step-at-0"},
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
func inverse(x float64) float64  { return 1 / x }
func unit(x float64) bool        { return math.Abs(x) <= 1 }
func zero(float64) float64       { return 0 }
func above(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// power is x^r, as a function of x.
func power(r float64) function {
	whole := r == math.Trunc(r)
	f := function{exact: true, f: func(x float64) float64 { return math.Pow(x, r) }, df: func(x float64) float64 {
		if r == 0 {
			return 0
		}
		return r * math.Pow(x, r-1)
	}}
	if !whole || r < 0 {
		f.in, f.edges = func(x float64) bool { return x > 0 || x == 0 && r > 0 || x < 0 && whole }, []float64{0}
	}
	return f
}

// apply is f at an entry: place is the function's occurrence, of which the entry i is asked for.
func (m *meaning) apply(place string, f function, a num, i []int) num {
	if a.none {
		m.meet(place, fall{entry: i, value: math.NaN(), unknown: true})
		return a
	}
	for _, b := range f.edges {
		a.clear(b)
	}
	if f.in != nil && !f.in(a.v) {
		m.meet(place, fall{entry: i, value: a.v})
		return num{none: true}
	}
	rise, kink := f.df(a.v), false
	for _, b := range f.kinks {
		if a.clear(b) {
			rise, kink = f.at+m.tilt, true
			m.kink(f.kink, a)
		}
	}
	steep := math.IsInf(rise, 0) && f.edges != nil
	out := num{v: f.f(a.v)}
	if exact := f.exact || a.v == 0 || a.v == 1; a.e > 0 || !exact || out.v != math.Trunc(out.v) || math.Abs(out.v) > 1<<50 {
		g := math.Abs(rise)
		if steep {
			g = 0
		}
		out = near(out.v, g*a.e*2)
	}
	out.d = make([]slope, m.slopes)
	c := num{v: rise, e: math.Abs(rise)*0x1p-48 + bend(f, a, kink)}
	switch {
	case f.kinks != nil && !kink:
		c.e = 0 // it is a constant, or a line, around here
	case rise == 0 && c.e == 0:
		c.e = math.SmallestNonzeroFloat64 // a slope of 0 says nothing beside a pole
	}
	for j := range out.d {
		out.d[j] = a.d[j].times(c, steep)
	}
	return out
}

// bend is how far the derivative moves within the error of the operand.
func bend(f function, a num, kink bool) float64 {
	if kink || a.e == 0 {
		return 0
	}
	if b := math.Abs(f.df(a.v+a.e) - f.df(a.v-a.e)); b-b == 0 {
		return b
	}
	return 0
}

// pow is a^b of two numbers.
func (m *meaning) pow(place string, a, b num, i []int) num {
	if undefined(a, b) {
		m.meet(place, fall{entry: i, value: math.NaN(), unknown: true})
		return num{none: true}
	}
	zero := a.clear(0)
	whole := b.v == math.Trunc(b.v)
	if b.e > 0 {
		if zero || a.v < 0 {
			panic(nearBoundary)
		}
		whole = false
	}
	if a.v < 0 && !whole || zero && b.v < 0 {
		m.meet(place, fall{entry: i, value: a.v})
		return num{none: true}
	}
	c := m.apply(place, power(b.v), num{v: a.v, e: a.e, d: a.d}, i)
	log := math.Log(math.Abs(a.v))
	if zero {
		log = 0
	}
	out := near(c.v, c.e+math.Abs(c.v*log)*b.e)
	if out.v == math.Trunc(out.v) && c.e == 0 && b.e == 0 {
		out.e = 0
	}
	out.d = make([]slope, m.slopes)
	for j := range out.d {
		if s := b.d[j]; s != (slope{}) && a.v < 0 {
			out.d[j] = slope{open: true}
		} else {
			out.d[j] = c.d[j].plus(s.times(num{v: c.v * log, e: 1e-9}, zero && b.v == 0))
		}
	}
	return out
}
