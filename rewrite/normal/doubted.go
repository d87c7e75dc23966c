package normal

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
)

// doubted are the doubts that n raises by itself, or by how often it is used.
func (z *Simplifier) doubted(n *Node, uses map[*Node]int) (d Doubts) {
	if n.Ein() != nil && opaque(n) && slices.ContainsFunc(n.Args(), func(a *Node) bool { return a.Ein() != nil && uses[a] > 1 }) {
		d |= SharedProduct
	}
	switch {
	case isSum(n):
		if slices.ContainsFunc(z.addendsOf(n), func(a *Node) bool {
			return turned(a) && a.Arg(0).Ein() == nil && len(a.Arg(0).Args()) > 0 || a.Order() > 1 && broadcast(a) && len(a.Args()) > 0
		}) {
			d |= Orientation // of the addends, or of the sum
		}
		if z.folds(z.addendsOf(n)) {
			d |= Laws
		}
		if uses[n] > 1 && z.scales(n) {
			d |= Proportion
		}
	case n.Ein() != nil && !opaque(n):
		p := open(n)
		for _, a := range p.ops {
			if f := stem(a); lawful(f) && slices.ContainsFunc(p.ops, func(b *Node) bool {
				g := stem(b)
				return b != a && (g == stem(f.Arg(0)) || lawful(g) && g.Arg(0) == f.Arg(0))
			}) || lawful(f) && slices.ContainsFunc(z.factors(f.Arg(0)), func(b *Node) bool {
				return slices.ContainsFunc(p.ops, func(c *Node) bool { return root(c) == b })
			}) {
				d |= Laws
			}
			if a.Is(atom.Exp) && slices.ContainsFunc(p.ops, func(b *Node) bool {
				return b != a && b.Is(atom.Exp) && z.split(b.Arg(0)).core == z.split(a.Arg(0)).core
			}) {
				d |= Laws
			}
			if isConst(a) && a.Rat().Sign() == 0 {
				d |= Laws // a zero beside what has no value
			}
			if uses[a] > 1 && a.Ein() != nil && !opaque(a) && (len(a.Args()) > 1 || len(a.Args()) == 1 && axesOf(a) == 0) {
				d |= SharedProduct // the operands of a might be n's
			}
			if uses[n] > 1 && isSum(a) && z.scales(a) {
				d |= Proportion
			}
			if isSum(a) && slices.ContainsFunc(z.addendsOf(a), func(t *Node) bool {
				return slices.ContainsFunc(z.factors(t), func(b *Node) bool {
					return slices.ContainsFunc(p.ops, func(c *Node) bool { return root(c) == b })
				})
			}) {
				d |= Factoring // another of its factors might have been taken out
			}
		}
		if uses[n] > 1 && len(p.ops) > 0 && !p.coef.isOne() {
			d |= Proportion // the number might stand where it is used
		}
	case untransposed(n) && n.Arg(0).Order() > 1 && (isSum(n.Arg(0)) || n.Arg(0).Ein() != nil && len(n.Arg(0).Args()) > 1) && z.symmetries.Get(n.Arg(0)) != symmetric:
		d |= Orientation // f(X') = f(X)
		if overSum(n.Arg(0)) {
			d |= Laws
		}
	case homogeneous(n) && (overSum(n.Arg(0)) || IsZero(n.Arg(0))):
		d |= Laws // a scale is taken out or not
	case (odd(n) || n.Atom().Class == atom.ClassLinear) && z.mixed(n.Arg(0)):
		d |= Proportion // f(-x) is f(x) or -f(x)
	case (n.Is(atom.Sign) || n.Is(atom.Step)) && (n.Arg(0).Is(atom.Norm2) || n.Arg(0).Is(atom.Abs) ||
		n.Arg(0).Ein() != nil && slices.ContainsFunc(n.Arg(0).Args(), func(a *Node) bool { return a.Is(atom.Power) })):
		d |= Laws // of a product of powers, or a power of a product
	case n.Is(atom.Power) && n.Rat().Sign() < 0 && IsZero(n.Arg(0)):
		d |= Laws // any multiple has no value, either
	case n.Is(atom.Power) && n.Rat().IsInt() && overSum(n.Arg(0)):
		d |= Proportion
	case n.Is(atom.Power) && n.Arg(0).Ein() != nil && len(n.Arg(0).Args()) > 1:
		d |= Laws // of a product, or a product of powers
	case n.Atom().Over == atom.OverMatrices && broadcast(n.Arg(0)):
		d |= Orientation // rows or columns that are equal
	case len(n.Args()) == 2 && slices.ContainsFunc(n.Args(), turned):
		d |= Orientation // of a function of a function
	}
	return d
}

