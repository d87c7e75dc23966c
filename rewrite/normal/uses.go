package normal

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/internal/lists"
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

// A product of products, A1*(A2*(.. *x)), is fused from the inside out, and then each product on the way
// is built only to be fused into the next. So a product that its only user absorbs in any case is
// postponed: it is not built, and the user, or the user's user, is built from all operands at once. That
// is the same product wherever no step but fusion has anything to do on the way, which is so where the
// operands are variables, functions and sums that are vectors or scalars, and products too wide to be
// absorbed, and no rule is on products of such; and where no other product is equal to one on the way and
// shares it: one of its operands is used only once. (A sum or a function that is written in another way
// elsewhere, and met later, may still come to be equal to that operand: the two products are then not shared.)

// What knowledge says of a node besides the number of operands, where it is postponed.
const (
	settledWide uint8 = 255 // its image stays an operand of its user, and is one of a kind
	noRoom      uint8 = 0   // of its only user, where that does not absorb it
)

// mayPostpone reports whether products are postponed at all: a derivation has every step.
func (z *Simplifier) mayPostpone() bool { return z.Trace == nil && z.isInert(atom.Ein) }

func (z *Simplifier) isInert(at *atom.Row) bool {
	return z.inert != nil && z.inert[at.Number()]
}

// roomFor is the number of operands that an operand of n may have for n to absorb it, besides the
// operands that it has; noRoom where n is no product that may be postponed, or absorb what is.
func roomFor(n *Node) uint8 {
	args := n.Args()
	if n.Ein() == nil || len(args) < 2 || len(args) > maxOperands || !n.Ein().Covered() {
		return noRoom
	}
	return uint8(maxOperands + 1 - len(args))
}

// transposedVariable reports whether n is a variable with its axes in another order.
func transposedVariable(n *Node) bool {
	if n.Ein() == nil || len(n.Args()) != 1 || n.Arg(0).Atom() != atom.Var || !n.Ein().Covered() {
		return false
	}
	return len(n.Ein().Vars) == n.Order()
}

// stays reports whether no step but fusion has anything to do with the factor a, which is normal.
func (z *Simplifier) stays(a *Node) bool {
	switch at := a.Atom(); {
	case !z.isInert(at):
		return false
	case at == atom.Var:
		return true
	case a.Order() > 1:
		return false // they may be turned
	case at == atom.Add:
		numbers, negative, n := z.signs(a)
		return 2*negative <= n && (numbers == 0 || z.isPrimitive(a)) // see distributed
	}
	return a.Atom().Class == elementwiseClass && a.Atom() != atom.Power
}

// absorbed reports whether the only user of the product m, which was built since another one may be equal
// to it, absorbs it as it does those that are postponed.
func (z *Simplifier) absorbed(m *Node) bool {
	return roomFor(m) != noRoom && z.once(m) && !slices.ContainsFunc(m.Args(), func(a *Node) bool { return !z.stays(a) })
}

// postpone reports whether the product n is postponed. Where it is not, but its user has no room for it,
// it is noted as an operand that stays.
func (z *Simplifier) postpone(n *Node) bool {
	k := z.known.At(n)
	if k.room == noRoom || k.old != 1 || roomFor(n) == noRoom {
		return false
	}
	width, single := 0, false
	for _, a := range n.Args() {
		b := z.known.Look(a)
		switch {
		case b.width == settledWide:
			single = true
			width++
		case b.width > 0:
			single = true
			width += int(b.width)
		case b.image != 0 && z.stays(z.imageOf(a)):
			single = single || b.old == 1 && z.uses(z.imageOf(a)) == 1
			width++
		case transposedVariable(a) && b.image == placeOf(a):
			single = single || b.old == 1 && z.known.Look(a.Arg(0)).old == 1
			width++
		case b.old == 1 && z.absorbed(z.imageOf(a)):
			z.known.At(a).width = uint8(len(z.imageOf(a).Args()))
			width += len(z.imageOf(a).Args())
		default:
			return false
		}
	}
	if !single || width > maxOperands {
		return false
	}
	if width > int(k.room) {
		k.width = settledWide
		return false
	}
	k.width = uint8(width)
	return true
}

// postponed reports whether n is, and nothing was built for it.
func (z *Simplifier) postponed(n *Node) bool {
	k := z.known.Look(n)
	return k.width > 0 && k.width < settledWide && k.image == 0
}

// whole is the product n of postponed ones, built from all operands at once; nil where they are too many,
// or none is postponed.
func (z *Simplifier) whole(n *Node) *Node {
	width, any := len(n.Args()), false
	for _, a := range n.Args() {
		if z.postponed(a) {
			any = true
			width += int(z.known.Look(a).width) - 1
		}
	}
	if !any {
		return nil
	}
	for _, a := range n.Args() {
		if x := z.imageOf(a); x != nil && x.Ein() != nil {
			width += max(0, len(x.Args())-1)
		}
	}
	if width > maxOperands {
		return nil
	}
	return z.expanded(n)
}

// expanded is n with the postponed products among its operands, and among theirs, written out.
func (z *Simplifier) expanded(n *Node) *Node {
	nodes, groups, ints, sizes := z.nodes.free, z.groups.free, z.ints.free, z.sizes.free
	defer func() {
		z.nodes.giveBack(nodes)
		z.groups.giveBack(groups)
		z.ints.giveBack(ints)
		z.sizes.giveBack(sizes)
	}()
	c := n.Ein()
	_, out, _ := c.IsPlain()
	p := product{coef: unit, ops: z.nodes.take(maxOperands), in: z.groups.take(maxOperands), out: out,
		vars: append(z.sizes.take(max(64, len(c.Vars))), c.Vars...)}
	z.expand(n, &p, letters(len(c.Vars)))
	return p.build(z.s)
}

// expand appends the operands of n to p, in which the variables of n are to.
func (z *Simplifier) expand(n *Node, p *product, to []int) {
	in, _, _ := n.Ein().IsPlain()
	for k, a := range n.Args() {
		g := z.renamed(in[k], to)
		b := z.known.Look(a)
		image := z.node(b.image)
		switch {
		case image == nil: // postponed
			z.expand(a, p, z.inside(a, g, p))
		case b.width > 0 && b.width < settledWide || image == a && transposedVariable(a):
			inner := z.inside(image, g, p)
			groups, _, _ := image.Ein().IsPlain()
			for j, x := range image.Args() {
				p.ops, p.in = append(p.ops, x), append(p.in, z.renamed(groups[j], inner))
			}
		default:
			p.ops, p.in = append(p.ops, image), append(p.in, g)
		}
	}
}

// renamed is g with the variables to, in the room of z.
func (z *Simplifier) renamed(g, to []int) []int {
	out := z.ints.take(len(g))
	out = lists.Append(out, g, func(v int) int { return to[v] })
	return out
}

// inside are the variables in p of the operand a of p, which has the variables g there.
func (z *Simplifier) inside(a *Node, g []int, p *product) []int {
	c := a.Ein()
	_, out, _ := c.IsPlain()
	inner := filled(z.ints.take(len(c.Vars)), len(c.Vars))
	for i, v := range out {
		inner[v] = g[i]
	}
	for v, d := range c.Vars {
		if inner[v] < 0 {
			inner[v] = len(p.vars)
			p.vars = append(p.vars, d)
		}
	}
	return inner
}
