package normal

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// A letter over merged axes is two letters. So merge stands outside of products, and split takes it away:
//
//	kron(A, B)' = kron(A', B'),  kron(A, B)*kron(C, D) = kron(A*C, B*D),  tr(kron(A, B)) = tr(A)*tr(B)

// apartAxes writes p with two letters for one over merged axes, which all operands that have it have merged; nil where
// there is none.
func (z *Simplifier) apartAxes(p *product, t *trace) *Node {
	if p.identity() || !slices.ContainsFunc(p.ops, func(a *Node) bool { return a.Is(atom.Merge) }) {
		return nil
	}
	for k, a := range p.ops {
		for i, v := range p.in[k] {
			x := z.unmerged(a, i)
			if x == nil {
				continue
			}
			q := z.withTwo(p, v, x.Shape()[i], x.Shape()[i+1])
			if q == nil || !p.gains(q, v) {
				continue
			}
			m := q.build(z.s)
			for i, u := range p.out {
				if u == v {
					m = z.s.Merge(i, m)
				}
			}
			t.lazily(nativeAxes, func() *Node { return z.scale(term{coef: p.coef, core: m}) })
			m = z.scaled(p.coef, z.within(t, m))
			t.to(nativeFuse, m)
			return m
		}
	}
	return nil
}

// gains reports whether q, which is p with two letters for v, has fewer merges, or as many of which none is left in what had v:
// diag(merge(A, 0)) stays, and so does s*merge(A, 0).
func (p *product) gains(q *product, v int) bool {
	fewer := occurrences(slices.Concat(p.in...), v) - occurrences(p.out, v)
	if fewer != 0 {
		return fewer > 0
	}
	tensors, left, plain := 0, false, false
	for k, g := range p.in {
		if len(g) > 0 {
			tensors++
		}
		if slices.Contains(g, v) {
			left = left || q.ops[k].Is(atom.Merge)
			plain = slices.Equal(g, p.out)
		}
	}
	if tensors == 1 {
		return !plain
	}
	return !left
}

// unmerged is x with two axes for axis i, which it has merged; nil where it has not.
func (z *Simplifier) unmerged(x *Node, i int) *Node {
	if !x.Is(atom.Merge) {
		return nil
	}
	j := x.Attr()
	switch {
	case j == i:
		return x.Arg(0)
	case j < i:
		if y := z.unmerged(x.Arg(0), i+1); y != nil {
			return z.s.Merge(j, y)
		}
	default:
		if y := z.unmerged(x.Arg(0), i); y != nil {
			return z.s.Merge(j+1, y)
		}
	}
	return nil
}

// withTwo is p, without its number, with letters of the sizes d and e for v; nil where an operand has v and has not merged it of such axes.
func (z *Simplifier) withTwo(p *product, v int, d, e size.Size) *product {
	w := len(p.vars)
	q := &product{coef: unit, ops: slices.Clone(p.ops), vars: append(slices.Clone(p.vars), e)}
	q.vars[v] = d
	two := func(g []int) (h []int) {
		for _, u := range g {
			if h = append(h, u); u == v {
				h = append(h, w)
			}
		}
		return h
	}
	for k, g := range p.in {
		for i, u := range slices.Backward(g) {
			if u != v {
				continue
			}
			x := z.unmerged(q.ops[k], i)
			if x == nil || x.Shape()[i] != d || x.Shape()[i+1] != e {
				return nil
			}
			q.ops[k] = x
		}
		q.in = append(q.in, two(g))
	}
	q.out = two(p.out)
	return q
}

// splitProduct is split at axis k of the product x of which no operand has that axis: x has two letters for it; nil where one has.
func (z *Simplifier) splitProduct(n *Node, k int) *Node {
	p := open(n.Arg(0))
	q := z.withTwo(&p, p.out[k], n.Sizes()[0], n.Sizes()[1])
	if q == nil {
		return nil
	}
	q.coef = p.coef
	m := q.build(z.s)
	for i, v := range p.out {
		switch {
		case v != p.out[k] || i == k:
		case i < k:
			m = z.s.Merge(i, m)
		default:
			m = z.s.Merge(i+1, m)
		}
	}
	return m
}

// sortedAxes is a reshape of a merge at another axis: merges stand outside of splits, and that of the first axes innermost.
func (z *Simplifier) sortedAxes(n *Node) *Node {
	x := n.Arg(0)
	if !x.Is(atom.Merge) {
		return n
	}
	y, j, k := x.Arg(0), x.Attr(), n.Attr()
	switch {
	case n.Is(atom.Split) && j < k:
		return z.s.Merge(j, z.s.Split(k+1, n.Sizes()[0], n.Sizes()[1], y))
	case n.Is(atom.Split) && j > k:
		return z.s.Merge(j+1, z.s.Split(k, n.Sizes()[0], n.Sizes()[1], y))
	case n.Is(atom.Merge) && j == k+1:
		return z.s.Merge(k, z.s.Merge(k, y))
	case n.Is(atom.Merge) && j > k:
		return z.s.Merge(j-1, z.s.Merge(k, y))
	}
	return n
}
