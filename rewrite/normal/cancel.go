package normal

import "slices"

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
