package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
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
			found[m] = s.quadratic(m, found)
		}
	}
	return found[n]
}

// quadratic: a diagonal of the product's sign; a product that is itself with its row and column exchanged.
func (s *signs) quadratic(n *Node, found map[*Node]definiteness) definiteness {
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
	if slices.Contains(out[:b], out[b+1]) || !s.mirrored(n, in, out[:b], out[b], out[b+1], func(a *Node) bool { return found[a] != indefinite }) {
		return indefinite
	}
	return semidefinite
}

// mirrored reports whether n is a sum of squares or of quadratic forms, or a semidefinite matrix of the axes row and column.
func (s *signs) mirrored(n *Node, in [][]int, out []int, row, column int, definite func(a *Node) bool) bool {
	s.work.add(len(in))
	return einsum.Mirrored(in, len(n.Ein().Vars), out, row, column,
		func(k int) bool { return s.known[n.Arg(k)].Nonneg },
		func(k int) bool { return definite(n.Arg(k)) },
		func(k int) bool { return s.has(atom.Symmetric, n.Arg(k)) },
		func(k, l int) bool { return n.Arg(k) == n.Arg(l) })
}
