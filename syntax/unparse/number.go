package unparse

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// maxArranged bounds the nodes of what is written in two ways.
const maxArranged = 2000

// arranged gives nodes equal to the given ones with fewer products by numbers, and fewer powers: x^3 .* y^3 is (x .* y)^3. A number before
// a sum goes into it where that is so, 4*(3*x - 1) is 12*x - 4, and terms with one number share it: 0.5*(2*U*U' - A - A') is
// U*U' - 0.5*(A + A').
func arranged(nodes []*combinators.Node) []*combinators.Node {
	topo := combinators.Topo(nodes...)
	if len(topo) > maxArranged {
		return nodes
	}
	a := &arranger{uses: combinators.Uses(nodes...), done: map[*combinators.Node]*combinators.Node{}}
	inner := map[*combinators.Node]bool{} // parts of sums
	for _, n := range topo {
		if n.Is(atom.Add) {
			inner[n.Arg(0)], inner[n.Arg(1)] = true, true
		}
	}
	for _, n := range topo {
		m := n.With(a.arguments(n))
		if n.Is(atom.Add) && !(inner[n] && a.uses[n] == 1) {
			m = a.shared(n, m)
		} else if n.Ein() != nil {
			if s := a.spread(n, m); s != m {
				m = s
			} else {
				m = a.power(n, m)
			}
		}
		a.done[n] = m
	}
	return lists.Map(nodes, func(n *combinators.Node) *combinators.Node { return a.done[n] })
}

type arranger struct {
	uses map[*combinators.Node]int
	done map[*combinators.Node]*combinators.Node
}

// arguments are the operands of n, arranged.
func (a *arranger) arguments(n *combinators.Node) []*combinators.Node {
	return lists.Map(n.Args(), func(b *combinators.Node) *combinators.Node { return a.done[b] })
}

// group has the terms of a sum with one number, but for the sign. A number costs no product where it stands alone or above a fraction bar:
// such terms are free.
type group struct {
	number      *big.Rat // positive
	terms, free []signed
}

type signed struct {
	negative bool
	node     *combinators.Node
}

// shared is the sum n, m of arranged operands, with one product for terms of one number. 3*x + 3*h is left alone: it was not to be factored.
func (a *arranger) shared(n, m *combinators.Node) *combinators.Node {
	groups, _ := a.groups(n)
	if len(groups) < 2 || !slices.ContainsFunc(groups, func(g group) bool { return g.number.Cmp(one) != 0 && len(g.terms) > 1 }) {
		return m
	}
	return sumOf(groups, false)
}

// spread is the contraction n, m of arranged operands, with its number in a sum that is an operand.
func (a *arranger) spread(n, m *combinators.Node) *combinators.Node {
	in, out, plain := n.Ein().IsPlain()
	at := slices.IndexFunc(n.Args(), func(s *combinators.Node) bool { return s.Is(atom.Add) && a.uses[s] == 1 })
	c := slices.IndexFunc(n.Args(), func(s *combinators.Node) bool { return s.Is(atom.Const) })
	if !plain || at < 0 || c < 0 {
		return m
	}
	alone := len(n.Args()) == 2
	if alone && !slices.Equal(in[at], out) {
		return m // 2*sum(x)
	}
	number := n.Arg(c).Rat()
	size, turned := new(big.Rat).Abs(number), number.Sign() < 0
	groups, mixed := a.groups(n.Arg(at))
	before := multiplications(groups)
	if size.Cmp(one) != 0 || turned && !mixed && alone {
		before++
	}
	for i, g := range groups {
		groups[i].number = new(big.Rat).Mul(size, g.number)
	}
	after := multiplications(groups)
	if after == 0 && turned && !mixed {
		after++
	}
	if after >= before {
		return m
	}
	args := a.arguments(n) // in the order of n: m sorts its own
	args[at] = sumOf(groups, turned)
	return m.Store().Ein(einsum.Plain(slices.Delete(slices.Clone(in), c, c+1), out, n.Ein().Vars), slices.Delete(args, c, c+1)...)
}

// multiplications counts the products by numbers that a sum is written with.
func multiplications(groups []group) (count int) {
	for _, g := range groups {
		if g.number.Cmp(one) != 0 && len(g.terms) > 0 {
			count++
		}
	}
	return count
}

// groups are the terms of the sum n by their numbers; mixed says that they have both signs.
func (a *arranger) groups(n *combinators.Node) (groups []group, mixed bool) {
	negative := 0
	terms, at := addends(n, func(s *combinators.Node) bool { return a.uses[s] == 1 }), map[string]int{}
	for _, t := range terms {
		number, core := coefficient(a.done[t])
		s := signed{number.Sign() < 0, core}
		if s.negative {
			negative++
		}
		number = new(big.Rat).Abs(number)
		key := number.RatString()
		i, known := at[key]
		if !known {
			i, at[key], groups = len(groups), len(groups), append(groups, group{number: number})
		}
		if g := &groups[i]; constant(core) {
			g.free = append(g.free, s)
		} else {
			g.terms = append(g.terms, s)
		}
	}
	return groups, negative > 0 && negative < len(terms)
}

