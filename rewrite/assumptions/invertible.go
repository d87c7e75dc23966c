package assumptions

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// Invertible reports whether the matrices of the last two axes of n are known to have an inverse, where n
// and the program are defined: the program forms it, or n is an inverse or a positive definite matrix by its form.
func (f *Facts) Invertible(n *combinators.Node) bool {
	if f == nil {
		f = New()
	}
	return n.Order() >= 2 && (n.Is(atom.Inv) || n.Attributes().Has(atom.Invertible) || f.known.Get(n).invertible || f.definite(n, signDepth) == positive || transposes(n) && f.Invertible(n.Arg(0)) || f.invertibleProduct(n))
}

// invertibleProduct: n is a product of invertible matrices and of scalars that are not 0.
func (f *Facts) invertibleProduct(n *combinators.Node) bool {
	factors := combinators.SquareFactors(n)
	return len(factors) > 1 && !slices.ContainsFunc(factors, func(a *combinators.Node) bool {
		return a.Order() == 2 && !f.Invertible(a) || a.Order() == 0 && !f.Nonzero(a)
	})
}

// transposes: n exchanges the last two axes of its operand.
func transposes(n *combinators.Node) bool {
	c := n.Ein()
	if c == nil || len(n.Args()) != 1 || n.Arg(0).Order() != n.Order() {
		return false
	}
	in, out, ok := c.IsPlain()
	k := len(out) - 2
	return ok && einsum.Permutation(out, len(c.Vars)) && slices.Equal(in[0][:k], out[:k]) && in[0][k] == out[k+1] && in[0][k+1] == out[k]
}

// definite is positive for matrices known to be symmetric and positive definite, nonneg for positive
// semidefinite ones: x'Ax > 0, or >= 0, for every x but 0.
func (f *Facts) definite(n *combinators.Node, fuel int) sign {
	s := n.Shape()
	if len(s) < 2 || s[len(s)-1] != s[len(s)-2] || fuel == 0 {
		return unknown
	}
	switch {
	case n.Attributes().Has(atom.Definite):
		return positive
	case n.Is(atom.Inv):
		if f.definite(n.Arg(0), fuel-1) != unknown {
			return positive
		}
	case n.Is(atom.Add):
		a, b := f.definite(n.Arg(0), fuel-1), f.definite(n.Arg(1), fuel-1)
		if a != unknown && b != unknown {
			return max(a, b)
		}
	case n.Ein() != nil:
		return f.definiteProduct(n, fuel)
	}
	return unknown
}

// definiteProduct: a diagonal matrix has the signs of its diagonal, and
//
//	sum over k of w[k] v[i,k] v[j,k] is semidefinite where no w[k] is negative;
//
// v and w are products of factors.
func (f *Facts) definiteProduct(n *combinators.Node, fuel int) sign {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return unknown
	}
	b := len(out) - 2
	row, column := out[b], out[b+1]
	if row != column {
		if slices.Contains(out[:b], row) || slices.Contains(out[:b], column) {
			return unknown
		}
		return f.mirrored(n, in, out[:b], row, column, fuel)
	}
	least := positive
	if !einsum.Permutation(out[:b+1], len(n.Ein().Vars)) {
		least = nonneg
	}
	for k := range in {
		least = min(least, f.factor(n, in, k, signDepth))
	}
	return least
}
