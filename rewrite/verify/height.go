package verify

import (
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// A polynomial with rational coefficients that is not 0 is not 0 modulo p = 2^61-1 either, as long as no
// numerator of a coefficient reaches p, and it has elements at which it is not 0, as long as its degree is
// far below p: p .* x is 0 in the field, and x^(p-1) is 1 but at 0.

// maxHeight bounds the bits of coefficients, and maxDegree the degree, up to which the field decides.
const (
	maxHeight = 60
	maxDegree = 1 << 40
)

// A height bounds the bits of the numerators and the denominators of the numbers that a term has,
// multiplied out.
type height struct{ num, den int }

// decides reports whether the numbers of two terms are so small that the field tells whether the terms
// are equal: those of their difference.
func decides(a, b *combinators.Node) bool {
	return heightOf(a).plus(heightOf(b)).num < maxHeight
}

func (h height) plus(g height) height {
	return height{max(h.num+g.den, g.num+h.den) + 1, h.den + g.den}
}

func (h height) times(k int) height { return height{h.num * k, h.den * k} }

func heightOf(root *combinators.Node) height {
	heights := map[*combinators.Node]height{}
	for _, n := range combinators.Topo(root) {
		var h height
		for _, a := range n.Args() {
			h.num, h.den = h.num+heights[a].num, h.den+heights[a].den
		}
		switch {
		case n.Is(atom.Const):
			h = height{bitLength(n.Rat().Num()), bitLength(n.Rat().Denom())}
		case n.Is(atom.Add):
			h = heights[n.Arg(0)].plus(heights[n.Arg(1)])
		case n.Is(atom.Power):
			if n.Rat().Sign() < 0 {
				h.num, h.den = h.den, h.num
			}
			h = h.times(exponent(n.Rat()))
		case n.Atom().Class == atom.ClassContraction, n.Atom().Class == atom.ClassElementwise, len(n.Args()) == 0:
		default:
			h = height{h.num + h.den, h.num + h.den}.times(matrixRows(n))
		}
		heights[n] = height{min(h.num, maxHeight), min(h.den, maxHeight)}
	}
	return heights[root]
}

// exponent is the size of a power.
func exponent(r *big.Rat) int {
	q := new(big.Int).Quo(new(big.Int).Abs(r.Num()), r.Denom())
	if !q.IsInt64() || q.Int64() >= maxHeight {
		return maxHeight
	}
	return int(q.Int64()) + 1
}

// matrixRows is the size of the last axis, at least 1: of the matrices of a matrix function.
func matrixRows(n *combinators.Node) int {
	if s := n.Arg(0).Shape(); len(s) > 0 {
		if k, ok := s[len(s)-1].Int(); ok && k > 1 {
			return int(k)
		}
	}
	return 1
}

// bitLength is the length of a number; 1 has none.
func bitLength(x *big.Int) int {
	if x.Sign() == 0 {
		return 0
	}
	return new(big.Int).Sub(new(big.Int).Abs(x), big.NewInt(1)).BitLen()
}
