package normal

import (
	"math/big"
	"slices"
)

// elementwise normalises an element-wise function: numbers are folded where they are
// exact, index maps taken out (f(x') = f(x)'), and powers of powers and of products
// made powers.
func (z *Simplifier) elementwise(n *Node, t *trace) *Node {
	if m := z.fold(n); m != nil {
		if t != nil {
			t.to(nativeFold, m)
		}
		return m
	}
	if m := z.takeMapOut(n, t); m != nil {
		return m
	}
	if n.Is("power") {
		m := z.power(n, t)
		if t != nil {
			t.to(nativePowers, m)
		}
		return m
	}
	return n
}

// fold computes functions of constants that are exact.
func (z *Simplifier) fold(n *Node) *Node {
	args := make([]*big.Rat, len(n.Args()))
	for k, a := range n.Args() {
		r, ok := fill(a)
		if !ok {
			return nil
		}
		args[k] = r
	}
	x := args[0]
	var r *big.Rat
	truth := func(b bool) {
		r = new(big.Rat)
		if b {
			r = one
		}
	}
	switch n.Atom().Name {
	case "power":
		r = ratPow(x, n.Rat())
	case "pow":
		r = ratPow(x, args[1])
	case "abs":
		r = new(big.Rat).Abs(x)
	case "sign":
		r = big.NewRat(int64(x.Sign()), 1)
	case "relu":
		r = new(big.Rat)
		if x.Sign() > 0 {
			r = x
		}
	case "step":
		truth(x.Sign() > 0)
	case "max", "min":
		r = x
		if c := x.Cmp(args[1]); (c < 0) == n.Is("max") {
			r = args[1]
		}
	case "gt":
		truth(x.Cmp(args[1]) > 0)
	case "ge":
		truth(x.Cmp(args[1]) >= 0)
	case "lt":
		truth(x.Cmp(args[1]) < 0)
	case "le":
		truth(x.Cmp(args[1]) <= 0)
	case "eq":
		truth(x.Cmp(args[1]) == 0)
	case "ne":
		truth(x.Cmp(args[1]) != 0)
	case "exp", "cos", "cosh":
		if x.Sign() == 0 {
			r = one
		}
	case "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "expm1", "log1p", "erf", "gelu":
		if x.Sign() == 0 {
			r = x
		}
	case "log":
		if isOne(x) {
			r = new(big.Rat)
		}
	case "sigmoid":
		if x.Sign() == 0 {
			r = big.NewRat(1, 2)
		}
	}
	if r == nil {
		return nil
	}
	return z.s.Fill(r, n.Shape())
}

// maxBits bounds the numbers that exact folding makes.
const maxBits = 4096

// ratPow is x^e where it is rational and not too large, else nil. x^0 is 1.
func ratPow(x, e *big.Rat) *big.Rat {
	if !e.IsInt() {
		// A square root of a square is exact.
		if e.Denom().IsInt64() && e.Denom().Int64() == 2 && x.Sign() > 0 {
			n, d := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
			if new(big.Int).Mul(n, n).Cmp(x.Num()) == 0 && new(big.Int).Mul(d, d).Cmp(x.Denom()) == 0 {
				return ratPow(new(big.Rat).SetFrac(n, d), new(big.Rat).SetInt(e.Num()))
			}
		}
		return nil
	}
	if !e.Num().IsInt64() {
		return nil
	}
	k := e.Num().Int64()
	if x.Sign() == 0 && k < 0 {
		return nil
	}
	bits := int64(max(x.Num().BitLen(), x.Denom().BitLen()))
	if abs := max(k, -k); abs < 0 || abs > maxBits || bits*abs > maxBits {
		return nil
	}
	num, den := x.Num(), x.Denom()
	if k < 0 {
		num, den, k = den, num, -k
	}
	p := new(big.Int).Exp(num, big.NewInt(k), nil)
	q := new(big.Int).Exp(den, big.NewInt(k), nil)
	if q.Sign() == 0 {
		return nil
	}
	return new(big.Rat).SetFrac(p, q)
}

