package normal

import (
	"slices"

	"frechet/einsum"
	"frechet/internal/lists"
)

// A sum over axes of a sum of terms is summed term by term where that leaves fewer terms:
//
//	sum(x - sum(x)/n) = 0,    w'*(x - w'*x/sum(w)) = 0,    sum over j of (diag(s) - s*s') = 0 for s = softmax(x)
//
// So what is centred sums to 0, and what it is multiplied by does.

// termwise writes a sum among the factors of p, and what is summed with it, as the sum of its summed terms, where these
// are fewer; nil where there is none.
func (z *Simplifier) termwise(p *product, t *trace) *Node {
	if z.Flatten {
		return nil
	}
	for k, a := range p.ops {
		if !isSum(a) && a.Ein() == nil || !z.mayCentre(a, k, p.in, p.out) {
			continue
		}
		q, at := *p, k
		if !isSum(a) {
			if q, at = z.around(p, k); at < 0 {
				continue
			}
		}
		if m := z.termwiseAt(p, &q, at, t); m != nil {
			return m
		}
	}
	return nil
}

// centring is what a value has that may centre it.
type centring uint8

const (
	notAsked centring = iota
	noCentring
	byNumber // a sum one term of which is a number, or a product with such a sum: alone it may sum to 0
	byTerm   // one term is the same, or 0, along an axis
)

// centringOf is that of a sum, or of the first sum of a product that has any.
func (z *Simplifier) centringOf(a *Node) centring {
	c := z.centrings.Get(a)
	if c == notAsked {
		c = z.findCentring(a)
		z.centrings.Set(a, c)
	}
	return c
}

func (z *Simplifier) findCentring(a *Node) centring {
	c := noCentring
	switch {
	case a.Order() == 0 || isSum(a) && a.Addends() > maxFactored:
	case isSum(a):
		for _, b := range a.Args() {
			switch {
			case isSum(b):
				c = max(c, z.centringOf(b))
			case isNumber(b):
				c = max(c, byNumber)
			case constant(b):
				c = byTerm
			}
		}
	case len(a.Args()) <= maxShared && !opaque(a):
		if k := z.centredIn(a); k >= 0 {
			c = z.centringOf(a.Arg(k))
			if in, _, _ := a.Ein().IsPlain(); c == byNumber && !alone(in, k, setOf(in[k])) {
				c = noCentring
			}
		}
	}
	return c
}

// centredIn is the place of the first sum of the product a that may be centred; -1 where there is none.
func (z *Simplifier) centredIn(a *Node) int {
	return slices.IndexFunc(a.Args(), func(b *Node) bool { return isSum(b) && z.centringOf(b) != noCentring })
}

// mayCentre reports whether operand k, which is a, of a product over in and out may be a sum to be summed term by term, or have one.
func (z *Simplifier) mayCentre(a *Node, k int, in [][]int, out []int) bool {
	c := z.centringOf(a)
	if c == noCentring || !isSum(a) {
		return c != noCentring
	}
	summed := setOf(in[k]) &^ setOf(out)
	return summed != 0 && (c == byTerm || alone(in, k, summed))
}

// alone reports whether in[k] has one of vars that no other of in has.
func alone(in [][]int, k int, vars uint64) bool {
	for l, g := range in {
		if l != k {
			vars &^= setOf(g)
		}
	}
	return vars != 0
}

// constant reports whether n is a contraction with an axis that no operand has, or one that stands twice.
func constant(n *Node) bool {
	if n.Ein() == nil {
		return false
	}
	_, out, plain := n.Ein().IsPlain()
	return plain && (!einsum.Distinct(out) || hasRepeats(n))
}

// isNumber reports whether all entries of n, a contraction, are one number.
func isNumber(n *Node) bool {
	if n.Ein() == nil || len(n.Args()) > 0 {
		return false
	}
	_, out, plain := n.Ein().IsPlain()
	return plain && einsum.Distinct(out)
}

// constantAlong reports whether that is an axis, among those that are named vars, that is not one of border.
func constantAlong(n *Node, vars, border []int) bool {
	if !constant(n) {
		return false
	}
	in, out, _ := n.Ein().IsPlain()
	for i, v := range out {
		twice := slices.Contains(out[:i], v) || slices.Contains(out[i+1:], v)
		if !slices.Contains(border, vars[i]) && (twice || !stands(v, in)) {
			return true
		}
	}
	return false
}

// around is p with its operand k, a product, fused into it, and the place of the sum in that product; -1 where there is none.
func (z *Simplifier) around(p *product, k int) (product, int) {
	a := p.ops[k]
	at := z.centredIn(a)
	c := z.s.Fuse(z.s.Plain(p.in, p.out, p.vars), k, a.Ein())
	in, out, plain := c.IsPlain()
	if !plain || len(p.ops)+len(a.Args()) > maxOperands {
		return product{}, -1
	}
	return product{coef: p.coef, ops: slices.Concat(p.ops[:k], a.Args(), p.ops[k+1:]), in: in, out: out, vars: c.Vars}, k + at
}

