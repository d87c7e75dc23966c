package normal

import (
	"frechet/combinators"
	"frechet/einsum"
	"frechet/internal/lists"
	"frechet/rewrite"
)

// Step is one rewriting of a term: Before, wherever it stands, becomes After. Rule is the name of a
// rule or of a native schema in combinators/rules/algebra.rules. Steps come in the order in which
// they can be made: what a step brings into a term is rewritten after it.
type Step struct {
	Rule          string
	Before, After *Node
	// Operands are those that a fusion substitutes, one after the other: each is a position among
	// the operands that the ones before have left. They are not named where Before has its operands in
	// another order.
	Operands []int
	// Firing is the substitution of a rule that was matched, nil for a native schema.
	Firing *rewrite.Firing
	// Pass counts the passes over the term. Within one, equal terms become equal terms; in the next
	// one they may become others, since what is used once has changed.
	Pass int
}

// Fuse is the schema by which one contraction is substituted into another, Distribute that by which products are
// multiplied out and sums are factored, Factor that where factors are one but for their guards, and powers are products.
const (
	Fuse       = nativeFuse
	Distribute = nativeDistribute
	Factor     = nativeFactor
)

// The native schemas, as they stand in algebra.rules.
const (
	nativeFuse       = "E-fuse"
	nativeOuter      = "E-outer"
	nativeNumber     = "E-number"
	nativeZero       = "E-zero"
	nativePower      = "E-power"
	nativeNorm       = "E-norm"
	nativeSymmetric  = "E-symmetric"
	nativeDistribute = "E-distribute"
	nativeFactor     = "E-factor"
	nativeCollect    = "S-collect"
	nativeFold       = "F-fold"
	nativePick       = "F-pick"
	nativePowers     = "F-power"
	nativeReshape    = "R-scale"
	nativeInverse    = "R-inverse"
	nativeAxes       = "R-axes"
	nativeSolve      = "M-solve"
	nativeSoftmax    = "M-softmax"
	nativeTranspose  = "M-transpose"
)

// A trace follows the rewriting of one node at its root. What is rewritten inside meanwhile is
// rewritten in it as well, so that its next step starts from what stands in the term by then.
// It is nil where nobody listens: its methods then do nothing, and build nothing.
type trace struct {
	z   *Simplifier
	now *Node
}

// follow begins a trace of n; end ends it.
func (z *Simplifier) follow(n *Node) *trace {
	if z.Trace == nil {
		return nil
	}
	t := &trace{z, n}
	z.traces = append(z.traces, t)
	return t
}

func (t *trace) end() {
	if t != nil {
		t.z.traces = t.z.traces[:len(t.z.traces)-1]
	}
}

// to says that the traced node has become after, by the schema named.
func (t *trace) to(rule string, after *Node) {
	if t != nil {
		t.step(rule, after, nil)
	}
}

// product is to where the node has become the product p.
func (t *trace) product(rule string, p *product) {
	if t != nil {
		t.built(rule, p)
	}
}

// lazily is to, where the node has yet to be built.
func (t *trace) lazily(rule string, after func() *Node) {
	if t != nil {
		t.step(rule, after(), nil)
	}
}

// fused is to, by the fusion of the operands that are named.
func (t *trace) fused(c *einsum.Contraction, args []*Node, operands []int) {
	if t != nil {
		t.step(nativeFuse, t.z.s.Ein(c, args...), operands)
	}
}

func (t *trace) built(rule string, p *product) { t.step(rule, p.build(t.z.s), nil) }

// step is not inlined, so that the methods above are.
//
//go:noinline
func (t *trace) step(rule string, after *Node, operands []int) {
	if after != t.now {
		t.z.emit(Step{Rule: rule, Before: t.now, After: after, Operands: operands})
	}
}

// within is the normal form of x, which stands in the traced node where there is one.
func (z *Simplifier) within(t *trace, x *Node) *Node {
	y := z.normal(x)
	if t != nil {
		t.now = replaced(t.now, x, y) // where x had its normal form before, no step told of it
	}
	return y
}

// part says that before, which stands in the traced node, has become after.
func (t *trace) part(rule string, before, after *Node) {
	if t != nil && before != after {
		t.z.emit(Step{Rule: rule, Before: before, After: after})
	}
}

// emit tells of a step, and makes it in all terms that are followed.
func (z *Simplifier) emit(s Step) {
	s.Pass = z.passes
	z.Trace(s)
	for _, t := range z.traces {
		t.now = replaced(t.now, s.Before, s.After)
	}
}

// replaced is n with x replaced by y, wherever it stands.
func replaced(n, x, y *Node) *Node {
	if x == y || n.ID() < x.ID() {
		return n
	}
	return combinators.Replace([]*Node{n}, x, y)[0]
}

// scale is coef * x with x for an operand, so that it can be rewritten there.
func (z *Simplifier) scale(t term) *Node {
	if t.coef.isOne() {
		return t.core
	}
	return z.s.Scale(t.coef.node(z.s), t.core)
}

// summed is the sum of terms whose cores are operands.
func (z *Simplifier) summed(terms []term) *Node {
	nodes := lists.Map(terms, z.scale)
	return z.added(nodes)
}

// listed is the sum of first, if there is one, and of terms as a normal form has them. No part of it is
// a sum that stands inside of first, and so is none that is rewritten with what stands there.
func (z *Simplifier) listed(terms []term, first ...*Node) *Node {
	nodes := first
	nodes = lists.Append(nodes, terms, func(t term) *Node { return z.scaled(t.coef, t.core) })
	return z.added(nodes)
}

func (z *Simplifier) added(nodes []*Node) *Node {
	sum := nodes[0]
	for _, n := range nodes[1:] {
		sum = z.s.Add(sum, n)
	}
	return sum
}
