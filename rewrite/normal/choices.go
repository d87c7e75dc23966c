package normal

import (
	"math/big"
	"strings"

	"frechet/combinators/atom"
)

// Choices are the reasons why another writing of a value may have another normal form: choices that a
// simplifier made by how the value was written, and not by what it is. Where there are none, the
// normal form is claimed: no other writing has another one without choices.
type Choices uint16

// The reasons.
const (
	// SharedProduct: a product is used in another one, and elsewhere, so that its factors are not those of that
	// one. Where none is, they might have been multiplied first, but that is another form.
	SharedProduct Choices = 1 << iota
	// SharedSum is the same of sums.
	SharedSum
	// Proportion: sums that are multiples of one another, of which one stands for all.
	Proportion
	// Factoring: factors might be taken out of a sum in more than one way.
	Factoring
	// Orientation: a value that is used more than once, or is too large to be looked through, keeps the
	// order of its axes.
	Orientation
	// Strides: a contraction that is not plain met another one, and was fused with it or not.
	Strides
	// Width: a sum, a product or a symmetric matrix is too large to be looked at as a whole.
	Width
	// Laws: factors or powers have a law that is applied or not, by which of them meet first.
	Laws
	// Cut: a search, the passes or the budget ended.
	Cut
	numChoices = iota
)

var choiceNames = [numChoices]string{"shared product", "shared sum", "proportion", "factoring", "orientation", "strides", "width", "laws", "cut"}

// Each lists the reasons one by one.
func (d Choices) Each() []Choices {
	var out []Choices
	for i := range numChoices {
		if d>>i&1 != 0 {
			out = append(out, 1<<i)
		}
	}
	return out
}

func (d Choices) String() string {
	var names []string
	for i := range numChoices {
		if d>>i&1 != 0 {
			names = append(names, choiceNames[i])
		}
	}
	return strings.Join(names, ", ")
}

// Choices are those of the last normal forms.
func (z *Simplifier) Choices() Choices { return z.choices }

// Shared reports whether products and sums are not flattened through n, since others use it.
func (z *Simplifier) Shared(n *Node) bool { return !z.once(n) }

// Term takes a value apart as it is in a sum: n = coef * core.
func (z *Simplifier) Term(n *Node) (coef *big.Rat, core *Node) {
	t := z.split(n)
	return t.coef.rat(), t.core
}

// Signs counts the terms of the sum n with minus signs, and all.
func (z *Simplifier) Signs(n *Node) (negative, all int) {
	_, negative, all = z.signs(n)
	return negative, all
}

// Symmetric reports whether the matrix n was found to be its transpose by its form.
func (z *Simplifier) Symmetric(n *Node) bool { return z.symmetries.Get(n) == symmetric }

// Factors are those of the plain product n, without its number: their index strings and that of n.
func Factors(n *Node) (ops []*Node, in [][]int, out []int, coef *big.Rat) {
	p := open(n)
	return p.ops, p.in, p.out, p.coef.rat()
}

// Summed are the axes over which n, or what it is a power of, sums its one operand; none where it does more.
func Summed(n *Node) (axes uint64) { return axesOf(n) }

// HasLaws reports whether products of n with other functions have laws.
func HasLaws(n *Node) bool {
	switch n.Atom() {
	case atom.Exp, atom.Sigmoid, atom.Sin, atom.Cos, atom.Sinh, atom.Cosh, atom.Minor:
		return true
	}
	return Homogeneous(n)
}

// Homogeneous reports whether f(c x) follows from f(x), c > 0.
func Homogeneous(n *Node) bool {
	at := n.Atom()
	return at.Arity == 1 && (at.Homogeneous == "0" || at.Homogeneous == "1") && !at.Picks
}
