package normal

import (
	"math/big"
	"math/bits"
	"slices"

	"frechet/combinators/atom"
)

// factoring says how two products a and b share factors: a = C * A and b = C * B, where
// A and B are tensors over the same axes, the variables edgeA of a and edgeB of b.
//
//	a + b = C * (A + B)     distributivity, on any index maps
type factoring struct {
	a, b         *product
	common       []int // operands of a
	restA, restB []int
	edgeA, edgeB []int
	gain         int
	tied         bool // others gain as much
	quotient     bool // A + B is the numerator of a quotient, whose like terms are collected
	one          bool // a and b are of one contraction, and differ in one operand
}

// factorPair finds the best factoring of t + u, nil where there is none. The powers of both are
// written out.
func (z *Simplifier) factorPair(t, u term) *factoring {
	a, b := t.p, u.p
	if a.hasFree() || b.hasFree() || len(a.ops) > maxOperands || len(b.ops) > maxOperands {
		return nil
	}
	if a.coprime(b) {
		return nil
	}
	if k := a.differs(b); k >= 0 {
		return z.likes(a, b, k)
	}
	return z.searched(t, u)
}

// searched is factorPair by search.
func (z *Simplifier) searched(t, u term) *factoring {
	a, b := t.p, u.p
	m := z.matcher()
	defer func() { z.matching-- }()
	m.a, m.b, m.coefA, m.coefB, m.steps, m.best = a, b, t.coef, u.coef, 0, nil
	m.to, m.from = filled(m.to, len(b.vars)), filled(m.from, len(a.vars))
	m.pair, m.taken = filled(m.pair, len(b.ops)), 0
	for i, v := range b.out {
		if !m.bind(v, a.out[i]) {
			return scalarFactors(a, b)
		}
	}
	m.upperBounds()
	m.search(0, 0, 0)
	return m.best
}

// coprime reports whether a and b have no common factor, nor a map that both share.
func (a *product) coprime(b *product) bool {
	if a.shares(b) {
		return false
	}
	return a.identity() && b.identity() ||
		(len(a.ops) > 1 || len(b.ops) > 1) && len(a.ops) > 0 && len(b.ops) > 0 && a.reach() == len(a.out)
}

// anyPair reports whether two of terms may have something in common.
func anyPair(terms []term) bool {
	for i, t := range terms {
		for _, u := range terms[:i] {
			if !t.p.coprime(u.p) || !u.p.coprime(t.p) {
				return true
			}
		}
	}
	return false
}

// upperBounds sets an upper bound of the gain from the operands of b from each one on, and from one that quotient puts in;
// it prunes the search.
func (m *matcher) upperBounds() {
	m.upper = filled(m.upper, len(m.b.ops)+1)
	upper := 0
	for _, p := range [2]*product{m.a, m.b} {
		for k, x := range p.ops {
			if divides(x) {
				upper = max(upper, 10+len(p.in[k]))
			}
		}
	}
	for k := len(m.b.ops); k >= 0; k-- {
		if k < len(m.b.ops) && slices.ContainsFunc(m.a.ops, func(x *Node) bool { return sameFactor(x, m.b.ops[k]) }) {
			upper += 10 + len(m.b.in[k])
		}
		m.upper[k] = upper
	}
}

// matcher is one that is not at work, with its room.
func (z *Simplifier) matcher() *matcher {
	if z.matching == len(z.matchers) {
		z.matchers = append(z.matchers, &matcher{})
	}
	m := z.matchers[z.matching]
	m.z = z
	z.matching++
	return m
}

// shares reports whether a and b have a factor in common.
func (p *product) shares(q *product) bool {
	for _, x := range p.ops {
		for _, y := range q.ops {
			if sameFactor(x, y) {
				return true
			}
		}
	}
	return false
}

// reach is the number of variables of the output that operands have.
func (p *product) reach() int {
	var in uint64
	for _, g := range p.in {
		in |= setOf(g)
	}
	return bits.OnesCount64(in & setOf(p.out))
}

