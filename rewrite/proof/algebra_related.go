package proof

import (
	"container/heap"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// refines decides whether b equals a wherever a has a value, and where b has one and a has none, a is 0 u or
// u - u somewhere. It goes by what the two do not share first: what stands in both is an atom then, or
// all of that but the contractions.
func (k *checker) refines(a, b *Node, t theory, s *signs) bool {
	return a == b || k.related(a, b, t, s, sameForm(a.Shape()))
}

// sameForm: the two forms, of values of one shape, are one node.
func sameForm(shape []size.Size) func(z *algebra, x, y *form) bool {
	return func(z *algebra, x, y *form) bool { return z.node(x.terms, shape) == z.node(y.terms, shape) }
}

// related reports whether the forms of a and b are so.
func (k *checker) related(a, b *Node, t theory, s *signs, so func(z *algebra, x, y *form) bool) bool {
	if len(a.Shape()) != len(b.Shape()) || !slices.Equal(a.Shape(), b.Shape()) {
		return false
	}
	try := func(frozen map[*Node]bool, whole bool, most int) (ok bool, apart *Node) {
		z := &algebra{s: k.s, theory: t, signs: s, work: k.work, until: k.work.done + most, frozen: frozen, whole: whole, symmetric: k.symmetric}
		ok = z.related(a, b, so)
		k.widens = k.widens || ok && z.widened
		return ok, z.apart
	}
	frozen := k.shared(a, b, true)
	for range maxOpened { // what is a sum or a product in one of the two, and written out in the other
		ok, apart := try(frozen, false, fewVisits)
		if ok {
			return true
		}
		if apart == nil {
			break
		}
		delete(frozen, apart)
		for _, arg := range apart.Args() {
			if _, number := fill(arg); !number {
				frozen[arg] = true
			}
		}
	}
	for _, most := range []int{fewVisits, manyVisits} {
		for _, choice := range []func() map[*Node]bool{
			func() map[*Node]bool { return k.shared(a, b, true) },
			func() map[*Node]bool { return k.shared(a, b, false) },
			func() map[*Node]bool { return nil },
		} {
			frozen := choice()
			for _, whole := range []bool{false, true} {
				if t.powers || !whole {
					if ok, _ := try(frozen, whole, most); ok {
						return true
					}
				}
			}
		}
	}
	return false
}

// maxOpened bounds the atoms that are written out one after the other.
const maxOpened = 16

// What each choice of atoms may take before others are tried, and then again.
const (
	fewVisits  = 100_000
	manyVisits = 5_000_000
)

// shared are the values that stand in a and in b, but for numbers: those met first from above, or, where deep
// is set, also those below them, as long as something is met that stands in one of the two, as far as it has
// seen. What the two do not share is most often near their tops.
func (k *checker) shared(a, b *Node, deep bool) map[*Node]bool {
	const inA, inB = 1, 2
	met, frozen := map[*Node]int{}, map[*Node]bool{}
	queue := &newest{}
	alone := 0 // in the queue, and met in one of the two
	meet := func(n *Node, in int) {
		was := met[n]
		met[n] |= in
		if _, number := fill(n); number {
			return
		}
		switch {
		case was == 0:
			heap.Push(queue, n)
			if in != inA|inB {
				alone++
			}
		case was != inA|inB && met[n] == inA|inB:
			alone--
		}
	}
	meet(a, inA)
	meet(b, inB)
	for queue.Len() > 0 {
		n := heap.Pop(queue).(*Node)
		k.work.add(2)
		if met[n] != inA|inB {
			alone--
		} else {
			if frozen[n] = true; !deep || alone == 0 {
				continue
			}
		}
		for _, arg := range n.Args() { // which are older
			meet(arg, met[n])
		}
	}
	return frozen
}

// newest is a heap of nodes, the newest first.
type newest []*Node

func (q newest) Len() int           { return len(q) }
func (q newest) Less(i, j int) bool { return q[i].ID() > q[j].ID() }
func (q newest) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *newest) Push(n any)        { *q = append(*q, n.(*Node)) }
func (q *newest) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	*q = (*q)[:last]
	return n
}

func (z *algebra) related(a, b *Node, so func(z *algebra, x, y *form) bool) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, wide := p.(tooWide); !wide {
				panic(p)
			}
			ok = false
		}
	}()
	x := z.formOf(a)
	z.forms = nil
	y := z.formOf(b)
	if so(z, &x, &y) && z.widens(x, y, a.Shape()) {
		return true
	}
	z.apart = z.difference(x.terms, y.terms)
	return false
}

// difference is the newest sum or product that is an atom of a monomial which the other form has not; nil where
// there is none.
func (z *algebra) difference(x, y []monomial) (newest *Node) {
	count := map[*Node]*big.Rat{}
	for _, m := range slices.Concat(x, y) {
		count[z.core(m)] = new(big.Rat)
	}
	for _, m := range x {
		c := count[z.core(m)]
		c.Add(c, m.coef)
	}
	for _, m := range y {
		c := count[z.core(m)]
		c.Sub(c, m.coef)
	}
	for _, m := range slices.Concat(x, y) {
		if count[z.core(m)].Sign() == 0 {
			continue
		}
		for _, a := range m.args {
			if z.frozen[a] && (a.Ein() != nil || a.Is(atom.Add)) && (newest == nil || a.ID() > newest.ID()) {
				newest = a
			}
		}
	}
	return newest
}

// leftTheories are the laws by which a left side may be met in another form than the rule's: as a sum
// of products, with powers of one base collected or written out, with functions inside of what picks
// entries, with the axes of symmetric matrices exchanged, with inverses and cofactors of transposes.
var leftTheories = []theory{
	{},
	{sums: true, powers: true},
	{sums: true, pick: true, fold: true},
	{sums: true, symmetric: true},
	{sums: true, reshape: true},
	{sums: true, transpose: true},
}

// leftEqual reports whether a term is a left side in one of its forms.
func (k *checker) leftEqual(n, left *Node, s *signs) bool {
	return slices.ContainsFunc(leftTheories, func(t theory) bool { return k.refines(n, left, t, s) })
}

// Equal reports whether the check of a step by a rule takes a for another form of the left side b. It is
// false where that takes too long to be found.
func Equal(s *combinators.Store, a, b *Node) (ok bool) {
	defer unlessLimit(&ok)
	k := &checker{s: s, work: &work{stop: s.Stop}, symmetric: map[*Node]bool{}}
	return k.leftEqual(a, b, newSigns(nil, k.work))
}

// unlessLimit makes an answer no where a limit ends the search for it.
func unlessLimit[T any](answer *T) {
	switch p := recover().(type) {
	case nil:
	case *combinators.LimitError:
		*answer = *new(T)
	default:
		panic(p)
	}
}
