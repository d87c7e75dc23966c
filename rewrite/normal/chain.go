package normal

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
