package normal

import (
	"frechet/combinators/atom"
)

// useSignature says which operands of n, and of its operands, may be flattened: all that the
// normal form of n depends on besides n.
func (z *Simplifier) useSignature(n *Node) uint32 {
	h := uint64(1)
	args := n.Args() // sorted where their order is of no account: equal ones are beside each other
	for k, a := range args {
		if indifferent(a) {
			continue
		}
		f := z.useClass(a)
		h = mixed(h, f)
		twice := f > 1 && (k > 0 && args[k-1] == a || k+1 < len(args) && args[k+1] == a)
		if f == shared || twice {
			localUses := z.localUses(a, n)
			h = mixed(h, localUses)
			twice = twice && localUses > 0
		}
		if f > 1 && !twice {
			continue
		}
		h = z.operandSignature(h, a, n)
		if n.Ein() != nil && a.Ein() == nil && (a.Order() > 1 && a.Order() <= maxTurned || isSum(a) && meetsScales(args, k)) {
			h = mixed(h, z.turnSignature(a, 0))
		}
	}
	return uint32(h^h>>32) | 1<<31 // never 0, which is no mask
}

// operandSignature is h with what the normal form of n depends on of the operands of its operand a.
func (z *Simplifier) operandSignature(h uint64, a, n *Node) uint64 {
	for _, b := range a.Args() {
		if indifferent(b) {
			continue
		}
		f := z.useClass(b)
		h = mixed(h, f)
		if f == shared {
			h = mixed(h, z.localUses(b, n))
		}
	}
	return h
}

// indifferent reports whether it is of no account how often the operand a is used, nor what it is made of: it is
// a leaf or a number, which are written anew wherever they stand, or a function, which no step goes through but
// to exchange axes.
func indifferent(a *Node) bool {
	args := a.Args()
	return len(args) == 0 || a.Order() < 2 && (a.Atom().Class == elementwiseClass || len(args) == 1 && isConst(args[0]))
}

// meetsScales reports whether a product of args has another sum beside the sum k, or a number; see distributed.
func meetsScales(args []*Node, k int) bool {
	for j, a := range args {
		if j != k && (isSum(a) || isConst(a)) {
			return true
		}
	}
	return false
}

// turnSignature is what transposeCost depends on besides x.
func (z *Simplifier) turnSignature(x *Node, depth int) uint64 {
	h := uint64(1)
	if isSum(x) && !narrow(x) {
		return h
	}
	for _, a := range x.Args() {
		if indifferent(a) {
			continue
		}
		f := z.useClass(a)
		if h = mixed(h, f); f == shared {
			h = mixed(h, z.localUses(a, x)) // see transposeCosts
		}
		if a.Ein() != nil {
			if core := z.split(a).core; core != a {
				h = mixed(h, z.useClass(core))
				if depth < maxCostDepth && core.Ein() == nil && z.once(core) {
					h = mixed(h, z.turnSignature(core, depth+1))
				}
			}
			for _, b := range a.Args() {
				h = mixed(h, z.useClass(b))
			}
			continue
		}
		if z.once(a) && (isSum(a) || depth < maxCostDepth) {
			d := depth
			if !isSum(a) || !isSum(x) {
				d++
			}
			h = mixed(h, z.turnSignature(a, d))
		}
	}
	return h
}

// mixed is h with f. It is not linear in either: numbers that are exchanged must not cancel.
func mixed(h, f uint64) uint64 {
	h = (h ^ f) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// useClass is the class of an operand by its uses: 1 for a single use, 2 for an element-wise function with several, and
// shared for others with several. What is new is used once.
func (z *Simplifier) useClass(a *Node) uint64 {
	switch {
	case z.uses(a) <= 1 || len(a.Args()) == 0:
		return 1
	case a.Atom().Class == atom.ClassElementwise:
		return 2
	}
	return shared
}

// shared is the class of operands of which the number of uses matters, too.
const shared = 3

// localUses is how many uses a has, as long as all of them may be among the operands of n and of its operands; 0
// where there are others.
func (z *Simplifier) localUses(a, n *Node) uint64 {
	uses, count, seen := z.uses(a), int32(0), 0
	for k, b := range n.Args() {
		if seen++; b == a {
			count++
		}
		if z.uses(b) <= 1 || k > 0 && n.Arg(k-1) == b || k+1 < len(n.Args()) && n.Arg(k+1) == b {
			seen += len(b.Args())
			count += int32(occurrences(b.Args(), a))
		}
		if seen > maxLocalUses {
			count = uses // they are too many to be counted
			break
		}
	}
	if uses > count {
		return 0
	}
	return uint64(min(uses, maxOperands))
}

// maxLocalUses bounds the operands among which those are counted that are one.
const maxLocalUses = 16
