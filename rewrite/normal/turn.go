package normal

import (
	"cmp"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// A product takes its operands with their axes in any order, so f(C) and f(C')' are one factor of
// it, where C is a product or a sum of products, which take a transpose for nothing, too. Which one
// is written depends on what it costs: transposes first, then operands of C that have the axes of
// the result the wrong way round; and at last on the fingerprint of C.

// transposeCost is what a value costs with its axes in some order.
type transposeCost struct {
	transposes, wrong int
	kind              costKind
}

// costKind says how a value takes an order of its axes.
type costKind uint8

const (
	neutral costKind = iota // it is a number in every entry
	level                   // it is a scalar in every entry: neutral in a function, not in a sum
	mapped                  // it is a transpose, which others may share
	fixed                   // it is something else
)

func (b transposeCost) compare(c transposeCost) int {
	return cmp.Or(cmp.Compare(b.transposes, c.transposes), cmp.Compare(b.wrong, c.wrong))
}

// together is the transpose cost of a function or a sum of parts: transposes of all parts are one transpose of
// the whole, and those of some addends one of their sum.
func together(parts []transposeCost, sum bool) (b transposeCost) {
	maps, others := 0, 0
	for _, c := range parts {
		b.transposes += c.transposes
		b.wrong += c.wrong
		switch c.kind {
		case mapped:
			maps++
		case level:
			if sum {
				others++
			}
		case fixed:
			others++
		}
	}
	switch {
	case maps > 0 && others == 0:
		b.kind = mapped
		b.transposes -= maps - 1
	case others > 0:
		if b.kind = fixed; sum && maps > 0 {
			b.transposes -= maps - 1
		}
	}
	return b
}

// maxCostDepth bounds how deep functions and sums are looked into.
const maxCostDepth = 4

// transposeCosts is that of a function or a sum of parts, with the axes perm[0], perm[1], ..
func (z *Simplifier) transposeCosts(parts []*Node, perm []int, depth int, sum bool) transposeCost {
	var room [4]transposeCost
	all := room[:0]
	for _, a := range parts {
		all = append(all, z.transposeCost(a, perm, depth, z.uses(a) <= int32(occurrences(parts, a))))
	}
	return together(all, sum)
}

// transposeCost is that of x with the axes perm[0], perm[1], .. What is used elsewhere stays as it is there,
// and costs nothing but the transpose of it; a product is not, where own says so.
func (z *Simplifier) transposeCost(x *Node, perm []int, depth int, own bool) transposeCost {
	same := slices.IsSorted(perm)
	if uniform(x) {
		if _, ok := fill(x); ok {
			return transposeCost{}
		}
		return transposeCost{kind: level}
	}
	if z.symmetric(x) {
		return transposeCost{kind: fixed}
	}
	if x.Ein() != nil && !opaque(x) && (own || z.free(x) || z.once(x)) {
		p := open(x)
		return z.transposeCostOfProduct(&p, perm, depth)
	}
	if depth < maxCostDepth && z.once(x) {
		if parts := z.turnable(x, perm); parts != nil {
			return z.transposeCosts(parts, perm, depth+1, isSum(x))
		}
	}
	if !z.once(x) || z.turnable(x, perm) != nil {
		if len(x.Args()) > 0 && (x.Ein() != nil && !opaque(x) || z.turnable(x, perm) != nil) {
			z.choices |= Orientation
		}
	}
	if !same {
		return transposeCost{transposes: 1, kind: mapped}
	}
	return transposeCost{kind: fixed}
}

// transposeCostOfProduct is that of a product that is not needed elsewhere.
func (z *Simplifier) transposeCostOfProduct(p *product, perm []int, depth int) transposeCost {
	if len(p.ops) != 1 || len(p.in[0]) != len(p.out) || !einsum.Distinct(p.in[0]) || !einsum.Distinct(p.out) {
		return transposeCost{wrong: p.wrong(perm), kind: fixed}
	}
	if y := p.ops[0]; p.identity() && y.Ein() == nil && z.once(y) && depth < maxCostDepth && len(y.Args()) > 0 {
		return z.transposeCost(y, perm, depth+1, false)
	}
	for i, j := range perm {
		if p.in[0][i] != p.out[j] {
			return transposeCost{transposes: 1, kind: mapped}
		}
	}
	return transposeCost{kind: fixed}
}

// maxTurnable is how many addends a sum has that is turned, so that sums that grow by one addend after
// the other are not read as a whole each time.
const maxTurnable = 32

// narrow reports whether x is a sum of at most that many addends.
func narrow(x *Node) bool { return isSum(x) && x.Addends() <= maxTurnable }

// turnable are the values of which x is, entry by entry along perm, a function or a sum; nil where
// it is none.
func (z *Simplifier) turnable(x *Node, perm []int) []*Node {
	switch {
	case isSum(x) && !narrow(x):
		return nil
	case isSum(x):
		room := z.terms.free
		defer z.terms.giveBack(room)
		terms := z.termsOf(x)
		return lists.Map(terms, func(t term) *Node { return t.core })
	case x.Atom().Class == elementwiseClass, transposable(x) && slices.Equal(perm[:len(perm)-2], letters(len(perm)-2)):
		return x.Args()
	}
	return nil
}

// transposable: inv(X') = inv(X)', and so for cofactors and functions of matrices.
func transposable(x *Node) bool {
	return x.Atom().Turns && x.Atom().Over == atom.OverMatrices && len(x.Args()) == 1 && x.Order() == x.Arg(0).Order()
}

// takeMatrixOut: inv(c X') = inv(c X)', and so for cofactors; det(c X') = det(c X). Without a number, a rule
// says so.
func (z *Simplifier) takeMatrixOut(n *Node, t *trace) *Node {
	a := n.Arg(0)
	if a.Ein() == nil || opaque(a) {
		return n
	}
	p := open(a)
	if p.coef.isOne() || !p.permutes() || !p.transposes() {
		return n
	}
	m := n.With([]*Node{z.scaled(p.coef, p.ops[0])})
	if transposable(n) {
		m = z.s.Contract(p.in, p.out, p.vars, m)
	}
	t.to(nativeTranspose, m)
	return m
}

// wrong counts the matrices among the operands of p that have the first or last axis of the result,
// taken in the order perm, but not as their own first or last one.
func (p *product) wrong(perm []int) int {
	n := 0
	for _, g := range p.in {
		if len(g) < 2 {
			continue
		}
		first, last := p.out[perm[0]], p.out[perm[len(perm)-1]]
		if g[0] != first && slices.Contains(g, first) {
			n++
		}
		if g[len(g)-1] != last && slices.Contains(g, last) {
			n++
		}
	}
	return n
}

// turned is a number for x with the axes perm: equal for f(C) along perm and f(C') along their order, and for
// all multiples of a sum, since which of them stands in a product may depend on its axes.
func (z *Simplifier) turned(x *Node, perm []int, depth int) uint64 {
	if z.symmetric(x) {
		perm = letters(2)
	}
	if x.Ein() != nil && !opaque(x) {
		p := open(x)
		if p.permutes() && p.coef.isOne() && depth < maxCostDepth {
			return z.turned(p.ops[0], p.onto(perm), depth)
		}
		labels := lists.Map(p.ops, z.fingerprint)
		out := lists.Map(perm, func(j int) int { return p.out[j] })
		h := z.s.Plain(p.in, out, p.vars).Invariant(labels)
		return einsum.Mix(h, uint64(p.coef.num)*31+uint64(p.coef.den))
	}
	if depth < maxCostDepth {
		switch {
		case narrow(x):
			scale := z.weight(x, 0)
			if scale.sign() == 0 {
				scale = unit
			}
			scale = unit.over(scale)
			return einsum.Mix(min(z.turnedTerms(x, perm, scale, depth, 0), z.turnedTerms(x, perm, scale.neg(), depth, 0)), 7)
		case z.turnable(x, perm) != nil:
			h := einsum.Mix(text(x.Atom().Name), uint64(x.Attr())<<8|uint64(x.Guard()))
			if x.Rat() != nil {
				h = einsum.Mix(h, text(x.Rat().RatString()))
			}
			if x.Atom().Commutes {
				return h + z.turned(x.Arg(0), perm, depth+1) + z.turned(x.Arg(1), perm, depth+1)
			}
			for _, a := range x.Args() {
				h = einsum.Mix(h, z.turned(a, perm, depth+1))
			}
			return h
		}
	}
	all := letters(len(perm))
	h := z.s.Plain([][]int{all}, perm, x.Shape()).Invariant([]uint64{z.fingerprint(x)})
	return einsum.Mix(h, 31+1)
}

// turnedTerms adds up what turned gives for the terms of the sum x, and of transposed sums among them: these
// are terms as deep as those of x, which may be written among them. The sum x stands in so many others.
func (z *Simplifier) turnedTerms(x *Node, perm []int, coef number, depth, inner int) (h uint64) {
	room := z.terms.free
	defer z.terms.giveBack(room)
	for _, t := range z.termsOf(x) {
		c := t.coef.times(coef)
		if p := z.transposedSumIn(t, inner); p != nil {
			h += z.turnedTerms(p.ops[0], p.onto(perm), c, depth, inner+1)
			continue
		}
		h += einsum.Mix(z.turned(t.core, perm, depth+1), uint64(c.num)*31+uint64(c.den))
	}
	return h
}

// weight adds up the sizes of the coefficients of the terms of the sum x that turnedTerms finds.
func (z *Simplifier) weight(x *Node, inner int) number {
	room := z.terms.free
	defer z.terms.giveBack(room)
	total := whole(0)
	for _, t := range z.termsOf(x) {
		w := unit
		if y := z.transposedSumIn(t, inner); y != nil {
			w = z.weight(y.ops[0], inner+1)
		}
		total = total.plus(t.coef.abs().times(w))
	}
	return total
}

// transposedSumIn is the core of t, a term of a sum, where it is the transpose of a sum that no other has, else nil.
func (z *Simplifier) transposedSumIn(t term, inner int) *product {
	if t.core.Ein() == nil || len(t.core.Args()) != 1 || !narrow(t.core.Arg(0)) || !z.once(t.core.Arg(0)) || inner >= maxCostDepth {
		return nil
	}
	p := open(t.core)
	if !p.permutes() || !p.coef.isOne() {
		return nil
	}
	return &p
}

// onto is the order of the axes of the operand of p, which permutes them, by which p has the order perm.
func (p *product) onto(perm []int) []int {
	return lists.Map(perm, func(j int) int { return slices.Index(p.in[0], p.out[j]) })
}

// maxTurned is the highest order of which all orders of axes are tried.
const maxTurned = 3

var orders = [maxTurned + 1][][]int{
	2: {{0, 1}, {1, 0}},
	3: {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}},
}

