package plan

import (
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/order"
	"frechet/einsum/size"
)

// A form that is read takes out common factors: the gradient of x'*A*B*x is (A*B + B'*A')*x, which multiplies matrices.
// What runs is multiplied out where that takes less: A*(B*x) + B'*(A'*x). A sum of which no addend is a product
// stays: its digits may be those of a difference.

// gain is how many times fewer multiplications a sum takes that is multiplied out.
const gain = 1.25

// distributor writes nodes in a store of its own, where products over sums are sums of products if that is cheaper.
type distributor struct {
	s      *combinators.Store
	number func(size.Size) float64
	image  combinators.ByNode[*combinators.Node]
	weak   combinators.ByNode[bool]        // of the nodes that are read
	uses   combinators.ByNode[float64]     // of images
	done   map[*combinators.Node]costly    // images of products with what stands in them
	sums   map[*combinators.Node][]*addend // images of sums
	left   int                             // how many products may still be multiplied out
	any    bool
}

// An addend of a sum as a product, and what it costs alone.
type addend struct {
	product costly
	node    *combinators.Node
}

// A costly is a product, as few products of others as possible in it, and the multiplications that it takes.
type costly struct {
	c     *einsum.Contraction
	args  []*combinators.Node
	mults float64
}

// distributed gives nodes with sums multiplied out, in a store of their own; nil where none is.
func distributed(nodes []*combinators.Node, number func(size.Size) float64) []*combinators.Node {
	all := combinators.Topo(nodes...)
	if !slices.ContainsFunc(all, overSum) {
		return nil
	}
	d := &distributor{s: combinators.NewStore(), number: number, done: map[*combinators.Node]costly{}, sums: map[*combinators.Node][]*addend{}, left: len(all)}
	uses := combinators.Uses(nodes...)
	for _, n := range all {
		d.weak.Set(n, Weak(n, d.weak.Get))
		args := make([]*combinators.Node, len(n.Args()))
		guarded := false
		for k, a := range n.Args() {
			args[k] = d.image.Get(a)
			guarded = guarded || d.weak.Get(a)
		}
		m := d.s.Copy(n, args, n.Ein())
		if !guarded && n.Ein() != nil {
			m = d.product(m)
		}
		d.image.Set(n, m)
		*d.uses.At(m) += float64(uses[n])
	}
	if !d.any {
		return nil
	}
	out := make([]*combinators.Node, len(nodes))
	for i, n := range nodes {
		out[i] = d.image.Get(n)
	}
	return out
}

// overSum reports whether n is a product of which a factor is a sum of products.
func overSum(n *combinators.Node) bool {
	return n.Ein() != nil && slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool {
		return a.Is(atom.Add) && slices.ContainsFunc(a.Args(), func(b *combinators.Node) bool { return b.Is(atom.Add) || b.Ein() != nil })
	})
}

// product is n, multiplied out over the first sum in it where that is cheaper, and so on.
func (d *distributor) product(n *combinators.Node) *combinators.Node {
	for k, a := range n.Args() {
		if !a.Is(atom.Add) {
			continue
		}
		sum := d.addends(a)
		if d.left -= len(sum); sum == nil || d.left < 0 {
			continue
		}
		now, apart := d.order(n.Ein(), n.Args()), 0.0
		if math.IsInf(now, 1) {
			return n
		}
		out := make([]*combinators.Node, len(sum))
		for i, t := range sum {
			now += t.product.mults / (max(1, d.uses.Get(a)) * max(1, d.uses.Get(t.node)))
			c := n.Ein().Fuse(k, t.product.c).Solve()
			args := slices.Concat(n.Args()[:k], t.product.args, n.Args()[k+1:])
			apart += d.order(c, args)
			if gain*apart >= now && i == len(sum)-1 || math.IsInf(apart, 1) {
				break
			}
			out[i] = d.s.Ein(c, args...)
		}
		if gain*apart >= now {
			continue
		}
		d.any = true
		total := d.product(out[0])
		for _, p := range out[1:] {
			total = d.s.Add(total, d.product(p))
		}
		return total
	}
	return n
}

// maxAddends bounds the sums that are multiplied out.
const maxAddends = 64

// addends are those of a sum, nil where none of them is a product, or they are many.
func (d *distributor) addends(sum *combinators.Node) []*addend {
	if known, ok := d.sums[sum]; ok {
		return known
	}
	var out []*addend
	products := false
	for open := []*combinators.Node{sum}; len(open) > 0 && len(out) <= maxAddends; {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n.Is(atom.Add) && (n == sum || d.uses.Get(n) <= 1) {
			open = append(open, n.Arg(1), n.Arg(0))
			continue
		}
		t := &addend{d.opened(n), n}
		products = products || t.product.mults > 0
		out = append(out, t)
	}
	if !products || len(out) > maxAddends {
		out = nil
	}
	d.sums[sum] = out
	return out
}

// opened is a value as one product of what is no product itself, as far as maxFused allows.
func (d *distributor) opened(n *combinators.Node) costly {
	if p, ok := d.done[n]; ok {
		return p
	}
	p := costly{c: einsum.Plain([][]int{einsum.UpTo(n.Order())}, einsum.UpTo(n.Order()), n.Shape()), args: []*combinators.Node{n}}
	if _, _, plain := plainOf(n); plain {
		p.c, p.args = n.Ein(), n.Args()
		for k := len(p.args) - 1; k >= 0; k-- {
			inner := d.opened(p.args[k])
			if len(p.args)-1+len(inner.args) > maxFused || slices.Contains(inner.args, p.args[k]) {
				continue
			}
			p.c = p.c.Fuse(k, inner.c).Solve()
			p.args = slices.Concat(p.args[:k], inner.args, p.args[k+1:])
		}
		p.mults = d.order(p.c, p.args)
	}
	d.done[n] = p
	return p
}

func plainOf(n *combinators.Node) (in [][]int, out []int, plain bool) {
	if n.Ein() == nil {
		return nil, nil, false
	}
	return n.Ein().IsPlain()
}

// order is the number of multiplications of a product, infinite where it is no plain one, or has many factors.
func (d *distributor) order(c *einsum.Contraction, args []*combinators.Node) float64 {
	in, out, plain := c.IsPlain()
	if !plain || len(args) > 2*maxFused {
		return math.Inf(1)
	}
	n := order.Network{Out: out}
	for k, g := range in {
		if !args[k].Is(atom.Const) {
			n.In = append(n.In, g)
		}
	}
	for _, v := range c.Vars {
		n.Size = append(n.Size, int(min(d.number(v), 1<<53)))
	}
	for k, g := range in { // the place that an array finds is one
		if args[k].Relation() {
			n.Size[g[len(g)-1]] = 1
		}
	}
	return order.Find(n).Mults
}
