// Package linear has linear maps, the derivatives of programs among them: given by their entries as
// formulas, by tangents and values, and as closed maps in combinator notation.
package linear

import (
	"fmt"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
	"frechet/internal/words"
)

// Linear is a linear map between spaces of tensors: the derivative of a program at a
// point, or the adjoint of one.
type Linear struct {
	f   *program.Program
	lin *adjoint.Linear
}

// Derivative is the derivative of the program's one expression by the variables: the
// linear map from changes of the variables to the change of the value.
func Derivative(f *program.Program, wrt ...string) (l *Linear, err error) {
	defer fault.Guard(&err)
	if len(f.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; Derive answers for all of them", words.Count(len(f.Outputs), "expression"))
	}
	vars := make([]*combinators.Node, len(wrt))
	for i, name := range wrt {
		if vars[i] = f.Param(name); vars[i] == nil {
			return nil, f.Undeclared(name)
		}
	}
	y := query.Node(query.Value(f))
	lin, err := adjoint.D(&combinators.Block{Store: f.Store, Params: vars, Outs: []*combinators.Node{y}}, vars)
	if err != nil {
		return nil, err
	}
	return &Linear{f, lin}, nil
}

// Adjoint is the map L* with <L v, w> = <v, L* w>.
func (l *Linear) Adjoint() (a *Linear, err error) {
	defer fault.Guard(&err)
	lin, err := l.lin.Adjoint()
	if err != nil {
		return nil, err
	}
	return &Linear{l.f, lin}, nil
}

// Inputs names the tangents or cotangents that the map takes: free variables of Outputs.
func (l *Linear) Inputs() []string {
	names := make([]string, len(l.lin.In))
	for i, n := range l.lin.In {
		names[i] = n.Name()
	}
	return names
}

// Outputs are the values of the map as terms in its inputs, in normal form.
func (l *Linear) Outputs() (ts []*query.Term, err error) {
	defer fault.Guard(&err)
	for _, n := range adjoint.Simplify(l.lin.Apply(l.lin.In)...) {
		ts = append(ts, query.New(l.f, n, query.AxesOf(n, "")))
	}
	return ts, nil
}
