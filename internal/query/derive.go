// Package query answers what is asked of a program: values and derivatives as terms, products with
// derivatives, and their evaluation.
package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/export/latex"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/reading"
	"frechet/internal/rulebook"
	"frechet/internal/words"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/syntax/elab"
)

// AnyOrder leaves the order of a derivative to the program.
const AnyOrder = -1

// maxDerivatives and, of order 1, maxGradients bound the number of derivatives of one query: k variables
// at order n make k^n of them.
const (
	maxGradients   = 100_000
	maxDerivatives = 10_000
)

// A Query asks for derivatives. Its zero value asks for the value alone; Order: AnyOrder
// asks for what the program says, which may be derivatives of different orders by different variables.
type Query struct {
	Wrt         []string // nil: the variables that the program names, for the order where it has requests of it
	Order       int      // AnyOrder: what the program says, 1 if it only names variables
	Mode        jacobian.Mode
	Denominator bool                // the argument's axes come first
	Operators   []program.Operation // nil: those that the program names, where Wrt is nil
	// Sizes has numbers for size symbols, by which the mode Planned chooses between ways to a
	// derivative; the formula stays in symbols. Symbols without one count as large and equal.
	Sizes program.Sizes

	// Free asks for derivatives of the function of all entries, as if the variables that are differentiated by had no attributes.
	Free bool
	// Riemannian asks for gradients and Hessians on the manifolds of the variables' attributes.
	Riemannian bool

	// Thorough compares all ways to a derivative by what they cost, whatever sizes are known.
	Thorough bool
}

// A Reply has the value of every expression, and its derivatives of order 1, ..., Order by variables of Wrt: of an
// order those that are asked for, and where none is, those on the way to the next order.
type Reply struct {
	Wrt     []string
	Order   int
	Outputs []Output

	f        *program.Program
	requests []request
	plain    []Output // with all derivatives on the way; the output's axes first, whatever the query's layout
	kinks    []kink
	choices  []Choice

	conditions []condition // of the domain, once they are looked for
}

