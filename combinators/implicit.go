package combinators

import "frechet/combinators/atom"

// Implicit reports whether b is that of an implicit function.
func (b *Body) Implicit() bool { return b.Row != nil && atom.Implicit(b.Row.Name) != nil }

// Implicit is an implicit function, found from start on: the value x of the variable state for which out, a value of x and of
// variables that stand for constants, is
//
//	root      0
//	fixpoint  x
//	argmin    least; out is a number
//
// Near such an x it does not depend on start.
func (s *Store) Implicit(at *atom.Row, state, out, start *Node, constant []Bound) *Node {
	params, args, _, out := joined(state, out, start, nil, constant)
	return s.bodied(newBody(Body{Row: at}, params, out), args)
}

// Residual has what is 0 at the value of the implicit function of b, and the derivative of that by the value, in normal form. Their
// variables are the parameters of b, in another store. Package adjoint registers it: what computes values need not know the calculus.
var Residual func(b *Body) (residual, jacobian *Node)
