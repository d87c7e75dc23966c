package frechet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/syntax"
)

// A Program computes terms from values. It may be used from several goroutines at once.
// It is planned for the shapes of the values when these come first, and keeps its plans
// and working memory for the next run with the same shapes.
type Program struct {
	f     *Func
	terms []*Term
	sizes Sizes

	mu    sync.Mutex
	plans map[string]*eval.Program // by the shapes of the values
}

// keptPlans bounds how many shapes a program remembers.
const keptPlans = 16

// Compile prepares a term for evaluation. sizes gives numbers to size symbols that the
// values leave open; it may be nil.
func Compile(t *Term, sizes Sizes) (*Program, error) { return CompileAll([]*Term{t}, sizes) }

// CompileAll prepares several terms of one Func; what they share is computed once.
func CompileAll(terms []*Term, sizes Sizes) (*Program, error) {
	p := &Program{terms: terms, sizes: sizes, plans: map[string]*eval.Program{}}
	for _, t := range terms {
		if p.f == nil {
			p.f = t.f
		}
		if t.f != p.f {
			return nil, errors.New("the terms belong to different programs")
		}
	}
	return p, nil
}

// Run computes the program's one term.
func (p *Program) Run(ctx context.Context, env Env) (*Tensor, error) {
	out, err := p.RunAll(ctx, env)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// RunAll computes all terms of the program. Sizes and limits are checked before anything
// is allocated; the results share no memory with env.
func (p *Program) RunAll(ctx context.Context, env Env) (out []*Tensor, err error) {
	if len(p.terms) == 0 {
		return nil, nil
	}
	defer guard(&err)
	plan, err := p.plan(env)
	if err != nil {
		return nil, err
	}
	out, err = plan.Run(ctx, eval.Env(env))
	return out, p.f.explain(err)
}

// plan finds or makes the plan for the shapes of env.
func (p *Program) plan(env Env) (*eval.Program, error) {
	key := p.shapeKey(env)
	p.mu.Lock()
	defer p.mu.Unlock()
	if plan := p.plans[key]; plan != nil {
		return plan, nil
	}
	nodes := make([]*combinators.Node, len(p.terms))
	for i, t := range p.terms {
		nodes[i] = t.node
	}
	plan, err := p.f.compile(nodes, env, p.sizes)
	if err != nil {
		return nil, err
	}
	if len(p.plans) == keptPlans {
		clear(p.plans)
	}
	p.plans[key] = plan
	return plan, nil
}

// shapeKey identifies the shapes of the values. It is made for every run, so the declared
// variables come in the order of the program, and only others are sorted.
func (p *Program) shapeKey(env Env) string {
	b := make([]byte, 0, 64)
	add := func(name string, t *Tensor) {
		b = append(append(b, name...), ' ')
		for _, d := range t.Shape {
			b = append(strconv.AppendInt(b, int64(d), 10), ',')
		}
		b = append(b, ';')
	}
	declared := 0
	for _, q := range p.f.prog.Params {
		if t := env[q.Name]; t != nil {
			add(q.Name, t)
			declared++
		}
	}
	if declared < len(env) {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if t := env[name]; t != nil && p.f.param(name) == nil {
				add(name, t)
			}
		}
	}
	return string(b)
}

// compile plans the evaluation of nodes, and puts its errors into the program's terms.
func (f *Func) compile(nodes []*combinators.Node, env Env, sizes Sizes) (*eval.Program, error) {
	if err := f.missing(nodes, env); err != nil {
		return nil, err
	}
	if err := f.decideAssumptions(env, sizes); err != nil {
		return nil, err
	}
	shapes := map[string][]int{}
	for name, t := range env {
		shapes[name] = t.Shape
	}
	plan, err := eval.Compile(nodes, shapes, f.evalOptions(f.moreSizes(nodes, env, sizes))...)
	var size *eval.SizeError
	if errors.As(err, &size) {
		if open := f.openSize(nodes, env, sizes); open != nil {
			return nil, open
		}
	}
	return plan, f.explain(err)
}

// openSize is the error for the first size in nodes that neither values nor sizes give.
func (f *Func) openSize(nodes []*combinators.Node, env Env, sizes Sizes) error {
	known := f.sizeEnv(env)
	maps.Copy(known, sizes)
	for _, n := range combinators.Topo(nodes...) {
		for _, d := range n.Shape() {
			if _, err := d.Eval(known); err != nil {
				return f.undetermined(d)
			}
		}
	}
	return nil
}

