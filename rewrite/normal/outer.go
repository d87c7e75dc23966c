package normal

import (
	"math/bits"
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
)

// outerParts takes an outer product apart that is used more than once, or is too wide to be
// fused into its user, which has so many other operands, and of which a is a factor that nothing else
// needs, several times, where own says so: its parts stay shared, and only the product of the parts, which costs more than they do, moves to the users. So a derivative
// keeps its outer factors outside (Laue et al. 3.3: compression).
// It gives the contraction of the parts that is a, nil where a is no such product.
func (z *Simplifier) outerParts(a *Node, others int, own bool) (*einsum.Contraction, []*product) {
	if a.Ein() == nil || len(a.Args()) < 2 || a.Order() < 2 && !own || z.once(a) && others+len(a.Args()) <= maxOperands {
		return nil, nil
	}
	p := open(a)
	groups := p.components()
	embedded := z.embedded(&p)
	wide := others+len(groups) > maxOperands
	switch {
	case embedded != nil:
		groups = [][]int{embedded}
	case len(groups) > 1 && !(z.once(a) && wide):
	case len(groups) > 1 || !own || z.free(a) || opaque(a) || p.hasFree():
		return nil, nil
	default:
		if groups = p.factorsApart(); groups == nil || others+len(groups) > maxOperands {
			return nil, nil
		}
		z.unsettled = true
	}
	return p.parts(z, groups)
}

// factorsApart groups the operands of p so that scalars are parts of their own, and so is a number; nil where there
// is none.
func (p *product) factorsApart() [][]int {
	if groups := p.scalars(); groups != nil || p.coef.isOne() {
		return groups
	}
	return [][]int{einsum.UpTo(len(p.ops))}
}

// parts are the products of the groups of operands of p, with its number, and the contraction of these that
// p is.
func (p *product) parts(z *Simplifier, groups [][]int) (*einsum.Contraction, []*product) {
	var parts []*product
	var in [][]int
	for _, g := range groups {
		q := &product{coef: unit, vars: p.vars}
		for _, k := range g {
			q.ops, q.in = append(q.ops, p.ops[k]), append(q.in, p.in[k])
		}
		// The axes stand as in the operands, in an order of these that depends on what they are.
		if q.takeAxes(letters(len(q.ops)), p.out); len(q.out) > 1 && len(q.ops) > 1 {
			_, perm := z.s.Plain(q.in, nil, q.vars).Canon(z.Labels(q.ops))
			q.takeAxes(perm, p.out)
		}
		in = append(in, q.out)
		q.compact()
		parts = append(parts, q)
	}
	if !p.coef.isOne() {
		parts, in = append(parts, &product{coef: p.coef}), append(in, nil)
	}
	used := make([]int, len(p.vars))
	var dims []size.Size
	for v := range used {
		used[v] = len(dims)
		if slices.Contains(p.out, v) {
			dims = append(dims, p.vars[v])
		}
	}
	for k, g := range in {
		in[k] = renamed(g, used)
	}
	return z.s.Plain(in, renamed(p.out, used), dims), parts
}

// takeAxes gives the result of p those of the axes out that its operands have, as they stand there: operand
// order[0] first.
func (p *product) takeAxes(order, out []int) {
	p.out = nil
	for _, k := range order {
		for _, v := range p.in[k] {
			if slices.Contains(out, v) && !slices.Contains(p.out, v) {
				p.out = append(p.out, v)
			}
		}
	}
}

