package adjoint

import (
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/rewrite/normal"
)

// An implicit function is differentiated by the implicit function theorem: its value x is a root of its residual F, which is
//
//	root      f(x, c)
//	fixpoint  x - f(x, c)
//	argmin    the gradient of f(x, c) by x
//
// and where F(x, c) = 0 for all c near a point at which D_x F is invertible,
//
//	dx = -solve(D_x F, D_c F dc)
//
// with D_x F and D_c F at x and c. These are values like any other: derivatives of higher order and adjoints are those of solve.

// residual is F for the value out of an implicit function of the variable x.
func (c *Calculus) residual(at *atom.Row, x, out *Node) *Node {
	switch at {
	case atom.Fixpoint:
		return x.Store().Sub(x, out)
	case atom.Argmin:
		return Must(c.Gradient(out, []*Node{x}))[0]
	}
	return out
}

// derivative is D f for the value f of the variables wrt, at directions; nil is zero.
func (c *Calculus) derivative(f *Node, wrt, along []*Node) *Node {
	return Must(c.Recorded(&combinators.Block{Store: f.Store(), Params: wrt, Outs: []*Node{f}}, wrt, along, nil)).Outs[0]
}

// jacobian has the entries of D_x F: its axes are those of F, then those of x.
func (c *Calculus) jacobian(f, x *Node) *Node {
	s := x.Store()
	d := s.Var("#x", x.Shape())
	y := c.derivative(f, []*Node{x}, []*Node{d})
	if y == nil {
		return Must(combinators.Entries([]*Node{s.Zero(f.Shape())}, []*Node{d}))[0]
	}
	return Must(combinators.Entries([]*Node{y}, []*Node{d}))[0]
}

// implicitDerivative is the derivative of the implicit function n at the tangents of its operands; nil is zero. It does not depend on
// where the value is looked for.
func (c *Calculus) implicitDerivative(n *Node, tangents map[int]*Node) *Node {
	s, b := n.Store(), n.Body()
	params, out := b.In(s)
	f := c.residual(b.Row, params[0], out)
	var wrt, along []*Node
	at := map[*Node]*Node{params[0]: n}
	if b.Row == atom.Fixpoint {
		at[out] = n
	}
	for k, p := range params[1:] {
		if at[p] = n.Arg(k + 1); tangents[k+1] == nil {
			continue
		}
		d := s.Var("#d"+strconv.Itoa(k+1), p.Shape())
		wrt, along, at[d] = append(wrt, p), append(along, d), tangents[k+1]
	}
	if len(wrt) == 0 {
		return nil
	}
	y := c.derivative(f, wrt, along)
	if y == nil {
		return nil
	}
	both := combinators.Rebuild([]*Node{c.jacobian(f, params[0]), y}, func(n *Node, args []*Node) *Node {
		if v := at[n]; v != nil {
			return v
		}
		return n.With(args)
	})
	return s.Neg(s.SolveAxes(0, n.Order(), both[0], both[1]))
}

func init() {
	combinators.Residual = func(b *combinators.Body) (f, jacobian *Node) {
		c := Standard()
		params, out := b.In(combinators.NewStore())
		f = c.residual(b.Row, params[0], out)
		both := normal.Simplify(f, c.jacobian(f, params[0]))
		return both[0], both[1]
	}
}
