package elab

import (
	"strings"

	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// maxUses bounds how often functions of a program are used, in all: f2(x) = f1(x) + f1(x), and so on, doubles.
const maxUses = 10_000

// functionStatement defines a function with arguments, let f(x, A) = EXPR. Its body has no type of its own: each use is
// typed anew, with the arguments in the places of the parameters. All other names in it are those of the program.
func (e *elaborator) functionStatement(s *syntax.Stmt) {
	if _, ok := syntax.LookupFunction(s.Name.Name); ok {
		e.fail(e.errorf("N001", s.Name.Span, "%s is a function already", s.Name.Name).Helpf("choose another name, such as %s1", s.Name.Name))
	}
	for i, p := range s.Params {
		for _, q := range s.Params[:i] {
			if p.Name == q.Name {
				e.fail(e.errorf("N001", p.Span, "%s is a parameter already", p.Name).Note(q.Span, "%s stands here", q.Name).Helpf("choose another name, such as %s1", p.Name))
			}
		}
	}
	e.define(s.Name, function).stmt = s
}

func paramNames(params []syntax.Ident) string {
	names := lists.Map(params, func(p syntax.Ident) string { return p.Name })
	return strings.Join(names, ", ")
}

// used types f(a, B), where f is a function of the program.
func (e *elaborator) used(x *syntax.Expr, f *entry) *value {
	params := f.stmt.Params
	if len(x.Args) != len(params) || x.Axis != nil {
		e.fail(e.errorf("S013", x.At, "%s takes %s and no axis, here are %d", x.Name, words.Count(len(params), "argument"), len(x.Args)).
			Note(f.span, "%s is defined here", x.Name).Helpf("write %s(%s)", x.Name, paramNames(params)))
	}
	if f.open {
		e.fail(e.errorf("N002", x.At, "%s is used in its own definition", x.Name).Note(f.span, "%s is defined here", x.Name).
			Helpf("a function uses those that are defined above it; each step of a recursion is written out"))
	}
	e.uses++
	if e.uses > maxUses || e.depth >= e.limits.Nesting {
		e.fail(e.errorf("L003", x.At, "functions of the program are used more than %d times, or %d within one another", maxUses, e.limits.Nesting).
			Helpf("name values that are used several times with let"))
	}
	args := make([]*value, len(params))
	for i, a := range x.Args {
		args[i] = e.expr(a)
	}
	before := make([]*entry, len(params))
	for i, p := range params {
		before[i] = e.names[p.Name]
		e.names[p.Name] = &entry{kind: parameter, name: p.Name, span: p.Span, val: args[i]}
	}
	f.open = true
	e.depth++
	defer func() {
		f.open = false
		e.depth--
		for i, p := range params {
			if e.names[p.Name] = before[i]; before[i] == nil {
				delete(e.names, p.Name)
			}
		}
		switch r := recover().(type) {
		case nil:
		case bailout:
			r.err.Note(x.Span, "where %s is used", x.Name)
			panic(r)
		default:
			panic(r)
		}
	}()
	v := e.expr(f.stmt.Expr)
	out := *v
	out.expr, out.built, out.build = x, nil, v.get
	if e.depth == 1 {
		e.calls = append(e.calls, &out)
	}
	return &out
}
