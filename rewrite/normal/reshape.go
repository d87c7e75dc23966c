package normal

import "frechet/combinators/atom"

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
	t.to(nativeInverse, m)
	return m
}
