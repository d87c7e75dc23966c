package normal

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
)

// Whether a product of variables, of functions, of a sum and of products that it does not absorb is its own
// normal form depends on its contraction, and on which operands are equal, and on nothing else: so it is
// found once for all of them. A step of product that looks at what an operand is made of has its operands
// excepted here.

// quietForm is that of products of quiet operands.
type quietForm struct {
	c    *einsum.Contraction
	ties uint32 // a bit for each operand that is the one before it
	wide uint32 // and for each that is a product too wide to be absorbed
	any  bool   // an operand is a product
}

// still reports whether products of the quiet form f are normal since others were.
func (z *Simplifier) still(f quietForm) bool {
	choices, still := z.stayed[f]
	z.choices |= choices
	return still
}

// contraction is product; it notes the quiet forms that stay as they are, and what is in doubt of them.
func (z *Simplifier) contraction(n *Node, f quietForm, t *trace) *Node {
	if f.c == nil {
		return z.product(n, t)
	}
	choices := z.choices
	z.choices = 0
	m := z.product(n, t)
	if m == n && !(f.any && hasScalars(n)) {
		z.stayed[f] = z.choices
	}
	z.choices |= choices
	return m
}

// hasScalars reports whether n has a scalar for a part, which may stand in it twice: see regrouped.
func hasScalars(n *Node) bool {
	in, out, _ := n.Ein().IsPlain()
	p := product{in: in, out: out}
	return p.scalars() != nil
}

// quietly is the form of the product n where its operands, which are normal, are quiet, and else none: no rule is on them, and none is
// a power, or may be turned, or takes up a number, or is absorbed.
func (z *Simplifier) quietly(n *Node) (f quietForm) {
	args := n.Args()
	if n.Ein() == nil || z.Flatten || len(args) == 0 || len(args) > maxOperands {
		return quietForm{}
	}
	f.c = n.Ein()
	in, out, plain := f.c.IsPlain()
	if !plain {
		return quietForm{}
	}
	sums := 0
	for k, a := range args {
		at := a.Atom()
		tied := k > 0 && a == args[k-1]
		if tied {
			f.ties |= 1 << k
		}
		switch {
		case !z.isInert(at):
			return quietForm{}
		case at == atom.Var:
			if a.Attributes() != 0 {
				return quietForm{}
			}
		case at == atom.Add:
			if sums++; sums > 1 || z.mayCentre(a, k, in, out) || a.Order() > 1 && !(len(args) > 1 && z.stiff(a)) {
				return quietForm{}
			}
		case at == atom.Ein:
			if tied || !z.apartFrom(a, len(args)-1) || z.mayCentre(a, k, in, out) {
				return quietForm{}
			}
			if f.any = true; z.once(a) {
				f.wide |= 1 << k
			}
		case at.Class != elementwiseClass || at == atom.Power || a.Order() > 1:
			return quietForm{}
		}
	}
	return f
}

// apartFrom reports whether the product a, a vector or a scalar, stays an operand beside so many others: it
// is used elsewhere, too, or too wide, and has no power that may cancel one of theirs.
func (z *Simplifier) apartFrom(a *Node, others int) bool {
	args := a.Args()
	return a.Order() < 2 && len(args) > 1 && !opaque(a) && !z.free(a) && squared(a) == nil &&
		!slices.ContainsFunc(args, func(b *Node) bool { return b.Atom() == atom.Power }) &&
		(!z.once(a) || others+len(args) > maxOperands)
}

// stiff reports whether the sum a, of two axes or three, is not turned: it is too wide for that, and not
// symmetric, or one of variables.
func (z *Simplifier) stiff(a *Node) bool {
	return a.Order() <= maxTurned && z.uses(a) <= 1 && (ofVariables(a) || !narrow(a) && !z.symmetric(a))
}

// ofVariables reports whether all addends of the sum n are variables.
func ofVariables(n *Node) bool { return n.Kinds() == atom.Var.Kind() }
