package plan

import (
	"frechet/combinators"
	"frechet/combinators/atom"
)

// Weak reports whether the infinities of a node's value lose against an exact zero of the
// other factors of a product. That holds of the partial derivatives so marked, and of the
// products and sums of such: whether a program is evaluated as written or with its products
// fused, forwards or in reverse, an infinite partial derivative then meets the same zeros.
// known has the arguments' answers.
func Weak(n *combinators.Node, known func(*combinators.Node) bool) bool {
	if n.Guard() == combinators.GuardWeak {
		return true
	}
	switch n.Atom().Class {
	case atom.ClassContraction, atom.ClassSum:
		for _, a := range n.Args() {
			if known(a) {
				return true
			}
		}
	}
	return false
}
