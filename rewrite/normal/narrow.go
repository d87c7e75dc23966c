package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// A product may read a part of an operand only: the diagonal of f(A), every second entry of f(x). Inside of the
// normal form functions stand on the whole, f(M x) = M f(x), so that equal ones meet. What comes out has those that
// are not finite everywhere at the entries that are read, where nothing reads all:
//
//	v[i]*f(A)[i,i] = v[i]*f(d)[i] with d[i] = A[i,i]
//
// So no such function is computed, printed or differentiated at an entry that the program does not read:
// sqrt(diag(A)) says nothing of the signs off the diagonal.

// selection is a contraction of one value that picks entries, each at most once, where a product reads these only.
type selection struct {
	node  *Node // the contraction
	image *Node
	// fewer says that the image has functions of fewer entries than the value.
	fewer bool
	// How the image comes about: the contraction is fused with the value, or moved to the operands of the value.
	// It is idle where the conditions of the contraction are those of all addends of the value.
	fused, moved, idle bool
	// entries are those that are picked, where the image is a function at these, which has others; else nil.
	entries *einsum.Contraction
	told    bool // a step brought it into the term
}

// narrowing takes functions to what is read of them.
type narrowing struct {
	z         *Simplifier
	all       bool                     // of functions: not only of those that are not finite everywhere
	functions combinators.ByNode[bool] // functions stand in the value, under sums and products
	whole     combinators.ByNode[bool] // all entries are read, as far as is known
	stands    combinators.ByNode[bool] // the image of the value stands where the value did: of those that are told of
	images    combinators.ByNode[*Node]
	of        map[*Node][]*selection // what is read of a value
	byNode    map[*Node]*selection
	reshaped  map[*Node]bool // merges and splits of functions of which parts are read
}

// maxSelections bounds the parts of one value.
const maxSelections = 4

// Narrow is outs with all functions at the entries that are read: no derivative then multiplies what it does
// not read by 0. told, where it is not nil, is told of each step.
func Narrow(told func(Step), outs ...*Node) []*Node {
	z := New(outs[0].Store(), nil)
	z.Trace = told
	return z.narrowed(outs, true)
}

// narrowed are outs with functions at the entries that are read: those that are not finite everywhere, or all.
func (z *Simplifier) narrowed(outs []*Node, all bool) []*Node {
	order := combinators.Topo(outs...)
	if !slices.ContainsFunc(order, func(n *Node) bool { return n.Ein() != nil && n.Ein().Selects() }) {
		return outs
	}
	p := &narrowing{z: z, all: all, of: map[*Node][]*selection{}, byNode: map[*Node]*selection{}, reshaped: map[*Node]bool{}}
	if !p.reads(order) {
		return outs
	}
	for _, n := range outs {
		p.whole.Set(n, true)
	}
	for _, n := range slices.Backward(order) {
		p.ask(n)
	}
	if len(p.reshaped) > 0 {
		return z.narrowed(p.reshapesInside(outs), all)
	}
	for _, n := range order {
		p.build(n)
	}
	if z.Trace != nil {
		for _, n := range slices.Backward(order) {
			p.tell(n)
		}
	}
	return lists.Map(outs, p.images.Get)
}

// reads finds the values in which functions stand, and reports whether a part of one is read.
func (p *narrowing) reads(order []*Node) (any bool) {
	for _, n := range order {
		has := n.Atom().Class == elementwiseClass || n.BatchAxes() > 0
		for k, a := range n.Args() {
			if p.functions.Get(a) {
				has = has || n.Ein() != nil || isSum(n) || isReshape(n)
				any = any || n.Ein() != nil && !n.Ein().ReadsAll(k)
			}
		}
		if has {
			p.functions.Set(n, true)
		}
	}
	return any
}

// selected is the part of operand k of c, the value a, that c reads; nil where that may be all of it, or a has no functions.
func (p *narrowing) selected(c *einsum.Contraction, k int, a *Node) *selection {
	if a.Order() == 0 || !p.functions.Get(a) || c.ReadsAll(k) {
		return nil
	}
	_, inner := c.Pick(k)
	if !determined(inner.In[0], len(inner.Vars)) {
		return nil
	}
	n := p.z.s.Ein(inner, a)
	if n == a {
		return nil
	}
	return p.byContraction(n)
}

func (p *narrowing) byContraction(n *Node) *selection {
	q := p.byNode[n]
	if q == nil {
		q = &selection{node: n}
		p.byNode[n] = q
	}
	return q
}

// within are the parts of the operands of n of which q, a part of n, is made; nil where q is made of other ones.
func (p *narrowing) within(n *Node, q *selection) []*selection {
	args := make([]*selection, len(n.Args()))
	for k, a := range n.Args() {
		c := q.node.Ein()
		switch batch := n.BatchAxes(); {
		case batch > 0:
			c = c.Leading(n.Order()-batch, a.Shape()[batch:])
		case n.Atom().Class != elementwiseClass && !isSum(n):
			return nil
		}
		if c == nil {
			return nil
		}
		args[k] = p.byContraction(p.z.s.Ein(c, a))
	}
	return args
}

