package verify

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
)

// The field of integers modulo the prime p = 2^61-1.
const prime = 1<<61 - 1

func add(a, b uint64) uint64 {
	s := a + b
	if s >= prime {
		s -= prime
	}
	return s
}

func sub(a, b uint64) uint64 {
	if a >= b {
		return a - b
	}
	return a + prime - b
}

// mul reduces the product of 122 bits by 2^61 = 1.
func mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	s := (lo & prime) + (lo>>61 | hi<<3)
	if s >= prime {
		s -= prime
	}
	return s
}

func pow(a, n uint64) uint64 {
	r := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = mul(r, a)
		}
		a = mul(a, a)
	}
	return r
}

// inverse of a nonzero element: a^(p-2).
func inverse(a uint64) uint64 { return pow(a, prime-2) }

func fromRat(r *big.Rat) uint64 {
	p := big.NewInt(prime)
	num := new(big.Int).Mod(r.Num(), p).Uint64()
	den := new(big.Int).Mod(r.Denom(), p).Uint64()
	return mul(num, inverse(den))
}

func random(r *rand.Rand) uint64 { return r.Uint64N(prime) }

// mulOrder is the product modulo p-1, the order of the group of units.
func mulOrder(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, rem := bits.Div64(hi, lo, prime-1)
	return rem
}

// unitGenerator generates the group of units.
const unitGenerator = 37

// The elements of norm 1 of the field with i = sqrt(-1) are a group of order p+1 = 2^61: the
// rational points of the circle. circle is a generator's power: cos and sin of the angle a.
func circle(a uint64) (cos, sin uint64) {
	cos, sin = 1, 0
	bc, bs := circleGenerator[0], circleGenerator[1]
	for ; a > 0; a >>= 1 {
		if a&1 != 0 {
			cos, sin = sub(mul(cos, bc), mul(sin, bs)), add(mul(cos, bs), mul(sin, bc))
		}
		bc, bs = sub(mul(bc, bc), mul(bs, bs)), mul(2, mul(bc, bs))
	}
	return cos, sin
}

// circleGenerator is the point ((1-t^2)/(1+t^2), 2t/(1+t^2)) of the least t whose order is 2^61.
var circleGenerator = func() [2]uint64 {
	for t := uint64(2); ; t++ {
		q := inverse(add(1, mul(t, t)))
		c, s := mul(sub(1, mul(t, t)), q), mul(mul(2, t), q)
		x, y := c, s
		for range 60 {
			x, y = sub(mul(x, x), mul(y, y)), mul(2, mul(x, y))
		}
		if x != 1 || y != 0 {
			return [2]uint64{c, s}
		}
	}
}()

// element is a number x of the model in which identities are tried, with what is known of it: its
// residue v + d*eps in the field with eps^2 = 0, and its images under the homomorphisms that
// stand for exp(x) and for the angle x. By the Chinese remainder theorem an integer has any
// residues modulo p, p-1 and p+1 that agree in parity, and sums and products act on each alone:
//
//	exp(x) = g^(x mod p-1),  (cos x, sin x) = h^(x mod p+1).
type element struct {
	has    known
	v, d   uint64
	x      uint64 // x mod p-1
	e      uint64 // exp(x), where x mod p-1 is not known
	angle  uint64 // x mod 2^61
	number int64  // the integer itself, of a constant
}

type known uint8

const (
	hasValue known = 1 << iota
	hasTangent
	hasExponent
	hasExp
	hasAngle
	hasNumber
)

func (a element) is(k known) bool { return a.has&k == k }

// exp is the image under exp, where it is known.
func (a element) exp() (uint64, bool) {
	switch {
	case a.is(hasExponent):
		return pow(unitGenerator, a.x), true
	case a.is(hasExp):
		return a.e, true
	}
	return 0, false
}

const angleMask = 1<<61 - 1

func randomElement(r *rand.Rand) element {
	x := r.Uint64N(prime - 1)
	return element{has: hasValue | hasTangent | hasExponent | hasAngle, v: random(r), d: random(r), x: x,
		angle: r.Uint64()&angleMask&^1 | x&1}
}

// pi is the number pi: half of the circle, and otherwise any integer that is even, as half of the circle is.
var pi = element{has: hasValue | hasTangent | hasExponent | hasAngle, v: 0x1921fb54442d1846, x: 0x13198a2e03707344, angle: 1 << 60}

