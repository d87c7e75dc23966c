package elab

import (
	"go/token"
	"slices"

	"frechet/syntax"
)

// declareDirection declares the direction of an operation that is asked for beside the program's where nothing has its name, and
// something may have it: it has the axes of the variable, which is the only one where the operation names none; a cotangent has
// those of the last expression.
func (e *elaborator) declareDirection(r *syntax.DerivativeRequest) {
	var axes []*axis
	x := e.names[r.Wrt[0].Name]
	if params := slices.DeleteFunc(slices.Clone(e.params), func(n *entry) bool { return n.decl.Bounds() > 0 }); r.Wrt[0].Name == "" && len(params) == 1 {
		x = params[0]
	}
	switch {
	case x == nil || x.kind != variable || e.names[r.Along.Name] != nil || e.file.Functions.Declared(r.Along.Name) != nil,
		!token.IsIdentifier(r.Along.Name), e.file.Nameable(r.Along) != nil:
		return
	case r.Kind != "vjp":
		axes = x.axes
	default:
		for _, b := range e.bodies {
			if b.stmt.Kind == syntax.Expression {
				axes = b.val.axes
			}
		}
	}
	e.declare(&syntax.Declaration{Ident: r.Along, Order: len(axes)})
	e.directions = append(e.directions, r.Along.Name)
	for k, a := range e.names[r.Along.Name].axes {
		e.unify(a, axes[k]) // unless sizes are given that differ
	}
}

// direction checks an operation: it gives the direction of a jvp or hvp the sizes of the variable, and the
// cotangent of a vjp those of every expression.
func (e *elaborator) direction(r *syntax.DerivativeRequest) {
	if len(r.Wrt) != 1 {
		e.fail(e.errorf("S011", r.Wrt[1].Span, "%s takes one variable", r.Kind).
			Helpf("write a request for each variable"))
	}
	if r.Along.Name == "" {
		return
	}
	v := e.names[r.Along.Name]
	if r.Kind != "vjp" {
		e.fit(r, v, e.names[r.Wrt[0].Name].axes, r.Wrt[0].Name)
		return
	}
	for _, b := range e.bodies {
		if b.stmt.Kind == syntax.Expression {
			e.fit(r, v, b.val.axes, "the expression")
		}
	}
}

func (e *elaborator) fit(r *syntax.DerivativeRequest, v *entry, axes []*axis, what string) {
	at := r.Along.Span
	if at == (syntax.Span{}) {
		at = v.span // the request is not of the program
	}
	complain := func(err *syntax.Error) {
		if at != v.span {
			err.Note(v.span, "%s is declared here", v.name)
		}
		e.fail(err)
	}
	if len(v.axes) != len(axes) {
		complain(e.errorf("T007", at, "%s has order %d, but %s along it needs the order of %s, %d",
			r.Along.Name, len(v.axes), r.Kind, what, len(axes)).Helpf("declare %s %d", v.name, len(axes)))
	}
	for k := range axes {
		if !e.unify(v.axes[k], axes[k]) {
			complain(e.errorf("T011", at, "sizes differ: axis %d of %s is %s and that of %s is %s",
				k, r.Along.Name, e.describeSize(v.axes[k]), what, e.describeSize(axes[k])).
				Helpf("a direction that is declared by its order, %s %d, gets the sizes that it needs", v.name, len(axes)))
		}
	}
}

// declared reports whether all names of a request are variables; who asked for it says so
// where they are not.
func (e *elaborator) declared(r *syntax.DerivativeRequest) bool {
	for _, id := range append([]syntax.Ident{r.Along}, r.Wrt...) {
		if n := e.names[id.Name]; n == nil || n.kind != variable {
			return false
		}
	}
	return true
}
