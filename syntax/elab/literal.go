package elab

import (
	"math"
	"math/big"

	"frechet/syntax"
)

// Literals are exact rationals until they meet data. They are folded while they stay
// small; beyond maxBits bits they become nodes that are evaluated in floating point.
const maxBits = 4096

func bits(r *big.Rat) int { return r.Num().BitLen() + r.Denom().BitLen() }

// foldable returns r where it is small enough to be kept exact.
func foldable(r *big.Rat) *big.Rat {
	if r == nil || bits(r) > maxBits {
		return nil
	}
	return r
}

func ratAdd(a, b *big.Rat) *big.Rat { return foldable(new(big.Rat).Add(a, b)) }
func ratSub(a, b *big.Rat) *big.Rat { return foldable(new(big.Rat).Sub(a, b)) }
func ratMul(a, b *big.Rat) *big.Rat { return foldable(new(big.Rat).Mul(a, b)) }

// ratQuo is nil for a zero divisor: that is evaluated, to an infinity or NaN.
func ratQuo(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return nil
	}
	return foldable(new(big.Rat).Quo(a, b))
}

// ratPow is a^b where that is a small rational; else nil.
func ratPow(a, b *big.Rat) *big.Rat {
	if !b.IsInt() || !b.Num().IsInt64() {
		return nil
	}
	n := b.Num().Int64()
	switch {
	case n == 0:
		return big.NewRat(1, 1) // 0^0 = 1, as in the evaluation
	case a.Sign() == 0:
		if n < 0 {
			return nil
		}
		return new(big.Rat)
	case a.IsInt() && a.Num().IsInt64() && (a.Num().Int64() == 1 || a.Num().Int64() == -1):
		if n%2 == 0 {
			return big.NewRat(1, 1)
		}
		return a
	case n > maxBits || n < -maxBits || max(n, -n)*int64(bits(a)) > 2*maxBits:
		return nil
	}
	exp := big.NewInt(max(n, -n))
	num, den := new(big.Int).Exp(a.Num(), exp, nil), new(big.Int).Exp(a.Denom(), exp, nil)
	if n < 0 {
		num, den = den, num
		if den.Sign() < 0 {
			num.Neg(num)
			den.Neg(den)
		}
	}
	return foldable(new(big.Rat).SetFrac(num, den))
}

// checkPower refuses a power of literals whose value floating point cannot hold.
func (e *elaborator) checkPower(x *syntax.Expr, a, b *big.Rat) {
	base, _ := a.Float64()
	exponent, _ := b.Float64()
	if base == 0 || !math.IsInf(math.Pow(base, exponent), 0) {
		return
	}
	digits := exponent * math.Log10(math.Abs(base))
	err := e.errorf("L004", x.At, "this power of literals has about %.3g digits", digits)
	if math.IsInf(digits, 0) {
		err = e.errorf("L004", x.At, "this power of literals is too large to write down")
	}
	e.fail(err.Helpf("floating-point numbers end near 1.8e308"))
}
