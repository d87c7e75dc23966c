package normal

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
)

// cancels reports whether the factor at k of the product c of args, itself a product that others use, too, is
// written out: whether it holds an inverse that other factors take away, and the product gets shorter. So
// x .* (s ./ x) is s where x is not 0, whether or not s ./ x stands elsewhere.
func (z *Simplifier) cancels(c *einsum.Contraction, args []*Node, k int) bool {
	a := args[k]
	if opaque(a) || len(a.Args()) > maxShared || occurrences(args, a) > 1 || !slices.ContainsFunc(a.Args(), isInverse) {
		return false
	}
	if in, _, plain := c.IsPlain(); !plain || !einsum.Distinct(in[k]) {
		return false
	}
	if _, out, _ := a.Ein().IsPlain(); !coversAll(out, len(a.Ein().Vars)) { // sums are computed once
		return false
	}
	fused := z.s.Fuse(c, k, a.Ein())
	in, out, plain := fused.IsPlain()
	if !plain {
		return false
	}
	choices := z.choices
	defer func() { z.choices = choices }()
	p := product{coef: unit, ops: slices.Concat(args[:k], a.Args(), args[k+1:]), in: in, out: out, vars: fused.Vars}
	q := z.powers(z.quotients(p.withoutNumbers(nil, nil), nil, true))
	if len(q.ops) >= len(args) {
		return false
	}
	for i, f := range a.Args() {
		if isInverse(f) && !q.dividesBy(f.Arg(0), in[k+i]) {
			return true
		}
	}
	return false
}

// dividesBy reports whether p has an inverse of b at the index map at.
func (p *product) dividesBy(b *Node, at []int) bool {
	for i, f := range p.ops {
		if isInverse(f) && f.Arg(0) == b && slices.Equal(p.in[i], at) {
			return true
		}
	}
	return false
}

// maxShared bounds the factors of a shared product that is written out.
const maxShared = 4

// standsFor reports whether another factor than k is the power e of b at the index map at.
func (z *Simplifier) standsFor(args []*Node, in [][]int, k int, b *Node, e number, at []int) bool {
	for j, x := range args {
		if j == k || !slices.Equal(in[j], at) {
			continue
		}
		if c, r, _ := base(x); c == b && numberOf(r).equal(e) {
			return true
		}
	}
	return false
}

// at is the index map of factor i of p, entry by entry, where p stands at the index map given.
func (p *product) at(i int, outer []int) []int {
	out := make([]int, len(p.in[i]))
	for j, v := range p.in[i] {
		out[j] = outer[slices.Index(p.out, v)]
	}
	return out
}

// isInverse reports whether n is a negative whole power.
func isInverse(n *Node) bool { return n.Is(atom.Power) && n.Rat().IsInt() && n.Rat().Sign() < 0 }

// quotients writes out inverses of products whose factors all stand beside them, as 1/(x .* y) in
// x .* y .* (1 ./ (x .* y)), where none of them is 0. Each is then a power of its own. Nothing is noted of a trial.
func (z *Simplifier) quotients(p product, t *trace, trial bool) product {
	for i := 0; i < len(p.ops); i++ {
		a := p.ops[i]
		if !isInverse(a) || a.Arg(0).Ein() == nil || opaque(a.Arg(0)) || !z.facts.Nonzero(a.Arg(0)) {
			continue
		}
		q := open(a.Arg(0))
		if !q.coef.isOne() || len(q.ops) < 2 || len(q.ops) > maxOperands-len(p.ops) || !q.entrywise() {
			continue
		}
		ops, in := slices.Clone(p.ops), slices.Clone(p.in)
		ops, in = slices.Delete(ops, i, i+1), slices.Delete(in, i, i+1)
		all := true
		for k, f := range q.ops {
			b, e, _ := base(f)
			at := q.at(k, p.in[i])
			all = all && z.facts.Nonzero(b) && z.standsFor(p.ops, p.in, i, b, numberOf(e), at)
			ops, in = append(ops, z.s.Power(f, a.Rat()).WithGuard(a.Guard())), append(in, at)
		}
		if !all {
			continue
		}
		p.ops, p.in = ops, in
		if !trial {
			z.useOperands(a.Arg(0))
		}
		t.product(nativePowers, &p)
		i--
	}
	return p
}
