// Package query answers what is asked of a program: values and derivatives as terms, products with
// derivatives, and their evaluation.
package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/rulebook"
	"frechet/internal/words"
	"frechet/rewrite/assumptions"
	"frechet/syntax/elab"
)

// AnyOrder leaves the order of a derivative to the program.
const AnyOrder = -1

// maxDerivatives bounds the number of derivatives of one query: k variables at order n
// make k^n of them.
const maxDerivatives = 10_000

// A Query asks for derivatives. Its zero value asks for the value alone; Order: AnyOrder
// asks for what the program says.
type Query struct {
	Wrt         []string // nil: the variables that the program names
	Order       int      // AnyOrder: what the program says, 1 if it only names variables
	Mode        adjoint.Mode
	Denominator bool                // the argument's axes come first
	Operators   []program.Operation // nil: those that the program names, where Wrt is nil
	// Sizes has numbers for size symbols, by which the mode Planned chooses between ways to a
	// derivative; the formula stays in symbols. Symbols without one count as large and equal.
	Sizes program.Sizes

	// Thorough compares all ways to a derivative by what they cost, whatever sizes are known.
	Thorough bool
}

// A Reply has the value of every expression, and its derivatives of order 1, ..., Order.
type Reply struct {
	Wrt     []string
	Order   int
	Outputs []Output

	f       *program.Program
	plain   []Output // the output's axes first, whatever the query's layout
	kinks   []kink
	choices []Choice
}

// A Choice says how the derivatives of one output were found.
type Choice struct {
	Output string // the name of the expression
	adjoint.Choice
}

// An Output is what a query finds for one expression.
type Output struct {
	Name   string // "" where the expression has no name
	Value  *Term
	Derivs []Deriv // by order; within an order, by variables in the order of Wrt
	Parts  []Deriv // what the operations of the query give
}

// A Deriv is one derivative.
type Deriv struct {
	Order     int
	Wrt       []string // a variable for each order
	Term      *Term
	Operation *program.Operation // of Parts, else nil
}

// Name is what the derivative is called: value, gradient, Jacobian, Hessian, derivative.
func (d Deriv) Name() string {
	switch {
	case d.Operation != nil:
		return d.Operation.Title()
	case d.Order == 0:
		return "value"
	case d.Order == 1 && d.Term.Order() == d.argumentOrder():
		return "gradient"
	case d.Order == 1:
		return "Jacobian"
	case d.Order == 2:
		return "Hessian"
	}
	return fmt.Sprintf("derivative of order %d", d.Order)
}

func (d Deriv) argumentOrder() int {
	n := 0
	for _, a := range d.Term.axes {
		if a.Var != "" {
			n++
		}
	}
	return n
}

// Derive answers a query about a program. The expressions are simplified before they are differentiated,
// and every derivative afterwards.
func Derive(ctx context.Context, f *program.Program, q Query) (reply *Reply, err error) {
	f.Store.Stop = ctx.Done()
	defer func() {
		f.Store.Stop = nil
		if err != nil && ctx.Err() != nil {
			reply, err = nil, fault.Wrap(ctx.Err())
		}
	}()
	defer fault.Guard(&err)
	wrt, order := q.resolve(f)
	vars := make([]*combinators.Node, len(wrt))
	for i, name := range wrt {
		if vars[i] = f.Param(name); vars[i] == nil {
			return nil, f.Undeclared(name)
		}
	}
	if err := checkOrders(f, vars, order); err != nil {
		return nil, err
	}
	reply = &Reply{Wrt: wrt, Order: order, f: f}
	for _, o := range f.Outputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := Planner(f, q.Mode, q.Sizes)
		p.Thorough = q.Thorough
		p.Report = func(c adjoint.Choice) { reply.choices = append(reply.choices, Choice{o.Name, c}) }
		ds, err := p.Derive(o.Node, vars, order)
		if err != nil {
			return nil, err
		}
		if f.Options.Rules != nil {
			values, err := rulebook.Normal(f.Options.Rules, []*combinators.Node{ds.Value}, assumptions.New(), adjoint.Simplify, nil)
			if err != nil {
				return nil, err
			}
			ds.Value = values[0]
		}
		reply.Outputs = append(reply.Outputs, reply.output(o.Name, ds, vars))
	}
	ops := q.Operators
	if ops == nil && q.Wrt == nil {
		ops = f.Operations()
	}
	for _, op := range ops {
		if err := reply.operate(op, Planner(f, q.Mode, q.Sizes)); err != nil {
			return nil, err
		}
	}
	reply.plain = reply.Outputs
	if q.Wrt == nil && slices.ContainsFunc(f.Requests, func(r elab.Request) bool { return r.Kind == "gradient" }) {
		if err := reply.RequireScalar(); err != nil {
			return nil, err
		}
	}
	if q.Denominator {
		reply.argumentsFirst()
	}
	return reply, nil
}

