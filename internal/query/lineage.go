package query

import (
	"iter"
	"sync"

	"frechet/combinators"
	"frechet/internal/derivation"
	"frechet/internal/fault"
	"frechet/internal/program"
)

// A lineage is how a term was derived: the expression, and the variables by which it was
// differentiated, in order.
type lineage struct {
	output int
	wrt    []string

	once sync.Once // what follows: lines have the same fresh variables each time they are read
	d    *derivation.Derivation
	err  error
}

// Steps gives the lines of the term's [Term.Derivation] in order, each with the name of its rule.
//
//	for s := range h.Steps() {
//		fmt.Println(s.Part, s.Rule, s.Text("text"))
//	}
//
// There are none where the term has no derivation; Derivation says why.
func (t *Term) Steps() iter.Seq[derivation.Step] {
	return func(yield func(derivation.Step) bool) {
		d, err := t.Derivation()
		if err != nil {
			return
		}
		d.Steps()(yield)
	}
}

// Derivation is the calculation that leads to the term, by the rules that [Func.Steps] prints. Of a
// value it is the simplification of the expression. Of a gradient or Jacobian it is that of the
// derivative D(f)(x), applied to a tangent, and of its adjoint, applied to 1 or to a cotangent (Elsman
// et al., Theorems 4.1 and 6.5). A derivative of higher order goes on from the one below: parts named
// "order 2: derivative" and so on have the derivative of the gradient, or of the adjoint at a cotangent, and that at a
// tangent, and then its entries: the Hessian. The error says that the term is no value or derivative of a program's expression, that a
// limit was reached, or that the rules do not reach a function.
func (t *Term) Derivation() (*derivation.Derivation, error) {
	if t.from == nil {
		return nil, fault.New(fault.Request, "the term is no value or derivative of an expression: it has no derivation")
	}
	t.from.once.Do(func() {
		t.from.d, t.from.err = derivation.Higher(t.f, t.from.output, t.from.wrt, t.written())
	})
	return t.from.d, t.from.err
}

// Steps is the derivation of the program's one expression by variables, all of its arguments where none is named, up to the
// order that the program asks for.
func Steps(f *program.Program, wrt ...string) (*derivation.Derivation, error) {
	printed := sync.OnceValues(func() (nodes [][]*combinators.Node, err error) {
		if len(f.Outputs) != 1 || f.Outputs[0].Node.Order() > 0 {
			return nil, nil
		}
		r, err := One(f, Query{Wrt: wrt, Order: f.Order()})
		if err != nil {
			return nil, err
		}
		nodes = make([][]*combinators.Node, r.Order)
		for _, d := range r.plain[0].Derivs {
			nodes[d.Order-1] = append(nodes[d.Order-1], d.Term.written())
		}
		return nodes, nil
	})
	return derivation.Of(f, f.Order(), printed, wrt...)
}