// turn writes one of the operands of p with its axes in the best order, where that is another one
// than it has; nil where there is none.
func (z *Simplifier) turn(p *product, t *trace) *Node {
	if p.identity() || p.permutes() {
		return nil // these take no order for nothing: see pushPermutation
	}
	for k, a := range p.ops {
		n := a.Order()
		if n > maxTurned && z.turnable(a, letters(n)) != nil {
			z.choices |= Orientation
		}
		if n < 2 || n > maxTurned || a.Ein() != nil || !isSum(a) && len(a.Args()) == 0 {
			continue
		}
		if uses := z.uses(a); uses > 1 && uses > int32(occurrences(p.ops, a)) {
			if !z.symmetric(a) {
				z.choices |= Orientation
			}
			continue
		}
		if perm := z.order(a); perm != nil && !z.best(a) {
			return z.turnOperand(p, k, perm, t)
		}
	}
	return nil
}

// best reports whether turning a leads round in a circle, of which a is the one to stay at: normal forms
// of operands may have other costs than the operands had.
func (z *Simplifier) best(a *Node) bool {
	b := z.turns[a]
	for range z.turns { // the circle may be one of others
		if b == nil || b == a || z.fingerprint(b) < z.fingerprint(a) {
			break
		}
		b = z.turns[b]
	}
	return b == a
}

