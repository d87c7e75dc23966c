package normal

import (
	"cmp"
	"math/bits"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
)

// A product that was flattened may have a part twice that nothing else of it meets: the sum of an operand
// over axes that only it has, or a scalar, factors that share summed axes among themselves. Such a part is
// computed once, whether it was written so or not:
//
//	c(i,j,k->; a, a, a) = s^3, s = c(i->; a)

// regrouped writes parts of p that stand in it twice as one value.
func (z *Simplifier) regrouped(p product, t *trace) product {
	if z.Flatten || len(p.vars) > 64 || !p.recurs() {
		return p
	}
	for range p.ops {
		parts := z.sums(&p)
		if parts == nil {
			break
		}
		p = z.sharing(p, parts, t)
	}
	if !p.recurs() {
		return p
	}
	return z.sharing(p, z.scalarParts(&p), t)
}

// inner is a part of a product: its operands, as one value over the variables out.
type inner struct {
	group []int
	value *Node
	out   []int
}

// sums finds sums of one operand that stand twice in p: where it is summed over more axes in one place than
// in another, those that are summed in both.
func (z *Simplifier) sums(p *product) (parts []inner) {
	var room [maxOperands]uint64
	private, some := p.privateAxes(room[:0])
	if !some {
		return nil
	}
	most, op := uint64(0), (*Node)(nil)
	score := func(a *Node, axes uint64) {
		if c := cmp.Or(bits.OnesCount64(axes)-bits.OnesCount64(most), -cmp.Compare(axes, most)); axes != 0 && (op == nil || c > 0) {
			most, op = axes, a
		}
	}
	for k, a := range p.ops {
		for l, b := range p.ops {
			switch {
			case l < k && a == b:
				score(a, private[k]&private[l])
			case l != k && private[k] != 0 && summed(b) == a:
				score(a, private[k]&axesOf(b))
			}
		}
	}
	if op == nil {
		return nil
	}
	for k, a := range p.ops {
		if a != op || private[k]&most != most {
			continue
		}
		q := product{coef: unit, ops: []*Node{a}, in: [][]int{letters(a.Order())}, vars: a.Shape()}
		var out []int
		for i, v := range p.in[k] {
			if most>>i&1 == 0 {
				q.out, out = append(q.out, i), append(out, v)
			}
		}
		parts = append(parts, inner{[]int{k}, q.build(z.s), out})
	}
	return parts
}

// privateAxes appends the axes of each operand of p whose variables stand nowhere else, and says whether there are some.
func (p *product) privateAxes(private []uint64) (axes []uint64, some bool) {
	var met [64]int32 // how often each variable stands anywhere
	if len(p.vars) > len(met) || len(p.ops) > maxOperands {
		return nil, false
	}
	for _, v := range p.out {
		met[v]++
	}
	for _, g := range p.in {
		for _, v := range g {
			met[v]++
		}
	}
	for _, g := range p.in {
		own := uint64(0)
		for i, v := range g {
			if i < 64 && met[v] == 1 {
				own |= 1 << i
			}
		}
		private, some = append(private, own), some || own != 0
	}
	return private, some
}

// axesOf are the axes over which b, or what b is a power of, sums its one operand; none where it does more.
func axesOf(b *Node) (axes uint64) {
	if b.Atom() == atom.Power {
		b = b.Arg(0)
	}
	in, out, plain := b.Ein().IsPlain()
	if !plain || !einsum.Distinct(in[0]) || !einsum.Distinct(out) || len(b.Ein().Vars) != len(in[0]) {
		return 0
	}
	last := -1
	for i, v := range in[0] {
		at := slices.Index(out, v)
		switch {
		case at < 0 && i < 64:
			axes |= 1 << i
		case at < last:
			return 0 // a transpose, too
		default:
			last = at
		}
	}
	return axes
}

// scalarParts are scalars that stand twice in p, of operands that share summed variables.
func (z *Simplifier) scalarParts(p *product) (parts []inner) {
	groups := p.scalars()
	if groups == nil {
		return nil
	}
	counts := map[*Node]int{}
	for _, b := range p.ops {
		if b.Atom() == atom.Power {
			b = b.Arg(0)
		}
		counts[b]++
	}
	for _, group := range groups {
		q := z.part(p, group, 0)
		q.coef = unit
		if len(q.in[0]) == 0 || slices.ContainsFunc(q.in, func(g []int) bool {
			return slices.ContainsFunc(g, func(v int) bool { return slices.Contains(p.out, v) })
		}) {
			continue
		}
		q.compact()
		x := q.build(z.s)
		parts = append(parts, inner{group: group, value: x})
		counts[x]++
	}
	return slices.DeleteFunc(parts, func(x inner) bool { return counts[x.value] < 2 })
}

// recurs reports whether p may have a part twice: an operand, or one that stands alone in another.
func (p *product) recurs() bool {
	seen := uint64(0)
	for i, a := range p.ops {
		mark := uint64(1) << (a.ID() & 63)
		if seen&mark != 0 {
			for j, b := range p.ops[:i] {
				if a == b && !slices.Equal(p.in[i], p.in[j]) {
					return true
				}
			}
		}
		seen |= mark
		if b := summed(a); b != nil && slices.Contains(p.ops, b) {
			return true
		}
		if p.has(a) {
			return true
		}
	}
	return false
}

// has reports whether the operands of the scalar a, or of what a is a power of, are operands of p, too.
func (p *product) has(a *Node) bool {
	if a.Atom() == atom.Power {
		a = a.Arg(0)
	}
	if a.Ein() == nil || a.Order() > 0 || len(a.Args()) < 2 {
		return false
	}
	return !slices.ContainsFunc(a.Args(), func(b *Node) bool { return !slices.Contains(p.ops, b) })
}

// summed is the value of which n, or what n is a power of, is a sum over axes.
func summed(n *Node) *Node {
	if n.Atom() == atom.Power {
		n = n.Arg(0)
	}
	if n.Ein() == nil || len(n.Args()) != 1 {
		return nil
	}
	return n.Arg(0)
}

// sharing writes parts of p as one value each.
func (z *Simplifier) sharing(p product, parts []inner, t *trace) product {
	if len(parts) == 0 {
		return p
	}
	q := product{coef: p.coef, out: p.out, vars: p.vars}
	for _, x := range parts {
		q.ops, q.in = append(q.ops, x.value), append(q.in, x.out)
	}
	for k, a := range p.ops {
		if !slices.ContainsFunc(parts, func(x inner) bool { return slices.Contains(x.group, k) }) {
			q.ops, q.in = append(q.ops, a), append(q.in, p.in[k])
		}
	}
	q.compact()
	t.product(nativeOuter, &q)
	q.ops = slices.Clone(q.ops) // the node may have the others
	for i, x := range q.ops[:len(parts)] {
		y := z.within(t, x)
		if k := z.known.At(y); k.uses < 2 {
			k.uses = 2
		}
		q.ops[i] = y
	}
	return q
}
