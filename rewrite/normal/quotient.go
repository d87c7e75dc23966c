package normal

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

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
			t := z.split(u)
			t.coef, t.whole = t.coef.times(whole.coef), nil
			if i := slices.IndexFunc(terms, func(v term) bool { return v.core == t.core }); i >= 0 {
				terms[i].coef = terms[i].coef.plus(t.coef)
			} else {
				terms = append(terms, t)
			}
		}
	}
	return slices.DeleteFunc(terms, func(t term) bool { return t.coef.sign() == 0 })
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