// commonFactor reports whether one of the addends is an operand of another, or two have one in common; of
// powers that are not written out where factors are looked for, whether there is another power.
func (z *Simplifier) commonFactor(addends []*Node) bool {
	seen, powers := map[*Node]bool{}, map[*Node]int{}
	for _, a := range addends {
		seen[a] = true
		if a.Is(atom.Power) {
			powers[root(a)]++
		}
	}
	for _, a := range addends {
		if a.Is(atom.Power) && a.Rat().Num().CmpAbs(big.NewInt(maxRepeated)) > 0 && powers[root(a)] > 1 {
			return true
		}
	}
	for _, a := range addends {
		own := z.factors(a)
		for _, b := range own {
			if seen[b] {
				return true
			}
		}
		for _, b := range own {
			seen[b] = true
		}
	}
	return false
}

// factors are the operands of the product a, and what whole powers among them are powers of, each once. Of
// powers that are not written out where factors are looked for, it is that of a alone, too.
func (z *Simplifier) factors(a *Node) (own []*Node) {
	var ops []*Node
	switch {
	case a.Ein() != nil && !opaque(a):
		ops = a.Args()
	case a.Is(atom.Power) && a.Rat().Num().CmpAbs(big.NewInt(maxRepeated)) > 0:
		ops = []*Node{a}
	}
	for _, b := range ops {
		if b = root(z.split(b).core); !isConst(b) && !isSize(b) && !slices.Contains(own, b) {
			own = append(own, b)
		}
	}
	return own
}

// scales reports whether an addend of the sum n has a number in front that is not 1 or -1.
func (z *Simplifier) scales(n *Node) bool {
	for open := []*Node{n}; len(open) > 0; {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		if isSum(m) {
			open = append(open, m.Args()...)
		} else if c := z.split(m).coef; !c.isOne() && !c.neg().isOne() {
			return true
		}
	}
	return false
}

// turned reports whether n is one value with its axes in another order.
func turned(n *Node) bool {
	if n.Ein() == nil || opaque(n) || len(n.Args()) != 1 {
		return false
	}
	p := open(n)
	return p.permutes()
}

// broadcast reports whether n does not vary along one of its axes.
func broadcast(n *Node) bool {
	if n.Ein() == nil || opaque(n) {
		return false
	}
	p := open(n)
	return slices.ContainsFunc(p.out, func(v int) bool {
		return !slices.ContainsFunc(p.in, func(g []int) bool { return slices.Contains(g, v) })
	})
}

// overSum reports whether n is a sum, or a product that has one.
func overSum(n *Node) bool {
	return isSum(n) || n.Ein() != nil && slices.ContainsFunc(n.Args(), isSum)
}

// untransposed reports whether n is f(X) = f(X').
func untransposed(n *Node) bool {
	return n.Is(atom.Norm2) || n.Is(atom.LogDet) || n.Is(atom.Minor) && n.Attr() == 0
}

// homogeneous reports whether f(c x) follows from f(x), c > 0.
func homogeneous(n *Node) bool {
	at := n.Atom()
	return at.Arity == 1 && (at.Homogeneous == "0" || at.Homogeneous == "1") && !at.Picks
}

// odd reports whether f(-x) is f(x) or -f(x), where n is f of its first operand.
func odd(n *Node) bool {
	return n.Atom().Parity != atom.NoParity && !homogeneous(n)
}

// mixed reports whether n is a sum, or a product that has one, that might be the negative of what is written
// elsewhere: half of its terms have minus signs, or more.
func (z *Simplifier) mixed(n *Node) bool {
	if isSum(n) {
		_, negative, all := z.signs(n)
		return 2*negative >= all
	}
	return n.Ein() != nil && slices.ContainsFunc(n.Args(), func(a *Node) bool { return isSum(a) && z.mixed(a) })
}

// folds reports whether the softplus of x or -x is among the addends of a sum with x or its relu: any number
// of these may be taken to it.
func (z *Simplifier) folds(addends []*Node) bool {
	for _, a := range addends {
		if !a.Is(atom.Softplus) {
			continue
		}
		x := z.split(a.Arg(0)).core
		if x.Is(atom.Abs) {
			x = x.Arg(0)
		}
		if slices.ContainsFunc(addends, func(b *Node) bool { return b == x || b.Is(atom.Relu) && z.split(b.Arg(0)).core == x }) {
			return true
		}
	}
	return false
}

// lawful reports whether products of n with other functions have laws.
func lawful(n *Node) bool {
	switch n.Atom() {
	case atom.Exp, atom.Sigmoid, atom.Sin, atom.Cos, atom.Sinh, atom.Cosh, atom.Minor:
		return true
	}
	return homogeneous(n)
}

// stem is x where n is a power of x.
func stem(n *Node) *Node {
	if n.Is(atom.Power) {
		return n.Arg(0)
	}
	return n
}

// root is x where n is a power of x: powers of a product are products of powers.
func root(n *Node) *Node {
	if n.Is(atom.Power) && n.Rat().IsInt() {
		return n.Arg(0)
	}
	return n
}
