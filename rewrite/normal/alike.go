package normal

import (
	"slices"

	"frechet/combinators"
)

// Terms of a long sum often have one contraction and all operands but one in common, x'*A*x + x'*B*x.
// Then the largest set of common factors is that of all others, each at its own place, and is not searched
// for:
//
//	c(.., A, ..) + c(.., B, ..) = c(.., A + B, ..)

// differs is the place of the one operand in which a and b differ, which are of one contraction; -1 where
// they are not, or where an operand of one may be matched with another one of the other.
func (p *product) differs(q *product) int {
	if !same(p.in, q.in) || len(p.ops) != len(q.ops) || len(p.ops) < 2 {
		return -1
	}
	at := -1
	for k, x := range p.ops {
		if x.Guard() != combinators.GuardNone || q.ops[k].Guard() != combinators.GuardNone {
			return -1
		}
		if x != q.ops[k] {
			if at >= 0 {
				return -1
			}
			at = k
		}
	}
	if at < 0 || occurrences(p.ops, q.ops[at])+occurrences(q.ops, p.ops[at]) > 0 {
		return -1
	}
	return at
}

// likes is the factoring of a and b, which differ in operand k.
func (z *Simplifier) likes(a, b *product, k int) *factoring {
	f := &append(z.factorings.take(1), factoring{a: a, b: b, one: true})[0]
	f.common, f.restA = z.ints.take(len(a.ops)-1), append(z.ints.take(1), k)
	f.restB = f.restA
	for i, g := range a.in {
		if i != k {
			f.common = append(f.common, i)
			f.gain += 10 + len(g)
		}
	}
	f.edgeA = a.edge(f.restA, a.outer(f.common), z.ints.take(len(a.in[k])))
	f.edgeB = f.edgeA
	return f
}

// place is that of the operand in which the terms a and b of the factoring f differ, where they have no
// numbers and nothing is to be done with the other operands; else -1.
func (f *factoring) place(a, b term) int {
	if !f.one || !a.coef.isOne() || !b.coef.isOne() || !same(f.a.ops, a.core.Args()) {
		return -1
	}
	k := f.restA[0]
	if g := f.a.in[k]; !slices.Equal(g, f.edgeA) {
		return -1
	}
	return k
}

// exchanged is the product a with the sum of its operand k and that of b for that operand.
func (z *Simplifier) exchanged(f *factoring, a, b term, k int, others []term, t *trace) *Node {
	n := a.core
	room := z.nodes.free
	defer z.nodes.giveBack(room)
	args := append(z.nodes.take(len(n.Args())), n.Args()...)
	around := func(x *Node) *Node {
		args[k] = x
		return n.With(args)
	}
	sum := z.s.Add(args[k], f.b.ops[k])
	t.lazily(nativeFactor, func() *Node { return z.listed(others, around(sum)) })
	sum = z.within(t, sum)
	z.joinUses(f, a, b, others)
	return z.within(t, around(sum))
}
