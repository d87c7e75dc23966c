package eval

import (
	"context"
	"slices"

	"frechet/combinators"
	"frechet/eval/plan"
)

// bodied computes a value with a body: the states of a recurrence one after the other, or an implicit function. Working memory is that
// of one step.
func (r *running) bodied(v *plan.Bodied, args [][]float64, out []float64) error {
	p := v.Step
	step := &running{ctx: r.ctx, p: p, arena: make([]float64, p.Arena), functions: r.functions, inputs: make([][]float64, len(p.Inputs))}
	names := map[string]int{}
	for k, x := range v.Body.Params() {
		names[x.Name()] = k
	}
	return bodyValue(r.ctx, v.Body, v.T, args, out, func(in, outs [][]float64) error {
		for i, x := range p.Inputs {
			step.inputs[i] = in[names[x.Name]]
		}
		step.outputs = outs
		return step.all()
	})
}

// bodyValue computes a value of b, of a recurrence with so many steps: f puts what plan.Parts are at its parameters into memory.
func bodyValue(ctx context.Context, b *combinators.Body, steps int, args [][]float64, out []float64, f func(in, outs [][]float64) error) error {
	if b.Implicit() {
		return implicitValue(ctx, b.Row, args, out, f)
	}
	return states(b, steps, args, out, f)
}

// states makes the states of b in so many steps.
func states(b *combinators.Body, steps int, args [][]float64, out []float64, f func(in, outs [][]float64) error) error {
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
		if err := f(in, [][]float64{next}); err != nil {
			return err
		}
		for j, x := range state(args[0], t+to) {
			next[j] += x
		}
	}
	return nil
}

// bodyBy computes the value of n, which has a body, where value computes plan.Parts at the values of its parameters.
func bodyBy(ctx context.Context, n *combinators.Node, sizes *plan.Sizes, args []*Tensor, out *Tensor, value func(env Env) ([]*Tensor, error)) error {
	b := n.Body()
	env, data := Env{}, make([][]float64, len(args))
	for k, p := range b.Params() {
		shape, err := sizes.Shape(p.Shape())
		if err != nil {
			return err
		}
		env[p.Name()], data[k] = &Tensor{Shape: shape}, args[k].Data
	}
	steps := 0
	if !b.Implicit() {
		steps = out.Shape[0] - 1
	}
	return bodyValue(ctx, b, steps, data, out.Data, func(in, outs [][]float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, p := range b.Params() {
			env[p.Name()].Data = in[k]
		}
		x, err := value(env)
		for k := range x {
			copy(outs[k], x[k].Data)
		}
		return err
	})
}