// order is the best order of the axes of a, nil where that is the one it has.
func (z *Simplifier) order(a *Node) []int {
	if z.symmetric(a) {
		return nil
	}
	if a.Order() > 2 && diagonal(a, 0) {
		z.choices |= Orientation // it may be symmetric in some of its axes
	}
	all := orders[a.Order()]
	best, cost := 0, transposeCost{}
	fingerprint := uint64(0) // of the best one, 0 where it was not needed
	for i, perm := range all {
		if z.turnable(a, perm) == nil {
			if i == 0 {
				return nil
			}
			continue
		}
		b := z.transposeCosts(z.turnable(a, perm), perm, 1, isSum(a))
		if i == 0 {
			cost = b
			continue
		}
		if b.kind == mapped {
			continue // f(C') is f(C)', and another order is that of C
		}
		switch c := b.compare(cost); {
		case c < 0:
			best, cost, fingerprint = i, b, 0
		case c == 0:
			if fingerprint == 0 {
				fingerprint = z.turned(a, all[best], 0)
			}
			switch r := z.turned(a, perm, 0); {
			case r < fingerprint:
				best, fingerprint = i, r
			case r == fingerprint:
				z.choices |= Orientation // it may be symmetric
			}
		}
	}
	if best == 0 {
		return nil
	}
	return all[best]
}

