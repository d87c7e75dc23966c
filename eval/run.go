package eval

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/eval/plan"
	"frechet/internal/words"
)

// An Option of Run and Compile.
type Option func(*options)

type options struct {
	sizes     map[string]int64
	limits    Limits
	progress  func(done, total int)
	functions map[string]Function
	single    bool
}

// Limits bound an evaluation; a zero field means the default of plan.DefaultLimits.
type Limits = plan.Limits

// WithSizes gives numbers to size symbols that the shapes of the values leave open.
func WithSizes(sizes map[string]int64) Option { return func(o *options) { o.sizes = sizes } }

// WithLimits replaces the default limits.
func WithLimits(l Limits) Option { return func(o *options) { o.limits = l } }

// WithProgress has f called between the steps of a run, with the number of steps done and
// their total. Concurrent runs of one program call it concurrently.
func WithProgress(f func(done, total int)) Option { return func(o *options) { o.progress = f } }

func collect(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// A Program evaluates nodes for fixed shapes. It may be run any number of times, also
// concurrently; working memory is kept between runs.
type Program struct {
	plan      *plan.Program
	progress  func(done, total int)
	functions map[string]Function
	single    *single   // where all is computed in single precision, else nil
	runs      sync.Pool // of *running: working memory between runs
}

// Compile plans the evaluation of nodes for variables of the given shapes. Nothing is
// allocated for data. Errors are *plan.MissingError, *SizeError and *LimitError: what a run
// would need in memory is known, and compared with the limits, beforehand. An *UnknownError names a
// declared function that no option gives in numbers.
func Compile(nodes []*combinators.Node, shapes map[string][]int, opts ...Option) (*Program, error) {
	o := collect(opts)
	if err := unknown(nodes, o.functions); err != nil {
		return nil, err
	}
	p, err := plan.Make(nodes, shapes, o.sizes, o.limits)
	if err != nil {
		return nil, err
	}
	program := &Program{plan: p, progress: o.progress, functions: o.functions}
	if o.single {
		program.single, err = compileSingle(nodes, shapes, &o)
	}
	return program, err
}

// Plan is the program's list of steps.
func (p *Program) Plan() *plan.Program { return p.plan }

// Run evaluates the nodes with the values of env. The results share no memory with env or
// with other runs. Errors are *plan.MissingError, *SizeError where a value has another shape
// than the program was compiled for, *SingularError, and the error of ctx.
func (p *Program) Run(ctx context.Context, env Env) ([]*Tensor, error) {
	outs := make([]*Tensor, len(p.plan.Outputs))
	for i, o := range p.plan.Outputs {
		outs[i] = &Tensor{Shape: slices.Clone(o.Shape), Data: make([]float64, o.N)}
	}
	if err := p.run(ctx, outs, env, true); err != nil {
		return nil, err
	}
	return outs, nil
}

// RunInto is Run with the results written to outs, tensors of the results' shapes that share
// no memory with env. Where it fails, their entries are undefined.
func (p *Program) RunInto(ctx context.Context, outs []*Tensor, env Env) error {
	return p.run(ctx, outs, env, false)
}

// run is RunInto; fresh says that the results' memory is zero.
func (p *Program) run(ctx context.Context, outs []*Tensor, env Env, fresh bool) error {
	r, _ := p.runs.Get().(*running)
	if r == nil {
		r = &running{p: p.plan, functions: p.functions, arena: make([]float64, p.plan.Arena),
			inputs: make([][]float64, len(p.plan.Inputs)), outputs: make([][]float64, len(p.plan.Outputs))}
	}
	defer func() {
		// memory of the caller is not kept
		clear(r.inputs)
		clear(r.outputs)
		r.ctx = nil
		p.runs.Put(r)
	}()
	r.ctx, r.fresh = ctx, fresh
	for i, in := range p.plan.Inputs {
		t, ok := env[in.Name]
		switch {
		case !ok || t == nil:
			return &plan.MissingError{Name: in.Name}
		case !slices.Equal(t.Shape, in.Shape):
			return &SizeError{Name: in.Name, Msg: fmt.Sprintf("has shape %s, but the program was made for %s", ShapeString(t.Shape), ShapeString(in.Shape))}
		case in.N != len(t.Data):
			return &SizeError{Name: in.Name, Msg: fmt.Sprintf("has shape %s, but %s", ShapeString(t.Shape), words.Count(len(t.Data), "entry"))}
		}
		r.inputs[i] = t.Data
	}
	if len(outs) != len(p.plan.Outputs) {
		return &SizeError{Msg: fmt.Sprintf("%s for %d results", words.Count(len(outs), "tensor"), len(p.plan.Outputs))}
	}
	for i, o := range p.plan.Outputs {
		if !slices.Equal(outs[i].Shape, o.Shape) || len(outs[i].Data) != o.N {
			return &SizeError{Msg: fmt.Sprintf("result %d has shape %s, not %s", i, ShapeString(o.Shape), ShapeString(outs[i].Shape))}
		}
		r.outputs[i] = outs[i].Data
	}
	if p.single != nil {
		return p.single.run(ctx, outs, env, p.functions)
	}
	r.progress = p.progress
	return r.all()
}

// all runs all steps.
func (r *running) all() error {
	done := func(k int) {
		if r.progress != nil {
			r.progress(k, len(r.p.Steps))
		}
	}
	for i := range r.p.Steps {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		done(i)
		if err := r.step(&r.p.Steps[i]); err != nil {
			return err
		}
	}
	if err := r.ctx.Err(); err != nil { // the last step may have been cut short
		return err
	}
	done(len(r.p.Steps))
	for i, o := range r.p.Outputs {
		if !o.Own {
			copy(r.outputs[i], r.memory(o.Slot))
		}
	}
	return nil
}

// Run compiles nodes for the values of env and runs the program once.
//
// Sizes and limits are checked before anything is computed: the errors are *SizeError,
// *plan.MissingError and *LimitError. A *SingularError comes from the data, and the error of
// ctx from its cancellation.
func Run(ctx context.Context, nodes []*combinators.Node, env Env, opts ...Option) ([]*Tensor, error) {
	p, err := Compile(nodes, env.shapes(), opts...)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, env)
}