// ask notes what is read of the operands of n, for which it is known what is read of n.
func (p *narrowing) ask(n *Node) {
	if len(p.of[n]) > maxSelections {
		p.whole.Set(n, true)
	}
	if p.whole.Get(n) || !p.functions.Get(n) {
		if n.Ein() != nil {
			p.askOperands(n.Ein(), n.Args())
			return
		}
		for _, a := range n.Args() {
			p.whole.Set(a, true)
		}
		return
	}
	for _, q := range p.of[n] {
		if args := p.within(n, q); args != nil {
			for k, a := range n.Args() {
				p.read(a, args[k])
			}
		} else if n.Ein() != nil {
			p.askOperands(p.z.s.Fuse(q.node.Ein(), 0, n.Ein()), n.Args())
		} else {
			if isReshape(n) && p.entrywise(n.Arg(0)) {
				p.reshaped[n] = true
			}
			for _, a := range n.Args() {
				p.whole.Set(a, true)
			}
		}
	}
}

func isReshape(n *Node) bool { return n.Is(atom.Merge) || n.Is(atom.Split) }

// entrywise: n is a function or a sum of values of its shape, with functions in it.
func (p *narrowing) entrywise(n *Node) bool {
	return p.functions.Get(n) && (n.Atom().Class == elementwiseClass || isSum(n))
}

// reshapesInside are outs with functions of merges and splits for those of functions of which parts are read:
//
//	split(f(x)) = f(split(x))
func (p *narrowing) reshapesInside(outs []*Node) []*Node {
	return combinators.Rebuild(outs, func(n *Node, args []*Node) *Node {
		m := n.With(args)
		if !p.reshaped[n] {
			return m
		}
		order := combinators.Topo(m.Arg(0))
		inside := map[*Node]bool{m.Arg(0): true}
		entrywise := func(x *Node) bool { return x.Atom().Class == elementwiseClass || isSum(x) }
		reshape := func(x *Node) *Node {
			if r, ok := fill(x); ok {
				return p.z.s.Fill(r, m.Shape())
			}
			return m.With([]*Node{x})
		}
		for _, x := range slices.Backward(order) {
			if !inside[x] || !entrywise(x) {
				continue
			}
			moved := make([]*Node, len(x.Args()))
			for k, a := range x.Args() {
				inside[a], moved[k] = true, reshape(a)
			}
			if p.z.Trace != nil {
				rule := nativePick
				if isSum(x) {
					rule = nativeReshape
				}
				p.z.emit(Step{Rule: rule, Before: m.With([]*Node{x}), After: x.With(moved)})
			}
		}
		images := map[*Node]*Node{}
		for _, x := range order {
			switch {
			case !inside[x]:
			case entrywise(x):
				moved := lists.Map(x.Args(), func(a *combinators.Node) *Node { return images[a] })
				images[x] = x.With(moved)
			default:
				images[x] = reshape(x)
			}
		}
		return images[m.Arg(0)]
	})
}

func (p *narrowing) askOperands(c *einsum.Contraction, args []*Node) {
	for k, a := range args {
		p.read(a, p.selected(c, k, a))
	}
}

// read notes that the part q of a is read, all of it where q is nil.
func (p *narrowing) read(a *Node, q *selection) {
	switch {
	case q == nil:
		p.whole.Set(a, true)
	case !slices.Contains(p.of[a], q):
		p.of[a] = append(p.of[a], q)
	}
}

// build makes the images of n and of its parts, from those of its operands.
func (p *narrowing) build(n *Node) {
	image := n
	if n.Ein() != nil {
		image, _ = p.product(n.Ein(), n.Args())
	} else if len(n.Args()) > 0 {
		args := lists.Map(n.Args(), p.images.Get)
		image = n.With(args)
	}
	p.images.Set(n, image)
	for _, q := range p.of[n] {
		p.buildPart(q, n)
	}
}

func (p *narrowing) buildPart(q *selection, n *Node) {
	s, image := p.z.s, p.images.Get(n)
	if p.functions.Get(n) && !p.whole.Get(n) && p.narrowPart(q, n) {
		return
	}
	if q.idle = isSum(n) && p.keeps(q.node.Ein(), n); q.idle {
		q.image = image
		return
	}
	q.image = s.Ein(q.node.Ein(), image)
	if n.Ein() != nil && image == n {
		// A contraction that nothing else needs, or that costs nothing, is not computed as a whole.
		m := s.Ein(s.Fuse(q.node.Ein(), 0, n.Ein()), n.Args()...)
		if q.fused = m == n || p.z.free(n) || !p.whole.Get(n); q.fused {
			q.image = m
		}
	}
}

