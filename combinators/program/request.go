package program

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// requests checks the requests of the program, and those of the options for directions.
func (e *elaborator) requests() error {
	for _, r := range e.prog.Requests {
		out, err := e.request(r)
		if err != nil {
			return err
		}
		e.out.Requests = append(e.out.Requests, out)
	}
	return nil
}

// request is one list of cases, the first of which holds.
func (e *elaborator) request(r text.Asked) (out elab.Request, err error) {
	out = elab.Request{Kind: r.Kind, Order: r.Order, Span: e.span(r.Pos, len(r.Kind))}
	names := slices.Clone(r.Wrt)
	for _, w := range r.Wrt {
		out.Wrt = append(out.Wrt, w.Name)
	}
	if r.Along != nil {
		out.Along = r.Along.Name
		names = append(names, *r.Along)
	}
	if r.Through != nil {
		out.Via = r.Through.Name
	}
	for i, w := range names {
		at := e.span(w.Pos, len(w.Name))
		if i < len(r.Wrt) && slices.Contains(out.Wrt[:i], w.Name) {
			return out, e.File.Errorf("S011", at, "%s is named twice in this request", w.Name)
		}
		if e.params[w.Name] == nil {
			return out, e.File.Errorf("N003", at, "%s is neither declared nor the argument of a map", w.Name)
		}
	}
	kind := syntax.DerivativeRequest{Kind: r.Kind}
	directed := r.Kind == "jvp" || r.Kind == "vjp" || r.Kind == "hvp"
	complain := func(w text.Ref, format string, args ...any) error {
		return e.File.Errorf("S011", e.span(w.Pos, len(w.Name)), format, args...)
	}
	switch {
	case directed && r.Along == nil:
		return out, complain(r.Wrt[len(r.Wrt)-1], "%s needs a direction", r.Kind).(*syntax.Error).Helpf("write %s wrt %s along v", r.Kind, r.Wrt[0].Name)
	case !directed && r.Along != nil:
		return out, complain(*r.Along, "%s takes no direction", r.Kind)
	case r.Kind != "gauss-newton" && r.Through != nil:
		return out, complain(*r.Through, "%s is not split", r.Kind)
	case kind.Operation() && len(r.Wrt) > 1:
		return out, complain(r.Wrt[1], "%s takes one variable", r.Kind).(*syntax.Error).Helpf("write a request for each variable")
	case kind.Operation() && r.Order != 0:
		return out, e.File.Errorf("S011", out.Span, "%s has no order", r.Kind)
	case !kind.Operation() && r.Order == 0:
		out.Order = 1
		if r.Kind == "hessian" {
			out.Order = 2
		}
	}
	if directed {
		err = e.direction(r)
	}
	return out, err
}

// direction checks that a direction has the sizes of the variable, and a cotangent those of every
// expression.
func (e *elaborator) direction(r text.Asked) error {
	v := e.params[r.Along.Name]
	fit := func(n *combinators.Node, what string) error {
		if size.Shape(v.Shape()) == size.Shape(n.Shape()) {
			return nil
		}
		return e.File.Errorf("T011", e.span(r.Along.Pos, len(r.Along.Name)), "%s has axes %s, but %s along it needs those of %s, %s",
			r.Along.Name, size.Shape(v.Shape()), r.Kind, what, size.Shape(n.Shape())).
			Helpf("declare %s%s", r.Along.Name, size.Shape(n.Shape()))
	}
	if r.Kind != "vjp" {
		return fit(e.params[r.Wrt[0].Name], r.Wrt[0].Name)
	}
	for _, o := range e.out.Outputs {
		if err := fit(o.Node, "the expression"); err != nil {
			return err
		}
	}
	return nil
}
