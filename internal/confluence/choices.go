package confluence

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/rewrite/normal"
)

// choices are those that z made for the normal forms outs, and those that the forms show: where another writing
// could have another form, since it would have been flattened, factored or turned in another way.
func choices(z *normal.Simplifier, outs ...*Node) normal.Choices {
	r := reader{Simplifier: z, uses: combinators.Uses(outs...)}
	order := combinators.Topo(outs...)
	inner := map[*Node]bool{} // parts of sums
	for _, n := range order {
		if isSum(n) {
			for _, a := range n.Args() {
				inner[a] = inner[a] || isSum(a) && !z.Shared(a)
			}
		}
	}
	sums, products := map[[2]*Node]bool{}, map[operandSum]bool{}
	found := z.Choices()
	for _, n := range order {
		switch {
		case isSum(n):
			found |= r.sum(n)
			if !inner[n] {
				found |= r.addends(n, sums)
			}
		case isPlain(n):
			p := open(n)
			found |= r.product(n, p)
			if p.common(products) {
				found |= normal.SharedProduct
			}
		case n.Ein() != nil:
			if slices.ContainsFunc(n.Args(), func(a *Node) bool { return a.Ein() != nil && r.uses[a] > 1 }) {
				found |= normal.SharedProduct
			}
		default:
			found |= r.function(n)
		}
	}
	return found
}

// reader finds the choices that normal forms show.
type reader struct {
	*normal.Simplifier
	uses map[*Node]int
}

// product is a plain product taken apart: coef * ops over the index strings in, out.
type product struct {
	ops  []*Node
	in   [][]int
	out  []int
	coef *big.Rat
}

func open(n *Node) product {
	ops, in, out, coef := normal.Factors(n)
	return product{ops, in, out, coef}
}

func isSum(n *Node) bool { return n.Is(atom.Add) }

// isPlain reports whether n is a plain product.
func isPlain(n *Node) bool {
	if n.Ein() == nil {
		return false
	}
	_, _, plain := n.Ein().IsPlain()
	return plain
}

// core is n without its number.
func (r reader) core(n *Node) *Node {
	_, core := r.Term(n)
	return core
}

// addends are the choices that the sum n shows, as a whole: two sums with two addends in common, and factors that
// were not taken out. It puts the pairs of addends into sums.
func (r reader) addends(n *Node, sums map[[2]*Node]bool) (found normal.Choices) {
	addends := r.addendsOf(n)
	for _, a := range addends {
		if isSum(a) && slices.ContainsFunc(r.addendsOf(a), func(b *Node) bool { return slices.Contains(addends, b) }) {
			found |= normal.SharedSum
		}
	}
	if r.commonFactor(addends) {
		found |= normal.Factoring
	}
	for i, a := range addends {
		for _, b := range addends[:i] {
			key := [2]*Node{a, b}
			if sums[key] {
				found |= normal.SharedSum
			}
			sums[key] = true
		}
	}
	return found
}