// scalarFactors are the common factors of order 0 of two products whose outputs are
// diagonals of different kinds: s*delta + s*x*x'.
func scalarFactors(a, b *product) *factoring {
	joined := *a
	joined.ops = slices.Clone(a.ops)
	f := &factoring{a: &joined, b: b, edgeA: a.out, edgeB: b.out}
	left := make([]bool, len(b.ops))
	for i, x := range a.ops {
		k := -1
		if x.Order() == 0 {
			for j, y := range b.ops {
				if sameFactor(x, y) && !left[j] {
					k = j
					break
				}
			}
		}
		if k < 0 {
			f.restA = append(f.restA, i)
			continue
		}
		left[k] = true
		joined.ops[i] = joinFactor(x, b.ops[k])
		f.common = append(f.common, i)
	}
	for j := range b.ops {
		if !left[j] {
			f.restB = append(f.restB, j)
		}
	}
	if len(f.common) == 0 {
		return nil
	}
	f.gain = 10 * len(f.common)
	return f
}

// sameFactor: two factors are one up to what they do at a zero.
func sameFactor(x, y *Node) bool {
	return x == y || x.Guard() != y.Guard() && x.WithGuard(0) == y.WithGuard(0)
}

func joinFactor(x, y *Node) *Node {
	if x == y {
		return x
	}
	return x.WithGuard(JoinGuards(x.Guard(), y.Guard()))
}

// filled is n times -1, in the room of s.
func filled(s []int, n int) []int {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = -1
	}
	return s
}

// MaxRepeated bounds the powers that are written out.
const MaxRepeated = 4

// expand writes whole powers as repeated factors, so that x^-3 shares x^-1, and splits them off
// roots in denominators: x^(-3/2) shares x^(-1/2).
func (p *product) expand() {
	if !p.hasPower() {
		return
	}
	ops, in := p.ops, p.in
	p.ops, p.in = nil, nil
	for k, a := range ops {
		n := int64(1)
		unit := a
		if a.Is(atom.Power) && a.Rat().Num().IsInt64() && a.Rat().Denom().IsInt64() {
			e, den := a.Rat().Num().Int64(), a.Rat().Denom().Int64()
			switch {
			case den == 1 && e >= -MaxRepeated && e <= MaxRepeated && e != -1:
				n = max(e, -e)
				unit = a.Arg(0)
				if e < 0 {
					unit = a.Store().Recip(unit).WithGuard(a.Guard())
				}
			case den > 1 && e < -den && e >= -MaxRepeated*den:
				n = -e / den
				root := a.Store().Power(a.Arg(0), big.NewRat(e+n*den, den)).WithGuard(a.Guard())
				p.ops, p.in = append(p.ops, root), append(p.in, in[k])
				unit = a.Store().Recip(a.Arg(0)).WithGuard(a.Guard())
			}
		}
		for range n {
			p.ops, p.in = append(p.ops, unit), append(p.in, in[k])
		}
	}
}

func (p *product) hasFree() bool {
	if len(p.vars) > 64 {
		return true
	}
	used := setOf(p.out)
	for _, g := range p.in {
		used |= setOf(g)
	}
	return used != 1<<len(p.vars)-1
}

// maxSteps bounds the search for common factors of two products.
const maxSteps = 500

// matcher searches for the largest set of common factors.
type matcher struct {
	z            *Simplifier
	a, b         *product
	coefA, coefB number
	to, from     []int  // variables of b to those of a, and back
	taken        uint64 // operands of a
	pair         []int  // operand of b to the operand of a it equals, or -1
	steps        int
	best         *factoring
	upper        []int // see upperBounds

	now    factoring // that is considered, in the room of
	joined product
	ints   []int
	bound  []int // what search takes back
}

// bind identifies variable v of b with w of a; it fails where either has another partner.
func (m *matcher) bind(v, w int) bool {
	if m.to[v] == w && m.from[w] == v {
		return true
	}
	if m.to[v] >= 0 || m.from[w] >= 0 || m.b.vars[v] != m.a.vars[w] {
		return false
	}
	m.to[v], m.from[w] = w, v
	return true
}

