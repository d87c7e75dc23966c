package digits

import (
	"math"
	"math/big"
	"sync"
)

// The functions of numbers, with errors of a few units in the last of w bits; nil is a number that is too large, or too small, for its
// exponent to be kept.

// longestExponent bounds the exponents of numbers, longestAngle those of angles.
const (
	longestExponent = 1 << 30
	longestAngle    = 1 << 12
)

func num(w uint) *big.Float                    { return new(big.Float).SetPrec(w) }
func of(w uint, x float64) *big.Float          { return num(w).SetFloat64(x) }
func sum(w uint, x, y *big.Float) *big.Float   { return plus(num(w), x, y) }
func less(w uint, x, y *big.Float) *big.Float  { return plus(num(w), x, negative(y)) }
func times(w uint, x, y *big.Float) *big.Float { return num(w).Mul(x, y) }
func over(w uint, x, y *big.Float) *big.Float  { return num(w).Quo(x, y) }
func shifted(x *big.Float, by int) *big.Float {
	return new(big.Float).SetPrec(x.Prec()).SetMantExp(x, by)
}
func negative(x *big.Float) *big.Float { return new(big.Float).Neg(x) }
func absolute(x *big.Float) *big.Float { return new(big.Float).Abs(x) }

// series is t + t s/d1 + t s^2/(d1 d2) + .., until a term is below the last bit; d(k) is the k-th divisor.
func series(w uint, t, s *big.Float, d func(k int64) int64) *big.Float {
	total := num(w).Set(t)
	for k := int64(1); t.Sign() != 0 && exponent(t) >= exponent(total)-int(w)-2; k++ {
		t = over(w, times(w, t, s), of(64, 1).SetInt64(d(k)))
		total = sum(w, total, t)
	}
	return total
}

// atanhOf is z + z^3/3 + ..; with the opposite of the square, arctan.
func powersOf(w uint, z, square *big.Float) *big.Float {
	total, p := num(w).Set(z), z
	for k := int64(3); p.Sign() != 0 && exponent(p) >= exponent(total)-int(w)-2; k += 2 {
		p = times(w, p, square)
		total = sum(w, total, over(w, p, of(64, 1).SetInt64(k)))
	}
	return total
}

func atanhOf(w uint, z *big.Float) *big.Float { return powersOf(w, z, times(w, z, z)) }

// constants are those that were computed, by their bits.
var constants sync.Map

type constant struct {
	name string
	bits uint
}

func cached(name string, w uint, f func() *big.Float) *big.Float {
	if v, ok := constants.Load(constant{name, w}); ok {
		return v.(*big.Float)
	}
	v := f()
	constants.Store(constant{name, w}, v)
	return v
}

// ln2 is 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749).
func ln2(w uint) *big.Float {
	return cached("ln2", w, func() *big.Float {
		part := func(c, n float64) *big.Float {
			return times(w+16, of(w, c), atanhOf(w+16, over(w+16, of(w, 1), of(w, n))))
		}
		return sum(w+16, sum(w+16, part(18, 26), part(-2, 4801)), part(8, 8749))
	})
}

// piOf is 16 arctan(1/5) - 4 arctan(1/239).
func piOf(w uint) *big.Float {
	return cached("pi", w, func() *big.Float {
		part := func(c, n float64) *big.Float {
			z := over(w+16, of(w, 1), of(w, n))
			return times(w+16, of(w, c), powersOf(w+16, z, negative(times(w+16, z, z))))
		}
		return sum(w+16, part(16, 5), part(-4, 239))
	})
}

// expm1Near is e^x - 1 for |x| < 1: the series at x/2^s, and (1 + u)^2 - 1 = u (u + 2), s times.
func expm1Near(w uint, x *big.Float) *big.Float {
	s := int(math.Sqrt(float64(w)))
	w += uint(2 * s)
	y := shifted(num(w).Set(x), -s)
	u := series(w, y, y, func(k int64) int64 { return k + 1 })
	for range s {
		u = times(w, u, sum(w, u, of(w, 2)))
	}
	return u
}

