package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

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