// search matches the operands of b from k on; so many are matched, which gain so much.
func (m *matcher) search(k, matched, gain int) {
	if m.best != nil && gain+m.upper[k] < m.best.gain {
		return
	}
	if m.steps++; m.steps > maxSteps {
		return
	}
	if k == len(m.b.ops) {
		m.score(matched)
		return
	}
	tried := uint64(0)
	for i, x := range m.a.ops {
		if m.taken>>i&1 != 0 || !sameFactor(x, m.b.ops[k]) || m.tried(tried, i) {
			continue
		}
		tried |= 1 << i
		from := len(m.bound)
		m.bound = append(append(m.bound, m.to...), m.from...)
		ok := true
		for j, v := range m.b.in[k] {
			ok = ok && m.bind(v, m.a.in[i][j])
		}
		if ok {
			m.taken |= 1 << i
			m.pair[k] = i
			m.search(k+1, matched+1, gain+10+len(m.b.in[k]))
			m.taken &^= 1 << i
		}
		n := copy(m.to, m.bound[from:])
		copy(m.from, m.bound[from+n:])
		m.bound = m.bound[:from]
	}
	m.pair[k] = -1
	m.search(k+1, matched, gain)
}

// tried reports whether operand i of a has the index map of one of the set.
func (m *matcher) tried(set uint64, i int) bool {
	for ; set != 0; set &= set - 1 {
		if slices.Equal(m.a.in[i], m.a.in[bits.TrailingZeros64(set)]) {
			return true
		}
	}
	return false
}

// score judges a set of matched factors.
func (m *matcher) score(matched int) {
	f := &m.now
	na, nb, edges := len(m.a.ops), len(m.b.ops), len(m.a.vars)+len(m.b.vars)
	m.ints = slices.Grow(m.ints[:0], 2*na+nb+3*edges)
	part := func(n int) []int {
		at := len(m.ints)
		m.ints = m.ints[:at+n]
		return m.ints[at : at : at+n]
	}
	ops := append(m.joined.ops[:0], m.a.ops...)
	m.joined = *m.a
	m.joined.ops = ops
	*f = factoring{a: &m.joined, b: m.b, common: part(na), restA: part(na), restB: part(nb)}
	for i := range m.a.ops {
		if m.taken>>i&1 != 0 {
			f.common = append(f.common, i)
		} else {
			f.restA = append(f.restA, i)
		}
	}
	for k, i := range m.pair {
		if i < 0 {
			f.restB = append(f.restB, k)
		} else {
			ops[i] = joinFactor(m.a.ops[i], m.b.ops[k])
		}
	}
	outerA := m.a.outer(f.common)
	outerB := uint64(0)
	for v, w := range m.to {
		if w >= 0 && outerA>>w&1 != 0 {
			outerB |= 1 << v
		}
	}
	f.edgeA = m.a.edge(f.restA, outerA, part(edges))
	if !m.edges(f, m.b.edge(f.restB, outerB, part(edges)), part) || matched == 0 && !f.sharedMap() {
		return
	}
	if matched > 0 {
		if m.raisesOrder(f, outerA, outerB) || f.a.finds(f.restA, f.edgeA) || f.b.finds(f.restB, f.edgeB) {
			return
		}
		if len(f.restA) == 0 != (len(f.restB) == 0) {
			if q := m.quotient(f); q != nil {
				f, matched = q, matched+1
			} else if !m.worthConstant(f) {
				return
			}
		}
	}
	m.offer(f, matched)
}

// offer keeps f, a factoring with so many factors in common, where it gains more than the best so far.
func (m *matcher) offer(f *factoring, matched int) {
	f.gain = 10 * matched
	for _, i := range f.common {
		f.gain += len(f.a.in[i])
	}
	switch {
	case m.best == nil || f.gain > m.best.gain:
		m.best = m.z.copied(f)
	case f.gain == m.best.gain:
		m.best.tied = true
	}
}

// edges sets the axes over which both rests of f are tensors, of which the rest of b has edgeB; it reports false
// where they have others. A rest without factors is a constant over any.
func (m *matcher) edges(f *factoring, edgeB []int, part func(n int) []int) bool {
	switch {
	case len(f.restA) == 0 && len(f.restB) == 0:
		// equal products are counted elsewhere, but for those that differ at a zero of a factor
	case len(f.restA) == 0:
		f.edgeB = edgeB
		for _, v := range edgeB {
			f.edgeA = append(f.edgeA, m.to[v])
		}
	case len(f.restB) == 0:
		f.edgeB = edgeB
		for _, w := range f.edgeA {
			f.edgeB = append(f.edgeB, m.from[w])
		}
	case len(edgeB) == 0 && m.takesUp(m.a, f.restA, f.edgeA, m.b, f.restB):
		for _, w := range f.edgeA {
			f.edgeB = append(f.edgeB, m.from[w])
		}
	case len(f.edgeA) == 0 && m.takesUp(m.b, f.restB, edgeB, m.a, f.restA):
		f.edgeB = edgeB
		for _, v := range edgeB {
			f.edgeA = append(f.edgeA, m.to[v])
		}
	default:
		if len(edgeB) != len(f.edgeA) {
			return false
		}
		f.edgeB = part(len(edgeB))
		for _, w := range f.edgeA {
			v := m.from[w]
			if v < 0 || !slices.Contains(edgeB, v) {
				return false
			}
			f.edgeB = append(f.edgeB, v)
		}
	}
	return !slices.Contains(f.edgeA, -1) && !slices.Contains(f.edgeB, -1)
}

