package eval

import (
	"context"
	"slices"

	"frechet/combinators"
	"frechet/eval/plan"
)

// recurrence computes the states one after the other. Working memory is that of one step.
func (r *running) recurrence(v *plan.Recurrence, args [][]float64, out []float64) error {
	p := v.Step
	step := &running{ctx: r.ctx, p: p, arena: make([]float64, p.Arena), functions: r.functions,
		inputs: make([][]float64, len(p.Inputs)), outputs: make([][]float64, 1)}
	names := map[string]int{}
	for k, x := range v.Body.Params() {
		names[x.Name()] = k
	}
	return states(v.Body, v.T, args, out, func(in [][]float64, next []float64) error {
		for i, x := range p.Inputs {
			step.inputs[i] = in[names[x.Name]]
		}
		step.outputs[0] = next
		return step.all()
	})
}

// states makes the states of b in T steps: f puts the value of a step at its parameters into memory.
func states(b *combinators.Body, steps int, args [][]float64, out []float64, f func(in [][]float64, next []float64) error) error {
	n := len(out) / (steps + 1)
	state := func(x []float64, t int) []float64 { return x[t*n : (t+1)*n : (t+1)*n] }
	from, to := 0, 1
	if b.Reverse {
		from, to = 1, 0
	}
	first := 0
	if b.Reverse {
		first = steps
	}
	copy(state(out, first), state(args[0], first))
	in := slices.Clone(args)
	for i := range steps {
		t := i
		if b.Reverse {
			t = steps - 1 - i
		}
		in[0] = state(out, t+from)
		for k := 1; k <= b.Sliced; k++ {
			m := len(args[k]) / steps
			in[k] = args[k][t*m : (t+1)*m : (t+1)*m]
		}
		next := state(out, t+to)
		if err := f(in, next); err != nil {
			return err
		}
		for j, x := range state(args[0], t+to) {
			next[j] += x
		}
	}
	return nil
}

// statesBy are the states of n where value computes a step at the values of its parameters.
func statesBy(ctx context.Context, n *combinators.Node, sizes *plan.Sizes, args []*Tensor, out *Tensor, value func(env Env) (*Tensor, error)) error {
	b := n.Body()
	env, data := Env{}, make([][]float64, len(args))
	for k, p := range b.Params() {
		shape, err := sizes.Shape(p.Shape())
		if err != nil {
			return err
		}
		env[p.Name()], data[k] = &Tensor{Shape: shape}, args[k].Data
	}
	return states(b, out.Shape[0]-1, data, out.Data, func(in [][]float64, next []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, p := range b.Params() {
			env[p.Name()].Data = in[k]
		}
		x, err := value(env)
		if err == nil {
			copy(next, x.Data)
		}
		return err
	})
}
