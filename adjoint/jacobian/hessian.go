package jacobian

import (
	"fmt"
	"slices"

	"frechet/adjoint"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/rewrite/normal"
)

// Hessian is the second derivative of the order-0 value y, as the linear map from
// directions of x to changes of the gradient by w: shape [w.., x..].
func (p *Planner) Hessian(y, w, x *Node) (m *structured.Map, err error) {
	defer adjoint.Recover(&err)
	z := normal.New(y.Store(), nil)
	source := z.Simplify(y)
	z = z.Within(source)
	g := p.derivatives(z, source, []*Node{w}, 1)
	h := p.derivatives(z, g, []*Node{x}, 2)
	return structured.New(h[0], g[0].Order()), nil
}

// Jacobian is the derivative of y by x as a linear map in normal form.
func (p *Planner) Jacobian(y, x *Node) (*structured.Map, error) {
	d, err := p.Derive(y, []*Node{x}, 1)
	if err != nil {
		return nil, err
	}
	return structured.New(d.ByOrder[0][0], y.Order()), nil
}

// GaussNewton is J' H J for y = phi(z(x)) of order 0: J is the Jacobian of z by x, and H
// the Hessian of phi by z, so that the curvature of z itself is left out. It is positive
// semidefinite where phi is convex. z is a node of y through which all of y depends on x;
// the error says where it is not.
func (p *Planner) GaussNewton(y, z, x *Node) (m *structured.Map, err error) {
	defer adjoint.Recover(&err)
	s := y.Store()
	if y.Order() != 0 {
		return nil, &adjoint.Error{Message: fmt.Sprintf("a Gauss-Newton matrix needs a value of order 0, not %d", y.Order())}
	}
	inner := s.Fresh("z", z.Shape())
	phi := combinators.Replace([]*Node{y}, z, inner)
	if slices.Contains(combinators.Topo(phi...), x) {
		return nil, &adjoint.Error{Message: fmt.Sprintf("the expression depends on %s also past the value that it is split at", x.Name())}
	}
	h := adjoint.Must(p.Hessian(phi[0], inner, inner))
	j := p.derivatives(normal.New(s, nil).Within([]*Node{y}), normal.Simplify(z), []*Node{x}, 1)
	back := combinators.Replace([]*Node{h.Entries}, inner, z)
	// out[x, x'] = J[z, x] H[z, z'] J[z', x']
	k, q := z.Order(), x.Order()
	all := einsum.UpTo(2*k + 2*q)
	zi, zj, xi, xj := all[:k], all[k:2*k], all[2*k:2*k+q], all[2*k+q:]
	dims := slices.Concat(z.Shape(), z.Shape(), x.Shape(), x.Shape())
	e := s.Contract([][]int{slices.Concat(zi, xi), slices.Concat(zi, zj), slices.Concat(zj, xj)},
		slices.Concat(xi, xj), dims, j[0], back[0], j[0])
	return structured.New(normal.SimplifyWithin([]*Node{y}, e)[0], q), nil
}

// Residual is the value r of an expression c*<r, r>, the sum of squares at which least
// squares are split; nil where the expression is none.
func Residual(y *Node) *Node {
	y = normal.Simplify(y)[0]
	if y.Ein() == nil {
		return nil
	}
	in, out, ok := y.Ein().IsPlain()
	if !ok || len(out) > 0 {
		return nil
	}
	var rest []int
	for k, a := range y.Args() {
		if !a.Is(atom.Const) {
			rest = append(rest, k)
		}
	}
	if len(rest) == 2 && y.Arg(rest[0]) == y.Arg(rest[1]) && slices.Equal(in[rest[0]], in[rest[1]]) {
		return y.Arg(rest[0])
	}
	return nil
}