// running is the state of one run.
type running struct {
	ctx             context.Context
	p               *plan.Program
	arena           []float64
	inputs, outputs [][]float64
	fresh           bool        // the results' memory is zero
	args            [][]float64 // of the current step
	functions       map[string]Function
	progress        func(done, total int)
}

// memory is the numbers of a slot.
func (r *running) memory(s plan.Slot) []float64 {
	switch s.Kind {
	case plan.SlotInput:
		return r.inputs[s.Offset]
	case plan.SlotOutput:
		return r.outputs[s.Offset]
	case plan.SlotConst:
		return []float64{s.Const}
	}
	return r.arena[s.Offset : s.Offset+s.N : s.Offset+s.N]
}

// zero clears the memory of a slot, unless it is new.
func (r *running) zero(s plan.Slot, out []float64) {
	if s.Kind != plan.SlotOutput || !r.fresh {
		clear(out)
	}
}

func (r *running) step(s *plan.Step) error {
	if s.Group != nil {
		r.group(s.Group)
		return nil
	}
	v := s.V
	out := r.memory(s.Out)
	r.args = r.args[:0]
	for _, a := range s.Args {
		r.args = append(r.args, r.memory(a))
	}
	args := r.args
	switch v.Kind {
	case plan.KindNest:
		n := len(v.Nest.In)
		if v.Onto {
			base := args[len(args)-1]
			args = args[:len(args)-1]
			if len(out) > 0 && &base[0] != &out[0] {
				copy(out, base)
			}
		} else {
			r.zero(s.Out, out)
		}
		return r.nest(v.Nest, args[:n], out, r.coefficient(v, args, n), v.WeakArgs)
	case plan.KindGemm:
		return r.gemm(v.Gemm, args[0], args[1], out, r.coefficient(v, args, 2))
	case plan.KindTile:
		r.zero(s.Out, out)
		return r.tile(v.Tile, args[0], args[1], out, r.coefficient(v, args, 2))
	case plan.KindScan:
		r.scan(v.Scan, args[0], out)
		return r.ctx.Err()
	case plan.KindIndexed:
		r.zero(s.Out, out)
		return r.indexed(v.Indexed, args, out, v.Scale, v.WeakArgs)
	case plan.KindReduce:
		r.zero(s.Out, out)
		return r.reduce(v.Reduce, out, r.coefficient(v, args, len(v.Reduce.Group.Loads)))
	case plan.KindFix:
		copy(out, args[0])
		for k, weak := range v.WeakArgs {
			if weak && hasInf(args[k+1]) {
				clear(out)
				return r.nest(v.Nest, args[1:], out, v.Scale, v.WeakArgs)
			}
		}
		return nil
	case plan.KindBodied:
		return r.bodied(v.Bodied, slices.Clone(args), out)
	case plan.KindPrim:
		tensors := make([]*Tensor, len(args))
		for k := range args {
			tensors[k] = &Tensor{Shape: v.Shapes[k], Data: args[k]}
		}
		result := &Tensor{Shape: v.Shapes[len(args)], Data: out}
		if v.Atom.Signature() != nil {
			return declared(v.Atom, v.Attr, r.functions[v.Atom.Name], tensors, result)
		}
		return primitive(v.Atom, v.Attr, tensors, result)
	}
	return fmt.Errorf("eval: a step of kind %d", v.Kind)
}

// coefficient multiplies a value's scale by its scalars, which follow its n operands.
func (r *running) coefficient(v *plan.Value, args [][]float64, n int) float64 {
	c := v.Scale
	for k := n; k < len(args); k++ {
		c *= args[k][v.Args[k].Base]
	}
	return c
}

func hasInf(x []float64) bool {
	for _, v := range x {
		if v-v != 0 && v == v { // finite: 0; NaN: v != v
			return true
		}
	}
	return false
}

// Finite reports whether no entry is NaN or infinite: 0*v is then 0 for all of them.
func Finite(x []float64) bool {
	var s0, s1, s2, s3 float64 // independent sums, which the processor overlaps
	for len(x) >= 4 {
		s0 += x[0] * 0
		s1 += x[1] * 0
		s2 += x[2] * 0
		s3 += x[3] * 0
		x = x[4:]
	}
	for _, v := range x {
		s0 += v * 0
	}
	return s0+s1+s2+s3 == 0
}