// termwiseAt is termwise of operand k of q, which is p but for products that are fused.
func (z *Simplifier) termwiseAt(p, q *product, k int, t *trace) *Node {
	group, border := q.summedWith(k)
	if group == nil || slices.ContainsFunc(group, func(l int) bool { return l != k && q.ops[l] == q.ops[k] }) {
		return nil
	}
	all := addends(q.ops[k])
	along := func(u *Node) bool { return constantAlong(u, q.in[k], border) }
	if !slices.ContainsFunc(all, func(u *Node) bool { return along(u) && (len(group) == 1 || !isNumber(u)) }) {
		return nil // beside other factors a number cancels nothing: W'*(v .* (1 - t .^ 2))
	}
	raw := z.summedParts(q, k, group, border, all)
	if raw == nil && len(all) > 2 { // what is not constant may be one value elsewhere
		rest := slices.DeleteFunc(slices.Clone(all), along)
		if len(rest) > 1 {
			raw = z.summedParts(q, k, group, border, append(slices.DeleteFunc(all, func(u *Node) bool { return !along(u) }), z.added(rest)))
		}
	}
	if raw == nil {
		return nil
	}
	with := func(x *Node) *Node {
		r := product{coef: q.coef, ops: []*Node{x}, in: [][]int{border}, out: q.out, vars: q.vars}
		for l, a := range q.ops {
			if !slices.Contains(group, l) {
				r.ops, r.in = append(r.ops, a), append(r.in, q.in[l])
			}
		}
		r.compact()
		return r.build(z.s)
	}
	if t != nil {
		if !same(q.ops, p.ops) {
			t.product(nativeFuse, q)
		}
		t.to(nativeDistribute, with(z.added(raw)))
	}
	for i, u := range raw {
		raw[i] = z.within(t, u)
	}
	return with(z.within(t, z.added(raw)))
}

// summedParts are the products of the operands group of q along border, with each of terms in the place of operand k; nil where
// as many are left of them.
func (z *Simplifier) summedParts(q *product, k int, group, border []int, terms []*Node) []*Node {
	if z.trials == maxTrials {
		z.refused++
		return nil
	}
	from := z.s.Len()
	inner := z.part(q, group, 0)
	inner.coef, inner.out = unit, border
	inner.compact()
	at, raw := slices.Index(group, k), make([]*Node, len(terms))
	for i, u := range terms {
		inner.ops = slices.Clone(inner.ops) // the node before has the others
		inner.ops[at] = u
		raw[i] = inner.build(z.s)
	}
	if left := len(z.trial(raw, from)); left >= len(terms) || left > 0 && len(group) > 1 {
		return nil // beside other factors it is left centred: u'*v and not x'*v for u = x - mean(x) and v = y - mean(y)
	}
	return raw
}

// summedWith are operand k of p and those that share summed axes with it, and the variables that these have with the
// others or with the result; nil where nothing of k is summed.
func (p *product) summedWith(k int) (group, border []int) {
	if len(p.vars) > 64 {
		return nil, nil
	}
	summed := setOf(p.in[k]) &^ setOf(p.out)
	if summed == 0 {
		return nil, nil
	}
	within, others := uint64(0), setOf(p.out)
	for l, g := range p.in {
		if set := setOf(g); set&summed != 0 {
			group, within = append(group, l), within|set
		} else {
			others |= set
		}
	}
	for v := range p.vars {
		if within&others>>v&1 != 0 {
			border = append(border, v)
		}
	}
	return group, border
}

// maxTrials bounds how deep trials are in one another: a chain of centred values has one for each value otherwise.
const maxTrials = 2

// trial are the like terms of the normal forms of values. Nothing is told of it, and what was built from the node on that number
// is to be simplified again where that is told of; so is what is normal but for the bound on trials.
func (z *Simplifier) trial(values []*Node, from int) []term {
	defer func(trying bool, choices Choices, told func(Step)) {
		z.trying, z.choices, z.Trace = trying, choices, told
		for id := from; told != nil && id < z.s.Len(); id++ {
			z.known.At(z.s.Node(id)).done = 0
		}
		if z.trials--; z.trials == 0 {
			for _, n := range z.provisional {
				k := z.known.At(n)
				k.done, k.stable = 0, 0
			}
			z.provisional = z.provisional[:0]
		}
	}(z.trying, z.choices, z.Trace)
	z.trying, z.Trace = true, nil
	z.trials++
	forms := lists.Map(values, z.normal)
	return z.collected(forms...)
}
