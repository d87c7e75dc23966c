package query

import (
	"fmt"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/rewrite/normal"
)

// riemannian puts the gradients and Hessians on the manifolds of the variables in the place of the derivatives of output k. A Hessian is the
// map that takes a tangent vector to the covariant derivative of the gradient along it.
func (r *Reply) riemannian(f *program.Program, k int, ds *jacobian.Derivatives, vars []*combinators.Node, p *jacobian.Planner) error {
	span := f.Outputs[k].Span
	if ds.Value.Order() != 0 {
		return f.ErrorAt(span, fault.NotScalar, "a gradient on a manifold is of a scalar, but the expression has %d axes", ds.Value.Order())
	}
	if len(ds.ByOrder) > 2 {
		return fmt.Errorf("derivatives on manifolds go to order 2, and not to %d", len(ds.ByOrder))
	}
	var on []*adjoint.Riemannian
	for _, x := range vars {
		m, err := adjoint.RiemannianOf(x)
		if err != nil {
			return err
		}
		on = append(on, m)
	}
	first, second := 0, 0
	for i, name := range r.Wrt {
		if !r.needed([]string{name}) {
			continue
		}
		g := ds.ByOrder[0][first]
		ds.ByOrder[0][first] = normal.Simplify(on[i].Gradient(g))[0]
		first++
		for j, by := range r.Wrt {
			if len(ds.ByOrder) < 2 || !r.needed([]string{name, by}) {
				continue
			}
			v := ds.Value.Store().Fresh("v", vars[j].Shape())
			along, err := f.Calculus().RiemannianHessian(on[i], g, on[j], v)
			if err != nil {
				return err
			}
			h, err := p.Derive(along, []*combinators.Node{v}, 1)
			if err != nil {
				return err
			}
			ds.ByOrder[1][second] = h.ByOrder[0][0]
			second++
		}
	}
	return nil
}
