package normal

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
)

// Sums that are multiples of one another are written as multiples of one of them, so that they
// are computed once, and so that a - b and b - a meet. Which one that is depends on all that are
// part of the whole, and not on which was met first: a pass builds each sum as it is by itself,
// and where the term that the pass gave has several, the next pass writes all by one.
type multiples struct {
	first   map[uint64]*Node   // a sum that was built, by the proportion of its terms
	others  map[uint64][]*Node // all of them, where there are several
	elected map[uint64]*Node   // by which the others are written
	chosen  bool               // in some pass, one was
}

func newMultiples() multiples {
	return multiples{first: map[uint64]*Node{}, others: map[uint64][]*Node{}, elected: map[uint64]*Node{}}
}

func (m *multiples) clear() {
	clear(m.first)
	clear(m.others)
	clear(m.elected)
	m.chosen = false
}

// add notes that a sum was built.
func (m *multiples) add(key uint64, sum *Node) {
	switch first := m.first[key]; {
	case first == nil:
		m.first[key] = sum
	case first != sum && !slices.Contains(m.others[key], sum):
		if m.others[key] == nil {
			m.others[key] = []*Node{first}
		}
		m.others[key] = append(m.others[key], sum)
	}
}

// fresh registers a sum under the hash of its terms up to a factor; it reports false where another multiple was elected.
func (m *multiples) fresh(key uint64, sum *Node) bool {
	if len(m.elected) > 0 && m.elected[key] != nil {
		return false
	}
	m.add(key, sum)
	return true
}

// elect chooses among the multiples of one sum that are part of the term of this pass.
func (z *Simplifier) elect() {
	clear(z.multiples.elected)
	for _, key := range slices.Sorted(maps.Keys(z.multiples.others)) { // in one order: nodes may be built
		sums := z.multiples.others[key]
		best := (*Node)(nil)
		live := 0
		for _, s := range sums {
			if z.known.Look(s).old == 0 {
				continue
			}
			live++
			if best == nil || z.simpler(s, best) {
				best = s
			}
		}
		if live < 2 {
			continue
		}
		z.choices |= Proportion
		z.multiples.elected[key], z.multiples.chosen = best, true
		for _, s := range sums {
			z.known.At(s).stable = 0
		}
	}
}

// unelected reports whether some multiples of one sum that are part of the term were met for the first time in
// this pass.
func (z *Simplifier) unelected() bool {
	for key, sums := range z.multiples.others {
		live := 0
		for _, s := range sums {
			if z.known.Look(s).old > 0 {
				live++
			}
		}
		if live > 1 && z.multiples.elected[key] == nil {
			return true
		}
	}
	return false
}

// simpler orders sums of the same terms: fewer numbers first, then fewer minus signs, then what
// is used more; and at last by the numbers of the terms in the order of their fingerprints.
func (z *Simplifier) simpler(a, b *Node) bool {
	room := z.terms.free
	defer z.terms.giveBack(room)
	x, y := z.termsOf(a), z.termsOf(b)
	count := func(terms []term, of func(number) bool) int {
		n := 0
		for _, t := range terms {
			if of(t.coef) {
				n++
			}
		}
		return n
	}
	numbers := func(c number) bool { return !c.abs().isOne() }
	negative := func(c number) bool { return c.sign() < 0 }
	byFingerprint := func(a, b term) int { return cmp.Compare(z.fingerprint(a.core), z.fingerprint(b.core)) }
	slices.SortStableFunc(x, byFingerprint)
	slices.SortStableFunc(y, byFingerprint)
	return cmp.Or(
		cmp.Compare(count(x, numbers), count(y, numbers)),
		cmp.Compare(count(x, negative), count(y, negative)),
		-cmp.Compare(z.known.Look(a).old, z.known.Look(b).old),
		slices.CompareFunc(x, y, func(t, u term) int { return t.coef.compare(u.coef) }),
	) < 0
}

