package program

import (
	"context"
	"errors"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/syntax"
	"maps"
)

// Compile plans the evaluation of nodes, and puts its errors into the program's terms.
func (f *Program) Compile(nodes []*combinators.Node, env Env, sizes Sizes) (*eval.Program, error) {
	if err := f.Missing(nodes, env); err != nil {
		return nil, err
	}
	if err := f.decideAssumptions(env, sizes); err != nil {
		return nil, err
	}
	if err := f.declaredValues(env, sizes); err != nil {
		return nil, err
	}
	shapes := map[string][]int{}
	for name, t := range env {
		shapes[name] = t.Shape
	}
	plan, err := eval.Compile(nodes, shapes, f.EvalOptions(f.moreSizes(nodes, env, sizes))...)
	var size *eval.SizeError
	if errors.As(err, &size) {
		if open := f.openSize(nodes, env, sizes); open != nil {
			return nil, open
		}
	}
	return plan, f.Explain(err)
}

// openSize is the error for the first size in nodes that neither values nor sizes give.
func (f *Program) openSize(nodes []*combinators.Node, env Env, sizes Sizes) error {
	known := f.SizeEnv(env)
	maps.Copy(known, sizes)
	for _, n := range combinators.Topo(nodes...) {
		for _, d := range n.Shape() {
			if _, err := d.Eval(known); err != nil {
				return f.Undetermined(d)
			}
		}
	}
	return nil
}

// moreSizes adds to sizes those of values that do not occur in nodes: the Hessian of a
// quadratic form has its variable's shape, but no entry that depends on it.
func (f *Program) moreSizes(nodes []*combinators.Node, env Env, sizes Sizes) Sizes {
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
	more := f.SizeEnv(others)
	for s := range more {
		if known[s] {
			delete(more, s)
		}
	}
	maps.Copy(more, sizes)
	return more
}

// Missing is the error for the first variable that occurs in nodes and has no value.
func (f *Program) Missing(nodes []*combinators.Node, env Env) error {
	used := map[*combinators.Node]bool{}
	for _, n := range combinators.Topo(nodes...) {
		used[n] = true
	}
	for _, p := range f.Params {
		if env[p.Name] == nil && used[p.Node] {
			return MissingValue(f.File, p.Name, p.Span)
		}
	}
	return nil
}

// declaredValues is the error for the first variable whose values are not such as it is declared to have.
func (f *Program) declaredValues(env Env, sizes Sizes) error {
	for _, p := range f.Params {
		of, t := p.Node.Attributes(), env[p.Name]
		if t == nil || of == 0 {
			continue
		}
		if of.Has(atom.Index) {
			known := f.SizeEnv(env)
			maps.Copy(known, sizes)
			n, err := p.Node.Shape()[len(t.Shape)].Eval(known)
			if breach := eval.OutOfBound(t, n); err == nil && breach != "" {
				return f.ErrorAt(p.Span, fault.NotDeclared, "%s is declared index(%s), but in its values %s", p.Name, p.Node.Shape()[len(t.Shape)], breach)
			}
			continue
		}
		if breach := eval.Breach(of, t); breach != "" {
			return f.ErrorAt(p.Span, fault.NotDeclared, "%s is declared %s, but in its values %s", p.Name, of, breach)
		}
	}
	return nil
}

func (f *Program) EvalOptions(sizes Sizes) []eval.Option {
	lim := f.Options.Limits
	opts := []eval.Option{eval.WithSizes(sizes), eval.WithLimits(eval.Limits{MaxElements: lim.Elements, MaxBytes: lim.Memory})}
	if f.Options.Progress != nil {
		opts = append(opts, eval.WithProgress(f.Options.Progress))
	}
	return append(opts, eval.WithFunctions(f.Options.Functions), eval.WithSingle(f.Options.Single))
}

// run compiles and runs nodes once.
func (f *Program) Run(ctx context.Context, nodes []*combinators.Node, env Env, sizes Sizes) ([]*eval.Tensor, error) {
	plan, err := f.Compile(nodes, env, sizes)
	if err != nil {
		return nil, err
	}
	out, err := plan.Run(ctx, eval.Env(env))
	return out, f.Explain(err)
}

// Explain places the errors of an evaluation: those of sizes at the variable that they
// name, those of singular matrices at the first call of the function.
func (f *Program) Explain(err error) error {
	var size *eval.SizeError
	var singular *eval.SingularError
	var unknown *eval.UnknownError
	switch {
	case errors.As(err, &unknown):
		if span, ok := f.firstCall(atom.Base(unknown.Name)); ok {
			return f.ErrorAt(span, fault.NoNumbers, "%s", unknown.Error()).Helpf(fault.Numbers, unknown.Name)
		}
	case errors.As(err, &size):
		for _, p := range f.Params {
			if p.Name == size.Name {
				return f.ErrorAt(p.Span, fault.ValueShape, "%s", size.Error())
			}
		}
	case errors.As(err, &singular):
		if span, ok := f.firstCall(singular.Op); ok {
			return f.ErrorAt(span, fault.Singular, "%s", singular.Error())
		}
	}
	return err
}

// firstCall finds where the program first calls a function. Trees are as deep as the
// nesting that the parser allows, so the walk keeps a stack of its own.
func (f *Program) firstCall(name string) (span syntax.Span, ok bool) {
	for _, s := range f.File.Stmts {
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

// decideAssumptions elaborates a program with the sizes that its values have, where its
// text alone leaves open whether every access is in range.
func (f *Program) decideAssumptions(env Env, sizes Sizes) error {
	if len(f.Assumptions) == 0 {
		return nil
	}
	known := Env{}
	for _, p := range f.Params {
		if t := env[p.Name]; t != nil {
			known[p.Name] = t
		}
	}
	_, err := f.Source().Elaborate(DimsOf(known), sizes)
	return err
}
