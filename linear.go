package frechet

import (
	"context"
	"fmt"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/internal/words"
)

var background = context.Background()

// Linear is a linear map between spaces of tensors: the derivative of a program at a
// point, or the adjoint of one.
type Linear struct {
	f   *Func
	lin *adjoint.Linear
}

// Derivative is the derivative of the program's one expression by the variables: the
// linear map from changes of the variables to the change of the value.
func (f *Func) Derivative(wrt ...string) (l *Linear, err error) {
	defer guard(&err)
	if len(f.prog.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; Derive answers for all of them", words.Count(len(f.prog.Outputs), "expression"))
	}
	vars := make([]*combinators.Node, len(wrt))
	for i, name := range wrt {
		if vars[i] = f.param(name); vars[i] == nil {
			return nil, f.undeclared(name)
		}
	}
	y := f.Value().node
	lin, err := adjoint.D(&combinators.Block{Store: f.prog.Store, Params: vars, Outs: []*combinators.Node{y}}, vars)
	if err != nil {
		return nil, err
	}
	return &Linear{f, lin}, nil
}

// Adjoint is the map L* with <L v, w> = <v, L* w>.
func (l *Linear) Adjoint() (a *Linear, err error) {
	defer guard(&err)
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
func (l *Linear) Outputs() (ts []*Term, err error) {
	defer guard(&err)
	for _, n := range simplify(l.lin.Apply(l.lin.In)...) {
		ts = append(ts, &Term{f: l.f, node: n, axes: axesOf(n, "")})
	}
	return ts, nil
}

// A Pullback has the adjoint of the derivative, by every declared variable, at a
// cotangent that is a variable itself.
type Pullback struct {
	Cotangent string // the name of the cotangent's variable
	Names     []string
	Terms     []*Term
}

// Pullback forms the adjoint of the derivative of the program's first expression by all
// its variables, in one reverse sweep.
func (f *Func) Pullback() (p *Pullback, err error) {
	p, _, err = f.pullback()
	return p, err
}

func (f *Func) pullback() (p *Pullback, kinks []kink, err error) {
	defer guard(&err)
	y := simplify(f.prog.Outputs[0].Node)[0]
	w := f.prog.Store.Fresh("cotangent", y.Shape())
	p = &Pullback{Cotangent: w.Name()}
	var vars []*combinators.Node
	for _, v := range f.prog.Params {
		vars = append(vars, v.Node)
		p.Names = append(p.Names, v.Name)
	}
	if len(vars) == 0 {
		return p, nil, nil
	}
	back, err := adjoint.VJP([]*combinators.Node{y}, vars, []*combinators.Node{w})
	if err != nil {
		return nil, nil, err
	}
	for i, n := range back {
		p.Terms = append(p.Terms, &Term{f: f, node: n, axes: axesOf(vars[i], p.Names[i])})
	}
	return p, kinksOf([]*combinators.Node{y}, vars), nil
}
