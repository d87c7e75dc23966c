package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// invertible decides whether the matrices of the last two axes of n have an inverse: by a fact, as an
// inverse, as a product of invertible matrices, or as a positive definite matrix.
func (s *signs) invertible(n *Node) bool {
	if n.Order() < 2 {
		return false
	}
	if m, ok := untransposed(n); ok && s.invertible(m) {
		return true
	}
	if factors := combinators.SquareFactors(n); len(factors) > 1 && !slices.ContainsFunc(factors, func(a *Node) bool {
		return a.Order() == 2 && !s.invertible(a) || a.Order() == 0 && !s.nonzero(a)
	}) {
		return true
	}
	return n.Is(atom.Inv) || n.Attributes().Has(atom.Invertible) || s.facts[Fact{Invertible, n}] || s.definite(n) == positiveDefinite
}

// untransposed is x of n = x', over the last two axes.
func untransposed(n *Node) (*Node, bool) {
	if n.Ein() == nil || len(n.Args()) != 1 {
		return nil, false
	}
	in, out, ok := n.Ein().IsPlain()
	if !ok || !einsum.Permutation(out, len(n.Ein().Vars)) {
		return nil, false
	}
	turned, b := slices.Clone(out), len(out)-2
	turned[b], turned[b+1] = out[b+1], out[b]
	return n.Arg(0), slices.Equal(in[0], turned)
}

// definiteness is what is known of x'Ax for x not 0.
type definiteness uint8

const (
	indefinite definiteness = iota
	semidefinite
	positiveDefinite
)

// definite decides whether n is symmetric and positive (semi)definite, by its form.
func (s *signs) definite(n *Node) definiteness {
	s.of(n) // and of its parts
	found := map[*Node]definiteness{}
	for _, m := range combinators.Topo(n) {
		s.work.add(1)
		sh := m.Shape()
		b := len(sh) - 2
		switch {
		case b < 0 || sh[b] != sh[b+1]:
		case m.Attributes().Has(atom.Definite):
			found[m] = positiveDefinite
		case m.Is(atom.Inv) && found[m.Arg(0)] != indefinite:
			found[m] = positiveDefinite
		case m.Is(atom.Add) && found[m.Arg(0)] != indefinite && found[m.Arg(1)] != indefinite:
			found[m] = max(found[m.Arg(0)], found[m.Arg(1)])
		case m.Ein() != nil:
			found[m] = s.quadratic(m)
		}
	}
	return found[n]
}

// quadratic: a diagonal of the product's sign; a product that is the same with its row and column exchanged,
// whose factors have one of them or none, and those with none are not below 0.
func (s *signs) quadratic(n *Node) definiteness {
	in, out, ok := n.Ein().IsPlain()
	b := len(out) - 2
	if !ok || !einsum.Distinct(out[:b+1]) {
		return indefinite
	}
	if out[b] == out[b+1] {
		diagonal := out[:b+1]
		switch d := s.entries(n, in, einsum.Permutation(diagonal, len(n.Ein().Vars))); {
		case d.Positive:
			return positiveDefinite
		case d.Nonneg:
			return semidefinite
		}
		return indefinite
	}
	if slices.Contains(out[:b], out[b+1]) {
		return indefinite
	}
	other := lists.Make(len(n.Ein().Vars), func(v int) int { return v })
	other[out[b]], other[out[b+1]] = out[b+1], out[b]
	count := func(a *Node, g []int) (c int) {
		for k, h := range in {
			if n.Arg(k) == a && slices.Equal(g, h) {
				c++
			}
		}
		return c
	}
	for k, g := range in {
		row, column := slices.Contains(g, out[b]), slices.Contains(g, out[b+1])
		turned := slices.Clone(g)
		for i, v := range g {
			turned[i] = other[v]
		}
		switch {
		case row && column, count(n.Arg(k), g) != count(n.Arg(k), turned):
			return indefinite
		case !row && !column && !s.known[n.Arg(k)].Nonneg && count(n.Arg(k), g)%2 == 1:
			return indefinite
		}
	}
	return semidefinite
}
