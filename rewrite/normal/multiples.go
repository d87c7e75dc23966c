package normal

import (
	"cmp"
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
}

func newMultiples() multiples {
	return multiples{first: map[uint64]*Node{}, others: map[uint64][]*Node{}, elected: map[uint64]*Node{}}
}

func (m *multiples) clear() {
	clear(m.first)
	clear(m.others)
	clear(m.elected)
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

// fresh notes that a sum of terms was built, and reports whether it stays as it is.
func (m *multiples) fresh(terms []term, sum *Node) bool {
	key := proportion(terms)
	if _, ok := m.elected[key]; ok {
		return false
	}
	m.add(key, sum)
	return true
}

// elect chooses among the multiples of one sum that are part of the term of this pass.
func (z *Simplifier) elect() {
	clear(z.multiples.elected)
	for key, sums := range z.multiples.others {
		best := (*Node)(nil)
		live := 0
		for _, s := range sums {
			if z.known.Get(s).old == 0 {
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
		z.multiples.elected[key] = best
		for _, s := range sums {
			z.known.At(s).stable = 0
		}
	}
}

// simpler orders sums of the same terms: fewer numbers first, then fewer minus signs, then what
// is used more; and at last by the numbers of the terms in the order of their ranks.
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
	byRank := func(a, b term) int { return cmp.Compare(z.rank(a.core), z.rank(b.core)) }
	slices.SortStableFunc(x, byRank)
	slices.SortStableFunc(y, byRank)
	return cmp.Or(
		cmp.Compare(count(x, numbers), count(y, numbers)),
		cmp.Compare(count(x, negative), count(y, negative)),
		-cmp.Compare(z.known.Get(a).old, z.known.Get(b).old),
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
	content := common(terms)
	var sum *Node
	settled := content.isOne() && len(terms) < maxTerms-1
	for _, t := range terms {
		u := t.whole
		if u == nil || !content.isOne() {
			u = z.scaled(t.coef.over(content), t.core)
			settled = settled && t.core.Ein() == nil // what is multiplied out may be split in another way
		}
		settled = settled && !isSum(t.core)
		if sum == nil {
			sum = u
			continue
		}
		settled = settled && (!isSum(sum) || z.once(sum))
		sum = z.s.Add(sum, u)
		if k := z.known.At(sum); k.done == 0 {
			// A part of a normal sum is not looked at again: a sum of n terms would
			// otherwise cost the cube of n.
			k.done = placeOf(sum)
		}
	}
	z.multiples.add(key, sum)
	if settled {
		z.settled = sum // its terms are these again
	}
	return z.scaled(content, sum)
}

// proportion hashes terms up to a common factor; of many terms, the last ones.
func proportion(terms []term) uint64 {
	terms = terms[max(0, len(terms)-maxFactored-1):]
	h, lead := uint64(len(terms)), terms[0].coef
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
