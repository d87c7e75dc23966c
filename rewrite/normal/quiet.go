package normal

import (
	"frechet/combinators"
	"frechet/einsum"
)

// Whether a product of variables, of functions and of a sum is its own normal form depends on its
// contraction, and on which operands are equal, and on nothing else: so it is found once for all of them.

// quietForm is that of products of quiet operands: ties has a bit for each operand that is the one before it.
type quietForm struct {
	c    *einsum.Contraction
	ties uint32
}

// quiet reports whether n is a product that is normal since others of its form were.
func (z *Simplifier) quiet(n *Node) bool {
	if n.Ein() == nil || z.Trace != nil || z.Flatten {
		return false
	}
	f, quiet := z.quietly(n)
	return quiet && z.still[f]
}

// contraction is product; it notes the forms that stay as they are without a choice.
func (z *Simplifier) contraction(n *Node, t *trace) *Node {
	f, quiet := z.quietly(n)
	if !quiet || z.Flatten {
		return z.product(n, t)
	}
	doubts := z.doubts
	z.doubts = 0
	m := z.product(n, t)
	if m == n && z.doubts == 0 {
		z.still[f] = true
	}
	z.doubts |= doubts
	return m
}

// quietly is the form of n where its operands, which are normal, are quiet: no rule is on them, and none is
// a power, or may be turned, or takes up a number.
func (z *Simplifier) quietly(n *Node) (f quietForm, ok bool) {
	args := n.Args()
	if len(args) == 0 || len(args) > maxOperands {
		return f, false
	}
	sums := 0
	f.c = n.Ein()
	for k, a := range args {
		at := a.Atom()
		if k > 0 && a == args[k-1] {
			f.ties |= 1 << k
		}
		switch {
		case !z.isInert(at):
			return f, false
		case at == combinators.AtomVar:
		case at == combinators.AtomAdd:
			if sums++; sums > 1 || a.Order() > 1 && !(len(args) > 1 && z.stiff(a)) {
				return f, false
			}
		case at.Class != elementwiseClass || at == combinators.AtomPower || a.Order() > 1:
			return f, false
		}
	}
	return f, true
}

// stiff reports whether the sum a, of two axes or three, is too wide to be turned, and not symmetric.
func (z *Simplifier) stiff(a *Node) bool {
	return a.Order() <= maxTurned && !narrow(a) && z.uses(a) <= 1 && !z.symmetric(a)
}
