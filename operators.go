package frechet

import (
	"fmt"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/words"
	"frechet/syntax"
)

// An Operation is a product with a derivative, or a part of it, that is found without the
// whole: nothing of the size of the Jacobian or Hessian is formed.
//
//	jvp           the derivative by Wrt along the direction Along: of the output's shape
//	vjp           the adjoint of the derivative by Wrt, at the cotangent Along: of Wrt's shape
//	hvp           the Hessian by Wrt of a scalar, times the direction Along: of Wrt's shape
//	diag-hessian  the diagonal of the Hessian by Wrt of a scalar: of Wrt's shape
//	gauss-newton  J' H J, with J the Jacobian of the let Through by Wrt, and H the Hessian of
//	              the expression by it; without Through, of the residual r of c*<r, r>
type Operation struct {
	Kind    string
	Wrt     string
	Along   string // jvp, vjp, hvp: a declared variable
	Through string // gauss-newton: the name of a let
}

// OperationKinds lists the kinds of Operation.
func OperationKinds() []string { return []string{"jvp", "vjp", "hvp", "diag-hessian", "gauss-newton"} }

// Title is what the operation's result is called.
func (o Operation) Title() string {
	switch o.Kind {
	case "jvp":
		return "derivative along " + o.Along
	case "vjp":
		return "pullback of " + o.Along
	case "hvp":
		return "Hessian times " + o.Along
	case "diag-hessian":
		return "diagonal of the Hessian"
	}
	return "Gauss-Newton matrix"
}

// Operations lists those that the program names.
func (f *Func) Operations() []Operation {
	var ops []Operation
	for _, r := range f.prog.Requests {
		if slices.Contains(OperationKinds(), r.Kind) {
			ops = append(ops, Operation{Kind: r.Kind, Wrt: r.Wrt[0], Along: r.Along, Through: r.Via})
		}
	}
	return ops
}

// operate adds the result of an operation to every output.
func (r *Reply) operate(op Operation, p *adjoint.Planner) error {
	f := r.f
	x := f.param(op.Wrt)
	if x == nil {
		return f.undeclared(op.Wrt)
	}
	for i := range r.Outputs {
		y := f.prog.Outputs[i].Node
		n, axes, order, err := f.operation(op, i, y, x, p)
		if err != nil {
			return err
		}
		if n.Order() > f.opt.limits.Order {
			return placeless(codeAxes, "a result with %s; a tensor has at most %d", words.Count(n.Order(), "axis"), f.opt.limits.Order)
		}
		for range order {
			r.kinks = append(r.kinks, kinksOf([]*combinators.Node{simplify(y)[0]}, []*combinators.Node{x})...)
		}
		wrt := slices.Repeat([]string{op.Wrt}, order)
		r.Outputs[i].Parts = append(r.Outputs[i].Parts, Deriv{Order: order, Wrt: wrt, Term: &Term{f: f, node: n, axes: axes, name: f.outputName(i)}, Operation: &op})
	}
	return nil
}

func (f *Func) operation(op Operation, out int, y, x *combinators.Node, p *adjoint.Planner) (n *combinators.Node, axes []Axis, order int, err error) {
	span := f.prog.Outputs[out].Span
	one := func(ns []*combinators.Node, err error) (*combinators.Node, error) {
		if err != nil {
			return nil, err
		}
		return ns[0], nil
	}
	if op.Kind != "jvp" && op.Kind != "vjp" && y.Order() != 0 {
		return nil, nil, 0, f.errorAt(span, codeNotScalar, "%s needs a scalar, but the expression has axes [%s]", op.Kind, strings.Join(sizeTexts(y), ","))
	}
	switch op.Kind {
	case "jvp", "vjp", "hvp":
		target := x
		if op.Kind == "vjp" {
			target = y
		}
		v, err := f.direction(op, target)
		if err != nil {
			return nil, nil, 0, err
		}
		nodes := func(n *combinators.Node) []*combinators.Node { return []*combinators.Node{n} }
		switch op.Kind {
		case "jvp":
			n, err = one(adjoint.JVP(nodes(y), nodes(x), nodes(v)))
			return n, axesOf(y, ""), 1, err
		case "vjp":
			n, err = one(adjoint.VJP(nodes(y), nodes(x), nodes(v)))
			return n, axesOf(x, op.Wrt), 1, err
		}
		n, err = adjoint.HVP(y, x, v)
		return n, axesOf(x, op.Wrt), 2, err
	case "diag-hessian":
		h, err := p.Hessian(y, x, x)
		if err != nil {
			return nil, nil, 0, err
		}
		return h.Diagonal(), axesOf(x, op.Wrt), 2, nil
	case "gauss-newton":
		z, err := f.splitAt(op, y, span)
		if err != nil {
			return nil, nil, 0, err
		}
		g, err := p.GaussNewton(z.y, z.at, x)
		if err != nil {
			return nil, nil, 0, err
		}
		return g.Entries, slices.Concat(axesOf(x, op.Wrt), axesOf(x, op.Wrt)), 2, nil
	}
	return nil, nil, 0, fmt.Errorf("unknown operation %q; known are %s", op.Kind, strings.Join(OperationKinds(), ", "))
}

// direction is the variable Along, of the shape of target.
func (f *Func) direction(op Operation, target *combinators.Node) (*combinators.Node, error) {
	if op.Along == "" {
		return nil, fmt.Errorf("%s needs a direction: a declared variable", op.Kind)
	}
	v := f.param(op.Along)
	if v == nil {
		e := f.undeclared(op.Along)
		e.Message = op.Along + " is not declared, so it is no direction"
		return nil, e
	}
	if size.Shape(v.Shape()) != size.Shape(target.Shape()) {
		var span syntax.Span
		for _, p := range f.prog.Params {
			if p.Node == v {
				span = p.Span
			}
		}
		return nil, f.errorAt(span, codeValueShape, "%s has axes %s, but %s along it needs %s", op.Along, size.Shape(v.Shape()), op.Kind, size.Shape(target.Shape())).
			Helpf("declare %s%s, or name it in the program: %s wrt %s along %s", op.Along, size.Shape(target.Shape()), op.Kind, op.Wrt, op.Along)
	}
	return v, nil
}

// split is an expression and the value in it at which it is split.
type split struct{ y, at *combinators.Node }

// splitAt finds the value at which a Gauss-Newton matrix splits the expression.
func (f *Func) splitAt(op Operation, y *combinators.Node, span syntax.Span) (split, error) {
	if op.Through == "" {
		s := simplify(y)[0]
		if r := adjoint.Residual(s); r != nil {
			return split{s, r}, nil
		}
		return split{}, f.errorAt(span, codeNotScalar, "the expression is no sum of squares, so it must be said where to split it").
			Helpf("name the let that the model computes: gauss-newton wrt %s through z in the program, --through z on the command line", op.Wrt)
	}
	z := f.prog.Let(op.Through)
	if z == nil {
		return split{}, placeless(codeUndeclaredArgument, "there is no let %s that an expression uses", quoteName(op.Through))
	}
	return split{y, z}, nil
}
