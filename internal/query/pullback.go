package query

import (
	"frechet/combinators"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/rewrite/normal"
)

// A Pullback has the adjoint of the derivative, by every declared variable, at a
// cotangent that is a variable itself.
type Pullback struct {
	Cotangent string // the name of the cotangent's variable
	Names     []string
	Terms     []*Term
}

// Pull forms the adjoint of the derivative of the program's first expression by all
// its variables, in one reverse sweep.
func Pull(f *program.Program) (p *Pullback, err error) {
	p, _, err = pullback(f)
	return p, err
}

// PullReply is [Pull] of a reply's program; the conventions of the reply are those of the pullback, too.
func PullReply(r *Reply) (*Pullback, error) {
	p, kinks, err := pullback(r.f)
	r.kinks = append(r.kinks, kinks...)
	return p, err
}

func pullback(f *program.Program) (p *Pullback, kinks []kink, err error) {
	defer fault.Guard(&err)
	y := normal.Simplify(f.Outputs[0].Node)[0]
	w := f.Store.Fresh("cotangent", y.Shape())
	p = &Pullback{Cotangent: w.Name()}
	var vars []*combinators.Node
	for _, v := range f.Params {
		vars = append(vars, v.Node)
		p.Names = append(p.Names, v.Name)
	}
	if len(vars) == 0 {
		return p, nil, nil
	}
	back, err := f.Calculus().VJP([]*combinators.Node{y}, vars, []*combinators.Node{w})
	if err != nil {
		return nil, nil, err
	}
	if back, err = usersNormal(f, back...); err != nil {
		return nil, nil, err
	}
	for i, n := range back {
		p.Terms = append(p.Terms, &Term{f: f, node: n, axes: AxesOf(vars[i], p.Names[i])})
	}
	return p, kinksOf(y, vars), nil
}
