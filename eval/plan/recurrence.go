package plan

import (
	"frechet/combinators"
	"frechet/combinators/atom"
)

// A Bodied is a value with a body, see [combinators.Body]: of a recurrence each state is computed from the one before, an implicit
// function by Newton's method.
type Bodied struct {
	Body *combinators.Body
	Step *Program // has the results Parts; its inputs are named as the body's parameters are
	T    int      // how many steps a recurrence has
}

// Parts are what the value of b is computed by: the step of a recurrence; what is 0 at the value of an implicit function, and its
// derivative, behind the function that is least.
func Parts(b *combinators.Body) []*combinators.Node {
	if !b.Implicit() {
		return []*combinators.Node{b.Out()}
	}
	f, jacobian := combinators.Residual(b)
	if b.Row == atom.Argmin {
		_, out := b.In(f.Store())
		return []*combinators.Node{out, f, jacobian}
	}
	return []*combinators.Node{f, jacobian}
}

// newtonSteps are how many steps of Newton's method are counted in costs.
const newtonSteps = 10.0

// bodied plans the node n of args, which has a body.
func (b *builder) bodied(n *combinators.Node, entries int, args []View) (*Value, error) {
	body, shapes := n.Body(), map[string][]int{}
	var err error
	for _, p := range body.Params() {
		if shapes[p.Name()], err = b.sizes.Shape(p.Shape()); err != nil {
			return nil, err
		}
	}
	v, times := &Bodied{Body: body}, newtonSteps
	if !body.Implicit() {
		steps, err := b.sizes.eval(body.Steps)
		if err != nil {
			return nil, &SizeError{Msg: err.Error()}
		}
		v.T, times = int(steps), float64(steps)
	}
	if v.Step, err = Make(Parts(body), shapes, b.sizes.Known(), b.limits); err != nil {
		return nil, err
	}
	if b.flops += times * v.Step.Flops; body.Implicit() {
		n := float64(entries)
		b.flops += times * n * n * n
	}
	return b.add(Value{Kind: KindBodied, N: entries, Bodied: v, Args: args}), nil
}