// A Choice says how the derivatives of one output were found.
type Choice struct {
	Output string // the name of the expression
	jacobian.Choice
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

// Text prints the derivative as [Term.Text] does; in LaTeX it is an equation with its name on the left side,
// as in \nabla_x f = 2 x.
func (d Deriv) Text(format string) (string, error) {
	if d.Order == 0 {
		return d.Term.Text(format)
	}
	return d.Term.text(format, d.symbol())
}

// symbol is the name of the derivative in LaTeX.
func (d Deriv) symbol() string {
	f := d.Term.function()
	if d.Order == 0 {
		return latex.Symbol(f)
	}
	if d.Operation == nil {
		return latex.Derivative(f, d.Wrt, d.Term.Order() == d.argumentOrder())
	}
	of := latex.Derivative(f, d.Wrt, d.Order == 2)
	switch d.Operation.Kind {
	case "jvp", "hvp":
		return of + "[" + latex.Symbol(d.Operation.Along) + "]"
	case "vjp":
		return `\left(` + of + `\right)^{\dagger}[` + latex.Symbol(d.Operation.Along) + "]"
	case "diag-hessian":
		return `\operatorname{diag} ` + of
	case "taylor":
		return fmt.Sprintf("T_{%d} %s[%s]", d.Order, latex.Symbol(f), latex.Symbol(d.Operation.Along))
	}
	return `\operatorname{GN}_{` + latex.Symbol(d.Operation.Wrt) + "} " + latex.Symbol(f)
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

// maxRead bounds the derivatives of an expression, times its values, where the form that is shortest to read is looked for:
// it is looked for with what all values of the expression say.
const maxRead = 1_000_000

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
	reply = newReply(f, q.requests(f))
	vars, err := f.Named(reply.Wrt)
	if err != nil {
		return nil, err
	}
	for _, req := range reply.requests {
		if err := req.check(f); err != nil {
			return nil, err
		}
	}
	for i, o := range f.Outputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := Planner(f, q.Mode, q.Sizes)
		p.Thorough = q.Thorough
		p.Needed = func(wrt []*combinators.Node) bool { return reply.needed(names(wrt)) }
		p.Report = func(c jacobian.Choice) { reply.choices = append(reply.choices, Choice{o.Name, c}) }
		ds, err := q.derivatives(p, o.Node, vars, reply.Order)
		if err != nil {
			return nil, err
		}
		if f.Options.Rules != nil {
			if err := byUsersRules(f, ds); err != nil {
				return nil, err
			}
		}
		if q.Riemannian {
			if err := reply.riemannian(f, i, ds, vars, Planner(f, q.Mode, q.Sizes)); err != nil {
				return nil, err
			}
		}
		out, source := reply.output(o.Name, ds, vars), combinators.Topo(ds.Value)
		for i := 0; i < len(out.Derivs) && len(out.Derivs)*len(source) <= maxRead; i++ {
			d := out.Derivs[i]
			d.Term.form = reading.Shortest([]*combinators.Node{o.Node, ds.Value}, d.Term.node)
		}
		reply.Outputs = append(reply.Outputs, out)
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
	reply.plain = slices.Clone(reply.Outputs)
	for i, out := range reply.Outputs {
		reply.Outputs[i].Derivs = slices.DeleteFunc(slices.Clone(out.Derivs), func(d Deriv) bool { return !reply.shown(d) })
	}
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

// derivatives are those of y by vars. Where they are to be free, a variable without attributes stands in the place of each one meanwhile.
func (q Query) derivatives(p *jacobian.Planner, y *combinators.Node, vars []*combinators.Node, order int) (*jacobian.Derivatives, error) {
	if !q.Free {
		return p.Derive(y, vars, order)
	}
	free := make([]*combinators.Node, len(vars))
	for i, x := range vars {
		free[i] = y.Store().Var(x.Name(), x.Shape())
		y = combinators.Replace([]*combinators.Node{y}, x, free[i])[0]
	}
	ds, err := p.Derive(y, free, order)
	if err != nil {
		return nil, err
	}
	back := func(nodes []*combinators.Node) []*combinators.Node {
		for i, x := range vars {
			nodes = combinators.Replace(nodes, free[i], x)
		}
		return normal.Simplify(nodes...)
	}
	ds.Value = back([]*combinators.Node{ds.Value})[0]
	for k, nodes := range ds.ByOrder {
		ds.ByOrder[k] = back(nodes)
	}
	return ds, nil
}

// byUsersRules brings the value and the derivatives to normal form by the user's rules, too.
func byUsersRules(f *program.Program, ds *jacobian.Derivatives) error {
	values, err := usersNormal(f, ds.Value)
	if err != nil {
		return err
	}
	ds.Value = values[0]
	for k, nodes := range ds.ByOrder {
		if ds.ByOrder[k], err = usersNormal(f, nodes...); err != nil {
			return err
		}
	}
	return nil
}

// usersNormal is the normal form of values by the user's rules and the program's.
func usersNormal(f *program.Program, nodes ...*combinators.Node) ([]*combinators.Node, error) {
	if f.Options.Rules == nil || len(nodes) == 0 {
		return nodes, nil
	}
	return rulebook.Normal(f.Options.Rules, nodes, assumptions.New(), normal.Simplify, nil)
}

// output labels derivatives with their variables and axes, and notes the kinks of what
// was differentiated.
func (r *Reply) output(name string, ds *jacobian.Derivatives, vars []*combinators.Node) Output {
	value := &Term{f: r.f, node: ds.Value, axes: AxesOf(ds.Value, ""), name: name, from: &lineage{output: len(r.Outputs)}}
	out := Output{Name: name, Value: value}
	level := []Deriv{{Term: value}}
	for k, nodes := range ds.ByOrder {
		var next []Deriv
		for _, d := range level {
			r.kinks = append(r.kinks, kinksOf(d.Term.node, vars)...)
			for i, x := range r.Wrt {
				wrt := append(slices.Clone(d.Wrt), x)
				if !r.needed(wrt) {
					continue
				}
				axes := slices.Concat(d.Term.axes, AxesOf(vars[i], x))
				next = append(next, Deriv{Order: k + 1, Wrt: wrt, Term: &Term{f: r.f, node: nodes[len(next)], axes: axes, from: &lineage{output: len(r.Outputs), wrt: wrt}}})
			}
		}
		out.Derivs = append(out.Derivs, next...)
		level = next
	}
	return out
}

// A request is for the derivatives of an order, by every sequence of some variables.
type request struct {
	wrt   []string
	order int
	among map[string]bool // the variables wrt, of which there may be many
}

// requests are what a query asks for, with what it leaves to the program.
func (q Query) requests(f *program.Program) (asked []request) {
	if q.Operators != nil || q.Order == 0 {
		return nil
	}
	for _, r := range f.Requests {
		if !slices.Contains(program.OperationKinds(), r.Kind) {
			asked = append(asked, request{wrt: r.Wrt, order: r.Order})
		}
	}
	if q.Wrt == nil && q.Order == AnyOrder {
		return asked
	}
	one := request{wrt: q.Wrt, order: q.Order}
	if one.order == AnyOrder {
		one.order = max(f.Order(), 1)
	}
	if one.wrt == nil {
		ofOrder := slices.DeleteFunc(slices.Clone(asked), func(r request) bool { return r.order != one.order })
		if len(ofOrder) == 0 {
			ofOrder = asked
		}
		one.wrt = variables(ofOrder)
	}
	if one.wrt == nil {
		one.wrt = f.Arguments()
	}
	if len(one.wrt) == 0 {
		return nil
	}
	return []request{one}
}

// variables are those of requests, in their order.
func variables(asked []request) (wrt []string) {
	met := map[string]bool{}
	for _, r := range asked {
		for _, name := range r.wrt {
			if !met[name] {
				met[name] = true
				wrt = append(wrt, name)
			}
		}
	}
	return wrt
}

func names(vars []*combinators.Node) []string {
	out := make([]string, len(vars))
	for i, x := range vars {
		out[i] = x.Name()
	}
	return out
}

func newReply(f *program.Program, asked []request) *Reply {
	r := &Reply{Wrt: variables(asked), f: f, requests: asked}
	for i, q := range asked {
		r.Order = max(r.Order, q.order)
		asked[i].among = map[string]bool{}
		for _, name := range q.wrt {
			asked[i].among[name] = true
		}
	}
	return r
}

// covers reports whether all of a sequence of variables are those of the request.
func (r request) covers(wrt []string) bool {
	return !slices.ContainsFunc(wrt, func(x string) bool { return !r.among[x] })
}

// needed reports whether a derivative is asked for, or on the way to one that is.
func (r *Reply) needed(wrt []string) bool {
	return slices.ContainsFunc(r.requests, func(q request) bool { return q.order >= len(wrt) && q.covers(wrt) })
}

// Asked reports whether a derivative of the reply is asked for itself, and not only on the way to
// one of higher order.
func (r *Reply) Asked(d Deriv) bool {
	return slices.ContainsFunc(r.requests, func(q request) bool { return q.order == d.Order && q.covers(d.Wrt) })
}

// shown reports whether a derivative belongs to the answer: it is asked for, or none of its order is.
func (r *Reply) shown(d Deriv) bool {
	return r.Asked(d) || !slices.ContainsFunc(r.requests, func(q request) bool { return q.order == d.Order })
}

// check refuses derivatives whose tensors would have too many axes, or that would
// be too many, before any is formed.
func (r request) check(f *program.Program) error {
	lim := f.Options.Limits
	if r.order > lim.Order {
		return fault.New(fault.Axes, "a derivative of order %d; at most %d is allowed", r.order, lim.Order)
	}
	vars, err := f.Named(r.wrt)
	if err != nil {
		return err
	}
	most, count := 0, 1
	for _, x := range vars {
		most = max(most, x.Order())
	}
	limit := maxDerivatives
	if r.order == 1 {
		limit = maxGradients
	}
	for range r.order {
		if count *= len(r.wrt); count > limit {
			return fault.New(fault.Many, "more than %d derivatives: order %d by %d variables", limit, r.order, len(r.wrt))
		}
	}
	for _, o := range f.Outputs {
		if n := o.Node.Order() + r.order*most; n > lim.Order {
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
			ds[i].Term = &Term{f: r.f, name: r.f.OutputName(n), node: normal.Simplify(moveBack(d.Term.written(), k))[0], axes: slices.Concat(d.Term.axes[k:], d.Term.axes[:k])}
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

// Plain has the outputs of a reply with the output's axes first, whatever the query's layout.
func Plain(r *Reply) []Output { return r.plain }

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
