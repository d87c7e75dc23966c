package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum"
)

// A product may read a part of an operand only: the diagonal of f(A), every second entry of f(x). Inside of the
// normal form functions stand on the whole, f(M x) = M f(x), so that equal ones meet. What comes out has them at the
// entries that are read, where nothing reads all:
//
//	v[i]*f(A)[i,i] = v[i]*f(d)[i] with d[i] = A[i,i]
//
// So no function is computed, printed or differentiated at an entry that the program does not read: sqrt(diag(A)) says
// nothing of the signs off the diagonal.

// parts narrows functions to what is read of them. A part of a value is a contraction of it alone that picks entries,
// each at most once.
type parts struct {
	z         *Simplifier
	order     []*Node
	functions combinators.ByNode[bool]  // functions stand in the value, under sums and products
	whole     combinators.ByNode[bool]  // all entries are read, as far as is known
	of        map[*Node][]*Node         // of values that are not whole, the parts that are read
	images    combinators.ByNode[*Node] // of values and of parts
	narrower  combinators.ByNode[bool]  // of parts: the image has functions of fewer entries
}

// maxParts bounds the parts of one value.
const maxParts = 4

// narrowed are outs with functions at the entries that are read.
func (z *Simplifier) narrowed(outs []*Node) []*Node {
	p := &parts{z: z, order: combinators.Topo(outs...), of: map[*Node][]*Node{}}
	any := false
	for _, n := range p.order {
		has := n.Atom().Class == elementwiseClass
		for k, a := range n.Args() {
			if !p.functions.Get(a) {
				continue
			}
			has = has || n.Ein() != nil || isSum(n)
			any = any || n.Ein() != nil && !n.Ein().ReadsAll(k)
		}
		if has {
			p.functions.Set(n, true)
		}
	}
	if !any {
		return outs
	}
	for _, n := range outs {
		p.whole.Set(n, true)
	}
	for _, n := range slices.Backward(p.order) {
		p.ask(n)
	}
	for _, n := range p.order {
		p.build(n)
	}
	if z.Trace != nil {
		for _, n := range slices.Backward(p.order) {
			p.tell(n)
		}
	}
	out := make([]*Node, len(outs))
	for i, n := range outs {
		out[i] = p.images.Get(n)
	}
	return out
}

// part is the part of operand k of c, the value a, that c reads; nil where that may be all of it, or has no functions.
func (p *parts) part(c *einsum.Contraction, k int, a *Node) *Node {
	if !p.functions.Get(a) || c.ReadsAll(k) {
		return nil
	}
	_, inner := c.Pick(k)
	if !determined(inner.In[0], len(inner.Vars)) {
		return nil
	}
	if n := p.z.s.Ein(inner, a); n != a {
		return n
	}
	return nil
}

// within are the operands of the value n, of which q is a part, as the part has them; nil where they are no parts.
func (p *parts) within(n, q *Node) []*Node {
	if n.Atom().Class != elementwiseClass && !isSum(n) {
		return nil
	}
	args := make([]*Node, len(n.Args()))
	for k, a := range n.Args() {
		args[k] = p.z.s.Ein(q.Ein(), a)
	}
	return args
}

// ask notes what is read of the operands of n, for which it is known what is read of n.
func (p *parts) ask(n *Node) {
	if !p.whole.Get(n) && len(p.of[n]) <= maxParts && p.functions.Get(n) {
		for _, q := range p.of[n] {
			if args := p.within(n, q); args != nil {
				for k, a := range n.Args() {
					p.read(a, args[k])
				}
			} else {
				p.askOperands(p.z.s.Fuse(q.Ein(), 0, n.Ein()), n.Args())
			}
		}
		return
	}
	p.whole.Set(n, true)
	if n.Ein() != nil {
		p.askOperands(n.Ein(), n.Args())
		return
	}
	for _, a := range n.Args() {
		p.whole.Set(a, true)
	}
}

func (p *parts) askOperands(c *einsum.Contraction, args []*Node) {
	for k, a := range args {
		p.read(a, p.part(c, k, a))
	}
}

// read notes that the part q of a is read, all of it where q is nil.
func (p *parts) read(a, q *Node) {
	switch {
	case q == nil:
		p.whole.Set(a, true)
	case !slices.Contains(p.of[a], q):
		p.of[a] = append(p.of[a], q)
	}
}

