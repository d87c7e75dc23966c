package query

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/words"
	"frechet/rewrite/normal"
	"frechet/syntax"
)

// operate adds the result of an operation to every output.
func (r *Reply) operate(op program.Operation, p *jacobian.Planner) error {
	f := r.f
	x, err := f.Argument(op.Wrt)
	if err != nil {
		return err
	}
	for i := range r.Outputs {
		y := f.Outputs[i].Node
		n, axes, order, err := operation(f, op, i, y, x, p)
		if err != nil {
			return err
		}
		ns, err := usersNormal(f, n)
		if err != nil {
			return err
		}
		n = ns[0]
		if n.Order() > f.Options.Limits.Order {
			return fault.New(fault.Axes, "a result with %s; a tensor has at most %d", words.Count(n.Order(), "axis"), f.Options.Limits.Order)
		}
		for range order {
			r.kinks = append(r.kinks, kinksOf(normal.Simplify(y)[0], []*combinators.Node{x})...)
		}
		wrt := slices.Repeat([]string{op.Wrt}, order)
		r.Outputs[i].Parts = append(r.Outputs[i].Parts, Deriv{Order: order, Wrt: wrt, Term: &Term{f: f, node: n, axes: axes, name: f.OutputName(i)}, Operation: &op})
	}
	return nil
}

func operation(f *program.Program, op program.Operation, out int, y, x *combinators.Node, p *jacobian.Planner) (n *combinators.Node, axes []Axis, order int, err error) {
	span := f.Outputs[out].Span
	one := func(ns []*combinators.Node, err error) (*combinators.Node, error) {
		if err != nil {
			return nil, err
		}
		return ns[0], nil
	}
	if !slices.Contains([]string{"jvp", "vjp", "taylor"}, op.Kind) && y.Order() != 0 {
		return nil, nil, 0, f.ErrorAt(span, fault.NotScalar, "%s needs a scalar, but the expression has axes [%s]", op.Kind, strings.Join(program.SizeTexts(y), ","))
	}
	switch op.Kind {
	case "taylor":
		v, err := direction(f, op, x)
		if err != nil {
			return nil, nil, 0, err
		}
		terms, err := alongDirection(f, y, x, v, op.Degree)
		if err != nil {
			return nil, nil, 0, err
		}
		sum, factorial := normal.Simplify(y)[0], big.NewInt(1)
		for k, d := range terms {
			factorial.Mul(factorial, big.NewInt(int64(k+1)))
			term := normal.Simplify(f.Store.Scale(f.Store.Const(new(big.Rat).SetFrac(big.NewInt(1), factorial)), d))[0]
			if !normal.IsZero(term) {
				sum = f.Store.Add(sum, term)
			}
		}
		return sum, AxesOf(y, ""), op.Degree, nil
	case "jvp", "vjp", "hvp":
		target := x
		if op.Kind == "vjp" {
			target = y
		}
		v, err := direction(f, op, target)
		if err != nil {
			return nil, nil, 0, err
		}
		nodes := func(n *combinators.Node) []*combinators.Node { return []*combinators.Node{n} }
		switch op.Kind {
		case "jvp":
			n, err = one(f.Calculus().JVP(nodes(y), nodes(x), nodes(v)))
			return n, AxesOf(y, ""), 1, err
		case "vjp":
			n, err = one(f.Calculus().VJP(nodes(y), nodes(x), nodes(v)))
			return n, AxesOf(x, op.Wrt), 1, err
		}
		n, err = f.Calculus().HVP(y, x, v)
		return n, AxesOf(x, op.Wrt), 2, err
	case "diag-hessian":
		h, err := p.Hessian(y, x, x)
		if err != nil {
			return nil, nil, 0, err
		}
		return h.Diagonal(), AxesOf(x, op.Wrt), 2, nil
	case "gauss-newton":
		z, err := SplitAt(f, op, y, span)
		if err != nil {
			return nil, nil, 0, err
		}
		g, err := p.GaussNewton(z.Y, z.At, x)
		if err != nil {
			return nil, nil, 0, err
		}
		return g.Entries, slices.Concat(AxesOf(x, op.Wrt), AxesOf(x, op.Wrt)), 2, nil
	}
	return nil, nil, 0, fmt.Errorf("unknown operation %q; known are %s", op.Kind, strings.Join(program.OperationKinds(), ", "))
}

// MaxDegree bounds the degree of a Taylor polynomial.
const MaxDegree = 20

// alongDirection are the derivatives of y by x of order 1, ..., degree, each argument v.
func alongDirection(f *program.Program, y, x, v *combinators.Node, degree int) (terms []*combinators.Node, err error) {
	if degree < 1 || degree > MaxDegree {
		return nil, fmt.Errorf("a Taylor polynomial of degree %d: the degree is a number from 1 to %d", degree, MaxDegree)
	}
	d := []*combinators.Node{y}
	for range degree {
		if d, err = f.Calculus().JVP(d, []*combinators.Node{x}, []*combinators.Node{v}); err != nil {
			return nil, err
		}
		terms = append(terms, d[0])
	}
	return terms, nil
}

// direction is the variable Along, of the shape of target.
func direction(f *program.Program, op program.Operation, target *combinators.Node) (*combinators.Node, error) {
	if op.Along == "" {
		return nil, fmt.Errorf("%s needs a direction: a variable, or a new name", op.Kind)
	}
	v := f.Param(op.Along)
	if v == nil {
		e := f.Undeclared(op.Along)
		e.Message = op.Along + " is not declared, so it is no direction"
		return nil, e
	}
	if size.Shape(v.Shape()) != size.Shape(target.Shape()) {
		var span syntax.Span
		for _, p := range f.Params {
			if p.Node == v {
				span = p.Span
			}
		}
		return nil, f.ErrorAt(span, fault.ValueShape, "%s has axes %s, but %s along it needs %s", op.Along, size.Shape(v.Shape()), op.Kind, size.Shape(target.Shape())).
			Helpf("declare %s%s, or name it in the program: %s wrt %s along %s", op.Along, size.Shape(target.Shape()), op.Kind, op.Wrt, op.Along)
	}
	return v, nil
}

// A Split is an expression and the value in it at which it is split.
type Split struct{ Y, At *combinators.Node }

// SplitAt finds the value at which a Gauss-Newton matrix splits the expression.
func SplitAt(f *program.Program, op program.Operation, y *combinators.Node, span syntax.Span) (Split, error) {
	if op.Through == "" {
		s := normal.Simplify(y)[0]
		if r := jacobian.Residual(s); r != nil {
			return Split{s, r}, nil
		}
		return Split{}, f.ErrorAt(span, fault.NotScalar, "the expression is no sum of squares, so it must be said where to split it").
			Helpf("name the let that the model computes: gauss-newton wrt %s through z in the program, --through z on the command line", op.Wrt)
	}
	z := f.Let(op.Through)
	if z == nil {
		return Split{}, fault.New(fault.UndeclaredArgument, "there is no let %s that an expression uses", words.Quote(op.Through))
	}
	return Split{y, z}, nil
}
