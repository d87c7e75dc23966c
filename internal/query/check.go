package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/eval"
	"frechet/internal/check"
	"frechet/internal/fault"
	"frechet/internal/program"
)

// Check compares every derivative of the reply with central differences of the
// derivative of one order less, and every result of an operation with those of what it is the
// derivative of, at the values of env, and tests the adjoint of the first
// derivative by each variable. RandomEnv draws values.
func (r *Reply) Check(ctx context.Context, env program.Env) (c *check.Report, err error) {
	defer fault.Guard(&err)
	k := &checking{ctx: ctx, r: r, env: env, report: &check.Report{Dims: program.DimsOf(env), Items: []check.Item{}}}
	if err := k.inDomain(); err != nil {
		return nil, err
	}
	for i, out := range r.plain {
		if err := k.derivatives(out); err != nil {
			return nil, err
		}
		for _, d := range out.Parts {
			if err := k.operation(i, out, d); err != nil {
				return nil, err
			}
		}
	}
	return k.report, nil
}

// checking is the work on one report.
type checking struct {
	ctx    context.Context
	r      *Reply
	env    program.Env
	report *check.Report
}

func (k *checking) add(item check.Item, err error, what string) error {
	item.What = what
	k.report.Items = append(k.report.Items, item)
	return err
}

// inDomain says where the values leave the domain of the program: nothing is claimed there.
func (k *checking) inDomain() error {
	_, met, err := k.r.Evaluate(k.ctx, nil, k.env)
	var note string
	var singular *eval.SingularError
	switch {
	case errors.As(err, &singular):
		note = singular.Error()
	case err != nil:
		return k.ctx.Err() // what is wrong with the values is found again
	case len(met.Departures) == 0:
		return nil
	default:
		note = met.Departures[0].String()
	}
	return k.add(check.Item{Open: true, Note: "outside of its domain, where nothing is claimed: " + note + "; give other values"}, nil, "the program at these values")
}

// title says what of an expression is compared.
func title(what string, out Output, wrt ...string) string {
	if out.Name != "" {
		what += " of " + out.Name
	}
	return what + " wrt " + strings.Join(wrt, ", ")
}

func (k *checking) derivatives(out Output) error {
	f := k.r.f
	for _, d := range out.Derivs {
		base := out.Value
		for _, b := range out.Derivs {
			if b.Order == d.Order-1 && slices.Equal(b.Wrt, d.Wrt[:b.Order]) {
				base = b.Term
			}
		}
		item, err := check.Derivative(k.ctx, f, base.node, d.Term.node, f.Param(d.Wrt[d.Order-1]), k.env)
		if err := k.add(item, err, title(d.Name(), out, d.Wrt...)); err != nil {
			return err
		}
	}
	for _, name := range k.r.Wrt {
		item, err := check.Adjoint(k.ctx, f, out.Value.node, f.Param(name), k.env)
		if err := k.add(item, err, title("adjoint of the derivative", out, name)); err != nil {
			return err
		}
	}
	return nil
}

