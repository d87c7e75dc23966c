package eval

import (
	"context"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// Evaluation in single precision, IEEE 754 binary32: numbers are held in float64, and each sum, product and function is
// rounded to float32 when it is computed. A sum or product of two such numbers is rounded once by that: float64 has
// more than twice the digits. Functions of matrices and along axes are one step each.

// single has the steps of a program in which all is computed in single precision.
type single struct {
	list    []plan.Instruction
	outputs []int
	sizes   *plan.Sizes
}

// WithSingle computes in single precision, which is slower here than double precision.
func WithSingle(on bool) Option { return func(o *options) { o.single = on } }

func compileSingle(nodes []*combinators.Node, shapes map[string][]int, o *options) (*single, error) {
	bound, err := plan.Bind(nodes, shapes, o.sizes)
	if err != nil {
		return nil, err
	}
	s := &single{sizes: bound}
	s.list, s.outputs, err = plan.Instructions(nodes, bound.Known())
	return s, err
}

// round is the float32 nearest to x.
func round(x float64) float64 { return float64(float32(x)) }

// run computes the list and copies the results to outs; values are dropped after their last use.
func (s *single) run(ctx context.Context, outs []*Tensor, env Env, functions map[string]Function) error {
	last := make([]int, len(s.list))
	for i := range s.list {
		for _, a := range s.list[i].Args {
			last[a] = i
		}
	}
	for _, o := range s.outputs {
		last[o] = len(s.list)
	}
	values := make([]*Tensor, len(s.list))
	for i := range s.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		in := &s.list[i]
		args := make([]*Tensor, len(in.Args))
		for k, a := range in.Args {
			args[k] = values[a]
		}
		shape, err := s.sizes.Shape(in.Shape)
		if err != nil {
			return err
		}
		values[i] = NewTensor(shape...)
		if err := s.step(ctx, in, args, values[i], env, functions); err != nil {
			return err
		}
		for k, x := range values[i].Data {
			values[i].Data[k] = round(x)
		}
		for _, a := range in.Args {
			if last[a] == i {
				values[a] = nil
			}
		}
	}
	for i, o := range s.outputs {
		copy(outs[i].Data, values[o].Data)
	}
	return nil
}

// step computes one value; what is one operation of each entry is rounded by the caller.
func (s *single) step(ctx context.Context, in *plan.Instruction, args []*Tensor, out *Tensor, env Env, functions map[string]Function) error {
	if over, err := s.sizes.Shape(in.Over); err != nil || slices.Contains(over, 0) {
		return err
	}
	switch in.Kind {
	case plan.DoNumber, plan.DoScale:
		n, err := s.sizes.Shape([]size.Size{in.Count})
		if err != nil {
			return err
		}
		r, _ := in.Rat.Float64()
		for i := range out.Data {
			x := 1.0
			if in.Kind == plan.DoScale {
				x = args[0].Data[i]
			}
			out.Data[i] = round(x*round(r)) * round(float64(n[0]))
		}
		return nil
	case plan.DoProduct, plan.DoView:
		return s.product(ctx, in, args, out)
	case plan.DoLoops, plan.DoGuarded:
		return referenceContraction(ctx, in.Contraction, s.sizes, args[:len(in.Contraction.In)], in.Weak, out, round)
	}
	n := in.Node
	switch {
	case n.Is(atom.Var):
		t := env[n.Name()]
		if n.Attributes().Has(atom.Index) {
			var err error
			if t, err = matrixOf(t, out.Shape); err != nil {
				return err
			}
		}
		copy(out.Data, t.Data)
		return nil
	case n.Body() != nil:
		return s.bodied(ctx, n, args, out, functions)
	case n.Atom().Signature() != nil:
		return declared(n.Atom(), n.Attr(), functions[n.Atom().Name], args, out)
	}
	return referenceAtom(n, args, out)
}

// bodied computes the value of n, which has a body, each step in single precision.
func (s *single) bodied(ctx context.Context, n *combinators.Node, args []*Tensor, out *Tensor, functions map[string]Function) error {
	shapes, parts := map[string][]int{}, plan.Parts(n.Body())
	var err error
	for _, p := range n.Body().Params() {
		if shapes[p.Name()], err = s.sizes.Shape(p.Shape()); err != nil {
			return err
		}
	}
	step, err := compileSingle(parts, shapes, &options{sizes: s.sizes.Known()})
	if err != nil {
		return err
	}
	values := make([]*Tensor, len(parts))
	return bodyBy(ctx, n, s.sizes, args, out, func(env Env) ([]*Tensor, error) {
		for k, p := range parts {
			shape, err := s.sizes.Shape(p.Shape())
			if err != nil {
				return nil, err
			}
			values[k] = NewTensor(shape...)
		}
		return values, step.run(ctx, values, env, functions)
	})
}

// product adds up the products of one or two operands over all letters, each product and each sum rounded.
func (s *single) product(ctx context.Context, in *plan.Instruction, args []*Tensor, out *Tensor) error {
	dims, err := s.sizes.Shape(in.Dims)
	if err != nil {
		return err
	}
	strides := func(letters []int, shape []int) []int {
		by, stride := make([]int, len(dims)), 1
		for k := len(letters) - 1; k >= 0; k-- {
			by[letters[k]] += stride
			stride *= shape[k]
		}
		return by
	}
	used := make([]bool, len(dims))
	for _, l := range slices.Concat(append(slices.Clone(in.In), in.Out)...) {
		used[l] = true
	}
	points := 1
	for l := range dims {
		if !used[l] {
			dims[l] = 1
		}
		points *= dims[l]
	}
	to, at := strides(in.Out, out.Shape), make([]int, len(dims))
	from := make([][]int, len(args))
	for k, a := range args {
		from[k] = strides(in.In[k], a.Shape)
	}
	for p := range points {
		if p%(1<<20) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		o, x := 0, 1.0
		for l, t := range at {
			o += to[l] * t
		}
		for k, a := range args {
			i := 0
			for l, t := range at {
				i += from[k][l] * t
			}
			x = round(x * a.Data[i])
		}
		out.Data[o] = round(out.Data[o] + x)
		for l := len(at) - 1; l >= 0; l-- {
			if at[l]++; at[l] < dims[l] {
				break
			}
			at[l] = 0
		}
	}
	return nil
}

// exact leaves a number as it is.
func exact(x float64) float64 { return x }
