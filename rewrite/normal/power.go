package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// raising is a power x^r that is normalised.
type raising struct {
	z     *Simplifier
	n, x  *Node
	r     *big.Rat
	guard combinators.Guard // of the power, or of x
	t     *trace
	p     product // x, taken apart
}

// power normalises x^r by the first law that applies, all of which keep the domain.
func (z *Simplifier) power(n *Node, t *trace) *Node {
	x := n.Arg(0)
	w := raising{z: z, n: n, x: x, r: n.Rat(), guard: n.Guard(), t: t}
	if w.guard == combinators.GuardNone && x.Is(atom.Power) {
		w.guard = x.Guard()
	}
	switch numberOf(w.r) {
	case whole(2):
		return z.s.Mul(x, x)
	case whole(-2):
		u := w.guarded(z.s.Recip(x))
		return z.s.Mul(u, u)
	}
	if m := w.ofPower(); m != nil {
		return m
	}
	w.p = open(x)
	if m := w.ofMultiple(); m != nil {
		return m
	}
	if x.Ein() != nil && !opaque(x) && !einsum.Distinct(w.p.out) {
		z.choices |= Laws // a power of a diagonal
	}
	if m := w.ofSum(); m != nil {
		return m
	}
	if x.Ein() == nil || !w.p.coef.isOne() {
		return n
	}
	if w.r.IsInt() {
		return w.ofFactors()
	}
	return w.ofSquare()
}

// guarded is m with the guard of the power, where it divides.
func (w *raising) guarded(m *Node) *Node {
	if m.Is(atom.Power) && m.Rat().Sign() < 0 {
		return m.WithGuard(w.guard)
	}
	return m
}

// ofPower is (y^b)^r = y^(b r), and |y|^(b r) of even b; nil where it is none.
func (w *raising) ofPower() *Node {
	if !w.x.Is(atom.Power) {
		return nil
	}
	z, b, y := w.z, w.x.Rat(), w.x.Arg(0)
	e := new(big.Rat).Mul(b, w.r)
	nonneg := z.facts.Nonneg(y)
	// An odd power of a negative y is negative, so a root of it is NaN.
	widens := !w.r.IsInt() && b.IsInt() && !evenInteger(b) && e.IsInt() && !nonneg
	if widens || !z.keepsDomain(w.x.Arg(0), b, e) {
		return nil
	}
	if !w.r.IsInt() && evenInteger(b) && !nonneg {
		y = z.s.Unary(atom.Abs, y)
	}
	return w.guarded(z.s.Power(y, e))
}

// ofMultiple is (c y)^r = c^r y^r, nil where c^r is no number.
func (w *raising) ofMultiple() *Node {
	if w.x.Ein() == nil || w.p.coef.isOne() || len(w.p.ops) == 0 || !w.r.IsInt() && w.p.coef.sign() <= 0 {
		return nil
	}
	power := atom.RatPow(w.p.coef.rat(), w.r)
	if power == nil {
		return nil
	}
	q := w.p
	q.coef = unit
	return w.scaled(numberOf(power), w.guarded(w.z.s.Power(q.build(w.z.s), w.r)))
}

// ofSum is the power of a sum as that of the best of its multiples, nil where it is that.
func (w *raising) ofSum() *Node {
	if !isSum(w.x) || !w.r.IsInt() || !w.z.once(w.x) {
		return nil
	}
	core, inverse := w.z.primitive(w.x)
	power := atom.RatPow(inverse.rat(), w.r)
	if core == w.x || power == nil {
		return nil
	}
	w.t.lazily(nativeDistribute, func() *Node {
		return w.n.With([]*Node{w.z.scale(term{coef: inverse, core: core})})
	})
	return w.scaled(numberOf(power), w.guarded(w.z.s.Power(core, w.r)))
}

// scaled is c times the normal form of the power m.
func (w *raising) scaled(c number, m *Node) *Node {
	w.t.lazily(nativePowers, func() *Node { return w.z.scale(term{coef: c, core: m}) })
	m = w.z.scaled(c, w.z.within(w.t, m))
	w.t.to(nativeFuse, m)
	return m
}

// ofFactors is (y*z)^r of whole r where nothing else needs y*z: scalars are factors of their own, and so are all
// factors of a product that is entry by entry.
func (w *raising) ofFactors() *Node {
	z, p := w.z, w.p
	if w.r.Sign() > 0 && z.once(w.x) {
		if m := z.powerOfScalars(w.n, &p, w.t); m != nil {
			return m
		}
	}
	if len(p.ops) < 2 || !p.entrywise() || !z.once(w.x) && !p.hasPower() {
		return w.n
	}
	p.ops = slices.Clone(p.ops)
	for k, a := range p.ops {
		b, e, _ := base(a)
		if !z.keepsDomain(b, e, new(big.Rat).Mul(e, w.r)) {
			return w.n
		}
		p.ops[k] = w.guarded(z.s.Power(a, w.r))
	}
	if w.t != nil {
		w.t.product(nativePowers, &p)
		p.ops = slices.Clone(p.ops) // the node has the others
	}
	for k, a := range p.ops {
		p.ops[k] = z.within(w.t, a)
	}
	return p.build(z.s)
}

// ofSquare is (y*y)^r = |y|^2r of fractional r, entry by entry.
func (w *raising) ofSquare() *Node {
	p := w.p
	if len(p.ops) != 2 || p.ops[0] != p.ops[1] || !p.entrywise() || !slices.Equal(p.in[0], p.in[1]) {
		return w.n
	}
	y := p.ops[0]
	if !w.z.facts.Nonneg(y) {
		y = w.z.s.Unary(atom.Abs, y)
	}
	p.ops, p.in = []*Node{w.guarded(w.z.s.Power(y, new(big.Rat).Mul(two, w.r)))}, p.in[:1]
	return p.build(w.z.s)
}

// powerOfScalars is a whole power n of the product p as that of its scalars and of what is left, nil where
// there is one part.
func (z *Simplifier) powerOfScalars(n *Node, p *product, t *trace) *Node {
	if opaque(n.Arg(0)) || p.hasFree() || !einsum.Distinct(p.out) {
		return nil
	}
	groups := p.scalars()
	if groups == nil {
		return nil
	}
	outer, parts := p.parts(z, groups)
	powers := make([]*Node, len(parts))
	for i, q := range parts {
		powers[i] = z.s.Power(q.build(z.s), n.Rat())
	}
	if t != nil {
		t.to(nativePowers, z.s.Ein(outer, powers...))
		powers = slices.Clone(powers) // the node has the others
	}
	for i, m := range powers {
		powers[i] = z.within(t, m)
	}
	return z.s.Ein(outer, powers...)
}

func evenInteger(r *big.Rat) bool { return r.IsInt() && r.Num().Bit(0) == 0 }

// keepsDomain reports whether x^e is defined only where x^b is: a zero or negative x
// that x^b excludes must not be let in.
func (z *Simplifier) keepsDomain(x *Node, b, e *big.Rat) bool {
	if b.Sign() < 0 && e.Sign() >= 0 && !z.facts.Nonzero(x) {
		return false
	}
	return b.IsInt() || !e.IsInt() || z.facts.Nonneg(x)
}
