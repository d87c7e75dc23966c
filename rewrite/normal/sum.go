package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// term is coef * core in a sum, where core has coefficient 1.
type term struct {
	coef number
	core *Node
	// atomic: the core is a factor of its own, used elsewhere too, and is not taken apart.
	atomic bool
	whole  *Node    // the term itself, if it stood in the sum as the normal form has it
	p      *product // the core, while factors are looked for
	place  int      // among the pairs that are looked at
}

// sum normalises a sum: it is flattened through sums that are used once, equal terms
// are counted, common factors taken out.
func (z *Simplifier) sum(n *Node, t *trace) *Node {
	if z.chained(n) {
		return n
	}
	room := z.terms.free
	defer z.terms.giveBack(room)
	flat := z.summands(n)
	terms := z.likeTerms(flat.terms)
	if flat.kept && z.content(terms).isOne() && z.multiples.fresh(proportion(terms), n) {
		return n
	}
	if len(terms) == 0 {
		zero := z.s.Zero(n.Shape())
		t.to(nativeCollect, zero)
		return zero
	}
	factored := z.factorAll(terms, n, t)
	if len(factored) > 1 && z.joined(n, factored) && z.multiples.fresh(proportion(factored), n) {
		return n
	}
	m := z.join(factored)
	if len(factored) != len(terms) {
		z.settled = nil
	}
	t.to(nativeCollect, m)
	return m
}

// flatSum is a sum as a list of like terms, without those of coefficient 0.
type flatSum struct {
	terms []term // in the room of Simplifier.terms, which the caller gives back
	cut   bool   // one is a sum that was not looked into, since there are too many
	kept  bool   // and all are as they stood
}

// termsOf are the terms of the sum n.
func (z *Simplifier) termsOf(n *Node) []term { return z.summands(n).terms }

// summands flattens n, through sums that nothing else needs.
func (z *Simplifier) summands(n *Node) flatSum {
	if n.Addends() == 2 {
		if t, u := z.split(n.Arg(0)), z.split(n.Arg(1)); unlike(t, u) {
			if t.core.ID() > u.core.ID() {
				t, u = u, t
			}
			return flatSum{terms: append(z.terms.take(2), t, u)}
		}
	}
	taken := z.terms.take(maxTerms + 2)
	list := termList{terms: taken}
	var room [16]summand
	for stack := append(room[:0], summand{n, unit}); len(stack) > 0; {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		wide := len(stack)+len(list.terms) >= maxTerms
		if isSum(it.n) && (it.n == n || !wide && z.once(it.n)) {
			stack = append(stack, summand{it.n.Arg(1), it.coef}, summand{it.n.Arg(0), it.coef})
			continue
		}
		t := z.split(it.n)
		if isSum(t.core) && t.core != it.n && !wide && z.once(it.n) && z.once(t.core) {
			stack = append(stack, summand{t.core, it.coef.times(t.coef)})
			continue
		}
		if wide && isSum(t.core) {
			z.choices |= Width
		}
		list.add(t, it.coef, wide)
	}
	terms := slices.DeleteFunc(list.terms, func(t term) bool { return t.coef.sign() == 0 })
	collected := terms
	terms = z.cancel(terms)
	kept := list.cut && !list.merged && same(terms, collected)
	terms = z.terms.keep(terms, taken)
	z.sortTerms(terms)
	return flatSum{terms, list.cut, kept}
}

// unlike reports whether t and u are two terms, neither of them a sum or 0.
func unlike(t, u term) bool {
	return t.core != u.core && !isSum(t.core) && !isSum(u.core) && t.coef.sign()*u.coef.sign() != 0
}

// summand is coef * n, which is to be flattened.
type summand struct {
	n    *Node
	coef number
}

// termList collects like terms.
type termList struct {
	terms       []term
	index       termIndex
	cut, merged bool // see flatSum; a term is no longer as it stood
}

// add adds coef times t, one of many where that says so.
func (l *termList) add(t term, coef number, many bool) {
	c := coef.times(t.coef)
	if c.sign() == 0 {
		l.merged = true
		return
	}
	if i := l.index.find(l.terms, t.core); i >= 0 {
		l.terms[i].coef, l.terms[i].whole, l.merged = l.terms[i].coef.plus(c), nil, true
		return
	}
	if !coef.isOne() {
		t.coef, t.whole, l.merged = c, nil, true
	}
	l.cut = l.cut || many && isSum(t.core)
	l.terms = append(l.terms, t)
}

