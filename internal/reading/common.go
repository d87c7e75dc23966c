package reading

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// common are factors that terms have in common. The sum of what is left of the terms has the axes edges, each a variable of
// the factors or of the output. Factors share a variable where they do so in all terms: of
//
//	A[k,i] u[k] A[k,j]    and    A[k,i] u[k] u[l] A[l,j]
//
// the common factors A[k,i] A[l,j] leave diag(u)[k,l] and u[k] u[l].
type common struct {
	monomial
	vars  int // they are 0, 1, ...
	edges []int
	over  []size.Size // the shape of what is left
}

// commonFactors are the sets of factors that a and b have in common, with the variables that are one in both.
func (f *factoring) commonFactors(a, b monomial) (out []common) {
	var pairs [][2]int
	taken := make([]bool, len(b.ops))
	var search func(i int)
	search = func(i int) {
		if len(out) >= maxCommon || !f.spend(1) {
			return
		}
		if i == len(a.ops) {
			if len(pairs) > 0 {
				out = append(out, newCommon(a, b, pairs))
			}
			return
		}
		for j, y := range b.ops {
			if y == a.ops[i] && !taken[j] && !b.before(j, func(k int) bool { return !taken[k] }) {
				taken[j] = true
				pairs = append(pairs, [2]int{i, j})
				search(i + 1)
				pairs = pairs[:len(pairs)-1]
				taken[j] = false
			}
		}
		search(i + 1)
	}
	search(0)
	return out
}

// maxCommon bounds the sets of factors that two terms have in common.
const maxCommon = 40

// same reports whether operands i and j are equal, and have the same variables.
func (m monomial) same(i, j int) bool { return m.ops[i] == m.ops[j] && slices.Equal(m.in[i], m.in[j]) }

// before reports whether an operand that is free stands before operand j, and is the same.
func (m monomial) before(j int, free func(int) bool) bool {
	for k := range j {
		if m.same(k, j) && free(k) {
			return true
		}
	}
	return false
}

// newCommon are the factors of a and b that are paired.
func newCommon(a, b monomial, pairs [][2]int) (c common) {
	var of [][2]int // a variable of a and one of b
	var dims []size.Size
	class := func(v, w int, d size.Size) int {
		k := slices.Index(of, [2]int{v, w})
		if k < 0 {
			k, of, dims = len(of), append(of, [2]int{v, w}), append(dims, d)
		}
		return k
	}
	var left, right []int
	for _, p := range pairs {
		x := a.ops[p[0]]
		g := make([]int, x.Order())
		for i, v := range a.in[p[0]] {
			g[i] = class(v, b.in[p[1]][i], x.Shape()[i])
		}
		c.ops, c.in = append(c.ops, x), append(c.in, g)
		left, right = append(left, p[0]), append(right, p[1])
	}
	for i, v := range a.out {
		c.out = append(c.out, class(v, b.out[i], a.shape[i]))
	}
	c.coef, c.shape = big.NewRat(1, 1), a.shape
	restA, restB := a.without(left), b.without(right)
	inside := func(k int) bool {
		return slices.ContainsFunc(c.in, func(g []int) bool { return slices.Contains(g, k) })
	}
	several := func(side, v int) bool {
		n := 0
		for _, p := range of {
			if p[side] == v {
				n++
			}
		}
		return n > 1
	}
	for k, p := range of {
		if !inside(k) || restA.has(p[0]) || restB.has(p[1]) || several(0, p[0]) || several(1, p[1]) {
			c.edges, c.over = append(c.edges, k), append(c.over, dims[k])
		}
	}
	c.vars = len(of)
	return c
}

func (m monomial) has(v int) bool {
	return slices.ContainsFunc(m.in, func(g []int) bool { return slices.Contains(g, v) })
}

// without is m without the operands at.
func (m monomial) without(at []int) monomial {
	r := monomial{coef: m.coef, out: m.out, shape: m.shape}
	for k, a := range m.ops {
		if !slices.Contains(at, k) {
			r.ops, r.in = append(r.ops, a), append(r.in, m.in[k])
		}
	}
	return r
}

// quotient is what c leaves of t, over the edges; it reports false where t does not have the factors, they leave no tensor over
// the edges, or no steps are left.
func (f *factoring) quotient(t monomial, c common) (rest monomial, ok bool) {
	to := slices.Repeat([]int{unbound}, c.vars) // variables of c to those of t
	var bound []int
	bind := func(g, h []int) bool {
		for i, k := range g {
			if to[k] == unbound {
				to[k], bound = h[i], append(bound, k)
			} else if to[k] != h[i] {
				return false
			}
		}
		return true
	}
	undo := func(most int) {
		for _, k := range bound[most:] {
			to[k] = unbound
		}
		bound = bound[:most]
	}
	if !bind(c.out, t.out) {
		return rest, false
	}
	var at []int
	var search func(k int) bool
	search = func(k int) bool {
		if !f.spend(1) {
			return false
		}
		if k == len(c.ops) {
			rest = t.without(at)
			return c.leaves(t, &rest, to)
		}
		for i, x := range t.ops {
			free := func(j int) bool { return !slices.Contains(at, j) }
			if x != c.ops[k] || !free(i) || t.before(i, free) {
				continue
			}
			at = append(at, i)
			before := len(bound)
			if bind(c.in[k], t.in[i]) && search(k+1) {
				return true
			}
			undo(before)
			at = at[:len(at)-1]
		}
		return false
	}
	return rest, search(0)
}

// unbound is the image of a variable that has none yet.
const unbound = -1

// leaves gives rest, what is left of t, the axes of the edges. A rest without factors along one is constant there.
func (c common) leaves(t monomial, rest *monomial, to []int) bool {
	rest.out, rest.shape = nil, c.over
	for _, k := range c.edges {
		rest.out = append(rest.out, to[k])
	}
	for k, a := range rest.ops { // x[i] - x[j] is not (onehot(i) - onehot(j))*x
		if a.Attributes().Has(atom.Index) && slices.Contains(rest.out, rest.in[k][len(rest.in[k])-1]) {
			return false
		}
	}
	for k, v := range to {
		if !slices.Contains(c.edges, k) && (rest.has(v) || slices.Contains(to[:k], v) || slices.Contains(to[k+1:], v)) {
			return false
		}
	}
	return true
}

// times is the product of the common factors and the sum of what they leave.
func (f *factoring) times(c common, sum *Node) *Node {
	m := c.monomial
	m.ops, m.in = append(slices.Clip(m.ops), sum), append(slices.Clip(m.in), c.edges)
	return f.build(m)
}