// join builds the sum of terms. A coefficient that all terms share is taken out, and a sum that
// is to be written as a multiple of another is that multiple.
func (z *Simplifier) join(terms []term) *Node {
	if len(terms) == 1 {
		return z.scaled(terms[0].coef, terms[0].core)
	}
	lead := terms[0].coef
	key := proportion(terms)
	if other, ok := z.multiples.elected[key]; ok {
		// What is used more now is flattened less: the terms may have changed, and so may the hash lie.
		first := z.termsOf(other)
		if len(first) == len(terms) && proportional(first, terms) {
			return z.scaled(lead.over(first[0].coef), other)
		}
	}
	content := z.content(terms)
	var sum *Node
	settled := content.isOne() && len(terms) < maxTerms-1
	for i, t := range terms {
		u := t.whole
		if u == nil || !content.isOne() {
			u = z.scaled(t.coef.over(content), t.core)
			settled = settled && (t.core.Ein() == nil || len(t.core.Args()) == 0) // what is multiplied out may be split in another way
		}
		settled = settled && !isSum(t.core)
		if sum == nil {
			sum = u
			continue
		}
		settled = settled && (!isSum(sum) || z.once(sum))
		if k := z.known.At(sum); k.done == 0 && i > 1 {
			// A part of a normal sum is not looked at again: a sum of n terms would
			// otherwise cost the cube of n.
			k.done = placeOf(sum)
		}
		sum = z.s.Add(sum, u)
	}
	z.multiples.add(key, sum)
	if settled {
		z.settled = sum // its terms are these again
	} else if k := z.known.At(sum); k.done == 0 {
		k.done = placeOf(sum)
	}
	return z.scaled(content, sum)
}

// maxCompared is how many terms of a sum that is too long to be factored tell its proportion.
const maxCompared = 4

// proportion hashes terms up to a common factor; of many terms, the last ones.
func proportion(terms []term) uint64 {
	if len(terms) > maxFactored {
		return proportionOf(terms[len(terms)-maxCompared:], maxFactored+1)
	}
	return proportionOf(terms, len(terms))
}

// proportionOf is the proportion of so many terms, or more, of which these are the last.
func proportionOf(terms []term, count int) uint64 {
	h, lead := uint64(count), terms[0].coef
	for _, t := range terms {
		r := t.coef.over(lead)
		h = h*0x9e3779b97f4a7c15 ^ uint64(t.core.ID())
		h = h*0x9e3779b97f4a7c15 ^ uint64(r.num)
		h = h*0x9e3779b97f4a7c15 ^ uint64(r.den)
		h ^= h >> 29
	}
	return h
}

// proportional reports whether two lists of terms differ by a common factor.
func proportional(a, b []term) bool {
	for i := range a {
		if a[i].core != b[i].core || !a[i].coef.over(a[0].coef).equal(b[i].coef.over(b[0].coef)) {
			return false
		}
	}
	return true
}

// distributed writes the sums among the factors of p as the best of their multiples. Where there is one
// sum, that is the one that p is with its number; where there are several, each is a primitive one, but
// for one that takes the number up if that costs nothing. It is nil where they are written so.
func (z *Simplifier) distributed(p *product, t *trace) *Node {
	var sums []int
	for k, a := range p.ops {
		if isSum(a) {
			sums = append(sums, k)
		}
	}
	if len(sums) == 0 || p.coef.sign() == 0 || len(sums) == 1 && p.coef.isOne() || z.plainSums(p, sums) {
		return nil
	}
	whole := *p // a copy, so that p stays on the stack where nothing is distributed
	d := distribution{z: z, p: &whole, q: whole}
	open := d.primitives(sums)
	byFingerprint := func(a, b *Node) int { return cmp.Compare(z.fingerprint(a), z.fingerprint(b)) }
	sign := d.q.coef.abs().isOne() // there is no number to take up but a sign, for which few fingerprints matter
	if !sign {
		slices.SortStableFunc(open, byFingerprint)
	}
	if d.q.coef.sign() < 0 {
		d.takeSign(open, byFingerprint)
	}
	if sign && !d.q.coef.isOne() {
		slices.SortStableFunc(open, byFingerprint)
	}
	for _, a := range open {
		if !d.q.coef.isOne() && occurrences(d.q.ops, a) == 1 && z.takes(a, d.q.coef) {
			d.by(a, d.q.coef)
		}
	}
	if same(d.q.ops, p.ops) || d.q.coef.equal(p.coef) && slices.Equal(d.q.ops, p.ops) {
		return nil
	}
	m := d.q.build(z.s)
	t.to(nativeDistribute, m)
	return m
}

// plainSums reports whether the sums of p, of which there are several, are the best of their multiples: without numbers,
// and with no more minus signs than others. It notes where two may take a sign.
func (z *Simplifier) plainSums(p *product, sums []int) bool {
	balanced := 0 // sums that have as many minus signs as their negatives
	plain := len(sums) > 1 && p.coef.sign() > 0
	for _, k := range sums {
		numbers, negative, n := z.signs(p.ops[k])
		plain = plain && numbers == 0 && 2*negative <= n
		if 2*negative == n {
			balanced++
		}
	}
	if balanced > 1 {
		z.choices |= Proportion
	}
	return plain
}

// distribution writes the sums among the factors of p as others of their multiples, which gives q.
type distribution struct {
	z *Simplifier
	p *product
	q product
}

