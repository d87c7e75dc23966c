package normal

import (
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
)

// Doubts are the reasons why another writing of a value may have another normal form: choices that a
// simplifier made by how the value was written, and not by what it is. Where there are none, the
// normal form is claimed: no other writing has another one without doubts.
type Doubts uint16

// The reasons.
const (
	// SharedProduct: a product is used in another one, and elsewhere, so that its factors are not those of that
	// one. Where none is, they might have been multiplied first, but that is another form.
	SharedProduct Doubts = 1 << iota
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
	numDoubts = iota
)

var doubtNames = [numDoubts]string{"shared product", "shared sum", "proportion", "factoring", "orientation", "strides", "width", "laws", "cut"}

// Each lists the reasons one by one.
func (d Doubts) Each() []Doubts {
	var out []Doubts
	for i := range numDoubts {
		if d>>i&1 != 0 {
			out = append(out, 1<<i)
		}
	}
	return out
}

func (d Doubts) String() string {
	var names []string
	for i := range numDoubts {
		if d>>i&1 != 0 {
			names = append(names, doubtNames[i])
		}
	}
	return strings.Join(names, ", ")
}

// Doubts are those of the last normal forms, outs.
func (z *Simplifier) Doubts(outs ...*Node) Doubts {
	return z.doubts | z.common(outs)
}

// common are the doubts that two products raise that have a sum of an operand in common, or two sums with two
// addends in common.
func (z *Simplifier) common(outs []*Node) (d Doubts) {
	order := combinators.Topo(outs...)
	inner := map[*Node]bool{} // parts of sums
	for _, n := range order {
		if isSum(n) {
			for _, a := range n.Args() {
				inner[a] = inner[a] || isSum(a) && z.once(a)
			}
		}
	}
	sums, products := map[[2]*Node]bool{}, map[operandSum]bool{}
	uses := combinators.Uses(outs...)
	for _, n := range order {
		d |= z.doubted(n, uses)
		switch {
		case isSum(n) && !inner[n]:
			addends := z.addendsOf(n)
			for _, a := range addends {
				if isSum(a) && slices.ContainsFunc(z.addendsOf(a), func(b *Node) bool { return slices.Contains(addends, b) }) {
					d |= SharedSum
				}
			}
			if z.commonFactor(addends) {
				d |= Factoring // it was not taken out
			}
			for i, a := range addends {
				for _, b := range addends[:i] {
					key := [2]*Node{a, b}
					if sums[key] {
						d |= SharedSum
					}
					sums[key] = true
				}
			}
		case n.Ein() != nil && !opaque(n):
			p := open(n)
			if p.common(products) {
				d |= SharedProduct
			}
		}
	}
	return d
}

// common reports whether a sum of one operand of p over axes that nothing else has stands in sums already,
// or powers of one product in p. It puts those of p into sums.
func (p *product) common(sums map[operandSum]bool) (found bool) {
	var own []operandSum
	for i, a := range p.ops {
		if slices.ContainsFunc(p.ops[:i], func(b *Node) bool { return b != a && root(b) == root(a) }) {
			found = found || root(a).Ein() != nil
		}
		if x, ok := p.single(i); ok {
			some := operandSum{of: x.of} // summed over other axes, it may be a sum of this
			found = found || sums[some] || sums[x]
			own = append(own, x, some)
		}
	}
	for _, x := range own {
		sums[x] = true
	}
	return found
}

// operandSum is a sum of one value over some of its axes. form says which, or is 0 for any.
type operandSum struct {
	of   *Node
	form uint64
}

// single is the part that is operand k alone, summed over axes that nothing else has; it reports false
// where there are none.
func (p *product) single(k int) (operandSum, bool) {
	x := operandSum{of: p.ops[k]}
	summed := false
	for _, v := range p.in[k] {
		alone := !slices.Contains(p.out, v)
		for j, g := range p.in {
			alone = alone && (j == k || !slices.Contains(g, v))
		}
		at := slices.Index(p.in[k], v)
		if x.form = einsum.Mix(x.form, uint64(at)); alone {
			x.form++
		}
		summed = summed || alone
	}
	return x, summed
}

// addendsOf are the addends of the sum n, without their coefficients, as far as its parts are used once.
func (z *Simplifier) addendsOf(n *Node) (out []*Node) {
	open := []*Node{n}
	for len(open) > 0 {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		if isSum(m) && (m == n || z.once(m)) {
			open = append(open, m.Args()...)
		} else {
			out = append(out, z.split(m).core)
		}
	}
	slices.SortFunc(out, func(a, b *Node) int { return a.ID() - b.ID() })
	return out
}
