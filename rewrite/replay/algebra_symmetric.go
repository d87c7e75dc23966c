package replay

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum"
)

// maxOriented bounds the symmetric factors of a product whose axes are tried in both orders.
const maxOriented = 8

// oriented is the contraction of m in which each symmetric operand has its axes in that order which
// gives the least key.
func (z *algebra) oriented(m monomial) *einsum.Contraction {
	in, out, ok := m.c.IsPlain()
	if !ok {
		return m.c
	}
	return z.least(in, out, m)
}

func (z *algebra) least(in [][]int, out []int, m monomial) *einsum.Contraction {
	var free []int
	for k, a := range m.args {
		if g := in[k]; len(g) == 2 && g[0] != g[1] && z.isSymmetric(a) && len(free) < maxOriented {
			free = append(free, k)
		}
	}
	var best *einsum.Contraction
	key := ""
	for bits := range 1 << len(free) {
		gs := slices.Clone(in)
		for i, k := range free {
			if bits>>i&1 == 1 {
				gs[k] = []int{in[k][1], in[k][0]}
			}
		}
		c := einsum.Plain(gs, out, m.c.Vars)
		// as the store has it: sorted by operands
		labels := make([]int, len(m.args))
		for k, a := range m.args {
			labels[k] = a.ID()
		}
		if d, _ := c.Canon(labels); best == nil || d.Key() < key {
			best, key = c, d.Key()
		}
	}
	return best
}

// isSymmetric reports whether the matrix n equals its transpose by its form.
func (z *algebra) isSymmetric(n *Node) bool {
	s := n.Shape()
	if len(s) != 2 || s[0] != s[1] {
		return false
	}
	if r, ok := z.symmetric[n]; ok {
		return r
	}
	z.symmetric[n] = false
	r := z.decideSymmetric(n)
	z.symmetric[n] = r
	return r
}

func (z *algebra) decideSymmetric(n *Node) bool {
	z.work.add(1)
	all := func() bool {
		return !slices.ContainsFunc(n.Args(), func(a *Node) bool { return !z.isSymmetric(a) })
	}
	switch {
	case n.Is("inv") || n.Atom().Class == combinators.ClassElementwise:
		return all()
	case n.Ein() != nil || n.Is("add"):
		// the terms, and the transposed terms
		terms := []*Node{n}
		for i := 0; i < len(terms); i++ {
			if t := terms[i]; t.Is("add") {
				terms = append(append(terms[:i:i], t.Args()...), terms[i+1:]...)
				i--
			}
			if len(terms) > maxFactors {
				return false
			}
		}
		count := map[*Node]int{}
		for _, t := range terms {
			a, b := z.transposed(t)
			count[a]++
			count[b]--
		}
		for _, c := range count {
			if c != 0 {
				return false
			}
		}
		return true
	}
	return false
}

// transposed are a term of order 2 and its transpose, their symmetric operands in one order.
func (z *algebra) transposed(t *Node) (*Node, *Node) {
	m := monomial{c: einsum.Plain([][]int{{0, 1}}, []int{0, 1}, t.Shape()), args: []*Node{t}}
	if t.Ein() != nil {
		if _, _, ok := t.Ein().IsPlain(); ok {
			m = monomial{c: t.Ein(), args: t.Args()}
		}
	}
	in, out, _ := m.c.IsPlain()
	node := func(out []int) *Node { return z.s.Ein(z.least(in, out, m), m.args...) }
	return node(out), node([]int{out[1], out[0]})
}
