package adjoint

import (
	"frechet/combinators"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// Simplify brings values to normal form by laws that keep the domain.
func Simplify(outs ...*Node) []*Node {
	if len(outs) == 0 {
		return nil
	}
	return normal.New(outs[0].Store(), nil).Simplify(outs...)
}

// SimplifyWithin is Simplify where the values are derivatives of the program source:
// they are of interest only where source is defined, so that x/x is 1 if source has log(x).
func SimplifyWithin(source []*Node, outs ...*Node) []*Node {
	if len(outs) == 0 {
		return nil
	}
	facts := assumptions.New()
	facts.Assume(source...)
	return normal.New(outs[0].Store(), facts).Simplify(outs...)
}

// within is the simplifier of derivatives of source, whose normal form z found: z itself where source has
// values everywhere.
func within(z *normal.Simplifier, source []*Node) *normal.Simplifier {
	facts := assumptions.New()
	if !facts.Assume(source...) {
		return z
	}
	return normal.New(source[0].Store(), facts)
}

// Derivatives has a value and its derivatives up to some order, all in normal form.
type Derivatives struct {
	Value *Node
	// ByOrder[k-1] has the derivatives of order k, of every sequence of k variables in
	// lexical order: for k = 1 one for each variable, for k = 2 the Hessian's blocks by rows.
	// Their axes are those of the value, then those of each variable in turn.
	ByOrder [][]*Node
}

// Derive differentiates y with respect to wrt, order times, in one of the modes.
func Derive(y *Node, wrt []*Node, order int, mode Mode) (*Derivatives, error) {
	return (&Planner{Mode: mode}).Derive(y, wrt, order)
}

// VJP is the pullback of the cotangents to wrt, in normal form.
func (c *Calculus) VJP(outs, wrt, cotangents []*Node) ([]*Node, error) {
	source := Simplify(outs...)
	back, err := c.Pullback(source, wrt, cotangents)
	if err != nil {
		return nil, err
	}
	return SimplifyWithin(source, back...), nil
}

// JVP is the derivative of outs at the tangents, one for each of wrt, in normal form.
func (c *Calculus) JVP(outs, wrt, tangents []*Node) ([]*Node, error) {
	source := Simplify(outs...)
	l, err := c.D(&combinators.Block{Store: outs[0].Store(), Params: wrt, Outs: source}, wrt)
	if err != nil {
		return nil, err
	}
	return SimplifyWithin(source, l.Apply(tangents)...), nil
}
