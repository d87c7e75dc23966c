package closed

import (
	"context"
	"fmt"
	"math"
	"strings"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/corpus"
	"frechet/syntax/elab"
)

// Check evaluates the derivative of the function given by text at a random point, beside
// the same without any simplification, and beside a closed form. It says how far the
// first is from the two others, relative to the largest entry.
func Check(f *corpus.Form, text, closedForm string, seed uint64) (raw, closed float64, err error) {
	d, err := Derive(f, text)
	if err != nil {
		return 0, 0, err
	}
	prog, err := elaborate(both(f, text, closedForm, d.Value.Shape()))
	if err != nil {
		return 0, 0, err
	}
	y, err := derivative(prog, f)
	if err != nil {
		return 0, 0, err
	}
	plain, err := unsimplified(prog, f)
	if err != nil {
		return 0, 0, err
	}
	p, err := f.Draw(seed)
	if err != nil {
		return 0, 0, err
	}
	env := eval.Env{}
	for name, v := range p.Values {
		if env[name], err = eval.Of(p.Dims[name], v); err != nil {
			return 0, 0, err
		}
	}
	env[zero] = eval.NewTensor(numbers(d.Value.Shape(), p.Sizes)...)
	nodes := []*combinators.Node{y, plain, prog.Outputs[1].Node}
	out, err := eval.Run(context.Background(), nodes, env, eval.WithSizes(p.Sizes))
	if err != nil {
		return 0, 0, err
	}
	return distance(out[0], out[1]), distance(out[0], out[2]), nil
}

// zero is a variable of zeros that gives a closed form its shape, which the form may
// leave to its context: delta(2), 2.
const zero = "Zero"

// both is a program of two expressions, the function and its derivative in closed form.
func both(f *corpus.Form, text, closedForm string, shape []size.Size) string {
	lets, expr, found := strings.Cut(closedForm, "expression ")
	if !found {
		lets, expr = "", closedForm
	}
	axes := make([]string, len(shape))
	for i, d := range shape {
		axes[i] = d.String()
	}
	return fmt.Sprintf("declare %s %s[%s]\n%sexpression function = %s\nexpression form = (%s) + %s",
		f.Declare, zero, strings.Join(axes, ","), lets, text, expr, zero)
}

// unsimplified is the derivative as differentiation leaves it.
func unsimplified(prog *elab.Program, f *corpus.Form) (*combinators.Node, error) {
	y := prog.Outputs[0].Node
	for range f.Order {
		js, err := jacobian.Of(adjoint.Standard(), y, variables(prog, f.Wrt), jacobian.Planned)
		if err != nil {
			return nil, err
		}
		y = js[0]
	}
	return y, nil
}

func numbers(shape []size.Size, sizes map[string]int64) []int {
	out := make([]int, len(shape))
	for i, d := range shape {
		n, _ := d.Eval(sizes) // the axes of a derivative have the sizes of variables
		out[i] = int(n)
	}
	return out
}

// distance is the largest difference of two tensors, relative to the largest entry.
func distance(a, b *eval.Tensor) float64 {
	if fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) {
		return math.Inf(1)
	}
	scale, worst := 1.0, 0.0
	for i := range a.Data {
		scale = max(scale, math.Abs(b.Data[i]))
		if e := math.Abs(a.Data[i] - b.Data[i]); !(e <= worst) {
			worst = e // also where e is no number
		}
	}
	return worst / scale
}
