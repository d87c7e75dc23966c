package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// base writes a factor as a power: x = x^1, x^r, x.*x = x^2.
func base(n *Node) (*Node, *big.Rat, combinators.Guard) {
	if n.Atom() == atom.Power {
		return n.Arg(0), n.Rat(), n.Guard()
	}
	if x := squared(n); x != nil {
		b, e, g := base(x)
		return b, new(big.Rat).Add(e, e), g
	}
	return n, one, combinators.GuardNone
}

// basesOf appends the bases of factors.
func basesOf(ops, bases []*Node) []*Node {
	for _, a := range ops {
		for x := squared(a); x != nil; x = squared(a) {
			a = x
		}
		if a.Atom() == atom.Power {
			a = a.Arg(0)
		}
		bases = append(bases, a)
	}
	return bases
}

// squared is x where n is x.*x.
func squared(n *Node) *Node {
	if len(n.Args()) != 2 || n.Arg(0) != n.Arg(1) || n.Ein() == nil || !n.Ein().Entrywise() {
		return nil
	}
	if in, out, _ := n.Ein().IsPlain(); !slices.Equal(in[0], in[1]) || !slices.Equal(in[0], out) {
		return nil
	}
	return n.Arg(0)
}

// powers merges factors that are powers of one base at one index map:
// x^a * x^b = x^(a+b), where that keeps the domain. Squares stay products of two
// factors, so that x'*x and x.*x have one form, and so do inverse squares, so that x/|x|
// can be seen twice in x*x'/|x|^2.
func (z *Simplifier) powers(p product) product {
	var room [16]int
	var baseRoom [maxOperands]*Node
	bases := basesOf(p.ops, baseRoom[:0])
	if !p.repeats(bases) {
		return p
	}
	for i := 0; i < len(p.ops); i++ {
		same := append(room[:0], i)
		for j := i + 1; j < len(p.ops); j++ {
			if bases[j] == bases[i] && slices.Equal(p.in[i], p.in[j]) {
				same = append(same, j)
			}
		}
		if len(same) == 1 && p.ops[i].Atom() != atom.Power {
			continue
		}
		if len(same) == 2 && bases[i] == p.ops[i] && bases[i] == p.ops[same[1]] {
			continue // x*x is a form itself
		}
		if merged, ok := z.mergedPowers(&p, bases[i], same); ok {
			p = p.withPowers(same, merged)
			bases = basesOf(p.ops, baseRoom[:0])
			i += len(merged) - 1
		}
	}
	return p
}

// mergedPowers are the operands same of p, which are powers of b, as one power or two; it reports false where
// they stay as they are.
func (z *Simplifier) mergedPowers(p *product, b *Node, same []int) (merged []*Node, ok bool) {
	_, e, _ := base(p.ops[same[0]])
	if len(same) > 1 && (HasLaws(b) || !e.IsInt()) {
		z.choices |= Laws
	}
	first := numberOf(e)
	if len(same) == 1 && first != whole(2) && first != whole(-2) || large(e) {
		return nil, false
	}
	f := z.factorsOf(p, same)
	if len(same) == 2 && f.equal && (first == unit || first == whole(-1)) {
		return nil, false // x*x and 1/x*1/x are forms themselves
	}
	excludesZero := (f.excludesZero || f.zero && f.sum.sign() == 0) && !p.vacuous(b) // b^-1 b, 0 where b is 0
	for _, e := range z.exponents(b, f.sum, excludesZero, f.excludesNegative) {
		merged = append(merged, z.factorsFor(b, e, f.guard)...)
	}
	return merged, true
}

// factorsFor are the factors of b^e; a square is two.
func (z *Simplifier) factorsFor(b *Node, e number, guard combinators.Guard) []*Node {
	switch {
	case e.sign() == 0:
		return nil
	case e == whole(2):
		return []*Node{b, b}
	case e == whole(-2):
		r := z.s.Recip(b).WithGuard(guard)
		return []*Node{r, r}
	}
	m := z.s.Power(b, e.rat())
	if guard != combinators.GuardNone && m.Is(atom.Power) && e.sign() < 0 {
		m = m.WithGuard(guard)
	}
	return []*Node{m}
}