// put writes a as inverse * core.
func (d *distribution) put(a, core *Node, inverse number) *Node {
	if core == a {
		return a
	}
	if same(d.q.ops, d.p.ops) {
		d.q.ops = slices.Clone(d.p.ops)
	}
	for i, b := range d.q.ops {
		if b == a {
			d.q.ops[i], d.q.coef = core, d.q.coef.times(inverse)
		}
	}
	return core
}

// by writes a by its c-fold.
func (d *distribution) by(a *Node, c number) *Node {
	core, inverse := d.z.multiple(a, c)
	return d.put(a, core, inverse)
}

// primitives writes sums that nothing else needs as the best of their multiples, and gives these; one alone takes
// the number up.
func (d *distribution) primitives(sums []int) (open []*Node) {
	for _, k := range sums {
		a := d.p.ops[k]
		if slices.Contains(d.p.ops[:k], a) || d.z.uses(a) > max(1, int32(occurrences(d.p.ops, a))) {
			continue
		}
		if len(sums) == 1 {
			d.by(a, d.p.coef)
			break
		}
		core, inverse := d.z.primitive(a)
		if a = d.put(a, core, inverse); isSum(a) {
			open = append(open, a)
		}
	}
	return open
}

// takeSign gives the minus sign of q to one of the sums open that take it for nothing.
func (d *distribution) takeSign(open []*Node, byFingerprint func(a, b *Node) int) {
	var either []int
	for i, a := range open {
		if _, negative, n := d.z.signs(a); 2*negative == n && occurrences(d.q.ops, a)%2 == 1 {
			either = append(either, i)
		}
	}
	slices.SortStableFunc(either, func(i, j int) int { return byFingerprint(open[i], open[j]) })
	for _, i := range either {
		if d.q.coef.sign() < 0 {
			open[i] = d.by(open[i], whole(-1))
		}
	}
}

// signs counts the terms of the sum a with numbers other than 1 and -1, with minus signs, and all, at
// most maxTerms.
func (z *Simplifier) signs(a *Node) (numbers, negative, all int) {
	var room [8]*Node
	for open := append(room[:0], a.Args()...); len(open) > 0 && all < maxTerms; {
		b := open[len(open)-1]
		open = open[:len(open)-1]
		if isSum(b) && z.once(b) {
			open = append(open, b.Args()...)
			continue
		}
		coef := z.split(b).coef
		if coef.sign() < 0 {
			negative++
		}
		if !coef.abs().isOne() {
			numbers++
		}
		all++
	}
	return numbers, negative, all
}

// takes reports whether the sum a has no more numbers, and no fractions, where it is multiplied by c.
func (z *Simplifier) takes(a *Node, c number) bool {
	room := z.terms.free
	defer z.terms.giveBack(room)
	more := 0
	for _, t := range z.termsOf(a) {
		u := t.coef.times(c)
		if !u.isInt() || u.sign() < 0 && t.coef.sign() > 0 {
			return false
		}
		if !u.abs().isOne() {
			more++
		}
		if !t.coef.abs().isOne() {
			more--
		}
	}
	return more <= 0
}

// multiple writes the sum a as inverse * core, where core is a times by, or what join makes of that.
func (z *Simplifier) multiple(a *Node, by number) (core *Node, inverse number) {
	room := z.terms.free
	defer z.terms.giveBack(room)
	return z.times(a, z.summands(a), by)
}

// times is multiple of a, flattened. A sum that is not seen as a whole stays: added up
// again, its terms would be associated in another way, in which others of them are seen, and so without end.
func (z *Simplifier) times(a *Node, flat flatSum, by number) (core *Node, inverse number) {
	terms := flat.terms
	if len(terms) == 0 || flat.cut || by.isOne() && z.joined(a, terms) || len(z.multiples.elected) > 0 && z.multiples.elected[proportion(terms)] != nil {
		return a, unit
	}
	for i := range terms {
		terms[i].coef, terms[i].whole = terms[i].coef.times(by), nil
	}
	u := z.split(z.join(terms))
	return u.core, u.coef.over(by)
}

// joined reports whether a is the sum that join would build of terms.
func (z *Simplifier) joined(a *Node, terms []term) bool {
	if !z.content(terms).isOne() {
		return false
	}
	for i := len(terms) - 1; i > 0; i-- {
		if !isSum(a) {
			return false
		}
		switch t := terms[i].whole; t {
		case nil:
			return false
		case a.Arg(0):
			a = a.Arg(1)
		case a.Arg(1):
			a = a.Arg(0)
		default:
			return false
		}
	}
	return a == terms[0].whole
}

// primitive writes the sum a as inverse * core, where core is the best of its multiples in a product that
// takes any: with the fewest numbers and fractions, and no more minus signs than others.
func (z *Simplifier) primitive(a *Node) (core *Node, inverse number) {
	if z.plainPair(a) {
		return a, unit
	}
	room := z.terms.free
	defer z.terms.giveBack(room)
	flat := z.summands(a)
	return z.times(a, flat, z.simplest(flat.terms))
}