// operation compares the result of an operation with differences of a value of which it is the derivative:
//
//	jvp           y(x + t v) by t at 0
//	vjp           <w, y(x)> by x
//	hvp           g(x + t v) by t at 0, with g the gradient
//	diag-hessian  g(x) by x, on the diagonal
//	taylor        each derivative along v at x + t v by t at 0
//	gauss-newton  J(x)' h(z(p)) by p at x, with y = phi(z(x)), J the Jacobian of z and h the gradient of phi
//
// Where the gradient takes part it is compared as well.
func (k *checking) operation(i int, out Output, d Deriv) error {
	f, op, y := k.r.f, d.Operation, out.Value.node
	s, x, v := f.Store, f.Param(op.Wrt), f.Param(op.Along)
	var g *combinators.Node
	if op.Kind == "taylor" {
		return k.taylor(out, d, y, x, v)
	}
	if d.Order == 2 {
		var err error
		if g, err = k.gradient(out, op.Wrt); err != nil {
			return err
		}
	}
	compare, base, by, env := check.Derivative, y, x, maps.Clone(k.env)
	bind := func(fresh *combinators.Node, to string) {
		if t := env[to]; t != nil {
			env[fresh.Name()] = t
		}
	}
	switch op.Kind {
	case "jvp", "hvp":
		if op.Kind == "hvp" {
			base = g
		}
		base, by = moved(base, x, v)
		env[by.Name()] = eval.NewTensor()
	case "vjp":
		w, all := s.Fresh(op.Along, y.Shape()), einsum.UpTo(y.Order()) // w stays where x moves, which may be the cotangent, too
		base = s.Contract([][]int{all, all}, nil, y.Shape(), w, y)
		bind(w, op.Along)
	case "diag-hessian":
		compare, base = check.Diagonal, g
	case "gauss-newton":
		var err error
		by = s.Member(s.Fresh(op.Wrt, x.Shape()).Name(), x.Shape(), x.Attributes())
		if base, err = k.pulledGradient(*op, i, x, by); err != nil {
			return err
		}
		bind(by, op.Wrt)
	}
	item, err := compare(k.ctx, f, base, d.Term.node, by, env)
	return k.add(item, err, title(d.Name(), out, op.Wrt))
}

// moved is base at x + t v, and the number t.
func moved(base, x, v *combinators.Node) (at, t *combinators.Node) {
	s := base.Store()
	t = s.Fresh("t", nil)
	base = adjoint.Restrict([]*combinators.Node{base}, []*combinators.Node{x}, nil)[0]
	return combinators.Replace([]*combinators.Node{base}, x, s.Add(x, s.Scale(t, v)))[0], t
}

// taylor compares each derivative along v with differences of the one before.
func (k *checking) taylor(out Output, d Deriv, y, x, v *combinators.Node) error {
	terms, err := alongDirection(k.r.f, y, x, v, d.Order)
	if err != nil {
		return err
	}
	for i, term := range terms {
		base, t := moved(y, x, v)
		env := maps.Clone(k.env)
		env[t.Name()] = eval.NewTensor()
		item, err := check.Derivative(k.ctx, k.r.f, base, term, t, env)
		if err := k.add(item, err, title(fmt.Sprintf("derivative of order %d along %s", i+1, d.Operation.Along), out, x.Name())); err != nil {
			return err
		}
		y = term
	}
	return nil
}

// gradient is that of an expression, compared with differences once.
func (k *checking) gradient(out Output, wrt string) (*combinators.Node, error) {
	f, y, x := k.r.f, out.Value.node, k.r.f.Param(wrt)
	g, err := f.Calculus().VJP([]*combinators.Node{y}, []*combinators.Node{x}, []*combinators.Node{f.Store.Int(1)})
	if err != nil {
		return nil, err
	}
	what := title("gradient", out, wrt)
	if slices.ContainsFunc(k.report.Items, func(i check.Item) bool { return i.What == what }) {
		return g[0], nil
	}
	item, err := check.Derivative(k.ctx, f, y, g[0], x, k.env)
	return g[0], k.add(item, err, what)
}

// pulledGradient is J(x)' h(z(p)) for an expression phi(z(x)).
func (k *checking) pulledGradient(op program.Operation, out int, x, p *combinators.Node) (*combinators.Node, error) {
	f := k.r.f
	split, err := SplitAt(f, op, f.Outputs[out].Node, f.Outputs[out].Span)
	if err != nil {
		return nil, err
	}
	inner := f.Store.Fresh("z", split.At.Shape())
	phi := combinators.Replace([]*combinators.Node{split.Y}, split.At, inner)
	h, err := f.Calculus().VJP(phi, []*combinators.Node{inner}, []*combinators.Node{f.Store.Int(1)})
	if err != nil {
		return nil, err
	}
	z := []*combinators.Node{split.At}
	h = combinators.Replace(h, inner, combinators.Replace(z, x, p)[0])
	back, err := f.Calculus().VJP(z, []*combinators.Node{x}, h)
	if err != nil {
		return nil, err
	}
	return back[0], nil
}