// moreSizes adds to sizes those of values that do not occur in nodes: the Hessian of a
// quadratic form has its variable's shape, but no entry that depends on it.
func (f *Func) moreSizes(nodes []*combinators.Node, env Env, sizes Sizes) Sizes {
	used, known := map[string]bool{}, map[string]bool{} // variables, size symbols
	for _, n := range combinators.Topo(nodes...) {
		if n.Is(atom.Var) {
			used[n.Name()] = true
			for _, d := range n.Shape() {
				for _, s := range d.Symbols() {
					known[s] = true
				}
			}
		}
	}
	others := Env{}
	for name, t := range env {
		if !used[name] {
			others[name] = t
		}
	}
	more := f.sizeEnv(others)
	for s := range more {
		if known[s] {
			delete(more, s)
		}
	}
	maps.Copy(more, sizes)
	return more
}

// missing is the error for the first variable that occurs in nodes and has no value.
func (f *Func) missing(nodes []*combinators.Node, env Env) error {
	used := map[*combinators.Node]bool{}
	for _, n := range combinators.Topo(nodes...) {
		used[n] = true
	}
	for _, p := range f.prog.Params {
		if env[p.Name] == nil && used[p.Node] {
			return missingValue(f.file, p.Name, p.Span)
		}
	}
	return nil
}

func (f *Func) evalOptions(sizes Sizes) []eval.Option {
	lim := f.opt.limits
	opts := []eval.Option{eval.WithSizes(sizes), eval.WithLimits(eval.Limits{MaxElements: lim.Elements, MaxBytes: lim.Memory})}
	if f.opt.progress != nil {
		opts = append(opts, eval.WithProgress(f.opt.progress))
	}
	return opts
}

// run compiles and runs nodes once.
func (f *Func) run(ctx context.Context, nodes []*combinators.Node, env Env, sizes Sizes) ([]*Tensor, error) {
	plan, err := f.compile(nodes, env, sizes)
	if err != nil {
		return nil, err
	}
	out, err := plan.Run(ctx, eval.Env(env))
	return out, f.explain(err)
}

// explain places the errors of an evaluation: those of sizes at the variable that they
// name, those of singular matrices at the first call of the function.
func (f *Func) explain(err error) error {
	var size *eval.SizeError
	var singular *eval.SingularError
	switch {
	case errors.As(err, &size):
		for _, p := range f.prog.Params {
			if p.Name == size.Name {
				return f.errorAt(p.Span, codeValueShape, "%s", size.Error())
			}
		}
	case errors.As(err, &singular):
		if span, ok := f.firstCall(singular.Op); ok {
			return f.errorAt(span, codeSingular, "%s", singular.Error())
		}
	}
	return err
}

// firstCall finds where the program first calls a function. Trees are as deep as the
// nesting that the parser allows, so the walk keeps a stack of its own.
func (f *Func) firstCall(name string) (span syntax.Span, ok bool) {
	for _, s := range f.file.Stmts {
		stack := []*syntax.Expr{s.Expr}
		for len(stack) > 0 {
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if e == nil {
				continue
			}
			if e.Op == syntax.OpCall && e.Name == name {
				return e.At, true
			}
			for k := len(e.Steps) - 1; k >= 0; k-- {
				stack = append(stack, e.Steps[k].Arg)
			}
			for k := len(e.Args) - 1; k >= 0; k-- {
				stack = append(stack, e.Args[k])
			}
		}
	}
	return span, false
}

// Evaluate computes terms of the reply in one program, and finds which conventions the
// values met: the points where a differentiated function is not smooth.
func (r *Reply) Evaluate(ctx context.Context, terms []*Term, env Env) (values []*Tensor, met []Convention, err error) {
	defer guard(&err)
	var nodes []*combinators.Node
	for _, t := range terms {
		nodes = append(nodes, t.node)
	}
	for _, k := range r.kinks {
		nodes = append(append(nodes, k.node), k.node.Args()...)
	}
	out, err := r.f.run(ctx, nodes, env, nil)
	if err != nil {
		return nil, nil, err
	}
	values, rest := out[:len(terms)], out[len(terms):]
	var ids []string
	for _, k := range r.kinks {
		n := len(k.node.Args())
		if k.met(rest[1:1+n], rest[0]) {
			ids = append(ids, k.id)
		}
		rest = rest[1+n:]
	}
	return values, conventionsByID(ids), nil
}