// sortTerms sorts terms whose cores are different. Those of a sum of sums that were sorted are a few runs,
// from the newest on or from the oldest.
func (z *Simplifier) sortTerms(terms []term) {
	room := z.terms.free
	defer z.terms.giveBack(room)
	sorted := run(terms)
	for runs := 1; sorted < len(terms); runs++ {
		if runs > maxRuns {
			slices.SortFunc(terms, func(a, b term) int { return a.core.ID() - b.core.ID() })
			return
		}
		next := sorted + run(terms[sorted:])
		first, second := append(z.terms.take(sorted), terms[:sorted]...), terms[sorted:next]
		for k := 0; len(first) > 0; k++ {
			if len(second) == 0 || first[0].core.ID() < second[0].core.ID() {
				terms[k], first = first[0], first[1:]
			} else {
				terms[k], second = second[0], second[1:]
			}
		}
		sorted = next
	}
}

// maxRuns bounds the runs that are merged one after the other.
const maxRuns = 4

// run is how many of terms are sorted from the first one on, turned round where they were so from the last.
func run(terms []term) int {
	n := min(1, len(terms))
	for n < len(terms) && terms[n-1].core.ID() < terms[n].core.ID() {
		n++
	}
	if n > 1 {
		return n
	}
	for n < len(terms) && terms[n-1].core.ID() > terms[n].core.ID() {
		n++
	}
	slices.Reverse(terms[:n])
	return n
}

// termIndex finds terms by their cores, in a few steps as long as there are not many.
type termIndex struct {
	slots [128]uint8 // places among the terms, from 1
}

// find is the place of core among terms; where there is none, -1, and the next place is its own.
func (x *termIndex) find(terms []term, core *Node) int {
	if len(terms) >= len(x.slots)/2 {
		return slices.IndexFunc(terms, func(t term) bool { return t.core == core })
	}
	h := core.ID() * 0x9e3779b1 >> 7
	for ; ; h++ {
		slot := &x.slots[h&(len(x.slots)-1)]
		if *slot == 0 {
			*slot = uint8(len(terms) + 1)
			return -1
		}
		if i := int(*slot) - 1; terms[i].core == core {
			return i
		}
	}
}

func isSum(n *Node) bool { return n.Atom() == atom.Add }

// identity reports whether the one operand of p is p itself.
func (p *product) identity() bool {
	return len(p.ops) == 1 && slices.Equal(p.in[0], p.out) && einsum.Distinct(p.out) && len(p.vars) == len(p.out)
}

// scaled is coef * core in normal form.
func (z *Simplifier) scaled(coef number, core *Node) *Node {
	if coef.isOne() {
		return core
	}
	p := open(core)
	p.coef = p.coef.times(coef)
	return p.build(z.s)
}

// content is the coefficient to take out of a sum: the smallest one in size of which all
// others are whole multiples, negative only if all are; 1 where taking it out would leave
// more coefficients than there were. Terms that take any coefficient up in a sum of theirs have none of
// their own; beside them, as many would be left as there were is too many.
func (z *Simplifier) content(terms []term) number {
	least := number{}
	negative := true
	before, taken := 0, z.taken(terms)
	for i, t := range terms {
		negative = negative && t.coef.sign() < 0
		if taken>>i&1 != 0 {
			continue
		}
		a := t.coef.abs()
		if !a.isOne() {
			before++
		}
		if least == (number{}) || a.compare(least) < 0 {
			least = a
		}
	}
	after := 1
	if taken != 0 {
		after++
	}
	if before == 0 {
		least = unit
	}
	for i, t := range terms {
		if taken>>i&1 != 0 {
			continue
		}
		if least.isOne() && t.coef.isInt() {
			if !t.coef.abs().isOne() {
				after++
			}
			continue
		}
		q := t.coef.abs().over(least)
		if !q.isInt() {
			after = before + 1
			break
		}
		if !q.isOne() {
			after++
		}
	}
	if after > before || least.huge() { // where numbers grow, they stay where they are
		least = unit
	}
	if negative {
		least = least.neg()
	}
	return least
}

