package assumptions

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// kept are the attributes that the inverse and the transpose of a matrix have as well; lower and upper are exchanged by a
// transpose.
const kept = atom.Symmetric | atom.Antisymmetric | atom.Diagonal | atom.Orthogonal

// Has reports whether all values of n are known to have the attributes: by their declaration, or by the form of n.
func (f *Facts) Has(of atom.Attributes, n *combinators.Node) bool {
	switch {
	case n.Attributes().Has(of) || n.Order() < 2:
		return n.Attributes().Has(of)
	case of.Has(atom.Definite):
		return f != nil && f.definite(n, signDepth) == positive
	case n.Is(atom.Inv) && (kept | atom.Lower | atom.Upper).Has(of), transposes(n) && kept.Has(of):
		return f.Has(of, n.Arg(0))
	case of == atom.Symmetric && n.IsTransposed(1), of == atom.Antisymmetric && n.IsTransposed(-1):
		return true
	case of.Has(atom.Orthogonal):
		factors := combinators.SquareFactors(n)
		return len(factors) > 1 && !slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool { return !f.Has(of, a) })
	}
	return false
}
