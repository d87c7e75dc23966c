package normal

import (
	"encoding/binary"
	"math/big"
	"slices"
)

// term is coef * core in a sum; core is the node of p, whose coefficient is 1.
type term struct {
	coef *big.Rat
	core *Node
	p    *product
}

// sum normalises a sum: it is flattened through sums that are used once, equal terms
// are counted, common factors taken out.
func (z *Simplifier) sum(n *Node, t *trace) *Node {
	terms := z.terms(n)
	if len(terms) == 0 {
		zero := z.s.Zero(n.Shape())
		if t != nil {
			t.to(nativeCollect, zero)
		}
		return zero
	}
	m := z.join(z.factorAll(terms, n, t))
	if t != nil {
		t.to(nativeCollect, m)
	}
	return m
}

// terms flattens n into like terms, without those of coefficient 0.
func (z *Simplifier) terms(n *Node) []term {
	type item struct {
		n    *Node
		coef *big.Rat
	}
	var terms []term
	index := map[*Node]int{}
	stack := []item{{n, one}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		room := len(stack)+len(terms) < maxTerms
		if it.n.Is("add") && (it.n == n || room && z.once(it.n)) {
			stack = append(stack, item{it.n.Arg(1), it.coef}, item{it.n.Arg(0), it.coef})
			continue
		}
		p := open(it.n)
		coef := times(it.coef, p.coef)
		if len(p.ops) == 1 && room && p.ops[0].Is("add") && it.n != n && z.once(it.n) && z.once(p.ops[0]) && p.identity() {
			stack = append(stack, item{p.ops[0], coef})
			continue
		}
		if coef.Sign() == 0 {
			continue
		}
		q := *p
		q.coef = one
		core := q.build(z.s)
		if i, ok := index[core]; ok {
			terms[i].coef = new(big.Rat).Add(terms[i].coef, coef)
			continue
		}
		index[core] = len(terms)
		terms = append(terms, term{coef, core, &q})
	}
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.coef.Sign() == 0 })
	slices.SortStableFunc(terms, func(a, b term) int { return a.core.ID() - b.core.ID() })
	return terms
}

// identity reports whether the one operand of p is p itself.
func (p *product) identity() bool {
	return len(p.ops) == 1 && slices.Equal(p.in[0], p.out) && distinct(p.out) && len(p.vars) == len(p.out)
}

// join builds the sum of terms. A coefficient that all terms share is taken out, and a
// sum that is a multiple of one that was already built is that multiple.
func (z *Simplifier) join(terms []term) *Node {
	if len(terms) == 1 {
		return z.scaled(terms[0].coef, terms[0].core)
	}
	content := common(terms)
	var key []byte
	lead := terms[0].coef
	for _, t := range terms {
		key = binary.AppendUvarint(key, uint64(t.core.ID()))
		key = append(key, over(t.coef, lead).RatString()...)
		key = append(key, ' ')
	}
	if seen, ok := z.sums[string(key)]; ok {
		first := z.terms(seen)
		if len(first) == len(terms) && first[0].core == terms[0].core {
			return z.scaled(over(lead, first[0].coef), seen)
		}
	}
	var sum *Node
	for _, t := range terms {
		u := z.scaled(over(t.coef, content), t.core)
		if sum == nil {
			sum = u
			continue
		}
		sum = z.s.Add(sum, u)
		if z.done.get(sum) == nil {
			// A part of a normal sum is not looked at again: a sum of n terms would
			// otherwise cost the cube of n.
			z.done.set(sum, sum)
		}
	}
	z.sums[string(key)] = sum
	return z.scaled(content, sum)
}

// scaled is coef * core in normal form.
func (z *Simplifier) scaled(coef *big.Rat, core *Node) *Node {
	if isOne(coef) {
		return core
	}
	p := *open(core)
	p.coef = times(coef, p.coef)
	return p.build(z.s)
}

// common is the coefficient to take out of a sum: the smallest one in size of which all
// others are whole multiples, negative only if all are; 1 where taking it out would leave
// more coefficients than there were.
func common(terms []term) *big.Rat {
	least := new(big.Rat).Abs(terms[0].coef)
	negative := true
	before := 0
	for _, t := range terms {
		a := new(big.Rat).Abs(t.coef)
		if !isOne(a) {
			before++
		}
		if a.Cmp(least) < 0 {
			least = a
		}
		negative = negative && t.coef.Sign() < 0
	}
	after := 1
	for _, t := range terms {
		q := over(new(big.Rat).Abs(t.coef), least)
		if !q.IsInt() {
			after = before + 1
			break
		}
		if !isOne(q) {
			after++
		}
	}
	if after > before {
		least = one
	}
	if negative {
		least = new(big.Rat).Neg(least)
	}
	return least
}

