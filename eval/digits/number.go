package digits

import (
	"math"
	"math/big"
)

// A Number is an interval; without ends, nothing is known of the value, or there is none.
type Number struct {
	Low, High *big.Float
	Undefined bool
}

func (x Number) known() bool { return x.Low != nil }
func (x Number) exact() bool { return x.known() && x.Low.Cmp(x.High) == 0 }
func (x Number) zero() bool  { return x.exact() && x.Low.Sign() == 0 }

// sign is that of all numbers of the interval; ok is false where it has several.
func (x Number) sign() (sign int, ok bool) {
	sign = x.Low.Sign()
	return sign, sign > 0 || sign == x.High.Sign()
}

// Apart: the intervals have no number in common.
func Apart(x, y Number) bool {
	return x.known() && y.known() && (x.High.Cmp(y.Low) < 0 || y.High.Cmp(x.Low) < 0)
}

// magnitude is the exponent of the largest absolute value, that of 0 is the least.
func (x Number) magnitude() int { return max(exponent(x.Low), exponent(x.High)) }

func exponent(x *big.Float) int {
	if x.Sign() == 0 {
		return math.MinInt32
	}
	return x.MantExp(nil)
}

// Bits are the bits that are known of the value, or of 1 where it is less.
func (x Number) Bits() int {
	return max(x.magnitude(), 0) - exponent(less(64, x.High, x.Low))
}

// arith is arithmetic with so many bits.
type arith struct{ bits uint }

const (
	guardBits = 64 // of functions, beyond those of the ends
	margin    = 4  // bits: of a function, 16 units in the last place
)

func (a arith) low() *big.Float  { return new(big.Float).SetPrec(a.bits).SetMode(big.ToNegativeInf) }
func (a arith) high() *big.Float { return new(big.Float).SetPrec(a.bits).SetMode(big.ToPositiveInf) }

func (a arith) rat(r *big.Rat) Number {
	return Number{Low: a.low().SetRat(r), High: a.high().SetRat(r)}
}
func (a arith) float(x float64) Number {
	return Number{Low: a.low().SetFloat64(x), High: a.high().SetFloat64(x)}
}
func (a arith) add(x, y Number) Number {
	return Number{Low: plus(a.low(), x.Low, y.Low), High: plus(a.high(), x.High, y.High)}
}

// plus is z = x + y, rounded as z says; what is below the last digit is put just below it, as big.Float aligns all digits.
func plus(z, x, y *big.Float) *big.Float {
	if exponent(x) < exponent(y) {
		x, y = y, x
	}
	if below := exponent(x) - int(max(z.Prec(), x.Prec())) - 8; y.Sign() != 0 && exponent(y) < below {
		y = new(big.Float).SetMantExp(big.NewFloat(float64(y.Sign())), below)
	}
	return z.Add(x, y)
}
func (a arith) neg(x Number) Number {
	return Number{Low: a.low().Neg(x.High), High: a.high().Neg(x.Low)}
}
func (a arith) sub(x, y Number) Number { return a.add(x, a.neg(y)) }

// beyond is the panic of a product that is too small for its exponent.
type beyond struct{}

func (a arith) mul(x, y Number) (z Number) {
	for _, p := range []*big.Float{x.Low, x.High} {
		for _, q := range []*big.Float{y.Low, y.High} {
			l := a.low().Mul(p, q)
			if l.Sign() == 0 && p.Sign() != 0 && q.Sign() != 0 {
				panic(beyond{})
			}
			if z.Low == nil || l.Cmp(z.Low) < 0 {
				z.Low = l
			}
			if h := a.high().Mul(p, q); z.High == nil || h.Cmp(z.High) > 0 {
				z.High = h
			}
		}
	}
	return z
}

// inverse is 1/x.
func (a arith) inverse(x Number) Number {
	if s, ok := x.sign(); !ok || s == 0 {
		return Number{Undefined: ok}
	}
	one := big.NewFloat(1)
	return Number{Low: a.low().Quo(one, x.High), High: a.high().Quo(one, x.Low)}
}

func (a arith) hull(x, y Number) Number {
	out := x
	if y.Low.Cmp(x.Low) < 0 {
		out.Low = y.Low
	}
	if y.High.Cmp(x.High) > 0 {
		out.High = y.High
	}
	return out
}

// around is an interval around what a function was computed as, with an error of so many units in the last place, or in that of 1.
func (a arith) around(y *big.Float, ofOne bool) Number {
	if y == nil {
		return Number{}
	}
	e := exponent(y)
	if ofOne {
		e = max(e, 0)
	}
	if e == math.MinInt32 {
		return Number{Low: a.low(), High: a.high()}
	}
	d := new(big.Float).SetMantExp(big.NewFloat(1), e-int(a.bits)+margin)
	return Number{Low: a.low().Sub(y, d), High: a.high().Add(y, d)}
}

// along is a function that increases, or decreases, at both ends.
func (a arith) along(x Number, f func(w uint, x *big.Float) *big.Float) Number {
	l := a.around(f(a.bits+guardBits, x.Low), false)
	if x.exact() || !l.known() {
		return l
	}
	if h := a.around(f(a.bits+guardBits, x.High), false); h.known() {
		return a.hull(l, h)
	}
	return Number{}
}

// power is x^r, by multiplication where r is a whole number that is not large, by logarithms elsewhere.
func (a arith) power(x Number, r *big.Rat) Number {
	const most = 4096
	sign, certain := x.sign()
	switch {
	case r.Sign() == 0:
		return a.float(1)
	case r.IsInt() && r.Num().CmpAbs(big.NewInt(most)) <= 0:
		k := r.Num().Int64()
		if k < 0 {
			return a.inverse(a.power(x, new(big.Rat).Neg(r)))
		}
		out := a.float(1)
		for y := x; ; y = a.mul(y, y) {
			if k&1 == 1 {
				out = a.mul(out, y)
			}
			if k >>= 1; k == 0 {
				break
			}
		}
		if r.Num().Bit(0) == 0 && out.Low.Sign() < 0 {
			out.Low = a.low()
		}
		return out
	case x.zero():
		return Number{Low: a.low(), High: a.high(), Undefined: r.Sign() < 0}.checked()
	case !certain:
		return Number{}
	case sign < 0 && !r.IsInt():
		return Number{Undefined: true}
	case sign < 0:
		out := a.power(a.neg(x), r)
		if out.known() && r.Num().Bit(0) == 1 {
			out = a.neg(out)
		}
		return out
	case r.Denom().IsInt64() && r.Denom().Int64() == 2 && r.Num().CmpAbs(big.NewInt(most)) <= 0:
		root := Number{Low: a.low().Sqrt(x.Low), High: a.high().Sqrt(x.High)}
		return a.power(root, new(big.Rat).SetInt(r.Num()))
	}
	return a.along(a.mul(a.rat(r), a.along(x, logOf)), expOf)
}

func (x Number) checked() Number {
	if x.Undefined {
		return Number{Undefined: true}
	}
	return x
}
