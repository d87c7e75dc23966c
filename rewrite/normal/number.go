package normal

import (
	"math/big"
	"math/bits"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// number is a coefficient: a rational in lowest terms, exact at any size. Nearly all are small,
// and small ones allocate nothing.
type number struct {
	num, den int64    // den > 0
	large    *big.Rat // where num and den do not fit, else nil
}

var unit = number{num: 1, den: 1}

func whole(n int64) number { return number{num: n, den: 1} }

// numberOf is r, which must not change.
func numberOf(r *big.Rat) number {
	if r == one {
		return unit
	}
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		if n := r.Num().Int64(); n != minInt64 {
			return number{num: n, den: r.Denom().Int64()}
		}
	}
	return number{large: r}
}

const minInt64 = -1 << 63 // has no negative

// rat is the number as a rational, which must not be changed.
func (a number) rat() *big.Rat {
	switch {
	case a.large != nil:
		return a.large
	case a == unit:
		return one
	}
	return big.NewRat(a.num, a.den)
}

// huge reports whether the number is about as large as floating-point numbers are, or as small.
func (a number) huge() bool { return a.large != nil && atom.BitLen(a.large) > 1000 }

func (a number) isOne() bool { return a == unit }

func (a number) sign() int {
	switch {
	case a.large != nil:
		return a.large.Sign()
	case a.num > 0:
		return 1
	case a.num < 0:
		return -1
	}
	return 0
}

func (a number) isInt() bool {
	if a.large != nil {
		return a.large.IsInt()
	}
	return a.den == 1
}

func (a number) neg() number {
	if a.large != nil {
		return numberOf(new(big.Rat).Neg(a.large))
	}
	return number{num: -a.num, den: a.den}
}

func (a number) abs() number {
	if a.sign() < 0 {
		return a.neg()
	}
	return a
}

func (a number) times(b number) number {
	if a == unit {
		return b
	}
	if b == unit {
		return a
	}
	if a.large == nil && b.large == nil {
		g, h := gcd(a.num, b.den), gcd(b.num, a.den)
		n, ok := product64(a.num/g, b.num/h)
		d, fits := product64(a.den/h, b.den/g)
		if ok && fits {
			return number{num: n, den: d}
		}
	}
	return numberOf(new(big.Rat).Mul(a.rat(), b.rat()))
}

// over is a/b; b is not 0.
func (a number) over(b number) number {
	if b == unit {
		return a
	}
	if b.large == nil {
		if b.num < 0 {
			return a.times(number{num: -b.den, den: -b.num})
		}
		return a.times(number{num: b.den, den: b.num})
	}
	return numberOf(new(big.Rat).Quo(a.rat(), b.rat()))
}

func (a number) plus(b number) number {
	if a.large == nil && b.large == nil && a.den == 1 && b.den == 1 {
		s := a.num + b.num
		if (s > a.num) == (b.num > 0) && s != minInt64 {
			return whole(s)
		}
	}
	return numberOf(new(big.Rat).Add(a.rat(), b.rat()))
}

func (a number) compare(b number) int {
	if a.large == nil && b.large == nil && a.den == b.den {
		switch {
		case a.num < b.num:
			return -1
		case a.num > b.num:
			return 1
		}
		return 0
	}
	return a.rat().Cmp(b.rat())
}

func (a number) equal(b number) bool {
	if a.large == nil || b.large == nil {
		return a == b
	}
	return a.large.Cmp(b.large) == 0
}

// node is the number as a constant.
func (a number) node(s *combinators.Store) *Node {
	if a.large == nil {
		return s.Fraction(a.num, a.den)
	}
	return s.Const(a.large)
}

// gcd is the greatest common divisor of a and b > 0, which is positive.
func gcd(a, b int64) int64 {
	if b == 1 {
		return 1
	}
	if a < 0 {
		a = -a
	}
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// product64 is a*b where that fits and has a negative.
func product64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}
