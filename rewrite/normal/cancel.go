package normal

import (
	"slices"
)

// cancel writes a sum among terms out where its addends then cancel others, or are numbers as these: in u - a, a
// shared sum u = a + b stands as one term, and b is left; u - 1 for u = a - 1 is a - 2. Sharing is given up only where the sum gets no longer
// by it: u - a stays for u = a + b + c + d, and 2*u - a for u = a + b, since u is computed anyway.
// Candidates are each sum among the terms, and all of them together.
func (z *Simplifier) cancel(terms []term) []term {
	var sums []int
	for i, t := range terms {
		if isSum(t.core) {
			sums = append(sums, i)
		}
	}
	if len(sums) == 0 || len(terms) < 2 {
		return terms
	}
	best, most := terms, len(terms)
	try := func(chosen []int) {
		if !z.meets(terms, chosen) {
			return
		}
		if out, ok := z.writtenOut(terms, chosen); ok && len(out) <= most {
			best, most = out, len(out)-1
		}
	}
	for i := range min(len(sums), maxWritten) {
		try(sums[i : i+1])
	}
	if len(sums) > 1 {
		try(sums)
	}
	return best
}

// meets reports whether an addend of the chosen terms stands among the others, or twice among the
// addends: else nothing cancels. It gives up where writtenOut would, and where a single sum has so
// many other addends that the whole gets longer though all terms cancel.
func (z *Simplifier) meets(terms []term, chosen []int) bool {
	z.round++
	stack := z.waiting[:0]
	for i, t := range terms {
		if slices.Contains(chosen, i) {
			stack = append(stack, t.core)
		} else {
			z.met.Set(t.core, z.round)
		}
	}
	defer func() { z.waiting = stack[:0] }()
	more := len(terms)
	for fuel := 4 * len(terms); len(stack) > 0 && fuel > 0; fuel-- {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, a := range n.Args() {
			core := z.split(a).core
			switch mark := z.met.At(core); {
			case *mark == z.round:
				return true
			case isSum(core):
				stack = append(stack, core)
			default:
				*mark = z.round
				if more--; more < 0 && len(chosen) == 1 {
					return false
				}
			}
		}
	}
	return false
}

// maxWritten bounds how many sums are tried by themselves.
const maxWritten = 8

// writtenOut writes out the terms that are chosen, down to addends that stand among the others. It
// reports false where no addends cancel, and where there are too many for the sum to get shorter.
func (z *Simplifier) writtenOut(terms []term, chosen []int) (out []term, cancelled bool) {
	out = make([]term, 0, 2*len(terms))
	add := func(t term) {
		i := slices.IndexFunc(out, func(u term) bool { return u.core == t.core })
		if i < 0 {
			out = append(out, t)
			return
		}
		out[i].coef, out[i].whole = out[i].coef.plus(t.coef), nil
		_, number := fill(t.core)
		cancelled = cancelled || number
		if out[i].coef.sign() == 0 {
			cancelled = true
			out = slices.Delete(out, i, i+1)
		}
	}
	var stack []term
	for i, t := range terms {
		if slices.Contains(chosen, i) {
			stack = append(stack, t)
		} else {
			add(t)
		}
	}
	stands := func(n *Node) bool {
		return slices.ContainsFunc(out, func(u term) bool { return u.core == n })
	}
	for fuel := 4 * len(terms); len(stack) > 0; {
		if fuel--; fuel < 0 {
			return nil, false
		}
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, a := range t.core.Args() {
			u := z.split(a)
			if !t.coef.isOne() {
				u.coef, u.whole = u.coef.times(t.coef), nil
			}
			if isSum(u.core) && !stands(u.core) {
				stack = append(stack, u)
				continue
			}
			add(u)
		}
	}
	return out, cancelled
}

// A sum that is added up term by term, x1 + x2 + .. + xn, is met at each of its n parts. Most often
// every term is newer than all before it. Then no two terms are equal, none stands in a sum inside
// another, and the order in which they are added is that of the normal form: such a part is one
// already, and it is only to be seen that it is.

// chain is what is known of a sum by itself.
type chain struct {
	// last is the place of the newest core among all terms, where each is newer than those that are added
	// before it, is no sum, and has a whole coefficient; -1 where that is not so.
	last int32
	// plain is how many terms are newer than the newest one that has no coefficient, at most all that count.
	plain int32
}

// chainOf is what is known of the sum n.
func (z *Simplifier) chainOf(n *Node) chain {
	c := z.chains.Get(n)
	if c.last != 0 {
		return c
	}
	stack := append(z.waiting[:0], n) // each the part of the one before it
	for {
		part, _ := links(stack[len(stack)-1])
		if part == nil {
			break
		}
		if c = z.chains.Get(part); c.last != 0 {
			break
		}
		stack = append(stack, part)
	}
	for k := len(stack) - 1; k >= 0; k-- {
		x := stack[k]
		part, t := links(x)
		switch {
		case part == nil && c.last == 0 && t != nil: // the first two
			a, b := z.split(x.Arg(0)), z.split(x.Arg(1))
			if a.core.ID() > b.core.ID() {
				a, b = b, a
			}
			c = chain{plain: maxFactored}.with(a).with(b)
		case part == nil && c.last == 0:
			c.last = -1
		default:
			c = c.with(z.split(t))
		}
		*z.chains.At(x) = c
	}
	z.waiting = stack[:0]
	return c
}

// with is c with another term, which must be newer.
func (c chain) with(t term) chain {
	at := placeOf(t.core)
	if c.last < 0 || at <= c.last || isSum(t.core) || t.coef.large != nil || t.coef.den != 1 || t.coef.num == 0 {
		return chain{last: -1}
	}
	c.last, c.plain = at, min(c.plain+1, maxFactored+1)
	if t.coef.isOne() {
		c.plain = 0
	}
	return c
}

// links are the sum and the term of which n is the sum. Where both are terms, the sum is nil; where
// both are sums, both are nil.
func links(n *Node) (part, t *Node) {
	a, b := n.Arg(0), n.Arg(1)
	switch {
	case isSum(a) && isSum(b):
		return nil, nil
	case isSum(a):
		return a, b
	case isSum(b):
		return b, a
	}
	return nil, a
}

// chained reports whether n is its own normal form since each of its terms is newer than those before
// it, and it has too many to be factored; and notes it among the multiples. The newest terms tell, where
// one of them has no coefficient: then all have none in common.
func (z *Simplifier) chained(n *Node) bool {
	if !z.longer(n, maxFactored) {
		return false
	}
	if c := z.chainOf(n); c.last < 0 || c.plain > maxFactored {
		return false
	}
	var newest [maxCompared]term
	for i, part := len(newest)-1, n; i >= 0; i-- {
		var t *Node
		part, t = links(part)
		newest[i] = z.split(t)
	}
	return z.multiples.fresh(proportionOf(newest[:], maxFactored+1), n)
}

// longer reports whether n has more than so many terms, of which each but the first two is added to
// what is before it.
func (z *Simplifier) longer(n *Node, most int) bool {
	for terms := 2; ; terms++ {
		part, _ := links(n)
		if terms > most {
			return true
		}
		if part == nil || !z.once(part) {
			return false
		}
		n = part
	}
}