// powerFactors says what powers of one base are together.
type powerFactors struct {
	sum                            number // of the exponents
	equal                          bool   // they are
	excludesZero, excludesNegative bool
	zero                           bool              // one is 0 where the base is
	guard                          combinators.Guard // of the negative powers
}

// factorsOf reads the operands same of p, which are powers of one base.
func (z *Simplifier) factorsOf(p *product, same []int) powerFactors {
	_, first, _ := base(p.ops[same[0]])
	f := powerFactors{sum: whole(0), equal: true}
	for _, j := range same {
		_, r, h := base(p.ops[j])
		e := numberOf(r)
		f.sum = f.sum.plus(e)
		f.equal = f.equal && e.equal(numberOf(first))
		f.excludesNegative = f.excludesNegative || !e.isInt()
		if e.sign() > 0 {
			continue
		}
		if !f.excludesZero && !f.zero {
			f.guard = h
		} else if f.guard != h {
			z.choices |= Laws // which are joined first
			f.guard = JoinGuards(f.guard, h)
		}
		f.excludesZero = f.excludesZero || h != combinators.GuardZero
		f.zero = f.zero || h == combinators.GuardZero
	}
	return f
}

// withPowers is p with others in the place of its operands at, which are of one index map.
func (p product) withPowers(at []int, others []*Node) product {
	i, group := at[0], p.in[at[0]]
	for _, k := range slices.Backward(at) {
		p.ops = slices.Concat(p.ops[:k], p.ops[k+1:])
		p.in = slices.Concat(p.in[:k], p.in[k+1:])
	}
	for _, m := range others {
		p.ops = slices.Insert(slices.Clone(p.ops), i, m)
		p.in = slices.Insert(slices.Clone(p.in), i, group)
	}
	return p
}

// vacuous reports whether p reads nothing where b is 0: it is the size of an axis of p or of one that it sums over, or of a part
// of one.
func (p *product) vacuous(b *Node) bool {
	if !isSize(b) {
		return false
	}
	d := b.Ein().Vars[0]
	return slices.ContainsFunc(p.vars, func(e size.Size) bool { return e == d || isMultiple(e, d) })
}

// isMultiple reports whether d is a product of a symbol e and others.
func isMultiple(d, e size.Size) bool {
	symbol, ok := e.Symbol()
	all := d.Monomials()
	return ok && len(all) == 1 && slices.Contains(all[0].Symbols, symbol)
}

// repeats reports whether an operand is a power, or two have one base at one index map.
func (p *product) repeats(bases []*Node) bool {
	var room [64 + 1]uint8
	heads := room[:] // by first variable, the last operand that has it, from 1
	var before [maxOperands]uint8
	if len(p.ops) > len(before) || len(p.vars) >= len(heads) {
		return true
	}
	for i, a := range p.ops {
		if a.Atom() == atom.Power {
			return true
		}
		v := len(heads) - 1
		if len(p.in[i]) > 0 {
			v = p.in[i][0]
		}
		for j := heads[v]; j > 0; j = before[j-1] {
			if bases[j-1] == bases[i] && slices.Equal(p.in[j-1], p.in[i]) {
				return true
			}
		}
		before[i], heads[v] = heads[v], uint8(i+1)
	}
	return false
}

// large exponents are not made larger: x = x.*x, a thousand times, would be a number of a
// thousand digits.
func large(e *big.Rat) bool { return e.Num().BitLen() > 16 }

// exponents are those of b in a product of powers of b: their sum alone where that has the
// domain of all. Otherwise one factor stays that excludes what they exclude: 1/b for 0, the
// root of b for negative numbers, 1/b^(1/2) for both. Where the sum is 0 nothing is left of b, which then
// must be defined.
func (z *Simplifier) exponents(b *Node, sum number, excludesZero, excludesNegative bool) []number {
	kept := sum.sign() != 0 || z.facts.Defined(b)
	excludesZero = excludesZero && sum.sign() >= 0 && !(kept && z.facts.Nonzero(b))
	excludesNegative = excludesNegative && sum.isInt() && !(kept && z.facts.Nonneg(b))
	keep := whole(-1)
	switch {
	case excludesNegative && (excludesZero || sum.sign() < 0):
		keep = whole(-1).over(whole(2))
	case excludesNegative:
		keep = unit.over(whole(2))
	case excludesZero:
	default:
		return []number{sum}
	}
	return []number{keep, sum.plus(keep.times(whole(-1)))}
}