// factorAll takes common factors out of pairs of terms, the largest first.
func (z *Simplifier) factorAll(terms []term, n *Node, t *trace) []term {
	if len(terms) < 2 || len(terms) > maxFactored {
		return terms
	}
	pairs := map[[2]*Node]*factoring{}
	for len(terms) > 1 {
		var best *factoring
		bi, bj := 0, 0
		for i := range terms {
			for j := i + 1; j < len(terms); j++ {
				key := [2]*Node{terms[i].core, terms[j].core}
				f, ok := pairs[key]
				if !ok {
					f = factorPair(terms[i].p, terms[j].p)
					pairs[key] = f
				}
				if f != nil && (best == nil || f.gain > best.gain) {
					best, bi, bj = f, i, j
				}
			}
		}
		if best == nil {
			break
		}
		a, b := terms[bi], terms[bj]
		if t != nil {
			t.to(nativeCollect, z.listed(terms))
		}
		terms = slices.Delete(slices.Clone(terms), bj, bj+1)
		terms = slices.Delete(terms, bi, bi+1)
		p := open(z.factored(best, a, b, terms, t))
		if p.coef.Sign() == 0 {
			continue
		}
		q := *p
		q.coef = one
		core := q.build(z.s)
		u := term{p.coef, core, &q}
		if i := slices.IndexFunc(terms, func(v term) bool { return v.core == core }); i >= 0 {
			u.coef = new(big.Rat).Add(terms[i].coef, u.coef)
			terms = slices.Delete(terms, i, i+1)
			if u.coef.Sign() == 0 {
				continue
			}
		}
		terms = append(terms, u)
		slices.SortStableFunc(terms, func(a, b term) int { return a.core.ID() - b.core.ID() })
	}
	if len(terms) == 0 {
		terms = []term{{new(big.Rat), z.s.Ones(n.Shape()), open(z.s.Ones(n.Shape()))}}
	}
	return terms
}

const maxFactored = 12

// factored builds C * (a*A + b*B), which stands in a sum beside others.
func (z *Simplifier) factored(f *factoring, a, b term, others []term, t *trace) *Node {
	part := func(p *product, ops []int, edge []int, coef *big.Rat) *product {
		q := &product{coef: coef, out: edge, vars: p.vars}
		for _, k := range ops {
			q.ops, q.in = append(q.ops, p.ops[k]), append(q.in, p.in[k])
		}
		q.compact()
		return q
	}
	x, y := part(f.a, f.restA, f.edgeA, a.coef), part(f.b, f.restB, f.edgeB, b.coef)
	around := func(inner *Node) *Node {
		q := &product{coef: one, out: f.a.out, vars: f.a.vars}
		for _, k := range f.common {
			q.ops, q.in = append(q.ops, f.a.ops[k]), append(q.in, f.a.in[k])
		}
		edge := f.edgeA
		if !distinct(edge) {
			// Scalars times a sum of the whole output.
			q.out, q.vars = upTo(len(q.out)), inner.Shape()
			edge = q.out
		}
		q.ops, q.in = append(q.ops, inner), append(q.in, edge)
		q.compact()
		return q.build(z.s)
	}
	if t != nil {
		t.to(nativeFactor, z.listed(others, around(z.s.Add(x.build(z.s), y.build(z.s)))))
	}
	sum := z.s.Add(z.within(t, x.build(z.s)), z.within(t, y.build(z.s)))
	return z.within(t, around(z.within(t, sum)))
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// arrange builds a product and brings it to normal form.
func (z *Simplifier) arrange(p *product) *Node { return z.normal(p.build(z.s)) }

// compact drops the variables that no longer occur; they were others' private ones.
func (p *product) compact() {
	used := make([]bool, len(p.vars))
	for _, g := range append(slices.Clone(p.in), p.out) {
		for _, v := range g {
			used[v] = true
		}
	}
	to := make([]int, len(p.vars))
	vars := p.vars[:0:0]
	for v, d := range p.vars {
		to[v] = len(vars)
		if used[v] {
			vars = append(vars, d)
		}
	}
	p.rename(to)
	p.vars = vars
}