// taken marks the terms that take any coefficient up, where some term has one.
func (z *Simplifier) taken(terms []term) (set uint64) {
	if len(terms) > 64 || !slices.ContainsFunc(terms, func(t term) bool { return !t.coef.abs().isOne() }) {
		return 0
	}
	for i, t := range terms {
		if z.takesAny(t) {
			set |= 1 << i
		}
	}
	return set
}

// takesAny reports whether the core of t is a product of one sum, which nothing else needs, and in which
// the coefficients have no common one: distributed has a number in them, whatever it is.
func (z *Simplifier) takesAny(t term) bool {
	if t.core.Ein() == nil || t.atomic || opaque(t.core) {
		return false
	}
	var sum *Node
	for _, a := range t.core.Args() {
		if isSum(a) {
			if sum != nil {
				return false
			}
			sum = a
		}
	}
	if sum == nil || !z.once(sum) {
		return false
	}
	var room [8]number
	coefs := room[:0]
	var stackRoom [8]*Node
	for open := append(stackRoom[:0], sum); len(open) > 0 && len(coefs) < maxFactored; {
		a := open[len(open)-1]
		open = open[:len(open)-1]
		if isSum(a) && (a == sum || z.once(a)) {
			open = append(open, a.Args()...)
		} else {
			coefs = append(coefs, z.split(a).coef.abs())
		}
	}
	least := coefs[0]
	for _, c := range coefs {
		if c.compare(least) < 0 {
			least = c
		}
	}
	return slices.ContainsFunc(coefs, func(c number) bool { return !c.over(least).isInt() })
}

// factorAll takes common factors out of pairs of terms, the largest first.
func (z *Simplifier) factorAll(terms []term, n *Node, t *trace) []term {
	if len(terms) > maxFactored {
		z.choices |= Width
	}
	if len(terms) < 2 || len(terms) > maxFactored || !slices.ContainsFunc(terms, term.composite) {
		return terms
	}
	nodes, groups, products, factorings, ints := z.nodes.free, z.groups.free, z.products.free, z.factorings.free, z.ints.free
	tables := z.tables.free
	defer func() {
		z.tables.giveBack(tables)
		z.nodes.giveBack(nodes)
		z.groups.giveBack(groups)
		z.products.giveBack(products)
		z.factorings.giveBack(factorings)
		z.ints.giveBack(ints)
	}()
	for i := range terms {
		if z.open(&terms[i]); slices.ContainsFunc(terms[i].p.ops, isSum) && !terms[i].p.identity() {
			z.choices |= Factoring // one was taken out before
		}
	}
	if len(terms) > 2 && !anyPair(terms) {
		return terms
	}
	pairs := z.pairsOf(terms, t != nil)
	for len(terms) > 1 {
		best, bi, bj := pairs.best(terms)
		if best == nil {
			break
		}
		a, b := terms[bi], terms[bj]
		if len(terms) > 2 || len(best.restA)+len(best.restB) == 0 { // or one term but for what it is at a zero
			z.choices |= Factoring
		}
		t.lazily(nativeCollect, func() *Node { return z.listed(terms) })
		terms = slices.Delete(terms, bj, bj+1)
		terms = slices.Delete(terms, bi, bi+1)
		u := z.split(z.factored(best, a, b, terms, t))
		if u.coef.sign() == 0 {
			continue
		}
		if i := slices.IndexFunc(terms, func(v term) bool { return v.core == u.core }); i >= 0 {
			u.coef, u.whole = terms[i].coef.plus(u.coef), nil
			terms = slices.Delete(terms, i, i+1)
			if u.coef.sign() == 0 {
				continue
			}
		}
		z.open(&u)
		terms = pairs.add(terms, u)
	}
	if len(terms) == 0 {
		terms = []term{{coef: whole(0), core: z.s.Ones(n.Shape())}}
	}
	z.sortTerms(terms)
	return terms
}

const maxFactored = 12

// composite reports whether the core may share factors or a map with another one: it is more than one
// factor at the indices of the sum.
func (t term) composite() bool {
	return t.core.Ein() != nil && !t.atomic || t.core.Atom() == atom.Power || t.core.Guard() != combinators.GuardNone
}

// open writes the core as a product, with its whole powers written out.
func (z *Simplifier) open(t *term) {
	var p product
	if t.atomic && t.core.Ein() != nil {
		p = factor(t.core, &z.nodes, &z.groups)
	} else {
		p = openIn(t.core, &z.nodes, &z.groups)
	}
	p.expand()
	t.p = &append(z.products.take(1), p)[0]
}