// takeMapOut writes f(M(x)) as M(f(x)) for a unary f, where M picks entries: a
// transpose, a broadcast, a diagonal of a tensor. A diagonal embedding has entries that
// are no entry of x, so it stays.
func (z *Simplifier) takeMapOut(n *Node, t *trace) *Node {
	if len(n.Args()) != 1 || n.Arg(0).Ein() == nil || opaque(n.Arg(0)) {
		return nil
	}
	p := open(n.Arg(0))
	if len(p.ops) == 0 || p.hasFree() || !distinct(p.out) {
		return nil
	}
	if len(p.ops) == 1 && p.coef.isOne() && coversAll(p.out, len(p.vars)) {
		inner := n.With(p.ops)
		if t != nil {
			t.to(nativePick, z.s.Contract(p.in, p.out, p.vars, inner))
		}
		return z.s.Contract(p.in, p.out, p.vars, z.within(t, inner))
	}
	// Axes of the output that no operand has are repetitions.
	var kept []int
	for _, v := range p.out {
		if slices.ContainsFunc(p.in, func(g []int) bool { return slices.Contains(g, v) }) {
			kept = append(kept, v)
		}
	}
	if len(kept) == len(p.out) {
		return nil
	}
	q := p
	q.out = kept
	q.compact()
	repeat := func(inner *Node) *Node {
		r := &product{coef: unit, ops: []*Node{inner}, in: [][]int{kept}, out: p.out, vars: p.vars}
		r.compact()
		return r.build(z.s)
	}
	if t != nil {
		t.to(nativePick, repeat(n.With([]*Node{q.build(z.s)})))
	}
	x := z.within(t, q.build(z.s))
	return repeat(z.within(t, n.With([]*Node{x})))
}

// power normalises x^r.
func (z *Simplifier) power(n *Node, t *trace) *Node {
	x, r := n.Arg(0), n.Rat()
	guard := func(m *Node) *Node {
		if m.Is("power") && m.Rat().Sign() < 0 {
			return m.WithGuard(n.Guard())
		}
		return m
	}
	// x^2 is the product x*x.
	if r.Cmp(two) == 0 {
		return z.s.Mul(x, x)
	}
	// (x^b)^r
	if x.Is("power") {
		b := x.Rat()
		e := new(big.Rat).Mul(b, r)
		y := x.Arg(0)
		nonneg := z.facts.Nonneg(y)
		if !r.IsInt() && evenInteger(b) && !nonneg {
			y = z.s.Unary("abs", y) // (y^2k)^r = |y|^(2kr)
		}
		// An odd power of a negative y is negative, so a root of it is NaN.
		widens := !r.IsInt() && b.IsInt() && !evenInteger(b) && e.IsInt() && !nonneg
		if !widens && z.keepsDomain(x.Arg(0), b, e) {
			return guard(z.s.Power(y, e))
		}
	}
	p := open(x)
	// (c y)^r = c^r y^r
	if x.Ein() != nil && !p.coef.isOne() && len(p.ops) > 0 && (r.IsInt() || p.coef.sign() > 0) {
		if power := ratPow(p.coef.rat(), r); power != nil {
			c := numberOf(power)
			q := p
			q.coef = unit
			m := guard(z.s.Power(q.build(z.s), r))
			if t != nil {
				t.to(nativePowers, z.scale(term{coef: c, core: m}))
			}
			m = z.scaled(c, z.within(t, m))
			if t != nil {
				t.to(nativeFuse, m)
			}
			return m
		}
	}
	// (y*z)^r of whole r, entry by entry
	if x.Ein() != nil && p.coef.isOne() && len(p.ops) > 1 && p.entrywise() && r.IsInt() && (z.once(x) || p.hasPower()) {
		q := p
		q.ops = slices.Clone(p.ops)
		for k, a := range q.ops {
			b, e, _ := base(a)
			if !z.keepsDomain(b, e, new(big.Rat).Mul(e, r)) {
				return n
			}
			q.ops[k] = guard(z.s.Power(a, r))
		}
		if t != nil {
			t.to(nativePowers, q.build(z.s))
			q.ops = slices.Clone(q.ops) // the node has the others
		}
		for k, a := range q.ops {
			q.ops[k] = z.within(t, a)
		}
		return q.build(z.s)
	}
	// (y*y)^r = |y|^2r of fractional r, entry by entry
	if x.Ein() != nil && p.coef.isOne() && len(p.ops) == 2 && p.ops[0] == p.ops[1] && p.entrywise() && slices.Equal(p.in[0], p.in[1]) && !r.IsInt() {
		y := p.ops[0]
		if !z.facts.Nonneg(y) {
			y = z.s.Unary("abs", y)
		}
		q := product{coef: unit, ops: []*Node{guard(z.s.Power(y, new(big.Rat).Mul(two, r)))}, in: p.in[:1], out: p.out, vars: p.vars}
		return q.build(z.s)
	}
	return n
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

// entrywise: nothing is summed and no entry is off a diagonal.
func (p *product) entrywise() bool { return distinct(p.out) && coversAll(p.out, len(p.vars)) }

func (p *product) hasPower() bool {
	return slices.ContainsFunc(p.ops, func(a *Node) bool { return a.Is("power") })
}
