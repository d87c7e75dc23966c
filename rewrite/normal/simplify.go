package normal

import "frechet/rewrite/assumptions"

// Simplify brings values of one store to normal form by laws that keep the domain.
func Simplify(outs ...*Node) []*Node { return SimplifyWithin(nil, outs...) }

// SimplifyWithin is Simplify where the values are derivatives of the program source:
// they are of interest only where source is defined, so that x/x is 1 if source has log(x).
func SimplifyWithin(source []*Node, outs ...*Node) []*Node {
	if len(outs) == 0 {
		return nil
	}
	return New(outs[0].Store(), nil).Within(source).Simplify(outs...)
}

// Within is a simplifier of derivatives of source: z itself where source has values everywhere.
func (z *Simplifier) Within(source []*Node) *Simplifier {
	facts := assumptions.New()
	if !facts.Assume(source...) {
		return z
	}
	return New(z.s, facts)
}
