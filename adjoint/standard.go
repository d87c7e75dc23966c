package adjoint

import (
	"frechet/combinators"
	"frechet/rewrite"
)

// The functions of the standard calculus.

// D is [Calculus.D] of the standard calculus.
func D(b *combinators.Block, wrt []*Node) (*Linear, error) { return Standard().D(b, wrt) }

// Pullback is [Calculus.Pullback] of the standard calculus.
func Pullback(outs, wrt, cotangents []*Node) ([]*Node, error) {
	return Standard().Pullback(outs, wrt, cotangents)
}

// Gradient is [Calculus.Gradient] of the standard calculus.
func Gradient(y *Node, wrt []*Node) ([]*Node, error) { return Standard().Gradient(y, wrt) }

// Jacobian is [Calculus.Jacobian] of the standard calculus.
func Jacobian(y *Node, wrt []*Node, mode Mode) ([]*Node, error) {
	return Standard().Jacobian(y, wrt, mode)
}

// VJP is [Calculus.VJP] of the standard calculus.
func VJP(outs, wrt, cotangents []*Node) ([]*Node, error) {
	return Standard().VJP(outs, wrt, cotangents)
}

// HVP is [Calculus.HVP] of the standard calculus.
func HVP(y, x, v *Node) (*Node, error) { return Standard().HVP(y, x, v) }

// ClosedDerivative is [Calculus.ClosedDerivative] of the standard calculus.
func ClosedDerivative(f combinators.Map, x *combinators.Value, trace func(rewrite.ClosedFiring)) (combinators.Linear, error) {
	return Standard().ClosedDerivative(f, x, trace)
}

// ClosedAdjoint is [Calculus.ClosedAdjoint] of the standard calculus.
func ClosedAdjoint(l combinators.Linear, trace func(rewrite.ClosedFiring)) (combinators.Linear, error) {
	return Standard().ClosedAdjoint(l, trace)
}

// ClosedSimplify is [Calculus.ClosedSimplify] of the standard calculus.
func ClosedSimplify(m combinators.Map, trace func(rewrite.ClosedFiring)) (combinators.Map, error) {
	return Standard().ClosedSimplify(m, trace)
}

// ClosedForm is [Calculus.ClosedForm] of the standard calculus.
func ClosedForm(m combinators.Map, trace func(rewrite.ClosedFiring)) (combinators.Map, error) {
	return Standard().ClosedForm(m, trace)
}
