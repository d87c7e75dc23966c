package normal

import (
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
)

// Doubts are the reasons why another writing of a value may have another normal form: choices that a
// simplifier made by how the value was written, and not by what it is. Where there are none, the
// normal form is claimed to be the only one.
type Doubts uint16

// The reasons.
const (
	// SharedProduct: products have two factors in common that might be multiplied first, and shared.
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

// common are the doubts that two products, or two sums, raise that have a part of two operands in common.
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
	sums, products := map[[2]*Node]bool{}, map[pair]bool{}
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

// pair is a product of two operands that might be computed by itself: form says which of their axes
// are one. b is nil where it is one operand that is summed.
type pair struct {
	a, b *Node
	form uint64
	kind pairKind
}

// pairKind says whether form tells axes that others have from those that are summed; of pairs that do
// not, whether they are a whole product, which may be summed afterwards.
type pairKind uint8

const (
	exact pairKind = iota
	anywhere
	alone
	onDiagonal // form tells no axes, and an operand has one of them twice
	anyhow     // form tells no axes
)

// common reports whether a pair of operands of p stands in pairs already, or in p twice. It puts those
// of p into pairs.
func (p *product) common(pairs map[pair]bool) (found bool) {
	repeated, powers := 0, 0 // factors that stand twice; powers
	for i, a := range p.ops {
		if slices.ContainsFunc(p.ops[:i], func(b *Node) bool { return b != a && root(b) == root(a) }) {
			found = found || root(a).Ein() != nil // powers of one product
		}
		switch {
		case isSize(root(a)):
			continue
		case root(a) != a && a.Rat().Num().CmpAbs(big.NewInt(1)) > 0:
			powers++
		case occurrences(p.ops, a) > 1:
			repeated++
		}
	}
	if powers > 0 && repeated > 0 {
		found = true
	}
	var own, later []pair
	var at [][2]int
	for i := range p.ops {
		if x, ok := p.single(i); ok {
			own, at = append(own, x), append(at, [2]int{i, i})
			some := pair{a: x.a, kind: anyhow} // summed over other axes, it may be a sum of this
			found = found || pairs[some]
			later = append(later, some)
		}
		if root(p.ops[i]) != p.ops[i] && p.ops[i].Rat().Num().CmpAbs(big.NewInt(1)) > 0 {
			x := p.pair(i, i, false) // its power is a product of them
			x.kind = alone
			found = found || pairs[x]
			x.kind = anywhere
			later = append(later, x)
		}
		for j := range i {
			if p.apart(i, j) || isSize(root(p.ops[i])) || isSize(root(p.ops[j])) {
				continue
			}
			own, at = append(own, p.pair(i, j, true)), append(at, [2]int{i, j})
			loose := p.pair(i, j, false)
			whole := loose
			loose.kind, whole.kind = anywhere, alone
			isolated := p.isolated(i, j)
			found = found || pairs[whole] || isolated && pairs[loose]
			later = append(later, loose)
			if isolated {
				later = append(later, whole)
			}
			// A diagonal of a product is one of its operands, or of the product.
			some, twice := pair{a: loose.a, b: loose.b, kind: anyhow}, pair{a: loose.a, b: loose.b, kind: onDiagonal}
			found = found || pairs[twice]
			later = append(later, some)
			if p.twice(i, j) {
				found = found || pairs[some]
				later = append(later, twice)
			}
		}
	}
	for k, x := range own {
		found = found || pairs[x]
		for l, y := range own[:k] {
			if x.b != nil && y.b != nil {
				x, y = p.pair(at[k][0], at[k][1], false), p.pair(at[l][0], at[l][1], false)
				if p.twice(at[k][0], at[k][1]) || p.twice(at[l][0], at[l][1]) {
					x.form, y.form = 0, 0
				}
			}
			found = found || x == y && at[k][0] != at[l][0] && at[k][0] != at[l][1] && at[k][1] != at[l][0] && at[k][1] != at[l][1]
		}
	}
	for _, x := range append(own, later...) {
		pairs[x] = true
	}
	return found
}

// apart reports whether the product of the operands i and j is an outer one, which is taken apart where
// it is shared.
func (p *product) apart(i, j int) bool {
	return len(p.in[i]) > 0 && len(p.in[j]) > 0 &&
		!slices.ContainsFunc(p.in[i], func(v int) bool { return slices.Contains(p.in[j], v) })
}

// isolated reports whether no other operand has axes of the operands i and j.
func (p *product) isolated(i, j int) bool {
	for k, g := range p.in {
		if k != i && k != j && slices.ContainsFunc(g, func(v int) bool { return slices.Contains(p.in[i], v) || slices.Contains(p.in[j], v) }) {
			return false
		}
	}
	return true
}

// twice reports whether one of the operands i and j has an axis twice.
func (p *product) twice(i, j int) bool { return !distinct(p.in[i]) || !distinct(p.in[j]) }

func (p *product) pair(i, j int, kept bool) pair {
	elsewhere := func(v int) bool {
		for k, g := range p.in {
			if k != i && k != j && slices.Contains(g, v) {
				return true
			}
		}
		return slices.Contains(p.out, v)
	}
	if p.ops[i].ID() > p.ops[j].ID() {
		i, j = j, i
	}
	form := func(i, j int) (h uint64) {
		var met []int
		for _, g := range [][]int{p.in[i], p.in[j]} {
			for _, v := range g {
				at := slices.Index(met, v)
				if at < 0 {
					at, met = len(met), append(met, v)
				}
				if h = einsum.Mix(h, uint64(at)); kept && elsewhere(v) {
					h++
				}
			}
		}
		return h
	}
	x := pair{a: root(p.ops[i]), b: root(p.ops[j]), form: form(i, j)}
	if x.a.ID() > x.b.ID() {
		x = pair{a: x.b, b: x.a, form: form(j, i)}
	}
	if x.a == x.b {
		x.form = min(x.form, form(j, i))
	}
	return x
}

// single is the part that is operand k alone, summed over axes that nothing else has; it reports false
// where there are none.
func (p *product) single(k int) (pair, bool) {
	x := pair{a: p.ops[k]}
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