// common reports whether a sum of one operand of p over axes that nothing else has stands in sums already,
// or powers of one product in p. It puts those of p into sums.
func (p product) common(sums map[operandSum]bool) (found bool) {
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
func (p product) single(k int) (operandSum, bool) {
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
func (r reader) addendsOf(n *Node) (out []*Node) {
	open := []*Node{n}
	for len(open) > 0 {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		if isSum(m) && (m == n || !r.Shared(m)) {
			open = append(open, m.Args()...)
		} else {
			out = append(out, r.core(m))
		}
	}
	slices.SortFunc(out, func(a, b *Node) int { return a.ID() - b.ID() })
	return out
}

// sum are the choices that the sum n shows by itself.
func (r reader) sum(n *Node) (found normal.Choices) {
	addends := r.addendsOf(n)
	if slices.ContainsFunc(addends, func(a *Node) bool {
		return turned(a) && a.Arg(0).Ein() == nil && len(a.Arg(0).Args()) > 0 || a.Order() > 1 && broadcast(a) && len(a.Args()) > 0
	}) {
		found |= normal.Orientation // of the addends, or of the sum
	}
	if r.folds(addends) {
		found |= normal.Laws
	}
	if r.uses[n] > 1 && r.scales(n) {
		found |= normal.Proportion
	}
	return found
}

// product are those that the product n shows, which is p.
func (r reader) product(n *Node, p product) (found normal.Choices) {
	for _, a := range p.ops {
		if r.lawsMeet(a, p) || isConst(a) && a.Rat().Sign() == 0 { // a zero beside what has no value
			found |= normal.Laws
		}
		if r.uses[a] > 1 && isPlain(a) && (len(a.Args()) > 1 || len(a.Args()) == 1 && normal.Summed(a) == 0) {
			found |= normal.SharedProduct // the operands of a might be n's
		}
		if r.uses[n] > 1 && isSum(a) && r.scales(a) {
			found |= normal.Proportion
		}
		if isSum(a) && slices.ContainsFunc(r.addendsOf(a), func(t *Node) bool { return r.meets(t, p) }) {
			found |= normal.Factoring // another of its factors might have been taken out
		}
	}
	if r.uses[n] > 1 && len(p.ops) > 0 && !atom.IsOne(p.coef) {
		found |= normal.Proportion // the number might stand where it is used
	}
	return found
}

// meets reports whether a factor of n is one of p, or a power of one.
func (r reader) meets(n *Node, p product) bool {
	return slices.ContainsFunc(r.factors(n), func(b *Node) bool {
		return slices.ContainsFunc(p.ops, func(c *Node) bool { return root(c) == b })
	})
}

// lawsMeet reports whether the factor a of p and another one have laws together, which apply or not by which of
// the factors meet first.
func (r reader) lawsMeet(a *Node, p product) bool {
	f := stem(a)
	if normal.HasLaws(f) && (r.meets(f.Arg(0), p) || slices.ContainsFunc(p.ops, func(b *Node) bool {
		g := stem(b)
		return b != a && (g == stem(f.Arg(0)) || normal.HasLaws(g) && g.Arg(0) == f.Arg(0))
	})) {
		return true
	}
	return a.Is(atom.Exp) && slices.ContainsFunc(p.ops, func(b *Node) bool {
		return b != a && b.Is(atom.Exp) && r.core(b.Arg(0)) == r.core(a.Arg(0))
	})
}

// function are those that the function n shows.
// It stays one list of cases, the first of which holds.
func (r reader) function(n *Node) normal.Choices {
	if len(n.Args()) == 0 {
		return 0
	}
	x := n.Arg(0)
	ofPowers := x.Is(atom.Norm2) || x.Is(atom.Abs) || x.Ein() != nil && slices.ContainsFunc(x.Args(), isPower)
	composite := isSum(x) || x.Ein() != nil && len(x.Args()) > 1
	switch {
	case untransposed(n) && x.Order() > 1 && composite && !r.Symmetric(x):
		if overSum(x) {
			return normal.Orientation | normal.Laws
		}
		return normal.Orientation // f(X') = f(X)
	case normal.Homogeneous(n) && (overSum(x) || normal.IsZero(x)):
		return normal.Laws // a scale is taken out or not
	case (odd(n) || n.Atom().Class == atom.ClassLinear) && r.mixed(x):
		return normal.Proportion // f(-x) is f(x) or -f(x)
	case (n.Is(atom.Sign) || n.Is(atom.Step)) && ofPowers:
		return normal.Laws // of a product of powers, or a power of a product
	case isPower(n):
		return powerOf(n)
	case n.Atom().Over == atom.OverMatrices && broadcast(x):
		return normal.Orientation // rows or columns that are equal
	case len(n.Args()) == 2 && slices.ContainsFunc(n.Args(), turned):
		return normal.Orientation // of a function of a function
	}
	return 0
}

// powerOf are those that the power n shows.
func powerOf(n *Node) normal.Choices {
	switch x := n.Arg(0); {
	case n.Rat().Sign() < 0 && normal.IsZero(x):
		return normal.Laws // any multiple has no value, either
	case n.Rat().IsInt() && overSum(x):
		return normal.Proportion
	case x.Ein() != nil && len(x.Args()) > 1:
		return normal.Laws // of a product, or a product of powers
	}
	return 0
}

func isPower(n *Node) bool { return n.Is(atom.Power) }

func isConst(n *Node) bool { return n.Is(atom.Const) }

// isSize reports whether n is a size as a number.
func isSize(n *Node) bool {
	return len(n.Args()) == 0 && n.Order() == 0 && n.Ein() != nil && len(n.Ein().Vars) == 1
}

// commonFactor reports whether one of the addends is an operand of another, or two have one in common; of
// powers that are not written out where factors are looked for, whether there is another power.
func (r reader) commonFactor(addends []*Node) bool {
	seen, powers := map[*Node]bool{}, map[*Node]int{}
	for _, a := range addends {
		seen[a] = true
		if a.Is(atom.Power) {
			powers[root(a)]++
		}
	}
	for _, a := range addends {
		if a.Is(atom.Power) && a.Rat().Num().CmpAbs(big.NewInt(normal.MaxRepeated)) > 0 && powers[root(a)] > 1 {
			return true
		}
	}
	for _, a := range addends {
		own := r.factors(a)
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
func (r reader) factors(a *Node) (own []*Node) {
	var ops []*Node
	switch {
	case isPlain(a):
		ops = a.Args()
	case a.Is(atom.Power) && a.Rat().Num().CmpAbs(big.NewInt(normal.MaxRepeated)) > 0:
		ops = []*Node{a}
	}
	for _, b := range ops {
		if b = root(r.core(b)); !isConst(b) && !isSize(b) && !slices.Contains(own, b) {
			own = append(own, b)
		}
	}
	return own
}

// scales reports whether an addend of the sum n has a number in front that is not 1 or -1.
func (r reader) scales(n *Node) bool {
	for open := []*Node{n}; len(open) > 0; {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		if isSum(m) {
			open = append(open, m.Args()...)
		} else if c, _ := r.Term(m); c.Num().CmpAbs(c.Denom()) != 0 {
			return true
		}
	}
	return false
}

// turned reports whether n is one value with its axes in another order.
func turned(n *Node) bool {
	if !isPlain(n) || len(n.Args()) != 1 {
		return false
	}
	p := open(n)
	return len(p.ops) == 1 && len(p.in[0]) == len(p.out) && einsum.Distinct(p.in[0]) && einsum.Distinct(p.out) && !slices.Equal(p.in[0], p.out) &&
		!slices.ContainsFunc(p.in[0], func(v int) bool { return !slices.Contains(p.out, v) })
}

// broadcast reports whether n does not vary along one of its axes.
func broadcast(n *Node) bool {
	if !isPlain(n) {
		return false
	}
	p := open(n)
	return slices.ContainsFunc(p.out, func(v int) bool {
		return !slices.ContainsFunc(p.in, func(g []int) bool { return slices.Contains(g, v) })
	})
}

// untransposed reports whether n is f(X) = f(X').
func untransposed(n *Node) bool {
	return n.Is(atom.Norm2) || n.Is(atom.LogDet) || n.Is(atom.Minor) && n.Attr() == 0
}

// odd reports whether f(-x) is f(x) or -f(x), where n is f of its first operand.
func odd(n *Node) bool {
	return n.Atom().Parity != atom.NoParity && !normal.Homogeneous(n)
}

// mixed reports whether n is a sum, or a product that has one, that might be the negative of what is written
// elsewhere: half of its terms have minus signs, or more.
func (r reader) mixed(n *Node) bool {
	if isSum(n) {
		negative, all := r.Signs(n)
		return 2*negative >= all
	}
	return n.Ein() != nil && slices.ContainsFunc(n.Args(), func(a *Node) bool { return isSum(a) && r.mixed(a) })
}

// folds reports whether the softplus of x or -x is among the addends of a sum with x or its relu: any number
// of these may be taken to it.
func (r reader) folds(addends []*Node) bool {
	for _, a := range addends {
		if !a.Is(atom.Softplus) {
			continue
		}
		x := r.core(a.Arg(0))
		if x.Is(atom.Abs) {
			x = x.Arg(0)
		}
		if slices.ContainsFunc(addends, func(b *Node) bool { return b == x || b.Is(atom.Relu) && r.core(b.Arg(0)) == x }) {
			return true
		}
	}
	return false
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

// overSum reports whether n is a sum, or a product that has one.
func overSum(n *Node) bool {
	return isSum(n) || n.Ein() != nil && slices.ContainsFunc(n.Args(), isSum)
}
