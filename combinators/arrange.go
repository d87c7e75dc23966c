package combinators

import (
	"cmp"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Arrange copies outs into a store of their own, where what they say alone decides in which order
// nodes are built, and so in which order operands stand: not how outs were written, and not how they
// were found. First come the variables, in the order that they have, which is that of their
// declaration; then numbers; then what is made of these, by its height, its operands and its
// function. Sums that are used once are written as one sum of all terms, in this order.
func Arrange(outs ...*Node) []*Node {
	a := arranger{s: NewStore(), uses: Uses(outs...), within: map[*Node]bool{}, height: map[*Node]int32{}, image: map[*Node]*Node{}}
	order := Topo(outs...)
	for _, n := range order {
		for _, b := range n.Args() {
			if n.Is(atom.Add) && a.uses[b] == 1 && b.Is(atom.Add) {
				a.within[b] = true
			}
		}
	}
	var levels [][]*arranged
	for _, n := range order {
		if a.within[n] {
			continue
		}
		f := &arranged{n: n, args: a.operands(n)}
		h := int32(0)
		for _, b := range f.args {
			h = max(h, a.height[b]+1)
		}
		a.height[n] = h
		for len(levels) <= int(h) {
			levels = append(levels, nil)
		}
		levels[h] = append(levels[h], f)
	}
	for _, level := range levels {
		for _, f := range level {
			a.sort(f)
		}
		slices.SortStableFunc(level, (*arranged).compare)
		for _, f := range level {
			a.image[f.n] = a.build(f)
		}
	}
	return lists.Map(outs, func(n *Node) *Node { return a.image[n] })
}

type arranger struct {
	s      *Store
	uses   map[*Node]int
	within map[*Node]bool // sums that are written within others
	height map[*Node]int32
	image  map[*Node]*Node
}

// operands are those of n; of a sum, all its terms.
func (a *arranger) operands(n *Node) []*Node {
	if !n.Is(atom.Add) {
		return n.Args()
	}
	var terms []*Node
	for open := []*Node{n}; len(open) > 0; {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		if m == n || a.within[m] {
			open = append(open, m.Args()...)
		} else {
			terms = append(terms, m)
		}
	}
	return terms
}

// arranged is a node before it is built.
type arranged struct {
	n    *Node
	args []*Node             // images, in the order in which they will stand
	ein  *einsum.Contraction // of the operands in that order
}

// sort puts the images of f's operands in their places.
func (a *arranger) sort(f *arranged) {
	args := make([]*Node, len(f.args))
	labels := make([]int, len(args))
	for k, b := range f.args {
		args[k] = a.image[b]
		labels[k] = args[k].ID()
	}
	if c := f.n.Ein(); c != nil {
		c, perm := c.Canon(labels)
		sorted := make([]*Node, len(args))
		for k, p := range perm {
			sorted[k] = args[p]
		}
		args, f.ein = sorted, c
	} else if f.n.Is(atom.Add) || f.n.Atom().Commutes {
		slices.SortFunc(args, byID)
	}
	f.args = args
}

func byID(x, y *Node) int { return x.ID() - y.ID() }

func (f *arranged) compare(g *arranged) int {
	x, y := f.n, g.n
	c := cmp.Or(slices.CompareFunc(f.args, g.args, byID), cmp.Compare(x.Atom().Class, y.Atom().Class),
		cmp.Compare(x.atom, y.atom), cmp.Compare(x.attr, y.attr), cmp.Compare(x.guard, y.guard))
	switch {
	case c == 0 && f.ein != nil:
		return cmp.Compare(f.ein.Key(), g.ein.Key())
	case c == 0 && x.Rat() != nil:
		return x.Rat().Cmp(y.Rat())
	case c == 0 && x.Body() != nil:
		return strings.Compare(x.Body().key, y.Body().key)
	case c == 0: // of an axis split in two ways
		return slices.CompareFunc(x.Sizes(), y.Sizes(), func(d, e size.Size) int { return strings.Compare(d.String(), e.String()) })
	}
	return c
}

func (a *arranger) build(f *arranged) *Node {
	if f.n.Is(atom.Add) {
		last := len(f.args) - 1
		sum := f.args[last]
		for k := last - 1; k >= 0; k-- {
			sum = a.s.Add(f.args[k], sum)
		}
		return sum
	}
	return a.s.Copy(f.n, f.args, f.ein)
}

// Copy is n, a node of any store, with the operands args; if it is a contraction, it is ein of these.
func (s *Store) Copy(n *Node, args []*Node, ein *einsum.Contraction) *Node {
	switch n.Atom().Class {
	case atom.ClassVariable:
		return s.Member(n.Name(), n.Shape(), n.Attributes())
	case atom.ClassConstant:
		if n.Rat() == nil {
			return s.Apply(n.Atom(), 0)
		}
		return s.Const(n.Rat())
	case atom.ClassContraction:
		return s.Ein(ein, args...)
	}
	switch {
	case n.Is(atom.Power):
		return s.Power(args[0], n.Rat()).WithGuard(n.Guard())
	case n.Is(atom.Split):
		return s.Split(n.Attr(), n.Sizes()[0], n.Sizes()[1], args[0])
	case n.Body() != nil:
		return s.bodied(n.Body(), args)
	case n.Atom().Signature() != nil:
		return s.Declared(n.Atom(), n.Attr(), n.Sizes(), args...)
	}
	return s.Apply(n.Atom(), n.Attr(), args...).WithGuard(n.Guard())
}