// takesUp reports whether the operands rest of p are one sum, which nothing else needs, and the others of q sizes: it takes
// their product up as a number.
func (m *matcher) takesUp(p *product, rest, edge []int, q *product, sizes []int) bool {
	return len(rest) == 1 && isSum(p.ops[rest[0]]) && m.z.once(p.ops[rest[0]]) && slices.Equal(p.in[rest[0]], edge) &&
		!slices.ContainsFunc(sizes, func(k int) bool {
			b, _, _ := base(q.ops[k])
			return !isSize(b)
		})
}

// raisesOrder reports whether the sum of the rests is of higher order than the parts it is made of, or a part
// becomes an outer product over an axis that is summed afterwards, unless both are one of the same factors.
func (m *matcher) raisesOrder(f *factoring, outerA, outerB uint64) bool {
	orderA, orderB := m.a.restOrder(f.restA), m.b.restOrder(f.restB)
	limit := max(orderA, orderB)
	if len(f.restA) > 0 && len(f.restB) > 0 && (orderA == 0) == (orderB == 0) { // a scalar is taken up by a sum
		limit = min(orderA, orderB)
	}
	summed := slices.ContainsFunc(f.edgeA, func(v int) bool { return !slices.Contains(m.a.out, v) })
	smaller := !summed && len(f.edgeA) < len(m.a.out) // an outer factor is taken off the sum
	if len(f.edgeA) > limit && !smaller && !(len(f.edgeA) <= 2 && f.sameRests()) {
		return true
	}
	if !summed {
		return false
	}
	a, b := m.a.outerProduct(f.restA, outerA), m.b.outerProduct(f.restB, outerB)
	return (a || b) && !(a && b && f.sameRests())
}

// finds reports whether the rest of p has the matrix of an array i with places in the edge: x[i] - x[j] stays, and is not
// (onehot(i) - onehot(j))*x.
func (p *product) finds(rest, edge []int) bool {
	return slices.ContainsFunc(rest, func(k int) bool {
		return p.ops[k].Attributes().Has(atom.Index) && slices.Contains(edge, p.in[k][len(p.in[k])-1])
	})
}

// copied is f with slices of its own, in the room of z.
func (z *Simplifier) copied(f *factoring) *factoring {
	g := &append(z.factorings.take(1), *f)[0]
	g.a = &append(z.products.take(1), *f.a)[0]
	g.a.ops = append(z.nodes.take(len(f.a.ops)), f.a.ops...)
	for _, s := range []*[]int{&g.common, &g.restA, &g.restB, &g.edgeA, &g.edgeB} {
		*s = append(z.ints.take(len(*s)), *s...)
	}
	return g
}

// worthConstant says whether C*(A + 1) is better than C*A + C: where C has several
// factors, or A takes the number up.
func (m *matcher) worthConstant(f *factoring) bool {
	return len(f.common) > 1 || m.absorbed(f)
}

// outer marks the variables of the common factors and the output.
func (p *product) outer(common []int) (out uint64) {
	out = setOf(p.out)
	for _, k := range common {
		out |= setOf(p.in[k])
	}
	return out
}

// edge appends the variables that the operands rest share with the others, in the order
// in which they stand there.
func (p *product) edge(rest []int, outer uint64, edge []int) []int {
	for _, k := range rest {
		for _, v := range p.in[k] {
			if outer>>v&1 != 0 {
				edge = append(edge, v)
				outer &^= 1 << v
			}
		}
	}
	return edge
}

func (p *product) restOrder(rest []int) int {
	order := 0
	for _, k := range rest {
		order = max(order, len(p.in[k]))
	}
	return order
}