// coefficient is n as a number times a value.
func coefficient(n *combinators.Node) (*big.Rat, *combinators.Node) {
	if r, ok := n.Filled(); ok {
		return r, n.Store().Ones(n.Shape())
	}
	number := big.NewRat(1, 1)
	if n.Ein() == nil {
		return number, n
	}
	in, out, plain := n.Ein().IsPlain()
	if !plain {
		return number, n
	}
	var ops []*combinators.Node
	var groups [][]int
	for k, b := range n.Args() {
		if b.Is(atom.Const) {
			number.Mul(number, b.Rat())
		} else {
			ops, groups = append(ops, b), append(groups, in[k])
		}
	}
	if len(ops) == len(in) {
		return number, n
	}
	return number, n.Store().Ein(einsum.Plain(groups, out, n.Ein().Vars), ops...)
}

// constant reports whether n is 1, or 1 over a value.
func constant(n *combinators.Node) bool {
	_, filled := n.Filled()
	over := n.Ein() != nil && len(n.Args()) > 0 && !slices.ContainsFunc(n.Args(), func(b *combinators.Node) bool { return !reciprocal(b) })
	return filled || over || reciprocal(n)
}

// sumOf is the sum of groups, with all signs turned where turned says so.
func sumOf(groups []group, turned bool) (sum *combinators.Node) {
	plus := func(a, b *combinators.Node) *combinators.Node {
		if a == nil {
			return b
		}
		return b.Store().Add(a, b)
	}
	times := func(number *big.Rat, negative bool, n *combinators.Node) *combinators.Node {
		if negative {
			number = new(big.Rat).Neg(number)
		}
		if number.Cmp(one) == 0 {
			return n
		}
		if _, filled := n.Filled(); filled {
			return n.Store().Fill(number, n.Shape())
		}
		return n.Store().Scale(n.Store().Const(number), n)
	}
	for _, g := range groups {
		alone := slices.Concat(g.terms, g.free)
		if g.number.Cmp(one) != 0 && len(g.terms) > 1 {
			var inner *combinators.Node
			first := g.terms[0].negative
			for _, t := range g.terms {
				inner = plus(inner, times(one, t.negative != first, t.node))
			}
			sum, alone = plus(sum, times(g.number, turned != first, inner)), g.free
		}
		for _, t := range alone {
			sum = plus(sum, times(g.number, turned != t.negative, t.node))
		}
	}
	return sum
}

// power is the contraction n, m of arranged operands, as one power of a product of several values, where it is that and sums nothing.
func (a *arranger) power(n, m *combinators.Node) *combinators.Node {
	in, out, plain := n.Ein().IsPlain()
	if !plain || !coversAll(in, out) {
		return m
	}
	number, s := big.NewRat(1, 1), n.Store()
	var bases []*combinators.Node
	var groups [][]int
	var exponents []int64
	common := int64(0)
	for k, b := range n.Args() {
		base, e := a.done[b], int64(1)
		switch {
		case b.Is(atom.Const):
			number.Mul(number, b.Rat())
			continue
		case b.Is(atom.Power) && b.Rat().IsInt() && b.Rat().Num().IsInt64() && (a.uses[b] == 1 || reciprocal(b)):
			base, e = a.done[b.Arg(0)], b.Rat().Num().Int64()
		}
		if e > maxPower || e < -maxPower {
			return m
		}
		at := slices.Index(bases, base)
		if at < 0 || !slices.Equal(groups[at], in[k]) {
			at, bases, groups, exponents = len(bases), append(bases, base), append(groups, in[k]), append(exponents, 0)
		}
		exponents[at] += e
	}
	for _, e := range exponents {
		common = gcd(common, e)
	}
	if len(bases) < 2 || common < 2 {
		return m
	}
	if !slices.ContainsFunc(exponents, func(e int64) bool { return e > 0 }) {
		common = -common
	}
	for i, e := range exponents {
		bases[i] = s.Power(bases[i], big.NewRat(e/common, 1))
	}
	p := s.Ein(einsum.Plain(groups, out, n.Ein().Vars), bases...)
	if p = s.Power(p, big.NewRat(common, 1)); number.Cmp(one) == 0 {
		return p
	}
	return s.Scale(s.Const(number), p)
}

// gcd is the greatest common divisor of a, which is not negative, and b.
func gcd(a, b int64) int64 {
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
