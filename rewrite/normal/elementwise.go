package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// elementwise normalises an element-wise function: numbers are folded where they are
// exact, index maps taken out (f(x') = f(x)'), and powers of powers and of products
// made powers.
func (z *Simplifier) elementwise(n *Node, t *trace) *Node {
	if m := z.fold(n); m != nil {
		t.to(nativeFold, m)
		return m
	}
	if m := z.takeMapOut(n, t); m != nil {
		return m
	}
	if x := n.Arg(0); n.Is(atom.Abs) && x.Is(atom.Power) && x.Rat().IsInt() && !evenInteger(x.Rat()) {
		m := z.s.Power(z.s.Unary(atom.Abs, x.Arg(0)), x.Rat()).WithGuard(x.Guard()) // |x^r| = |x|^r
		t.to(nativePowers, m)
		return m
	}
	if n.Is(atom.Power) {
		m := z.power(n, t)
		t.to(nativePowers, m)
		return m
	}
	return n
}

// fold computes functions of constants that are exact.
func (z *Simplifier) fold(n *Node) *Node {
	var args [2]*big.Rat
	for k, a := range n.Args() {
		r, ok := fill(a)
		if !ok {
			return nil
		}
		args[k] = r
	}
	r := n.Exact(args[:])
	if r == nil {
		return nil
	}
	return z.s.Fill(r, n.Shape())
}

// takeMapOut writes f(M(x)) as M(f(x)) where M picks entries: a transpose, a broadcast, a
// diagonal of a tensor; and f(M(x), M(y)) as M(f(x, y)) where M is a transpose or a broadcast.
// A diagonal embedding has entries that are no entry of x, so it stays.
func (z *Simplifier) takeMapOut(n *Node, t *trace) *Node {
	if len(n.Args()) == 1 {
		if n.Arg(0).Ein() == nil || opaque(n.Arg(0)) {
			return nil
		}
		p := open(n.Arg(0))
		if len(p.ops) == 1 && einsum.Distinct(p.out) && coversAll(p.out, len(p.vars)) && !p.identity() {
			return z.mapped(n, &p, []*Node{z.scaled(p.coef, p.ops[0])}, t)
		}
	} else if m := z.takeTransposeOut(n, t); m != nil {
		return m
	}
	return z.takeBroadcastOut(n, t)
}

// maxMapped bounds the addends among which exponentials are looked for.
const maxMapped = 16

// putMapsIn is the logarithm of a sum with M(exp(x)) written as exp(M(x)), where M picks entries, so that
// a rule meets exponentials that do not vary along all axes: log(exp(x_i) + exp(y_j)). It is nil where
// nothing is to be put in.
func (z *Simplifier) putMapsIn(n *Node) *Node {
	if !n.Is(atom.Log) || !n.Arg(0).Is(atom.Add) || n.Arg(0).Addends() > maxMapped {
		return nil
	}
	found := false
	var within func(a *Node) *Node // a, with the addends where they are: a step changes no order
	within = func(a *Node) *Node {
		if a.Is(atom.Add) {
			return z.s.Add(within(a.Arg(0)), within(a.Arg(1)))
		}
		if a.Ein() != nil && !opaque(a) {
			p := open(a)
			if len(p.ops) == 1 && p.ops[0].Is(atom.Exp) && p.ops[0].Guard() == combinators.GuardNone &&
				einsum.Distinct(p.out) && coversAll(p.out, len(p.vars)) && !p.identity() {
				found = true
				return z.scaled(p.coef, p.ops[0].With([]*Node{z.s.Contract(p.in, p.out, p.vars, p.ops[0].Arg(0))}))
			}
		}
		return a
	}
	sum := within(n.Arg(0))
	if !found {
		return nil
	}
	return n.With([]*Node{sum})
}

// mapped is M(f(args)) where p is M of its one operand, and f the function of n.
func (z *Simplifier) mapped(n *Node, p *product, args []*Node, t *trace) *Node {
	inner := n.With(args)
	t.lazily(nativePick, func() *Node { return z.s.Contract(p.in, p.out, p.vars, inner) })
	return z.s.Contract(p.in, p.out, p.vars, z.within(t, inner))
}

// takeTransposeOut: f(x', y') = f(x, y)', where the operands that have different entries are all
// transposed alike.
func (z *Simplifier) takeTransposeOut(n *Node, t *trace) *Node {
	var p *product
	args := make([]*Node, len(n.Args()))
	for k, a := range n.Args() {
		if a.Ein() == nil {
			return nil
		}
		if uniform(a) {
			continue
		}
		q := open(a)
		if !q.permutes() || p != nil && !slices.Equal(p.out, q.out) {
			return nil
		}
		p, args[k] = &q, z.scaled(q.coef, q.ops[0])
	}
	if p == nil {
		return nil
	}
	for k, a := range n.Args() {
		if args[k] == nil {
			back := z.s.Contract([][]int{p.out}, p.in[0], p.vars, a)
			args[k] = z.s.Ein(z.s.Fuse(back.Ein(), 0, a.Ein()), a.Args()...)
		}
	}
	return z.mapped(n, p, args, t)
}

// takeBroadcastOut computes f once for axes of the result along which no operand varies.
func (z *Simplifier) takeBroadcastOut(n *Node, t *trace) *Node {
	for _, a := range n.Args() {
		if a.Ein() == nil || opaque(a) || !hasRepeats(a) {
			return nil
		}
	}
	order := n.Order()
	varies := make([]bool, order)
	parts := make([]product, len(n.Args()))
	for k, a := range n.Args() {
		p := open(a)
		if !einsum.Distinct(p.out) {
			return nil
		}
		parts[k] = p
		for i, v := range p.out {
			varies[i] = varies[i] || slices.ContainsFunc(p.in, func(g []int) bool { return slices.Contains(g, v) })
		}
	}
	var axes []int
	for i, v := range varies {
		if v {
			axes = append(axes, i)
		}
	}
	if len(axes) == order {
		return nil
	}
	args := make([]*Node, len(parts))
	for k, p := range parts {
		q := p
		q.out = make([]int, len(axes))
		dropped := make([]bool, len(p.vars))
		for i, v := range p.out {
			dropped[v] = !varies[i]
		}
		for j, i := range axes {
			q.out[j] = p.out[i]
		}
		q.drop(dropped)
		args[k] = q.build(z.s)
	}
	p := &product{in: [][]int{axes}, out: letters(order), vars: n.Shape()}
	t.lazily(nativePick, func() *Node { return z.s.Contract(p.in, p.out, p.vars, n.With(args)) })
	for k, a := range args {
		args[k] = z.within(t, a)
	}
	return z.s.Contract(p.in, p.out, p.vars, z.within(t, n.With(args)))
}

// hasRepeats reports whether the contraction a repeats its values along an axis.
func hasRepeats(a *Node) bool {
	in, out, _ := a.Ein().IsPlain()
	return slices.ContainsFunc(out, func(v int) bool {
		return !slices.ContainsFunc(in, func(g []int) bool { return slices.Contains(g, v) })
	})
}

// entrywise: nothing is summed and no entry is off a diagonal.
func (p *product) entrywise() bool { return einsum.Distinct(p.out) && coversAll(p.out, len(p.vars)) }

func (p *product) hasPower() bool {
	return slices.ContainsFunc(p.ops, func(a *Node) bool { return a.Is(atom.Power) })
}
