package normal

// reshape normalises merge and split: a scale is taken out of them, and one after the
// other at one axis is nothing.
func (z *Simplifier) reshape(n *Node) *Node {
	x := n.Arg(0)
	if x.Ein() != nil {
		p := *open(x)
		if !isOne(p.coef) && len(p.ops) > 0 {
			c := p.coef
			p.coef = one
			return z.scaled(c, z.normal(n.With([]*Node{z.arrange(&p)})))
		}
	}
	k := n.Attr()
	switch {
	case n.Is("split") && x.Is("merge") && x.Attr() == k:
		if y := x.Arg(0); y.Shape()[k] == n.Sizes()[0] && y.Shape()[k+1] == n.Sizes()[1] {
			return y // split(merge(y)) = y
		}
	case n.Is("merge") && x.Is("split") && x.Attr() == k:
		return x.Arg(0) // merge(split(y)) = y
	}
	return n
}