// factored builds C * (a*A + b*B), which stands in a sum beside others.
func (z *Simplifier) factored(f *factoring, a, b term, others []term, t *trace) *Node {
	part := func(p *product, ks []int, edge []int, coef number) product {
		q := z.part(p, ks, 0)
		q.coef, q.out = coef, edge
		q.compact()
		return q
	}
	if k := f.place(a, b); k >= 0 {
		return z.exchanged(f, a, b, k, others, t)
	}
	x, y := part(f.a, f.restA, f.edgeA, a.coef), part(f.b, f.restB, f.edgeB, b.coef)
	around := func(inner *Node) *Node {
		q := z.part(f.a, f.common, 1)
		q.coef, q.out = unit, f.a.out
		edge := f.edgeA
		if !einsum.Distinct(edge) {
			// Scalars times a sum of the whole output.
			q.out, q.vars = letters(len(q.out)), inner.Shape()
			edge = q.out
		}
		q.ops, q.in = append(q.ops, inner), append(q.in, edge)
		q.compact()
		return q.build(z.s)
	}
	t.lazily(nativeFactor, func() *Node { return z.listed(others, around(z.s.Add(x.build(z.s), y.build(z.s)))) })
	left, right := z.addend(t, &x), z.addend(t, &y)
	sum := z.s.Add(left, right)
	if f.quotient {
		flat := z.total(z.collected(left, right), sum.Shape())
		t.part(nativeCollect, sum, flat)
		sum = flat
	}
	sum = z.within(t, sum)
	z.joinUses(f, a, b, others)
	return z.within(t, around(sum))
}

// addend is the normal form of p as a term of a sum, which writes multiples of products as one product.
func (z *Simplifier) addend(t *trace, p *product) *Node {
	if p.coef.isOne() || !p.identity() || p.ops[0].Ein() == nil || opaque(p.ops[0]) {
		return z.within(t, p.build(z.s))
	}
	n := z.scaled(p.coef, p.ops[0])
	if t != nil {
		t.part(nativeFuse, p.build(z.s), n)
	}
	if k := z.known.At(n); k.done == 0 {
		k.done = placeOf(n) // its operands are not known to have another use
	}
	return n
}

// joinUses notes that the common factors of the terms a and b of a sum, which nothing else needs, are now those
// of one term: it is multiplied out before it meets the other terms. Where there are none, the next pass does so
// in one go with what stands around the sum; see postpone.
func (z *Simplifier) joinUses(f *factoring, a, b term, others []term) {
	if z.trying || len(others) == 0 {
		return
	}
	for _, k := range f.common {
		x := f.a.ops[k]
		if u := z.known.At(x); u.uses > 1 && z.stands(x, a.whole) && z.stands(x, b.whole) {
			u.uses--
		}
	}
}

// stands reports whether x is the term n of a sum, or a factor of it where nothing else needs n.
func (z *Simplifier) stands(x, n *Node) bool {
	return n != nil && (x == n || n.Ein() != nil && z.once(n) && slices.Contains(n.Args(), x))
}

// part has the operands ks of p, with room for so many more, in the room of z.
func (z *Simplifier) part(p *product, ks []int, more int) product {
	q := product{ops: z.nodes.take(len(ks) + more), in: z.groups.take(len(ks) + more), vars: p.vars}
	for _, k := range ks {
		q.ops, q.in = append(q.ops, p.ops[k]), append(q.in, p.in[k])
	}
	return q
}

// compact drops the variables that no longer occur; they were others' private ones.
func (p *product) compact() {
	if p.hasFree() {
		p.drop(p.unused())
	}
}

// unused marks the variables that occur nowhere.
func (p *product) unused() []bool {
	free := slices.Repeat([]bool{true}, len(p.vars))
	for _, g := range p.in {
		for _, v := range g {
			free[v] = false
		}
	}
	for _, v := range p.out {
		free[v] = false
	}
	return free
}

// drop leaves out variables that occur nowhere.
func (p *product) drop(dropped []bool) {
	to := make([]int, len(p.vars))
	vars := make([]size.Size, 0, len(p.vars))
	for v, d := range p.vars {
		to[v] = len(vars)
		if !dropped[v] {
			vars = append(vars, d)
		}
	}
	p.rename(to)
	p.vars = vars
}
