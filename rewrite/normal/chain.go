package normal

// A sum that is added up term by term, x1 + x2 + .. + xn, is met at each of its n parts. Most often
// every term is newer than all before it. Then no two terms are equal, none stands in a sum inside
// another, and the order in which they are added is that of the normal form: such a part is one
// already, and it is only to be seen that it is.

// last is the place of the newest core among the terms of the sum n, all over, where each is newer
// than those that are added before it, is no sum, and has a whole coefficient; -1 where that is not so.
func (z *Simplifier) last(n *Node) int32 {
	at := z.lasts.Get(n)
	if at != 0 {
		return at
	}
	stack := append(z.waiting[:0], n) // each the part of the one before it
	for {
		part, _ := links(stack[len(stack)-1])
		if part == nil {
			break
		}
		if at = z.lasts.Get(part); at != 0 {
			break
		}
		stack = append(stack, part)
	}
	for k := len(stack) - 1; k >= 0; k-- {
		x := stack[k]
		part, t := links(x)
		if part == nil && at == 0 {
			at = -1
			if t != nil { // the first two
				at = z.after(0, x.Arg(0))
				other := z.after(0, x.Arg(1))
				if at > other {
					at, other = other, at
				}
				if at > 0 && at < other {
					at = other
				} else {
					at = -1
				}
			}
		} else if at > 0 {
			at = z.after(at, t)
		}
		*z.lasts.At(x) = at
	}
	z.waiting = stack[:0]
	return at
}

// after is the place of the core of the term t, where that is behind last, is no sum and has a whole
// coefficient; else -1.
func (z *Simplifier) after(last int32, t *Node) int32 {
	u := z.split(t)
	if at := placeOf(u.core); at > last && !isSum(u.core) && u.coef.large == nil && u.coef.den == 1 && u.coef.num != 0 {
		return at
	}
	return -1
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
	if !z.longer(n, maxFactored) || z.last(n) <= 0 {
		return false
	}
	var newest [maxFactored + 1]term
	i := len(newest)
	put := func(t term) {
		if i > 0 {
			i--
			newest[i] = t
		}
	}
	part, t := links(n)
	x := n
	for ; part != nil && i > 0; part, t = links(x) {
		put(z.split(t))
		x = part
	}
	if part == nil {
		a, b := z.split(x.Arg(0)), z.split(x.Arg(1))
		if a.core.ID() > b.core.ID() {
			a, b = b, a
		}
		put(b)
		put(a)
	}
	ones := false
	for _, t := range newest {
		ones = ones || t.coef.isOne()
	}
	return ones && z.multiples.fresh(newest[:], n)
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