var two = big.NewRat(2, 1)

// JoinGuards is the guard of a factor that has one of two in two terms.
func JoinGuards(a, b combinators.Guard) combinators.Guard {
	if a == b {
		return a
	}
	if a == combinators.GuardWeak || b == combinators.GuardWeak {
		return combinators.GuardWeak
	}
	return combinators.GuardNone
}

// The square of a norm is an inner product, and beside other powers of the norm it is one of these:
//
//	|x| |x| = x'x, and x'x |x| = |x|^3, x'x/|x| = |x|
//
// The last one holds at 0 where a derivative has made the quotient, which is 0 there.

// norms writes the inner products of x with itself as |x| |x| where p has a power of |x| besides, and all
// together are one power.
func (z *Simplifier) norms(p product) product {
	var met [4]*Node
	all := met[:0]
	for _, n := range p.ops {
		if n.Atom() == atom.Power {
			n = n.Arg(0)
		}
		if n.Is(atom.Norm2) && n.Arg(0).Order() > 0 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	for _, n := range all {
		p = z.norm(p, n)
	}
	return p
}

// norm is norms for the norm n of one x.
func (z *Simplifier) norm(p product, n *Node) product {
	x := n.Arg(0)
	sum := whole(0)
	excludesZero, zero := false, false // by the powers, or it is 0 there
	squares := make([]int, len(p.ops)) // the exponents of x'x
	gone := make([]bool, len(p.ops))
	found := 0
	for k, a := range p.ops {
		e, m := unit, a
		if a.Is(atom.Power) {
			e, m = numberOf(a.Rat()), a.Arg(0)
		}
		switch {
		case m == n:
			sum = sum.plus(e)
		case z.squareOf(m) == x && e.isInt() && e.abs().compare(whole(MaxRepeated)) <= 0:
			squares[k] = int(e.num)
			sum = sum.plus(e.times(whole(2)))
			found++
		default:
			if l := p.partner(k, x, gone); l >= 0 {
				squares[k], gone[l] = 1, true
				sum = sum.plus(whole(2))
				found++
			}
			continue
		}
		if e.sign() < 0 {
			zero = zero || a.Guard() == combinators.GuardZero
			excludesZero = excludesZero || a.Guard() != combinators.GuardZero
		}
	}
	if found == 0 || excludesZero && sum.sign() >= 0 && !z.facts.Nonzero(n) || zero && (sum.sign() == 0 || excludesZero) {
		return p
	}
	return z.withNorms(p, n, squares, gone)
}

// withNorms is p with powers of the norm n in the place of powers of its square, whose exponents are squares, without the
// operands gone.
func (z *Simplifier) withNorms(p product, n *Node, squares []int, gone []bool) product {
	q := product{coef: p.coef, out: p.out, vars: p.vars}
	for k, a := range p.ops {
		switch e := squares[k]; {
		case gone[k]:
		case e > 0:
			q.ops, q.in = append(q.ops, n, n), append(q.in, nil, nil)
			if e > 1 {
				q.ops[len(q.ops)-1] = z.s.Power(n, big.NewRat(int64(2*e-1), 1))
			}
		case e < 0:
			q.ops, q.in = append(q.ops, z.s.Power(n, big.NewRat(int64(2*e), 1)).WithGuard(a.Guard())), append(q.in, nil)
		default:
			q.ops, q.in = append(q.ops, a), append(q.in, p.in[k])
		}
	}
	q.compact()
	return q
}

// squareOf is x where n is x'x.
func (z *Simplifier) squareOf(n *Node) *Node {
	if n.Ein() == nil || len(n.Args()) != 2 || n.Order() > 0 || n.Arg(0) != n.Arg(1) || opaque(n) {
		return nil
	}
	in, _, _ := n.Ein().IsPlain()
	if !slices.Equal(in[0], in[1]) || !einsum.Distinct(in[0]) || len(n.Ein().Vars) != len(in[0]) {
		return nil
	}
	return n.Arg(0)
}

// partner is the operand after k that is multiplied with it to x'x, alone; -1 if there is none.
func (p *product) partner(k int, x *Node, gone []bool) int {
	if p.ops[k] != x || gone[k] || !einsum.Distinct(p.in[k]) {
		return -1
	}
	for _, v := range p.in[k] {
		if slices.Contains(p.out, v) {
			return -1
		}
	}
	at := -1
	for l, g := range p.in {
		switch {
		case l == k:
		case l > k && at < 0 && !gone[l] && p.ops[l] == x && slices.Equal(g, p.in[k]):
			at = l
		case slices.ContainsFunc(g, func(v int) bool { return slices.Contains(p.in[k], v) }):
			return -1
		}
	}
	return at
}

// absorbed says whether the constant of C*A + c*C goes into A, so that C*(A + c) takes no more than
// C*A did: A is one sum with a number among its addends, which nothing else needs, or the numbers
// cancel.
//
//	C*(A + 1) - C = C*A
func (m *matcher) absorbed(f *factoring) bool {
	p, rest, edge, coef, add := m.a, f.restA, f.edgeA, m.coefA, m.coefB
	if len(rest) == 0 {
		p, rest, edge, coef, add = m.b, f.restB, f.edgeB, m.coefB, m.coefA
	}
	if len(rest) != 1 || !isSum(p.ops[rest[0]]) || !slices.Equal(p.in[rest[0]], edge) {
		return false
	}
	s := p.ops[rest[0]]
	for _, u := range addends(s) {
		if r, ok := fill(u); ok {
			return m.z.once(s) || add.plus(coef.times(numberOf(r))).sign() == 0
		}
	}
	return false
}

// quotient finds the common denominator of a constant and a quotient where that makes a numerator
// shorter, given that s is not 0:
//
//	c*C + d*C*X/s = C/s*(c*s + d*X)
//
// where s is a sum that has addends like those of X, or where the numerator is a denominator of C:
//
//	1/(1 + x) - x/(1 + x)^2 = 1/(1 + x)^2,    1/(x + s) + x/s/(x + s) = 1/s
//
// One of the rests of f has no factors. It gives nil where no denominator serves.
func (m *matcher) quotient(f *factoring) *factoring {
	p, rest, outer, c, d := m.b, f.restB, f.edgeB, m.coefA, m.coefB
	to := m.to
	if len(f.restA) > 0 {
		p, rest, outer, c, d = m.a, f.restA, f.edgeA, m.coefB, m.coefA
		to = m.from
	}
	for i, k := range rest {
		op := p.ops[k]
		if !divides(op) {
			continue
		}
		s, g := m.z.s.Power(op.Arg(0), new(big.Rat).Neg(op.Rat())), p.in[k]
		if !einsum.Distinct(g) || slices.ContainsFunc(g, func(v int) bool { return to[v] < 0 }) ||
			slices.ContainsFunc(outer, func(v int) bool { return !slices.Contains(g, v) }) ||
			!m.z.facts.Nonzero(s) {
			continue
		}
		x := slices.Delete(slices.Clone(rest), i, i+1)
		if !m.z.shorter(f, p, x, g, s, c, d) {
			continue
		}
		h := make([]int, len(g)) // g in the variables of the other product
		for i, v := range g {
			h[i] = to[v]
		}
		q := *f
		q.quotient = true
		if len(f.restA) > 0 {
			b := *m.b
			b.ops, b.in = append(slices.Clone(b.ops), s), append(slices.Clone(b.in), h)
			q.b, q.restB, q.edgeB = &b, []int{len(b.ops) - 1}, h
			q.common, q.restA, q.edgeA = append(slices.Clone(f.common), k), x, g
			return &q
		}
		a := *f.a
		a.ops, a.in = append(slices.Clone(a.ops), op, s), append(slices.Clone(a.in), h, h)
		q.a, q.restA, q.edgeA = &a, []int{len(a.ops) - 1}, h
		q.common, q.restB, q.edgeB = append(slices.Clone(f.common), len(a.ops)-2), x, g
		return &q
	}
	return nil
}

// shorter reports whether c*s + d*X, with the operands x of p over g for X, has like terms and no more
// of them than s, or is a denominator among the common factors of f.
func (z *Simplifier) shorter(f *factoring, p *product, x, g []int, s *Node, c, d number) bool {
	if !isSum(s) && !slices.ContainsFunc(f.common, func(k int) bool { return divides(f.a.ops[k]) && slices.Contains(addends(f.a.ops[k].Arg(0)), s) }) {
		return false
	}
	defer func(trying bool) { z.trying = trying }(z.trying)
	z.trying = true // what is built may not come to be used
	q := z.part(p, x, 0)
	q.coef, q.out = unit, g
	q.compact()
	factor := z.normal(q.build(z.s))
	if isSum(s) && !z.alike(s, factor) {
		return false
	}
	terms := z.collected(z.scaled(c, s), z.scaled(d, factor))
	if isSum(s) {
		return len(terms) <= len(addends(s))
	}
	core := z.split(z.normal(z.total(terms, s.Shape()))).core
	return slices.ContainsFunc(f.common, func(k int) bool { return divides(f.a.ops[k]) && f.a.ops[k].Arg(0) == core })
}

// divides reports whether n is 1 over a power.
func divides(n *Node) bool { return n.Is(atom.Power) && n.Rat().Sign() < 0 }

// alike reports whether an addend of n is one of s, up to numbers.
func (z *Simplifier) alike(s, n *Node) bool {
	for _, u := range addends(n) {
		core := z.split(u).core
		if slices.ContainsFunc(addends(s), func(t *Node) bool { return z.split(t).core == core }) {
			return true
		}
	}
	return false
}

// collected are the like terms of the addends of two sums.
func (z *Simplifier) collected(sums ...*Node) []term {
	var terms []term
	for _, n := range sums {
		whole := z.split(n)
		for _, u := range addends(whole.core) {
			terms = collect(terms, z.split(u), whole.coef)
		}
	}
	return terms
}

// total is the sum of terms, of which there may be none.
func (z *Simplifier) total(terms []term, shape []size.Size) *Node {
	if len(terms) == 0 {
		return z.s.Zero(shape)
	}
	return z.listed(terms)
}

// addends are those of a sum of sums; a sum of too many is one addend.
func addends(s *Node) []*Node {
	if s.Addends() > maxTerms {
		return []*Node{s}
	}
	out := make([]*Node, 0, s.Addends())
	stack := []*Node{s}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if isSum(n) {
			stack = append(stack, n.Arg(1), n.Arg(0))
		} else {
			out = append(out, n)
		}
	}
	return out
}

