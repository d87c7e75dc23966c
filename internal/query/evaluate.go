package query

import (
	"context"
	"errors"
	"frechet/combinators"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// A Program computes terms from values. It may be used from several goroutines at once.
// It is planned for the shapes of the values when these come first, and keeps its plans
// and working memory for the next run with the same shapes.
type Program struct {
	f     *program.Program
	terms []*Term
	sizes program.Sizes

	mu    sync.Mutex
	plans map[string]*eval.Program // by the shapes of the values
}

// keptPlans bounds how many shapes a program remembers.
const keptPlans = 16

// CompileAll prepares several terms of one Func; what they share is computed once.
func CompileAll(terms []*Term, sizes program.Sizes) (*Program, error) {
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
func (p *Program) Run(ctx context.Context, env program.Env) (*eval.Tensor, error) {
	out, err := p.RunAll(ctx, env)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// RunAll computes all terms of the program. Sizes and limits are checked before anything
// is allocated; the results share no memory with env.
func (p *Program) RunAll(ctx context.Context, env program.Env) (out []*eval.Tensor, err error) {
	if len(p.terms) == 0 {
		return nil, nil
	}
	defer fault.Guard(&err)
	plan, err := p.plan(env)
	if err != nil {
		return nil, err
	}
	out, err = plan.Run(ctx, eval.Env(env))
	return out, p.f.Explain(err)
}

// plan finds or makes the plan for the shapes of env.
func (p *Program) plan(env program.Env) (*eval.Program, error) {
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
	plan, err := p.f.Compile(nodes, env, p.sizes)
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
func (p *Program) shapeKey(env program.Env) string {
	b := make([]byte, 0, 64)
	add := func(name string, t *eval.Tensor) {
		b = append(append(b, name...), ' ')
		for _, d := range t.Shape {
			b = append(strconv.AppendInt(b, int64(d), 10), ',')
		}
		b = append(b, ';')
	}
	declared := 0
	for _, q := range p.f.Params {
		if t := env[q.Name]; t != nil {
			add(q.Name, t)
			declared++
		}
	}
	if declared < len(env) {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if t := env[name]; t != nil && p.f.Param(name) == nil {
				add(name, t)
			}
		}
	}
	return string(b)
}

// Evaluate computes terms of the reply in one program, and finds what the values met: points where a
// differentiated function is not smooth, and places outside of the domain of the program as it is written. Where that is
// everywhere defined by its form, looking for these costs nothing.
func (r *Reply) Evaluate(ctx context.Context, terms []*Term, env program.Env) (values []*eval.Tensor, met Met, err error) {
	defer fault.Guard(&err)
	var nodes []*combinators.Node
	for _, t := range terms {
		nodes = append(nodes, t.node)
	}
	for _, k := range r.kinks {
		nodes = append(append(nodes, k.node), k.node.Args()...)
	}
	conditions := asked(r.domain(), nodes)
	own := len(nodes)
	for _, c := range conditions {
		nodes = append(nodes, c.args...)
	}
	out, err := r.f.Run(ctx, nodes, env, nil)
	if err != nil {
		return nil, met, err
	}
	values, rest := out[:len(terms)], out[len(terms):]
	if met.Departures, err = r.left(ctx, nodes[:len(terms)], values, conditions, out[own:], env); err != nil {
		return nil, met, err
	}
	var hit []kink
	for _, k := range r.kinks {
		n := 1 + len(k.node.Args())
		if k.met(rest[1:n], rest[0], nil) {
			hit = append(hit, k)
		}
		rest = rest[n:]
	}
	ids, err := r.metWhereRead(ctx, hit, env)
	if err != nil && ctx.Err() == nil { // what is read takes more than the limits allow
		err = nil
		for _, k := range hit {
			ids = append(ids, k.id)
		}
	}
	if err != nil {
		return nil, met, err
	}
	met.Conventions = conventionsByID(ids)
	return values, met, nil
}

// domain has the conditions of all outputs.
func (r *Reply) domain() []condition {
	if r.conditions == nil {
		r.conditions = []condition{}
		for _, o := range r.f.Outputs {
			r.conditions = append(r.conditions, conditionsOf(o.Node)...)
		}
	}
	return r.conditions
}

// left are the places where the program is left: its domain, or else the numbers that are finite.
func (r *Reply) left(ctx context.Context, terms []*combinators.Node, results []*eval.Tensor, conditions []condition, values []*eval.Tensor, env program.Env) ([]Departure, error) {
	out, err := r.departures(ctx, conditions, values, env)
	if err != nil {
		return nil, err
	}
	var outputs []*combinators.Node
	for _, o := range r.f.Outputs {
		outputs = append(outputs, o.Node)
	}
	bad, err := r.bad(ctx, outputs, env)
	if err != nil {
		return nil, err
	}
	out = append(bad, out...)
	notFinite := func(t *eval.Tensor) bool { return !eval.Finite(t.Data) }
	if len(out) == 0 && slices.ContainsFunc(results, notFinite) {
		return r.overflow(ctx, terms, env)
	}
	return out, nil
}

// metWhereRead are the conventions of the kinks that values hit at an entry that is read.
func (r *Reply) metWhereRead(ctx context.Context, hit []kink, env program.Env) (ids []string, err error) {
	var nodes []*combinators.Node
	read := map[*combinators.Node]map[*combinators.Node]*combinators.Node{} // by the value that was differentiated
	for _, k := range hit {
		if read[k.of] == nil {
			read[k.of] = readings(k.of)
		}
		nodes = append(append(nodes, k.node, read[k.of][k.node]), k.node.Args()...)
	}
	if len(nodes) == 0 {
		return nil, nil
	}
	out, err := r.f.Run(ctx, nodes, env, nil)
	if err != nil {
		return nil, err
	}
	for _, k := range hit {
		n := 2 + len(k.node.Args())
		if k.met(out[2:n], out[0], out[1]) {
			ids = append(ids, k.id)
		}
		out = out[n:]
	}
	return ids, nil
}
