package model

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
)

// The field of integers modulo the prime p = 2^61-1.
const Prime = 1<<61 - 1

func Add(a, b uint64) uint64 {
	s := a + b
	if s >= Prime {
		s -= Prime
	}
	return s
}

func Sub(a, b uint64) uint64 {
	if a >= b {
		return a - b
	}
	return a + Prime - b
}

// Mul reduces the product of 122 bits by 2^61 = 1.
func Mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	s := (lo & Prime) + (lo>>61 | hi<<3)
	if s >= Prime {
		s -= Prime
	}
	return s
}

func Pow(a, n uint64) uint64 {
	r := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = Mul(r, a)
		}
		a = Mul(a, a)
	}
	return r
}

// Inverse of a nonzero element: a^(p-2).
func Inverse(a uint64) uint64 { return Pow(a, Prime-2) }

func fromRat(r *big.Rat) uint64 {
	p := big.NewInt(Prime)
	num := new(big.Int).Mod(r.Num(), p).Uint64()
	den := new(big.Int).Mod(r.Denom(), p).Uint64()
	return Mul(num, Inverse(den))
}

func random(r *rand.Rand) uint64 { return r.Uint64N(Prime) }

// mulOrder is the product modulo p-1, the order of the group of units.
func mulOrder(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, rem := bits.Div64(hi, lo, Prime-1)
	return rem
}

// unitGenerator generates the group of units.
const unitGenerator = 37

// The elements of norm 1 of the field with i = sqrt(-1) are a group of order p+1 = 2^61: the
// rational points of the circle. circle is a generator's power: cos and sin of the angle a.
func Circle(a uint64) (cos, sin uint64) {
	cos, sin = 1, 0
	bc, bs := circleGenerator[0], circleGenerator[1]
	for ; a > 0; a >>= 1 {
		if a&1 != 0 {
			cos, sin = Sub(Mul(cos, bc), Mul(sin, bs)), Add(Mul(cos, bs), Mul(sin, bc))
		}
		bc, bs = Sub(Mul(bc, bc), Mul(bs, bs)), Mul(2, Mul(bc, bs))
	}
	return cos, sin
}

// circleGenerator is the point ((1-t^2)/(1+t^2), 2t/(1+t^2)) of the least t whose order is 2^61.
var circleGenerator = func() [2]uint64 {
	for t := uint64(2); ; t++ {
		q := Inverse(Add(1, Mul(t, t)))
		c, s := Mul(Sub(1, Mul(t, t)), q), Mul(Mul(2, t), q)
		x, y := c, s
		for range 60 {
			x, y = Sub(Mul(x, x), Mul(y, y)), Mul(2, Mul(x, y))
		}
		if x != 1 || y != 0 {
			return [2]uint64{c, s}
		}
	}
}()

// Element is a number x of the model in which identities are tried, with what is known of it: its
// residue v + d*eps in the field with eps^2 = 0, and its images under the homomorphisms that
// stand for exp(x) and for the angle x. By the Chinese remainder theorem an integer has any
// residues modulo p, p-1 and p+1 that agree in parity, and sums and products act on each alone:
//
//	exp(x) = g^(x mod p-1),  (cos x, sin x) = h^(x mod p+1).
type Element struct {
	Has    Known
	V, D   uint64
	x      uint64 // x mod p-1
	e      uint64 // exp(x), where x mod p-1 is not known
	angle  uint64 // x mod 2^61
	number int64  // the integer itself, of a constant
}

type Known uint8

const (
	HasValue Known = 1 << iota
	HasTangent
	hasExponent
	hasExp
	hasAngle
	HasNumber
)

func (a Element) Is(k Known) bool { return a.Has&k == k }

// exp is the image under exp, where it is known.
func (a Element) exp() (uint64, bool) {
	switch {
	case a.Is(hasExponent):
		return Pow(unitGenerator, a.x), true
	case a.Is(hasExp):
		return a.e, true
	}
	return 0, false
}

const angleMask = 1<<61 - 1

func RandomElement(r *rand.Rand) Element {
	x := r.Uint64N(Prime - 1)
	return Element{Has: HasValue | HasTangent | hasExponent | hasAngle, V: random(r), D: random(r), x: x,
		angle: r.Uint64()&angleMask&^1 | x&1}
}

// pi is the number pi: half of the circle, and otherwise any integer that is even, as half of the circle is.
var pi = Element{Has: HasValue | HasTangent | hasExponent | hasAngle, V: 0x1921fb54442d1846, x: 0x13198a2e03707344, angle: 1 << 60}

