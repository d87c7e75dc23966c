package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// elementwise normalises an element-wise function: numbers are folded where they are
// exact, index maps taken out (f(x') = f(x)'), and powers of powers and of products
// made powers.
func (z *Simplifier) elementwise(n *Node, t *trace) *Node {
	if m := z.fold(n); m != nil {
		t.to(nativeFold, m)
		return m
	}
	if m := z.takeMapOut(n, t); m != nil {
		return m
	}
	if x := n.Arg(0); n.Is(atom.Abs) && x.Is(atom.Power) && x.Rat().IsInt() && !evenInteger(x.Rat()) {
		m := z.s.Power(z.s.Unary(atom.Abs, x.Arg(0)), x.Rat()).WithGuard(x.Guard()) // |x^r| = |x|^r
		t.to(nativePowers, m)
		return m
	}
	if n.Is(atom.Power) {
		m := z.power(n, t)
		t.to(nativePowers, m)
		return m
	}
	return n
}

// fold computes functions of constants that are exact.
func (z *Simplifier) fold(n *Node) *Node {
	var args [2]*big.Rat
	for k, a := range n.Args() {
		r, ok := fill(a)
		if !ok {
			return nil
		}
		args[k] = r
	}
	r := n.Exact(args[:])
	if r == nil {
		return nil
	}
	return z.s.Fill(r, n.Shape())
}

// takeMapOut writes f(M(x)) as M(f(x)) where M picks entries: a transpose, a broadcast, a
// diagonal of a tensor; and f(M(x), M(y)) as M(f(x, y)) where M is a transpose or a broadcast.
// A diagonal embedding has entries that are no entry of x, so it stays.
func (z *Simplifier) takeMapOut(n *Node, t *trace) *Node {
	if len(n.Args()) == 1 {
		if n.Arg(0).Ein() == nil || opaque(n.Arg(0)) {
			return nil
		}
		p := open(n.Arg(0))
		if len(p.ops) == 1 && einsum.Distinct(p.out) && coversAll(p.out, len(p.vars)) && !p.identity() {
			return z.mapped(n, &p, []*Node{z.scaled(p.coef, p.ops[0])}, t)
		}
	} else if m := z.takeTransposeOut(n, t); m != nil {
		return m
	}
	return z.takeBroadcastOut(n, t)
}

// maxMapped bounds the addends among which exponentials are looked for.
const maxMapped = 16

// putMapsIn is the logarithm of a sum with M(exp(x)) written as exp(M(x)), where M picks entries, so that
// a rule meets exponentials that do not vary along all axes: log(exp(x_i) + exp(y_j)). It is nil where
// nothing is to be put in.
func (z *Simplifier) putMapsIn(n *Node) *Node {
	if !n.Is(atom.Log) || !n.Arg(0).Is(atom.Add) || n.Arg(0).Addends() > maxMapped {
		return nil
	}
	found := false
	var within func(a *Node) *Node // a, with the addends where they are: a step changes no order
	within = func(a *Node) *Node {
		if a.Is(atom.Add) {
			return z.s.Add(within(a.Arg(0)), within(a.Arg(1)))
		}
		if a.Ein() != nil && !opaque(a) {
			p := open(a)
			if len(p.ops) == 1 && p.ops[0].Is(atom.Exp) && p.ops[0].Guard() == combinators.GuardNone &&
				einsum.Distinct(p.out) && coversAll(p.out, len(p.vars)) && !p.identity() {
				found = true
				return z.scaled(p.coef, p.ops[0].With([]*Node{z.s.Contract(p.in, p.out, p.vars, p.ops[0].Arg(0))}))
			}
		}
		return a
	}
	sum := within(n.Arg(0))
	if !found {
		return nil
	}
	return n.With([]*Node{sum})
}

// mapped is M(f(args)) where p is M of its one operand, and f the function of n.
func (z *Simplifier) mapped(n *Node, p *product, args []*Node, t *trace) *Node {
	inner := n.With(args)
	t.lazily(nativePick, func() *Node { return z.s.Contract(p.in, p.out, p.vars, inner) })
	return z.s.Contract(p.in, p.out, p.vars, z.within(t, inner))
}