// build makes the images of n and of its parts, from those of its operands.
func (p *parts) build(n *Node) {
	s := p.z.s
	image := n
	if n.Ein() != nil {
		image, _ = p.product(n.Ein(), n.Args())
	} else if len(n.Args()) > 0 {
		args := make([]*Node, len(n.Args()))
		for k, a := range n.Args() {
			args[k] = p.images.Get(a)
		}
		image = n.With(args)
	}
	p.images.Set(n, image)
	for _, q := range p.of[n] {
		narrow, fewer := (*Node)(nil), false
		switch args := p.within(n, q); {
		case p.whole.Get(n):
		case args != nil:
			fewer = n.Atom().Class == elementwiseClass
			for k, a := range args {
				fewer = fewer || p.narrower.Get(a)
				args[k] = p.images.Get(a)
			}
			if fewer {
				narrow = n.With(args)
			}
		default:
			narrow, fewer = p.product(s.Fuse(q.Ein(), 0, n.Ein()), n.Args())
		}
		if !fewer {
			if narrow = s.Ein(q.Ein(), image); p.inlined(n, q) {
				narrow = s.Ein(s.Fuse(q.Ein(), 0, image.Ein()), image.Args()...)
			}
		}
		p.images.Set(q, narrow)
		p.narrower.Set(q, fewer)
	}
}

// inlined: the part q of n is a contraction of the operands of n, which nothing else needs.
func (p *parts) inlined(n, q *Node) bool {
	return n.Ein() != nil && (p.z.free(n) || p.z.once(n) && q.Ein().ReadsAll(0) == false && len(p.of[n]) == 1)
}

// product is the contraction c of the images of args, with parts of them where these are narrower.
func (p *parts) product(c *einsum.Contraction, args []*Node) (n *Node, fewer bool) {
	images := make([]*Node, len(args))
	for k, q := range p.operands(c, args) {
		if q == nil {
			images[k] = p.images.Get(args[k])
			continue
		}
		c, _ = c.Pick(k)
		images[k], fewer = p.images.Get(q), true
	}
	return p.z.s.Ein(c, images...), fewer
}

// operands are the parts of the operands args of c that are narrower, each nil for one that stays as it is.
func (p *parts) operands(c *einsum.Contraction, args []*Node) []*Node {
	out := make([]*Node, len(args))
	for k, a := range args {
		if q := p.part(c, k, a); q != nil && p.narrower.Get(q) {
			out[k] = q
		}
	}
	return out
}

// tell tells of the steps that narrow n and its parts; those inside come after it.
func (p *parts) tell(n *Node) {
	s := p.z.s
	if n.Ein() != nil && (p.whole.Get(n) || len(p.of[n]) == 0) {
		p.tellProduct(n, n.Ein(), n.Args())
	}
	for _, q := range p.of[n] {
		switch args := p.within(n, q); {
		case !p.narrower.Get(q):
			if p.inlined(n, q) {
				p.z.emit(Step{Rule: nativeFuse, Before: q, After: s.Ein(s.Fuse(q.Ein(), 0, n.Ein()), n.Args()...), Operands: []int{0}})
			}
		case args != nil && isSum(n):
			p.z.emit(Step{Rule: nativeDistribute, Before: q, After: n.With(args)})
		case args != nil:
			p.z.emit(Step{Rule: nativePick, Before: q, After: n.With(args)})
		default:
			c := s.Fuse(q.Ein(), 0, n.Ein())
			fused := s.Ein(c, n.Args()...)
			p.z.emit(Step{Rule: nativeFuse, Before: q, After: fused, Operands: []int{0}})
			p.tellProduct(fused, c, n.Args())
		}
	}
}

// tellProduct tells of the parts that stand for operands of n, which is the contraction c of args.
func (p *parts) tellProduct(n *Node, c *einsum.Contraction, args []*Node) {
	args = slices.Clone(args)
	for k, q := range p.operands(c, args) {
		if q != nil {
			c, _ = c.Pick(k)
			args[k] = q
		}
	}
	if m := p.z.s.Ein(c, args...); m != n {
		p.z.emit(Step{Rule: nativeOuter, Before: n, After: m})
	}
}
