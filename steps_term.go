package frechet

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/rewrite/proof"
	"frechet/syntax/elab"
)

// A lineage is how a term was derived: the expression, and the variables by which it was
// differentiated, in order.
type lineage struct {
	output int
	wrt    []string

	once sync.Once // what follows: lines have the same fresh variables each time they are read
	d    *Derivation
	err  error
}

// Steps gives the lines of the term's [Term.Derivation] in order, each with the name of its rule:
//
//	for s := range h.Steps() {
//		fmt.Println(s.Part, s.Rule, s.Text("text"))
//	}
//
// There are none where the term has no derivation; Derivation says why.
func (t *Term) Steps() iter.Seq[Step] {
	return func(yield func(Step) bool) {
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
// "order 2: derivative" and so on have the derivative of the gradient, and that at a tangent, which is the Hessian applied to
// a vector. The error says that the term is no value or derivative of a program's expression, that a
// limit was reached, or that the rules do not reach a function.
func (t *Term) Derivation() (*Derivation, error) {
	if t.from == nil {
		return nil, placeless(codeRequest, "the term is no value or derivative of an expression: it has no derivation")
	}
	t.from.once.Do(func() { t.from.d, t.from.err = t.derived() })
	return t.from.d, t.from.err
}

func (t *Term) derived() (d *Derivation, err error) {
	defer guard(&err)
	f, wrt := t.f.only(t.from.output, nil), t.from.wrt
	if len(wrt) == 0 {
		d = &Derivation{f: f}
		return d, d.program()
	}
	if d, err = f.Steps(wrt[0]); err != nil {
		return nil, err
	}
	for k := 1; k < len(wrt); k++ {
		below, err := f.derivative(wrt[:k])
		if err != nil {
			return nil, err
		}
		if err := d.further(t.f.only(t.from.output, below), wrt[k], k+1); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// only is the program with one of its expressions alone, or with n in its place.
func (f *Func) only(output int, n *combinators.Node) *Func {
	if f.closed != nil && n == nil {
		return f
	}
	prog := *f.prog
	o := f.prog.Outputs[output]
	if n != nil {
		o.Node = n
	}
	prog.Outputs, prog.Requests = []elab.Output{o}, nil
	return &Func{f.file, &prog, f.opt, nil}
}

// derivative is the derivative of the one expression by variables, in normal form.
func (f *Func) derivative(wrt []string) (*combinators.Node, error) {
	vars := slices.Compact(slices.Sorted(slices.Values(wrt)))
	r, err := f.one(Query{Wrt: vars, Order: len(wrt), Mode: Reverse})
	if err != nil {
		return nil, err
	}
	for _, d := range r.Outputs[0].Derivs {
		if slices.Equal(d.Wrt, wrt) {
			return d.Term.node, nil
		}
	}
	return nil, placeless(codeInternal, "the derivative by %v is not there", wrt)
}

// further goes on with the derivative of a program whose expression is a derivative itself.
func (d *Derivation) further(f *Func, wrt string, order int) error {
	next, err := f.Steps(wrt)
	if err != nil {
		return err
	}
	for _, p := range next.parts {
		if p.kind != proof.KindDerivative && p.kind != proof.KindDerivativeAt {
			continue
		}
		p.name = fmt.Sprintf("order %d: %s", order, p.name)
		for i := range p.lines {
			p.lines[i].Part = p.name
		}
		d.parts = append(d.parts, p)
	}
	return nil
}