// takeTransposeOut: f(x', y') = f(x, y)', where the operands that have different entries are all
// transposed alike.
func (z *Simplifier) takeTransposeOut(n *Node, t *trace) *Node {
	var p *product
	args := make([]*Node, len(n.Args()))
	for k, a := range n.Args() {
		if a.Ein() == nil {
			return nil
		}
		if uniform(a) {
			continue
		}
		q := open(a)
		if !q.permutes() || p != nil && !slices.Equal(p.out, q.out) {
			return nil
		}
		p, args[k] = &q, z.scaled(q.coef, q.ops[0])
	}
	if p == nil {
		return nil
	}
	for k, a := range n.Args() {
		if args[k] == nil {
			args[k] = z.through(z.s.Plain([][]int{p.out}, p.in[0], p.vars), a)
		}
	}
	return z.mapped(n, p, args, t)
}

// takeBroadcastOut computes f once for axes of the result along which no operand varies.
func (z *Simplifier) takeBroadcastOut(n *Node, t *trace) *Node {
	for _, a := range n.Args() {
		if a.Ein() == nil || opaque(a) || !hasRepeats(a) {
			return nil
		}
	}
	order := n.Order()
	varies := make([]bool, order)
	parts := make([]product, len(n.Args()))
	for k, a := range n.Args() {
		p := open(a)
		if !einsum.Distinct(p.out) {
			return nil
		}
		parts[k] = p
		for i, v := range p.out {
			varies[i] = varies[i] || stands(v, p.in)
		}
	}
	var axes []int
	for i, v := range varies {
		if v {
			axes = append(axes, i)
		}
	}
	if len(axes) == order {
		return nil
	}
	args := make([]*Node, len(parts))
	for k, p := range parts {
		q := p
		q.out = make([]int, len(axes))
		dropped := make([]bool, len(p.vars))
		for i, v := range p.out {
			dropped[v] = !varies[i]
		}
		for j, i := range axes {
			q.out[j] = p.out[i]
		}
		q.drop(dropped)
		args[k] = q.build(z.s)
	}
	p := &product{in: [][]int{axes}, out: letters(order), vars: n.Shape()}
	t.lazily(nativePick, func() *Node { return z.s.Contract(p.in, p.out, p.vars, n.With(args)) })
	for k, a := range args {
		args[k] = z.within(t, a)
	}
	return z.s.Contract(p.in, p.out, p.vars, z.within(t, n.With(args)))
}

// hasRepeats reports whether the contraction a repeats its values along an axis.
func hasRepeats(a *Node) bool {
	in, out, _ := a.Ein().IsPlain()
	return slices.ContainsFunc(out, func(v int) bool { return !stands(v, in) })
}

// stands reports whether the variable v stands in one of the index maps.
func stands(v int, in [][]int) bool {
	return slices.ContainsFunc(in, func(g []int) bool { return slices.Contains(g, v) })
}

// entrywise: nothing is summed and no entry is off a diagonal.
func (p *product) entrywise() bool { return einsum.Distinct(p.out) && coversAll(p.out, len(p.vars)) }