func constant(r *big.Rat) Element {
	a := Element{Has: HasValue | HasTangent, V: fromRat(r)}
	if r.IsInt() && r.Num().IsInt64() {
		n := r.Num().Int64()
		a.Has |= hasExponent | hasAngle | HasNumber
		a.number, a.angle = n, uint64(n)&angleMask
		a.x = new(big.Int).Mod(r.Num(), big.NewInt(Prime-1)).Uint64()
	}
	return a
}

func (a Element) Plus(b Element) Element {
	c := Element{Has: a.Has & b.Has &^ HasNumber}
	c.V, c.D = Add(a.V, b.V), Add(a.D, b.D)
	c.angle = (a.angle + b.angle) & angleMask
	if c.Is(hasExponent) {
		c.x = (a.x + b.x) % (Prime - 1)
	} else if ea, ok := a.exp(); ok {
		if eb, ok := b.exp(); ok {
			c.e, c.Has = Mul(ea, eb), c.Has|hasExp
		}
	}
	if a.Is(HasNumber) && a.number == 0 {
		return b
	}
	if b.Is(HasNumber) && b.number == 0 {
		return a
	}
	return c
}

func (a Element) Times(b Element) Element {
	if b.Is(HasNumber) {
		a, b = b, a
	}
	if a.Is(HasNumber) && a.number == 1 {
		return b
	}
	c := Element{Has: a.Has & b.Has & (HasValue | hasExponent | hasAngle)}
	c.V, c.x, c.angle = Mul(a.V, b.V), mulOrder(a.x, b.x), a.angle*b.angle&angleMask
	switch {
	case a.Is(HasValue|HasTangent) && b.Is(HasValue|HasTangent):
		c.D, c.Has = Add(Mul(a.V, b.D), Mul(a.D, b.V)), c.Has|HasTangent
	case a.Is(HasValue|HasTangent) && a.D == 0 && b.Is(HasTangent):
		c.D, c.Has = Mul(a.V, b.D), c.Has|HasTangent
	case b.Is(HasValue|HasTangent) && b.D == 0 && a.Is(HasTangent):
		c.D, c.Has = Mul(b.V, a.D), c.Has|HasTangent
	}
	if e, ok := b.exp(); ok && a.Is(HasNumber) && !c.Is(hasExponent) {
		if a.number < 0 {
			e = Inverse(e)
		}
		c.e, c.Has = Pow(e, uint64(max(a.number, -a.number))), c.Has|hasExp
	}
	if a.Is(HasNumber) && b.Is(HasNumber) {
		return constant(new(big.Rat).Mul(big.NewRat(a.number, 1), big.NewRat(b.number, 1)))
	}
	return c
}

// power is a^n; ok is false where it divides by zero.
func (a Element) power(n *big.Int) (Element, bool) {
	if n.Sign() >= 0 {
		out := One
		for k := n.BitLen() - 1; k >= 0; k-- {
			if out = out.Times(out); n.Bit(k) == 1 {
				out = out.Times(a)
			}
		}
		return out, true
	}
	if !a.Is(HasValue) {
		return Element{}, true
	}
	if a.V == 0 {
		return Element{}, false
	}
	q := Inverse(a.V)
	// (1/a)' = -a'/a^2
	inv := Element{Has: a.Has & (HasValue | HasTangent), V: q, D: Mul(Sub(0, a.D), Mul(q, q))}
	return inv.power(new(big.Int).Neg(n))
}

// function is x -> f(x) with the given value, or exp of the value, and derivative.
func (a Element) function(v uint64, derivative uint64, ok bool) Element {
	if !ok {
		return Element{}
	}
	out := Element{Has: HasValue, V: v}
	if a.Is(HasTangent) {
		out.D, out.Has = Mul(derivative, a.D), out.Has|HasTangent
	}
	return out
}

// logarithm is a number whose exp is known, and the derivative.
func (a Element) logarithm(e uint64, derivative uint64, ok bool) Element {
	if !ok || e == 0 {
		return Element{}
	}
	out := a.function(0, derivative, true)
	out.Has, out.e = out.Has&^HasValue|hasExp, e
	return out
}

// Agree compares two numbers by all that is known of both; ok is false where that does not decide.
func Agree(a, b Element) (equal, ok bool) {
	switch {
	case a.Is(HasValue) && b.Is(HasValue):
		if a.V != b.V {
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
	return !a.Is(HasTangent) || !b.Is(HasTangent) || a.D == b.D, true
}

// Of is the element with the residue v, of whose images nothing is known unless it is 0 or 1.
func Of(v uint64) Element {
	if v <= 1 {
		return []Element{Zero, One}[v]
	}
	return Element{Has: HasValue | HasTangent, V: v}
}