// scalars groups the operands that share summed variables: each group without a variable of the result
// is a scalar, and all others are one group. It is nil where there is one.
func (p *product) scalars() [][]int {
	var output uint64
	for _, v := range p.out {
		output |= 1 << v
	}
	var room [maxOperands]uint64
	vars := room[:0] // of the groups
	var ownerRoom [maxOperands]int
	owner := ownerRoom[:0]
	alive := 0
	for k, g := range p.in {
		own := uint64(0)
		for _, v := range g {
			own |= 1 << v
		}
		at := -1
		for i, w := range vars {
			if w&own == 0 && (w&output == 0 || own&output == 0) {
				continue
			}
			if at < 0 {
				at = i
				own |= w
				vars[i] = own
				continue
			}
			vars[at] |= w
			vars[i] = 0
			alive--
			for j, o := range owner[:k] {
				if o == i {
					owner[j] = at
				}
			}
		}
		if at < 0 {
			at, vars = len(vars), append(vars, own)
			alive++
		}
		owner = append(owner, at)
	}
	if alive < 2 {
		return nil
	}
	groups := make([][]int, len(vars))
	for k, o := range owner {
		groups[o] = append(groups[o], k)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
}

// embedded has all operands of p where its result repeats letters: the product of the operands is one
// part, which an identity spreads over the axes of the result.
//
//	x *(i,j->iji) y = (x *(i,j->ij) y) *(ij->iji)
func (z *Simplifier) embedded(p *product) []int {
	if p.hasFree() || einsum.Distinct(p.out) {
		return nil
	}
	// Its axes stand as in the operands, in an order of these that depends on what they are.
	_, perm := z.s.Plain(p.in, nil, p.vars).Canon(z.Labels(p.ops))
	return perm
}

// normalParts are the normal forms of the parts of an outer product a, as shared as a is. whole is
// the product in which they stand.
func (z *Simplifier) normalParts(a *Node, parts []*product, t *trace, whole func([]*Node) *Node) []*Node {
	out := make([]*Node, len(parts))
	if t != nil {
		for i, q := range parts {
			out[i] = q.build(z.s)
		}
		t.to(nativeOuter, whole(out))
	}
	for i, q := range parts {
		n := z.within(t, q.build(z.s))
		z.known.At(n).uses = max(z.uses(n), z.uses(a))
		out[i] = n
	}
	return out
}

func renamed(g, to []int) []int {
	out := make([]int, len(g))
	for i, v := range g {
		out[i] = to[v]
	}
	return out
}

// components groups the operands that share summed variables, and then groups one of
// which has all the output variables of the other. There is one group, nil, where the
// product is of no higher order than a part, or an output variable has no operand.
func (p *product) components() [][]int {
	if len(p.ops) == 0 || p.hasFree() {
		return nil
	}
	output := setOf(p.out)
	if bits.OnesCount64(output) < 2 {
		return nil
	}
	var groupRoom [16]uint64
	var ownerRoom [32]int
	g := grouping{vars: groupRoom[:0], owner: ownerRoom[:0]}
	all := uint64(0)
	for _, in := range p.in {
		all |= setOf(in)
		g = g.add(setOf(in))
	}
	if all&output != output {
		return nil
	}
	g = g.join(func(a, b uint64) bool { return a&b&^output != 0 })
	g = g.join(func(a, b uint64) bool { return b&output != 0 && b&output&^a == 0 }) // scalars are parts of their own
	proper := 0
	for _, vars := range g.vars {
		if vars&output != 0 {
			proper++
		}
		if bits.OnesCount64(vars&output) >= bits.OnesCount64(output) {
			return nil
		}
	}
	if proper < 2 {
		return nil
	}
	return g.operands()
}

func setOf(vars []int) (set uint64) {
	for _, v := range vars {
		set |= 1 << v
	}
	return set
}

// grouping puts operands into groups.
type grouping struct {
	vars  []uint64 // of the groups
	owner []int    // the groups of operands, -1 of those without variables
}

// add adds an operand with these variables as a group.
func (g grouping) add(vars uint64) grouping {
	if vars == 0 {
		g.owner = append(g.owner, -1)
		return g
	}
	g.owner = append(g.owner, len(g.vars))
	g.vars = append(g.vars, vars)
	return g
}

// join merges groups until no two of them are related.
func (g grouping) join(related func(a, b uint64) bool) grouping {
	for i := 0; i < len(g.vars); i++ {
		for j := 0; j < len(g.vars); j++ {
			if i == j || !related(g.vars[i], g.vars[j]) {
				continue
			}
			g.vars[i] |= g.vars[j]
			g.vars = slices.Delete(g.vars, j, j+1)
			for k, o := range g.owner {
				if o == j {
					o, g.owner[k] = i, i
				}
				if o > j {
					g.owner[k] = o - 1
				}
			}
			i, j = 0, -1
		}
	}
	return g
}

// operands are those of each group; each without variables is a part of its own, behind the others, whichever came first.
func (g *grouping) operands() [][]int {
	out := make([][]int, len(g.vars))
	for k, o := range g.owner {
		if o >= 0 {
			out[o] = append(out[o], k)
		}
	}
	for k, o := range g.owner {
		if o < 0 {
			out = append(out, []int{k})
		}
	}
	return out
}