// narrowPart builds q, a part of n, at the entries that are read, where that takes functions of fewer entries.
func (p *narrowing) narrowPart(q *selection, n *Node) bool {
	args := p.within(n, q)
	if args == nil {
		if n.Ein() != nil {
			q.image, q.fewer = p.product(p.z.s.Fuse(q.node.Ein(), 0, n.Ein()), n.Args())
			q.fused = q.fewer
		}
		return q.fewer
	}
	same := true // the conditions of the part are those of the operands
	nodes := make([]*Node, len(args))
	for k, a := range args {
		q.fewer = q.fewer || a.fewer
		nodes[k] = a.image
		same = same && a.image == p.images.Get(n.Arg(k))
	}
	q.fewer = (q.fewer || !isSum(n) && (p.all || !p.z.facts.Finite(n))) && !same
	if q.moved = q.fewer || same; q.moved {
		q.image = p.atEntries(q, n, nodes)
	}
	return q.moved
}

// keeps reports whether the contraction c of the sum n is n: all its addends are contractions with the conditions of c.
func (p *narrowing) keeps(c *einsum.Contraction, n *Node) bool {
	return !slices.ContainsFunc(addends(n), func(a *Node) bool {
		return a.Ein() == nil || p.z.s.Ein(p.z.s.Fuse(c, 0, a.Ein()), a.Args()...) != a
	})
}

// product is the contraction c of the images of args, with parts of them where these are narrower.
func (p *narrowing) product(c *einsum.Contraction, args []*Node) (n *Node, fewer bool) {
	images := make([]*Node, len(args))
	for k, q := range p.operands(c, args) {
		if q == nil {
			images[k] = p.images.Get(args[k])
			continue
		}
		c, _ = c.Pick(k)
		images[k], fewer = q.image, true
		if q.entries != nil { // c reads no others
			c, images[k] = c.Fuse(k, q.entries).Solve(), q.image.Arg(0)
		}
	}
	return p.z.s.Ein(c, images...), fewer
}

// atEntries is the value n, of which q is a selection, of other operands: at the entries that are picked, where it is a function.
func (p *narrowing) atEntries(q *selection, n *Node, args []*Node) *Node {
	m := n.With(args)
	if isSum(n) {
		return m
	}
	if e := q.node.Ein().Entries(); !e.IsIdentity() {
		q.entries = e
		return p.z.s.Ein(e, m)
	}
	return m
}

// operands are the parts of the operands args of c that are narrower, each nil for one that stays as it is.
func (p *narrowing) operands(c *einsum.Contraction, args []*Node) []*selection {
	out := make([]*selection, len(args))
	for k, a := range args {
		if q := p.selected(c, k, a); q != nil && q.fewer {
			out[k] = q
		}
	}
	return out
}

// tell tells of the steps that narrow n and its selections; those inside come after it.
func (p *narrowing) tell(n *Node) {
	s := p.z.s
	stands := p.whole.Get(n) || p.stands.Get(n)
	for _, q := range p.of[n] {
		switch {
		case !q.told:
		case q.moved:
			p.tellMoved(q, n)
		case q.fused:
			c := s.Fuse(q.node.Ein(), 0, n.Ein())
			m := s.Ein(c, n.Args()...)
			p.z.emit(Step{Rule: nativeFuse, Before: q.node, After: m, Operands: []int{0}})
			if q.fewer {
				p.tellProduct(m, c, n.Args())
			}
		default:
			if stands = true; q.idle {
				p.z.emit(Step{Rule: nativeDistribute, Before: q.node, After: n})
			}
		}
	}
	switch {
	case !stands:
	case n.Ein() != nil:
		p.tellProduct(n, n.Ein(), n.Args())
	default:
		for _, a := range n.Args() {
			p.stands.Set(a, true)
		}
	}
}

// tellMoved tells that q, which is moved, is the value n of selections; it is that.
func (p *narrowing) tellMoved(q *selection, n *Node) *Node {
	args := p.within(n, q)
	nodes := make([]*Node, len(args))
	for k, a := range args {
		nodes[k], a.told = a.node, true
	}
	m, rule := p.atEntries(q, n, nodes), nativePick
	if isSum(n) {
		rule = nativeDistribute
	}
	p.z.emit(Step{Rule: rule, Before: q.node, After: m})
	return m
}

// tellProduct tells of the selections that stand for operands of n, which is the contraction c of args.
func (p *narrowing) tellProduct(n *Node, c *einsum.Contraction, args []*Node) {
	s := p.z.s
	args = slices.Clone(args)
	for k, q := range p.operands(c, args) {
		if q == nil {
			p.stands.Set(args[k], true)
			continue
		}
		c, _ = c.Pick(k)
		x := args[k]
		args[k], q.told = q.node, true
		m := s.Ein(c, args...)
		p.z.emit(Step{Rule: nativeOuter, Before: n, After: m})
		if n = m; q.entries != nil {
			args[k] = p.tellMoved(q, x)
			n = s.Ein(c, args...)
			c, args[k] = c.Fuse(k, q.entries).Solve(), args[k].Arg(0)
			m = s.Ein(c, args...)
			p.z.emit(Step{Rule: nativeFuse, Before: n, After: m})
			n = m
		}
	}
}