// softmaxSums leaves the operands out that are summed to 1: softmax, over the axes that it is
// taken over, where nothing else has them. Over no entries softmax sums to 0, so a size that is 0
// keeps its operand; a symbol stands for a size of at least 1 here.
func (p product) softmaxSums() product {
	for k := 0; k < len(p.ops); k++ {
		if !p.ops[k].Is(atom.Softmax) || !p.sumsToOne(k) {
			continue
		}
		gone := p.in[k][len(p.in[k])-p.ops[k].Attr():]
		p.ops, p.in = slices.Concat(p.ops[:k], p.ops[k+1:]), slices.Concat(p.in[:k], p.in[k+1:])
		dropped := make([]bool, len(p.vars))
		for _, v := range gone {
			dropped[v] = true
		}
		p.drop(dropped)
		k--
	}
	return p
}

// sumsToOne reports whether the last axes of operand k, a softmax, are summed alone.
func (p *product) sumsToOne(k int) bool {
	g, n := p.in[k], p.ops[k].Attr()
	if n == 0 {
		return false
	}
	for i, v := range g[len(g)-n:] {
		d, known := p.vars[v].Int()
		if known && d == 0 || slices.Contains(p.out, v) || slices.Index(g, v) != len(g)-n+i {
			return false
		}
		for j, h := range p.in {
			if j != k && slices.Contains(h, v) {
				return false
			}
		}
	}
	return true
}
