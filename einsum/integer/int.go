// Package integer is exact linear algebra over the whole numbers: Smith and Hermite normal
// forms, kernels and cokernels, all solutions of A x = b, and systems of linear
// inequalities: Fourier-Motzkin elimination with parameters, loops over the whole points,
// emptiness over the whole numbers, and the exact range of an affine form.
//
// Numbers are Int: 64 bits with every operation checked, and math/big where a result does
// not fit. So no operation overflows, and the common case allocates nothing.
//
// The algorithms follow Urban and van der Smagt, "Automatic Differentiation for Tensor
// Algebras", section 4, with corrections that are stated where they apply.
package integer

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Int is a whole number of any size. The zero value is 0. Two Ints are equal exactly when
// Cmp is 0; values that fit 64 bits never hold a big.Int.
type Int struct {
	n int64
	b *big.Int // nil where the value is n
}

// New is the Int n.
func New(n int64) Int { return Int{n: n} }

// FromBig is the Int x; x is copied.
func FromBig(x *big.Int) Int {
	if x.IsInt64() {
		return Int{n: x.Int64()}
	}
	return Int{b: new(big.Int).Set(x)}
}

// own is FromBig without the copy.
func own(x *big.Int) Int {
	if x.IsInt64() {
		return Int{n: x.Int64()}
	}
	return Int{b: x}
}

// Big is a as a new big.Int.
func (a Int) Big() *big.Int {
	if a.b != nil {
		return new(big.Int).Set(a.b)
	}
	return big.NewInt(a.n)
}

// big is Big without the copy: the result must not be changed.
func (a Int) big() *big.Int {
	if a.b != nil {
		return a.b
	}
	return big.NewInt(a.n)
}

// Int64 reports whether a fits 64 bits, and its value.
func (a Int) Int64() (int64, bool) { return a.n, a.b == nil }

// Float is the nearest float64.
func (a Int) Float() float64 {
	if a.b == nil {
		return float64(a.n)
	}
	f, _ := new(big.Float).SetInt(a.b).Float64()
	return f
}

// String prints a in decimal.
func (a Int) String() string {
	if a.b == nil {
		return strconv.FormatInt(a.n, 10)
	}
	return a.b.String()
}

// bitLen is the number of binary digits of |a|.
func (a Int) bitLen() int {
	if a.b == nil {
		return bits.Len64(magnitude(a.n))
	}
	return a.b.BitLen()
}

// Sign is -1, 0 or 1.
func (a Int) Sign() int {
	switch {
	case a.b != nil:
		return a.b.Sign()
	case a.n < 0:
		return -1
	case a.n > 0:
		return 1
	}
	return 0
}

// IsZero reports a = 0.
func (a Int) IsZero() bool { return a.n == 0 && a.b == nil }

// IsOne reports a = 1.
func (a Int) IsOne() bool { return a.n == 1 && a.b == nil }

// Cmp compares a with b: -1, 0 or 1.
func (a Int) Cmp(b Int) int {
	if a.b == nil && b.b == nil {
		switch {
		case a.n < b.n:
			return -1
		case a.n > b.n:
			return 1
		}
		return 0
	}
	return a.big().Cmp(b.big())
}

// CmpAbs compares |a| with |b|.
func (a Int) CmpAbs(b Int) int { return a.Abs().Cmp(b.Abs()) }

// Neg is -a.
func (a Int) Neg() Int {
	if a.b == nil && a.n != math.MinInt64 {
		return Int{n: -a.n}
	}
	return own(new(big.Int).Neg(a.big()))
}

// Abs is |a|.
func (a Int) Abs() Int {
	if a.Sign() < 0 {
		return a.Neg()
	}
	return a
}

// Add is a + b.
func (a Int) Add(b Int) Int {
	if a.b == nil && b.b == nil {
		// The sum overflows exactly when it has neither the sign of a nor that of b.
		if s := a.n + b.n; (s^a.n)&(s^b.n) >= 0 {
			return Int{n: s}
		}
	}
	return own(new(big.Int).Add(a.big(), b.big()))
}

// Sub is a - b.
func (a Int) Sub(b Int) Int {
	if a.b == nil && b.b == nil {
		if s := a.n - b.n; (a.n^b.n)&(a.n^s) >= 0 {
			return Int{n: s}
		}
	}
	return own(new(big.Int).Sub(a.big(), b.big()))
}

// Mul is a * b.
func (a Int) Mul(b Int) Int {
	if a.b == nil && b.b == nil {
		if p, ok := mul64(a.n, b.n); ok {
			return Int{n: p}
		}
	}
	return own(new(big.Int).Mul(a.big(), b.big()))
}

// mul64 multiplies, and reports whether the product fits. The product of the absolute
// values is exact in 128 bits; it fits where the upper half is 0 and the lower is at most
// 2^63 - 1 (the one further product, -2^63, goes the long way).
func mul64(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	return a * b, true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// Floor is the largest whole number that is at most a/b: floor(-1/2) = -1. b is not 0.
func (a Int) Floor(b Int) Int {
	if a.b == nil && b.b == nil && (a.n != math.MinInt64 || b.n != -1) {
		q := a.n / b.n
		if a.n%b.n != 0 && (a.n < 0) != (b.n < 0) {
			q--
		}
		return Int{n: q}
	}
	// Div rounds towards negative infinity for positive divisors only.
	x, y := a.big(), b.big()
	if y.Sign() < 0 {
		x, y = new(big.Int).Neg(x), new(big.Int).Neg(y)
	}
	return own(new(big.Int).Div(x, y))
}

// Ceil is the least whole number that is at least a/b: ceil(7/-3) = -2. b is not 0.
func (a Int) Ceil(b Int) Int { return a.Neg().Floor(b).Neg() }

// Round is a whole number nearest to a/b. b is not 0.
func (a Int) Round(b Int) Int {
	two := New(2)
	return a.Mul(two).Add(b).Floor(b.Mul(two))
}

// Divides reports whether a divides b; 0 divides 0 alone.
func (a Int) Divides(b Int) bool {
	if a.IsZero() {
		return b.IsZero()
	}
	return b.Sub(a.Mul(b.Floor(a))).IsZero()
}

// Exact is a/b where b divides a.
func (a Int) Exact(b Int) Int { return a.Floor(b) }

// Gcd is the greatest common divisor, at least 0; gcd(0, 0) = 0.
func (a Int) Gcd(b Int) Int {
	if a.b == nil && b.b == nil {
		x, y := magnitude(a.n), magnitude(b.n)
		for y != 0 {
			x, y = y, x%y
		}
		if x <= math.MaxInt64 {
			return Int{n: int64(x)}
		}
		return own(new(big.Int).SetUint64(x))
	}
	return own(new(big.Int).GCD(nil, nil, new(big.Int).Abs(a.big()), new(big.Int).Abs(b.big())))
}

// Max is the larger of a and b.
func (a Int) Max(b Int) Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// Min is the smaller of a and b.
func (a Int) Min(b Int) Int {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}