func expOf(w uint, x *big.Float) *big.Float {
	if exponent(x) > 29 {
		return nil
	}
	k, _ := over(64, x, ln2(64)).Int64()
	w += 40
	r := less(w, x, times(w, of(w, float64(k)), ln2(w)))
	return shifted(sum(w, of(w, 1), expm1Near(w, r)), int(k))
}

func expm1Of(w uint, x *big.Float) *big.Float {
	if exponent(x) < 0 {
		return expm1Near(w, x)
	}
	e := expOf(w, x)
	switch {
	case e != nil:
		return less(w+8, e, of(w, 1))
	case x.Sign() < 0:
		return of(w, -1)
	}
	return nil
}

// logOf is k log(2) + 2 atanh((m-1)/(m+1)) for x = 2^k m.
func logOf(w uint, x *big.Float) *big.Float {
	w += 40
	m := num(max(w, x.Prec()))
	k := x.MantExp(m)
	if f, _ := m.Float64(); f < 0.7 {
		m, k = shifted(m, 1), k-1
	}
	one := of(w, 1)
	l := shifted(atanhOf(w, over(w, less(w+x.Prec(), m, one), sum(w, m, one))), 1)
	return sum(w, l, times(w, of(w, float64(k)), ln2(w)))
}

func log1pOf(w uint, x *big.Float) *big.Float {
	if exponent(x) < -2 {
		return shifted(atanhOf(w, over(w, x, sum(w, x, of(w, 2)))), 1)
	}
	return logOf(w, sum(w+x.Prec(), x, of(w, 1)))
}