func constant(r *big.Rat) element {
	a := element{has: hasValue | hasTangent, v: fromRat(r)}
	if r.IsInt() && r.Num().IsInt64() {
		n := r.Num().Int64()
		a.has |= hasExponent | hasAngle | hasNumber
		a.number, a.angle = n, uint64(n)&angleMask
		a.x = new(big.Int).Mod(r.Num(), big.NewInt(prime-1)).Uint64()
	}
	return a
}

func (a element) plus(b element) element {
	c := element{has: a.has & b.has &^ hasNumber}
	c.v, c.d = add(a.v, b.v), add(a.d, b.d)
	c.angle = (a.angle + b.angle) & angleMask
	if c.is(hasExponent) {
		c.x = (a.x + b.x) % (prime - 1)
	} else if ea, ok := a.exp(); ok {
		if eb, ok := b.exp(); ok {
			c.e, c.has = mul(ea, eb), c.has|hasExp
		}
	}
	if a.is(hasNumber) && a.number == 0 {
		return b
	}
	if b.is(hasNumber) && b.number == 0 {
		return a
	}
	return c
}

func (a element) times(b element) element {
	if b.is(hasNumber) {
		a, b = b, a
	}
	if a.is(hasNumber) && a.number == 1 {
		return b
	}
	c := element{has: a.has & b.has & (hasValue | hasExponent | hasAngle)}
	c.v, c.x, c.angle = mul(a.v, b.v), mulOrder(a.x, b.x), a.angle*b.angle&angleMask
	switch {
	case a.is(hasValue|hasTangent) && b.is(hasValue|hasTangent):
		c.d, c.has = add(mul(a.v, b.d), mul(a.d, b.v)), c.has|hasTangent
	case a.is(hasValue|hasTangent) && a.d == 0 && b.is(hasTangent):
		c.d, c.has = mul(a.v, b.d), c.has|hasTangent
	case b.is(hasValue|hasTangent) && b.d == 0 && a.is(hasTangent):
		c.d, c.has = mul(b.v, a.d), c.has|hasTangent
	}
	if e, ok := b.exp(); ok && a.is(hasNumber) && !c.is(hasExponent) {
		if a.number < 0 {
			e = inverse(e)
		}
		c.e, c.has = pow(e, uint64(max(a.number, -a.number))), c.has|hasExp
	}
	if a.is(hasNumber) && b.is(hasNumber) {
		return constant(new(big.Rat).Mul(big.NewRat(a.number, 1), big.NewRat(b.number, 1)))
	}
	return c
}

// power is a^n; ok is false where it divides by zero.
func (a element) power(n int64) (element, bool) {
	if n >= 0 {
		out := constant(big.NewRat(1, 1))
		for range n {
			out = out.times(a)
		}
		return out, true
	}
	if !a.is(hasValue) {
		return element{}, true
	}
	if a.v == 0 {
		return element{}, false
	}
	q := inverse(a.v)
	// (1/a)' = -a'/a^2
	inv := element{has: a.has & (hasValue | hasTangent), v: q, d: mul(sub(0, a.d), mul(q, q))}
	return inv.power(-n)
}

// function is x -> f(x) with the given value, or exp of the value, and derivative.
func (a element) function(v uint64, derivative uint64, ok bool) element {
	if !ok {
		return element{}
	}
	out := element{has: hasValue, v: v}
	if a.is(hasTangent) {
		out.d, out.has = mul(derivative, a.d), out.has|hasTangent
	}
	return out
}

// logarithm is a number whose exp is known, and the derivative.
func (a element) logarithm(e uint64, derivative uint64, ok bool) element {
	if !ok || e == 0 {
		return element{}
	}
	out := a.function(0, derivative, true)
	out.has, out.e = out.has&^hasValue|hasExp, e
	return out
}

// agree compares two numbers by all that is known of both; ok is false where that does not decide.
func agree(a, b element) (equal, ok bool) {
	switch {
	case a.is(hasValue) && b.is(hasValue):
		if a.v != b.v {
			return false, true
		}
	default:
		ea, oka := a.exp()
		eb, okb := b.exp()
		if !oka || !okb {
			return false, false
		}
		if ea != eb {
			return false, true
		}
	}
	return !a.is(hasTangent) || !b.is(hasTangent) || a.d == b.d, true
}
