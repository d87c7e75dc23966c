package normal

// reshape normalises merge and split: a scale is taken out of them, and one after the
// other at one axis is nothing.
func (z *Simplifier) reshape(n *Node, t *trace) *Node {
	x := n.Arg(0)
	if x.Ein() != nil {
		p := open(x)
		if !p.coef.isOne() && len(p.ops) > 0 {
			c := p.coef
			p.coef = unit
			if t != nil {
				t.to(nativeReshape, z.scale(term{coef: c, core: n.With([]*Node{p.build(z.s)})}))
			}
			y := z.within(t, n.With([]*Node{z.within(t, p.build(z.s))}))
			m := z.scaled(c, y)
			if t != nil {
				t.to(nativeFuse, m)
			}
			return m
		}
	}
	k := n.Attr()
	m := n
	switch {
	case n.Is("split") && x.Is("merge") && x.Attr() == k:
		if y := x.Arg(0); y.Shape()[k] == n.Sizes()[0] && y.Shape()[k+1] == n.Sizes()[1] {
			m = y // split(merge(y)) = y
		}
	case n.Is("merge") && x.Is("split") && x.Attr() == k:
		m = x.Arg(0) // merge(split(y)) = y
	}
	if t != nil {
		t.to(nativeInverse, m)
	}
	return m
}
