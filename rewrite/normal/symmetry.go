package normal

import (
	"slices"

	"frechet/einsum/size"
)

// symmetric reports whether the matrix n equals its transpose by its form: x*x', A + A',
// a diagonal, an element-wise function or the inverse of a symmetric matrix.
func (z *Simplifier) symmetric(n *Node) bool {
	s := n.Shape()
	if len(s) != 2 || s[0] != s[1] {
		return false
	}
	if r, ok := z.symmetries[n]; ok {
		return r
	}
	z.symmetries[n] = false // a node is no part of itself; this bounds nothing but a bug
	r := z.isSymmetric(n)
	z.symmetries[n] = r
	return r
}

func (z *Simplifier) isSymmetric(n *Node) bool {
	switch {
	case n.Ein() != nil:
		return z.transposedProduct(n) == n
	case n.Is("add"):
		terms := z.terms(n)
		if len(terms) > maxFactored {
			return false
		}
		for _, t := range terms {
			u := z.transposedProduct(t.core)
			if !slices.ContainsFunc(terms, func(v term) bool { return v.core == u && v.coef.equal(t.coef) }) {
				return false
			}
		}
		return true
	case n.Is("inv"):
		return z.symmetric(n.Arg(0))
	case n.Atom().Class == elementwiseClass:
		for _, a := range n.Args() {
			if !z.symmetric(a) {
				return false
			}
		}
		return true
	}
	return false
}

// transposedProduct is n' without a look into its operands, but for the symmetric ones.
func (z *Simplifier) transposedProduct(n *Node) *Node {
	p := open(n)
	if len(p.out) != 2 {
		return nil
	}
	p.out = []int{p.out[1], p.out[0]}
	p.in = slices.Clone(p.in)
	p = z.orient(p)
	return p.build(z.s)
}

// orient writes the indices of symmetric operands in one order: an index that is summed
// goes behind one that is not.
func (z *Simplifier) orient(p product) product {
	for k, a := range p.ops {
		g := p.in[k]
		if len(g) != 2 || g[0] == g[1] || !z.symmetric(a) {
			continue
		}
		i, j := slices.Index(p.out, g[0]), slices.Index(p.out, g[1])
		if i < 0 && j >= 0 || i >= 0 && j >= 0 && j < i || i < 0 && j < 0 && g[1] < g[0] {
			p.in = slices.Clone(p.in)
			p.in[k] = []int{g[1], g[0]}
		}
	}
	return p
}

// pushPermutation writes the transpose of a sum as the sum of transposed terms where
// that takes fewer transposes: products absorb theirs.
func (z *Simplifier) pushPermutation(p *product, t *trace) *Node {
	if len(p.ops) != 1 || !p.ops[0].Is("add") || !z.once(p.ops[0]) || !p.entrywise() || !distinct(p.in[0]) ||
		len(p.in[0]) != len(p.out) || slices.Equal(p.in[0], p.out) {
		return nil
	}
	terms := z.terms(p.ops[0])
	if len(terms) == 0 { // they cancel, now that shared parts are used once
		zero := z.s.Zero(shapeOf(p))
		if t != nil {
			t.to(nativeDistribute, zero)
		}
		return zero
	}
	before, after := 1, 0
	moved := make([]*Node, len(terms))
	for i, t := range terms {
		before += transposes(t.core)
		moved[i] = z.s.Contract(p.in, p.out, p.vars, t.core)
		if t.core.Ein() != nil {
			moved[i] = z.s.Ein(z.s.Fuse(moved[i].Ein(), 0, t.core.Ein()), t.core.Args()...)
		}
		after += transposes(moved[i])
	}
	if after >= before {
		return nil
	}
	if t != nil {
		raw := make([]term, len(terms))
		for i, u := range terms {
			raw[i] = term{coef: u.coef, core: moved[i]}
		}
		t.to(nativeDistribute, z.scale(term{coef: p.coef, core: z.summed(raw)}))
	}
	var sum *Node
	for i, u := range terms {
		y := z.within(t, moved[i])
		v := z.scaled(u.coef, y)
		if t != nil {
			t.part(nativeFuse, z.scale(term{coef: u.coef, core: y}), v)
		}
		if sum == nil {
			sum = v
		} else {
			sum = z.s.Add(sum, v)
		}
	}
	out := z.scaled(p.coef, sum)
	if t != nil {
		t.to(nativeFuse, out)
	}
	return z.within(t, out)
}

// transposes counts the transposes that a term costs: 1 where it is one.
func transposes(n *Node) int {
	if n.Ein() == nil {
		return 0
	}
	p := open(n)
	if len(p.ops) == 1 && len(p.in[0]) > 1 && len(p.in[0]) == len(p.out) && distinct(p.in[0]) && !slices.Equal(p.in[0], p.out) {
		return 1
	}
	return 0
}

// shapeOf is the shape of a product.
func shapeOf(p *product) []size.Size {
	shape := make([]size.Size, len(p.out))
	for i, v := range p.out {
		shape[i] = p.vars[v]
	}
	return shape
}