// output labels derivatives with their variables and axes, and notes the kinks of what
// was differentiated.
func (r *Reply) output(name string, ds *adjoint.Derivatives, vars []*combinators.Node) Output {
	value := &Term{f: r.f, node: ds.Value, axes: AxesOf(ds.Value, ""), name: name, from: &lineage{output: len(r.Outputs)}}
	out := Output{Name: name, Value: value}
	level := []Deriv{{Term: value}}
	for k, nodes := range ds.ByOrder {
		var next []Deriv
		for _, d := range level {
			r.kinks = append(r.kinks, kinksOf(d.Term.node, vars)...)
			for i, x := range r.Wrt {
				axes := slices.Concat(d.Term.axes, AxesOf(vars[i], x))
				wrt := append(slices.Clone(d.Wrt), x)
				next = append(next, Deriv{Order: k + 1, Wrt: wrt, Term: &Term{f: r.f, node: nodes[len(next)], axes: axes, from: &lineage{output: len(r.Outputs), wrt: wrt}}})
			}
		}
		out.Derivs = append(out.Derivs, next...)
		level = next
	}
	return out
}

// resolve fills in what the query leaves to the program.
func (q Query) resolve(f *program.Program) (wrt []string, order int) {
	wrt, order = q.Wrt, q.Order
	if q.Operators != nil {
		return nil, 0
	}
	if wrt == nil {
		wrt = f.Wrt()
	}
	if wrt == nil && order > 0 {
		wrt = f.Arguments()
	}
	if order == AnyOrder {
		order = f.Order()
		if order == 0 && len(wrt) > 0 {
			order = 1
		}
	}
	if len(wrt) == 0 {
		order = 0
	}
	return wrt, order
}

// checkOrders refuses derivatives whose tensors would have too many axes, or that would
// be too many, before any is formed.
func checkOrders(f *program.Program, vars []*combinators.Node, order int) error {
	lim := f.Options.Limits
	if order > lim.Order {
		return fault.New(fault.Axes, "a derivative of order %d; at most %d is allowed", order, lim.Order)
	}
	most, count := 0, 1
	for _, v := range vars {
		most = max(most, v.Order())
	}
	for range order {
		if count *= len(vars); count > maxDerivatives {
			return fault.New(fault.Many, "more than %d derivatives: order %d by %d variables", maxDerivatives, order, len(vars))
		}
	}
	for _, o := range f.Outputs {
		if n := o.Node.Order() + order*most; n > lim.Order {
			return fault.New(fault.Axes, "a derivative with %s; a tensor has at most %d", words.Count(n, "axis"), lim.Order)
		}
	}
	return nil
}

// argumentsFirst moves the output's axes behind the arguments'.
func (r *Reply) argumentsFirst() {
	r.Outputs = slices.Clone(r.Outputs)
	for n, out := range r.Outputs {
		ds := slices.Clone(out.Derivs)
		r.Outputs[n].Derivs = ds
		for i, d := range ds {
			k := out.Value.Order()
			if k == 0 || k == d.Term.Order() {
				continue
			}
			ds[i].Term = &Term{f: r.f, node: adjoint.Simplify(moveBack(d.Term.node, k))[0], axes: slices.Concat(d.Term.axes[k:], d.Term.axes[:k])}
		}
	}
}

// moveBack is n with its first k axes moved behind the others.
func moveBack(n *combinators.Node, k int) *combinators.Node {
	in := make([]int, n.Order())
	for i := range in {
		in[i] = i
	}
	sizes := append([]size.Size{}, n.Shape()...)
	return n.Store().Ein(einsum.Plain([][]int{in}, slices.Concat(in[k:], in[:k]), sizes), n)
}

// RequireScalar returns an error unless every expression is a scalar, as for a gradient.
func (r *Reply) RequireScalar() error {
	for i, o := range r.Outputs {
		if o.Value.Order() != 0 {
			return r.f.ErrorAt(r.f.Outputs[i].Span, fault.NotScalar, "a gradient needs a scalar, but the expression has axes [%s]",
				strings.Join(o.Value.Shape(), ",")).
				Helpf("frechet jac prints its Jacobian; sum(...) makes a scalar")
		}
	}
	return nil
}

// Choices says how the derivatives of a reply were found.
func Choices(r *Reply) []Choice { return r.choices }

// One answers a query about a program of one expression.
func One(f *program.Program, q Query) (*Reply, error) {
	if len(f.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; Derive answers for all of them", words.Count(len(f.Outputs), "expression"))
	}
	return Derive(context.Background(), f, q)
}

// Conventions names the conventions of the functions that were differentiated.
func (r *Reply) Conventions() []Convention {
	return shownConventions(r.kinks)
}
