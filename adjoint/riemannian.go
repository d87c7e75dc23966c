package adjoint

import (
	"fmt"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
)

// A Riemannian is what a function of the variable X on the manifold of its attributes has for derivatives, by the table of
// attributes; where the values of X are a linear space these are the plain ones.
type Riemannian struct {
	X  *Node
	of atom.Manifold
}

// RiemannianOf is that of x. The error is one of attributes of which together the manifold is not known.
func RiemannianOf(x *Node) (*Riemannian, error) {
	row, ok := x.Attributes().Manifold()
	if !ok {
		return nil, &Error{fmt.Sprintf("the manifold of %s, which is %s, is not known: %s alone has one", x.Name(), x.Attributes(), row.Name)}
	}
	return &Riemannian{X: x, of: row.Manifold}, nil
}

// Onto is a value with the attributes of X for nearly every z, and start a z of which it is X; both are nil where there is nothing to keep to.
func (r *Riemannian) Onto(z *Node) (on, start *Node) {
	if part, ok := partOf(r.X, z); r.of.Onto == "" && ok {
		return part.After, r.X
	} else if r.of.Onto == "" {
		return nil, nil
	}
	return r.read(r.of.Onto, denote.Binding{Name: "z", Value: z}), r.read(r.of.Start)
}

// read is a term of the table at values of names.
func (r *Riemannian) read(src string, values ...denote.Binding) *Node {
	n, err := denote.ReadNode(r.X.Store(), text.MustParse(src), &denote.Env{Values: append(values, denote.Binding{Name: "x", Value: r.X})})
	if err != nil {
		panic(fmt.Sprintf("manifold: %s: %v", src, err))
	}
	return n
}

// Tangent is the projection of z on the tangent space at X.
func (r *Riemannian) Tangent(z *Node) *Node {
	if r.of.Tangent == "" {
		return z
	}
	return r.read(r.of.Tangent, denote.Binding{Name: "z", Value: z})
}

// Gradient is the Riemannian gradient where g is the derivative by X; it is linear in g.
func (r *Riemannian) Gradient(g *Node) *Node {
	if r.of.Tangent == "" {
		return g
	}
	return r.Tangent(r.read(r.of.Gradient, denote.Binding{Name: "g", Value: g}))
}

// Hessian is the covariant derivative of the gradient along v, a tangent vector, where h is the derivative of g along v.
func (r *Riemannian) Hessian(g, h, v *Node) *Node {
	if r.of.Tangent == "" {
		return h
	}
	return r.Tangent(r.read(r.of.Hessian, denote.Binding{Name: "g", Value: g}, denote.Binding{Name: "h", Value: h}, denote.Binding{Name: "v", Value: v}))
}

// RiemannianHessian is the derivative of the Riemannian gradient by one variable, where g is the derivative by it, along the tangent part
// of v in the space of another one, or of the same.
func (c *Calculus) RiemannianHessian(of *Riemannian, g *Node, by *Riemannian, v *Node) (*Node, error) {
	v = by.Tangent(v)
	h, err := c.JVP([]*combinators.Node{g}, []*combinators.Node{by.X}, []*combinators.Node{v})
	if err != nil {
		return nil, err
	}
	if of.X != by.X {
		return of.Gradient(h[0]), nil
	}
	return of.Hessian(g, h[0], v), nil
}
