package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// has decides whether all values of n have the attributes: a variable by its declaration, an inverse, a transpose and a
// product as far as these keep them.
func (s *signs) has(of atom.Attributes, n *Node) bool {
	s.work.add(1)
	same := atom.Symmetric | atom.Antisymmetric | atom.Diagonal | atom.Orthogonal
	if n.Attributes().Has(of) || n.Order() < 2 {
		return n.Attributes().Has(of)
	}
	if m, ok := untransposed(n); ok && same.Has(of) {
		return s.has(of, m)
	}
	switch {
	case of.Has(atom.Definite):
		return s.definite(n) == positiveDefinite
	case n.Is(atom.Inv) && (same | atom.Lower | atom.Upper).Has(of):
		return s.has(of, n.Arg(0))
	case of.Has(atom.Orthogonal) && len(combinators.SquareFactors(n)) > 1:
		return !slices.ContainsFunc(n.Args(), func(a *Node) bool { return !s.has(of, a) })
	}
	return false
}
