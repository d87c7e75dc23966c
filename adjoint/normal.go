package adjoint

import (
	"fmt"

	"frechet/combinators"
	"frechet/rewrite/normal"
)

// VJP is the pullback of the cotangents to wrt, in normal form.
func (c *Calculus) VJP(outs, wrt, cotangents []*Node) (back []*Node, err error) {
	defer Recover(&err)
	source := normal.Simplify(outs...)
	return normal.SimplifyWithin(source, Must(c.Pullback(source, wrt, cotangents))...), nil
}

// JVP is the derivative of outs at the tangents, one for each of wrt, in normal form.
func (c *Calculus) JVP(outs, wrt, tangents []*Node) (ahead []*Node, err error) {
	defer Recover(&err)
	source := normal.Simplify(outs...)
	l := Must(c.D(&combinators.Block{Store: outs[0].Store(), Params: wrt, Outs: source}, wrt))
	return normal.SimplifyWithin(source, l.Apply(tangents)...), nil
}

// HVP is the Hessian of the order-0 value y by x, times v: the derivative of the gradient
// along v. Nothing of the size of the Hessian is formed. v has the shape of x, and so has
// the result.
func (c *Calculus) HVP(y, x, v *Node) (product *Node, err error) {
	defer Recover(&err)
	if y.Order() != 0 {
		return nil, &Error{fmt.Sprintf("a Hessian-vector product needs a value of order 0, not %d", y.Order())}
	}
	source, wrt := normal.Simplify(y), []*Node{x}
	g := normal.SimplifyWithin(source, Must(c.Gradient(source[0], wrt))...)
	l := Must(c.D(&combinators.Block{Store: y.Store(), Params: wrt, Outs: g}, wrt))
	return normal.SimplifyWithin(source, l.Apply([]*Node{v})...)[0], nil
}