// turned is x less q quarters of a turn, q modulo 4; nil where the angle is long.
func turned(w uint, x *big.Float) (r *big.Float, q int) {
	e := max(exponent(x), 0)
	if e > longestAngle {
		return nil, 0
	}
	w += uint(e) + 32
	quarter := shifted(piOf(w), -1)
	turns := num(w).Quo(x, quarter)
	whole, _ := sum(w, turns, of(w, math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	r = less(w, x, times(w, num(w).SetInt(whole), quarter))
	return r, int(new(big.Int).And(whole, big.NewInt(3)).Int64())
}

// sinOf is sin(x + quarters pi/2).
func sinOf(w uint, x *big.Float, quarters int) *big.Float {
	r, q := turned(w, x)
	if r == nil {
		return nil
	}
	q = (q + quarters) & 3
	first := of(w, 1)
	if q&1 == 0 {
		first = r
	}
	odd := int64(1 - q&1)
	y := series(w, first, negative(times(w, r, r)), func(k int64) int64 { return (2*k + odd) * (2*k - 1 + odd) })
	if q >= 2 {
		y = negative(y)
	}
	return y
}

func arctanOf(w uint, x *big.Float) *big.Float {
	w += 16
	one := of(w, 1)
	z := absolute(x)
	large := z.Cmp(one) > 0
	if large {
		z = over(w, one, z)
	}
	const halvings = 8
	for range halvings { // arctan z = 2 arctan(z/(1 + sqrt(1 + z^2)))
		z = over(w, z, sum(w, one, num(w).Sqrt(sum(w, one, times(w, z, z)))))
	}
	y := shifted(powersOf(w, z, negative(times(w, z, z))), halvings)
	if large {
		y = less(w, shifted(piOf(w), -1), y)
	}
	if x.Sign() < 0 {
		return negative(y)
	}
	return y
}

// arcsinOf is arctan(x/sqrt(1 - x^2)), arccosOf 2 arctan(sqrt((1-x)/(1+x))); |x| <= 1.
func arcsinOf(w uint, x *big.Float) *big.Float {
	one := of(w, 1)
	square := times(w, less(w+x.Prec(), one, x), sum(w+x.Prec(), one, x))
	if square.Sign() == 0 {
		return times(w, x, shifted(piOf(w), -1))
	}
	return arctanOf(w, over(w, x, num(w).Sqrt(square)))
}

func arccosOf(w uint, x *big.Float) *big.Float {
	one := of(w, 1)
	above := sum(w+x.Prec(), one, x)
	if above.Sign() == 0 {
		return piOf(w)
	}
	return shifted(arctanOf(w, num(w).Sqrt(over(w, less(w+x.Prec(), one, x), above))), 1)
}

func sinhOf(w uint, x *big.Float) *big.Float { // (u + u/(1 + u))/2 for u = e^|x| - 1
	u := expm1Of(w, absolute(x))
	if u == nil {
		return nil
	}
	y := shifted(sum(w, u, over(w, u, sum(w, u, of(w, 1)))), -1)
	if x.Sign() < 0 {
		return negative(y)
	}
	return y
}

func coshOf(w uint, x *big.Float) *big.Float {
	e := expOf(w, absolute(x))
	if e == nil {
		return nil
	}
	return shifted(sum(w, e, over(w, of(w, 1), e)), -1)
}

func tanhOf(w uint, x *big.Float) *big.Float { // -u/(2 + u) for u = e^(-2|x|) - 1
	u := expm1Of(w, shifted(negative(absolute(x)), 1))
	y := over(w, u, sum(w, u, of(w, 2)))
	if x.Sign() > 0 {
		return negative(y)
	}
	return y
}

func sigmoidOf(w uint, x *big.Float) *big.Float { // 1/(1 + e^-x)
	e := expOf(w, negative(absolute(x)))
	if e == nil {
		e = num(w)
	}
	y := over(w, of(w, 1), sum(w, of(w, 1), e))
	if x.Sign() < 0 {
		if e.Sign() == 0 {
			return nil
		}
		return times(w, e, y)
	}
	return y
}

func softplusOf(w uint, x *big.Float) *big.Float { // max(x, 0) + log(1 + e^-|x|)
	e := expOf(w, negative(absolute(x)))
	if e == nil {
		e = num(w)
	}
	y := log1pOf(w, e)
	if x.Sign() > 0 {
		return sum(w, x, y)
	}
	if e.Sign() == 0 {
		return nil
	}
	return y
}

func log1mexpOf(w uint, x *big.Float) *big.Float { // log(1 - e^x), x < 0
	u := expm1Of(w, x)
	if exponent(x) < 0 {
		return logOf(w, negative(u))
	}
	e := expOf(w, x)
	if e == nil {
		return nil
	}
	return log1pOf(w, negative(e))
}

// erfSeries is erf(x) = 2/sqrt(pi) e^(-x^2) (x + 2x^3/3 + 4x^5/15 + ..).
func erfSeries(w uint, x *big.Float) *big.Float {
	w += 16
	square := times(w, x, x)
	y := series(w, num(w).Set(x), shifted(square, 1), func(k int64) int64 { return 2*k + 1 })
	return over(w, times(w, shifted(y, 1), expOf(w, negative(square))), num(w).Sqrt(piOf(w)))
}

// erfcOf: 1 - erf(x) with the bits that cancel, and a continued fraction in the tail.
func erfcOf(w uint, x *big.Float) *big.Float {
	f, _ := x.Float64()
	switch {
	case f < -5:
		y := of(w, 2)
		if t := erfcOf(w, negative(x)); t != nil {
			y = less(w, y, t)
		}
		return y
	case f < 5 || f*f < float64(w):
		more := w + 48 + uint(1.5*max(f, 0)*max(f, 0))
		return less(more, of(w, 1), erfSeries(more, x))
	case f*f > 1<<29:
		return nil
	}
	w += 16
	square := times(w, x, x)
	fraction := func(steps int64) *big.Float { // x + (1/2)/(x + (2/2)/(x + (3/2)/(..)))
		y := num(w)
		for k := steps; k > 0; k-- {
			y = over(w, shifted(of(64, 1).SetInt64(k), -1), sum(w, x, y))
		}
		return y
	}
	y := fraction(32)
	for steps := int64(64); ; steps *= 2 {
		before := y
		if y = fraction(steps); exponent(less(w, y, before)) < exponent(y)-int(w) {
			break
		}
	}
	return over(w, expOf(w, negative(square)), times(w, sum(w, x, y), num(w).Sqrt(piOf(w))))
}

func erfOf(w uint, x *big.Float) *big.Float {
	f, _ := x.Float64()
	if math.Abs(f) < 5 {
		return erfSeries(w, x)
	}
	y := of(w, 1)
	if t := erfcOf(w, absolute(x)); t != nil {
		y = less(w, y, t)
	}
	if f < 0 {
		return negative(y)
	}
	return y
}