func (p *product) hasPower() bool {
	return slices.ContainsFunc(p.ops, func(a *Node) bool { return a.Is(atom.Power) })
}

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
	if z.once(w.x) {
		if m := w.ofScalars(); m != nil {
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

// ofScalars is a whole power of a product as that of its scalars and of what is left, nil where there is one part.
func (w *raising) ofScalars() *Node {
	z, p := w.z, &w.p
	if opaque(w.x) || p.hasFree() || !einsum.Distinct(p.out) {
		return nil
	}
	groups := p.scalars()
	if groups == nil {
		return nil
	}
	for k, a := range p.ops {
		b, e, _ := base(a)
		if len(p.in[k]) == 0 && !z.keepsDomain(b, e, new(big.Rat).Mul(e, w.r)) {
			return nil // 1/(1/c) is not c
		}
	}
	outer, parts := p.parts(z, groups)
	powers := lists.Map(parts, func(q *product) *Node { return w.guarded(z.s.Power(q.build(z.s), w.r)) })
	if w.t != nil {
		w.t.to(nativePowers, z.s.Ein(outer, powers...))
		powers = slices.Clone(powers) // the node has the others
	}
	for i, m := range powers {
		powers[i] = z.within(w.t, m)
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

// reshape normalises merge and split: a scale is taken out of them, and one after the
// other at one axis is nothing.
func (z *Simplifier) reshape(n *Node, t *trace) *Node {
	x := n.Arg(0)
	scaled := func(c number, core *Node) *Node {
		t.lazily(nativeReshape, func() *Node { return z.scale(term{coef: c, core: n.With([]*Node{core})}) })
		m := z.scaled(c, z.within(t, n.With([]*Node{z.within(t, core)})))
		t.to(nativeFuse, m)
		return m
	}
	switch {
	case x.Ein() != nil:
		p := open(x)
		if c := p.coef; !c.isOne() && len(p.ops) > 0 {
			p.coef = unit
			return scaled(c, p.build(z.s))
		}
	case isSum(x) && z.once(x): // a sum as the best of its multiples
		if core, inverse := z.primitive(x); core != x {
			t.lazily(nativeDistribute, func() *Node { return n.With([]*Node{z.scale(term{coef: inverse, core: core})}) })
			return scaled(inverse, core)
		}
	}
	k := n.Attr()
	m := n
	switch {
	case n.Is(atom.Split) && x.Is(atom.Merge) && x.Attr() == k:
		if y := x.Arg(0); y.Shape()[k] == n.Sizes()[0] && y.Shape()[k+1] == n.Sizes()[1] {
			m = y // split(merge(y)) = y
		}
	case n.Is(atom.Merge) && x.Is(atom.Split) && x.Attr() == k:
		m = x.Arg(0) // merge(split(y)) = y
	}
	if m != n {
		t.to(nativeInverse, m)
		return m
	}
	if n.Is(atom.Split) && x.Ein() != nil && !opaque(x) {
		if m := z.splitProduct(n, k); m != nil {
			t.to(nativeAxes, m)
			return m
		}
	}
	m = z.sortedAxes(n)
	t.to(nativeAxes, m)
	return m
}

// solve normalises solve(A, B), which is linear in B along its first axis: what does not meet that
// axis is taken out of B, a number, an outer factor, further axes; where B is diagonal in the first
// axis and another one, so that B = delta N, the solution is inv(A) N.
func (z *Simplifier) solve(n *Node, t *trace) *Node {
	a, b := n.Arg(0), n.Arg(1)
	if a.Order() != 2 || b.Ein() == nil || opaque(b) {
		return n
	}
	p := open(b)
	if p.hasFree() {
		return n // a sum over equal terms, which is a number where its size is known
	}
	q := &product{coef: p.coef, out: slices.Clone(p.out), vars: p.vars}
	row := p.out[0]
	if slices.Contains(p.out[1:], row) {
		fresh := len(p.vars)
		q.ops, q.in = append(slices.Clone(p.ops), z.s.Inv(a)), append(slices.Clone(p.in), []int{fresh, row})
		q.out[0], q.vars = fresh, append(slices.Clone(p.vars), p.vars[row])
	} else {
		var m *product
		m, q.ops, q.in = p.meeting(row)
		if p.coef.isOne() && len(q.ops) == 0 && len(m.out) == len(p.out) {
			return n
		}
		letters := slices.Clone(m.out)
		m.compact()
		q.ops, q.in = append(q.ops, z.s.Solve(a, m.build(z.s))), append(q.in, letters)
	}
	q.compact()
	x := q.build(z.s)
	t.to(nativeSolve, x)
	return x
}

// meeting is the product of the operands that have the output variable v, and of those that share
// summed variables with them; its output variables are v and their other ones. What is left are
// the other operands.
func (p *product) meeting(v int) (m *product, ops []*Node, rest [][]int) {
	m = &product{coef: unit, out: []int{v}, vars: p.vars}
	in := make([]bool, len(p.ops))
	reached := []int{v}
	for i := 0; i < len(reached); i++ {
		for k, g := range p.in {
			if in[k] || !slices.Contains(g, reached[i]) {
				continue
			}
			in[k] = true
			for _, w := range g {
				if !slices.Contains(p.out, w) {
					reached = append(reached, w)
				}
			}
		}
	}
	for k, g := range p.in {
		if in[k] {
			m.ops, m.in = append(m.ops, p.ops[k]), append(m.in, g)
		} else {
			ops, rest = append(ops, p.ops[k]), append(rest, g)
		}
	}
	for _, w := range p.out[1:] {
		if !slices.Contains(m.out, w) && stands(w, m.in) {
			m.out = append(m.out, w)
		}
	}
	return m, ops, rest
}