// isPrimitive reports whether the sum a is the best of its multiples.
func (z *Simplifier) isPrimitive(a *Node) bool {
	room := z.terms.free
	defer z.terms.giveBack(room)
	terms := z.termsOf(a)
	return len(terms) > 0 && z.simplest(terms).isOne() && z.joined(a, terms)
}

// simplest is the number by which terms, of which there are some, are those of the best multiple of their sum.
func (z *Simplifier) simplest(terms []term) number {
	var buffer [8]magnitudes
	all := buffer[:0]
	negative, ones := 0, true
	for _, t := range terms {
		if t.coef.sign() < 0 {
			negative++
		}
		c := t.coef.abs()
		ones = ones && c.isOne()
		if i := slices.IndexFunc(all, func(m magnitudes) bool { return m.value.equal(c) }); i >= 0 {
			all[i].terms++
		} else {
			all = append(all, magnitudes{c, 1})
		}
	}
	best := unit
	if !ones {
		if best = z.fewest(terms, all); best.huge() { // see content
			best = unit
		}
	}
	if 2*negative > len(terms) {
		best = best.neg()
	}
	return best
}

// plainPair reports whether a is the sum of two terms without numbers, and not both with minus signs: then
// no multiple is better.
func (z *Simplifier) plainPair(a *Node) bool {
	if a.Addends() != 2 {
		return false
	}
	t, u := z.split(a.Arg(0)), z.split(a.Arg(1))
	return t.whole == a.Arg(0) && u.whole == a.Arg(1) && t.core != u.core && !isSum(t.core) && !isSum(u.core) &&
		t.coef.abs().isOne() && u.coef.abs().isOne() && (t.coef.isOne() || u.coef.isOne())
}

// magnitudes says how many terms have coefficients of one absolute value.
type magnitudes struct {
	value number
	terms int
}

// fewest is the number > 0 by which terms, with coefficients of these magnitudes, have the fewest
// numbers and fractions: one over a magnitude, or the one that makes all of them whole. Where several
// serve as well, it is that of the first term by fingerprint.
func (z *Simplifier) fewest(terms []term, all []magnitudes) number {
	compare := func(by, other number) int {
		fractions, numbers := counted(all, by)
		f, n := counted(all, other)
		return cmp.Or(cmp.Compare(numbers+fractions, n+f), cmp.Compare(fractions, f))
	}
	best, several := unit.over(all[0].value), false
	for _, m := range all[1:] {
		by := unit.over(m.value)
		switch c := compare(by, best); {
		case c < 0:
			best, several = by, false
		case c == 0:
			several = true
		}
	}
	if several {
		least, first := best, uint64(math.MaxUint64)
		for _, t := range terms {
			if by := unit.over(t.coef.abs()); compare(by, least) == 0 && z.fingerprint(t.core) < first {
				best, first = by, z.fingerprint(t.core)
			}
		}
	}
	by := wholes(all)
	for _, m := range all {
		if m.value.times(by).compare(whole(maxWhole)) > 0 {
			return best
		}
	}
	if compare(by, best) < 0 {
		return by
	}
	return best
}

// counted is how many terms have fractions for coefficients, and how many have others than 1, where they
// are multiplied by a number > 0.
func counted(all []magnitudes, by number) (fractions, numbers int) {
	for _, m := range all {
		c := m.value.times(by)
		if !c.isInt() {
			fractions += m.terms
		}
		if !c.isOne() {
			numbers += m.terms
		}
	}
	return fractions, numbers
}

// maxWhole bounds the whole numbers that fractions are replaced by.
const maxWhole = 1000

// wholes is the number by which magnitudes are whole and have no common divisor.
func wholes(all []magnitudes) number {
	num, den := int64(0), int64(1) // the greatest common divisor, the least common multiple
	for _, m := range all {
		if m.value.large != nil {
			return wholesOfAny(all)
		}
		next, ok := product64(den, m.value.den/gcd(den, m.value.den))
		if !ok {
			return wholesOfAny(all)
		}
		num, den = gcd(num, m.value.num), next
	}
	return number{num: den, den: num}
}

func wholesOfAny(all []magnitudes) number {
	num, den := new(big.Int), big.NewInt(1)
	for _, m := range all {
		r := m.value.rat()
		num.GCD(nil, nil, num, r.Num())
		g := new(big.Int).GCD(nil, nil, den, r.Denom())
		den.Mul(den, new(big.Int).Quo(r.Denom(), g))
	}
	return numberOf(new(big.Rat).SetFrac(den, num))
}