// diagonal reports whether x is made of a value with an axis that stands twice.
func diagonal(x *Node, depth int) bool {
	if x.Ein() != nil {
		_, out, plain := x.Ein().IsPlain()
		return plain && !einsum.Distinct(out) || len(x.Args()) == 1 && diagonal(x.Arg(0), depth)
	}
	return depth < maxCostDepth && slices.ContainsFunc(x.Args(), func(a *Node) bool { return diagonal(a, depth+1) })
}

// turnOperand is p with operand k turned, wherever it stands.
func (z *Simplifier) turnOperand(p *product, k int, perm []int, t *trace) *Node {
	a := p.ops[k]
	turned, rule := z.turnNode(a, perm)
	q := *p
	q.ops, q.in = slices.Clone(p.ops), slices.Clone(p.in)
	put := func(x *Node) *Node {
		for i, b := range p.ops {
			if b == a {
				g := lists.Map(perm, func(at int) int { return p.in[i][at] })
				q.ops[i], q.in[i] = x, g
			}
		}
		return q.build(z.s)
	}
	t.lazily(rule, func() *Node { return put(turned) })
	z.unsettled = z.unsettled || len(perm) > 2
	z.turns[a] = z.within(t, turned)
	return put(z.turns[a])
}

// turnNode is a with the axes perm, which its operands bring about, and the schema by which it is.
func (z *Simplifier) turnNode(a *Node, perm []int) (*Node, string) {
	turn := func(x *Node, times int) *Node {
		c := z.s.Plain([][]int{letters(len(perm))}, perm, x.Shape())
		if z.uses(x) <= int32(times) {
			return z.through(c, x) // as a whole: its parts are not shared
		}
		return z.s.Ein(c, x)
	}
	if isSum(a) {
		room := z.terms.free
		defer z.terms.giveBack(room)
		var terms []term
		terms = lists.Append(terms, z.termsOf(a), func(u term) term { return term{coef: u.coef, core: turn(u.core, 1)} })
		return z.summed(terms), nativeDistribute
	}
	args := make([]*Node, len(a.Args()))
	for i, x := range a.Args() {
		args[i] = turn(x, occurrences(a.Args(), x))
	}
	if transposable(a) {
		return a.With(args), nativeTranspose
	}
	return a.With(args), nativePick
}
