package plan

import "frechet/combinators"

// A Recurrence is a value of which each state is computed from the one before: see [combinators.Body].
type Recurrence struct {
	Body *combinators.Body
	Step *Program // of the body; its inputs are named as the body's parameters are
	T    int
}

// recurrence plans the recurrence n of args.
func (b *builder) recurrence(n *combinators.Node, entries int, args []View) (*Value, error) {
	body, shapes := n.Body(), map[string][]int{}
	for _, p := range body.Params() {
		s, err := b.sizes.Shape(p.Shape())
		if err != nil {
			return nil, err
		}
		shapes[p.Name()] = s
	}
	steps, err := b.sizes.eval(body.Steps)
	if err != nil {
		return nil, &SizeError{Msg: err.Error()}
	}
	step, err := Make([]*combinators.Node{body.Out()}, shapes, b.sizes.Known(), b.limits)
	if err != nil {
		return nil, err
	}
	b.flops += float64(steps) * step.Flops
	return b.add(Value{Kind: KindRecurrence, N: entries, Recurrence: &Recurrence{body, step, int(steps)}, Args: args}), nil
}
