package normal

import (
	"cmp"
	"math/bits"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
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

// scalars groups the operands that share variables: each group without a variable of the result
// is a scalar, and all others are one group. It is nil where there is one.
func (p *product) scalars() [][]int {
	output := setOf(p.out)
	sets := lists.Map(p.in, setOf)
	for k, vars := range sets {
		if vars&output != 0 {
			sets[k] |= output
		}
	}
	g := newGrouping(sets, ^uint64(0))
	if len(g.vars) == 1 && !slices.Contains(g.owner, -1) {
		return nil
	}
	groups := g.operands()
	if len(groups) < 2 {
		return nil
	}
	slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	return groups
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
	return lists.Map(g, func(v int) int { return to[v] })
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
	if p.reach() != bits.OnesCount64(output) {
		return nil
	}
	g := newGrouping(lists.Map(p.in, setOf), ^output)
	g.absorb(output) // scalars are parts of their own
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

// newGrouping has operands, of which sets are the variables, in one group where they share variables of by; groups stand in the order of their first operands.
func newGrouping(sets []uint64, by uint64) grouping {
	g := grouping{vars: make([]uint64, 0, len(sets)), owner: make([]int, 0, len(sets))}
	merged := false
	for _, own := range sets {
		if own == 0 {
			g.owner = append(g.owner, -1)
			continue
		}
		at := len(g.vars)
		for i, w := range g.vars {
			if w&own&by == 0 {
				continue
			}
			if at == len(g.vars) {
				at, own = i, own|w
				continue
			}
			merged, own, g.vars[i] = true, own|w, 0
			for k, o := range g.owner {
				if o == i {
					g.owner[k] = at
				}
			}
		}
		if at == len(g.vars) {
			g.vars = append(g.vars, own)
		}
		g.vars[at] = own
		g.owner = append(g.owner, at)
	}
	if merged {
		g.compact()
	}
	return g
}

// compact drops groups without variables, which have no operands.
func (g *grouping) compact() {
	to, kept := make([]int, len(g.vars)), g.vars[:0]
	for i, w := range g.vars {
		if to[i] = len(kept); w != 0 {
			kept = append(kept, w)
		}
	}
	g.vars = kept
	for k, o := range g.owner {
		if o >= 0 {
			g.owner[k] = to[o]
		}
	}
}

// absorb merges groups with those that have all their variables of the set output.
func (g *grouping) absorb(output uint64) {
	for i := 0; i < len(g.vars); i++ {
		for j, b := range g.vars {
			if i == j || b&output == 0 || b&output&^g.vars[i] != 0 {
				continue
			}
			g.vars[i], g.vars[j] = g.vars[i]|b, 0
			for k, o := range g.owner {
				if o == j {
					g.owner[k] = i
				}
			}
			g.compact()
			i = -1
			break
		}
	}
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
