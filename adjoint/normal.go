package adjoint

import (
	"fmt"

	"frechet/combinators"
	"frechet/rewrite/normal"
)

// VJP is the pullback of the cotangents to wrt, in normal form.
func (c *Calculus) VJP(outs, wrt, cotangents []*Node) ([]*Node, error) {
	source := normal.Simplify(outs...)
	back, err := c.Pullback(source, wrt, cotangents)
	if err != nil {
		return nil, err
	}
	return normal.SimplifyWithin(source, back...), nil
}

// JVP is the derivative of outs at the tangents, one for each of wrt, in normal form.
func (c *Calculus) JVP(outs, wrt, tangents []*Node) ([]*Node, error) {
	source := normal.Simplify(outs...)
	l, err := c.D(&combinators.Block{Store: outs[0].Store(), Params: wrt, Outs: source}, wrt)
	if err != nil {
		return nil, err
	}
	return normal.SimplifyWithin(source, l.Apply(tangents)...), nil
}

// HVP is the Hessian of the order-0 value y by x, times v: the derivative of the gradient
// along v. Nothing of the size of the Hessian is formed. v has the shape of x, and so has
// the result.
func (c *Calculus) HVP(y, x, v *Node) (*Node, error) {
	if y.Order() != 0 {
		return nil, &Error{fmt.Sprintf("a Hessian-vector product needs a value of order 0, not %d", y.Order())}
	}
	source := normal.Simplify(y)
	g, err := c.Gradient(source[0], []*Node{x})
	if err != nil {
		return nil, err
	}
	g = normal.SimplifyWithin(source, g...)
	l, err := c.D(&combinators.Block{Store: y.Store(), Params: []*Node{x}, Outs: g}, []*Node{x})
	if err != nil {
		return nil, err
	}
	return normal.SimplifyWithin(source, l.Apply([]*Node{v})...)[0], nil
}
