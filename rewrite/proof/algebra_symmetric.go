package proof

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
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
	case n.Is(atom.Inv) || n.Is(atom.Minor) && n.Attr() == 1 || n.Atom().Class == atom.ClassElementwise:
		return all()
	case n.Ein() != nil || n.Is(atom.Add):
		// the terms of the sum, and the transposed terms
		sum := &algebra{s: z.s, theory: theory{sums: true}, signs: z.signs, work: z.work, until: z.until}
		count := map[*Node]*big.Rat{}
		add := func(m monomial, in [][]int, out []int, coef *big.Rat) {
			t := z.s.Ein(z.least(in, out, m), m.args...)
			if count[t] == nil {
				count[t] = new(big.Rat)
			}
			count[t].Add(count[t], coef)
		}
		for _, m := range sum.formOf(n).terms {
			in, out, ok := m.c.IsPlain()
			if !ok {
				return false
			}
			add(m, in, out, m.coef)
			add(m, in, []int{out[1], out[0]}, new(big.Rat).Neg(m.coef))
		}
		for _, c := range count {
			if c.Sign() != 0 {
				return false
			}
		}
		return true
	}
	return false
}
