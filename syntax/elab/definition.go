package elab

import (
	"slices"

	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
	"frechet/syntax/index"
	indexelab "frechet/syntax/index/elab"
)

// Definitions in index notation stand beside the other statements: their names are
// those of the program, their sizes are classes of axes like any others.

// readDefinitions parses what the lexer of the program has left as text. Where all
// expressions of a program are in index notation, arguments need no declaration: their
// shapes may be given with the request.
func (e *elaborator) readDefinitions() {
	e.implicit = true
	e.defs = map[*syntax.Stmt]*index.Definition{}
	for i := range e.file.Stmts {
		s := &e.file.Stmts[i]
		if s.Index == nil || s.Kind == syntax.Map || s.Kind == syntax.Primitive {
			e.implicit = e.implicit && s.Kind != syntax.Expression
			continue
		}
		e.defs[s] = readOnce(e, *s.Index, func(f *syntax.File, at syntax.Span) (*index.Definition, error) {
			return index.Parse(f, at, e.opt.Limits)
		})
	}
}

// readOnce is the definition at a place of the program, which read reads; its error is a *[syntax.Error].
func readOnce[D any](e *elaborator, at syntax.Span, read func(*syntax.File, syntax.Span) (D, error)) D {
	if e.opt.Read != nil {
		if d, ok := e.opt.Read.Load(at); ok {
			return d.(D)
		}
	}
	d, err := read(e.file, at)
	if err != nil {
		e.fail(err.(*syntax.Error))
	}
	if e.opt.Read != nil {
		e.opt.Read.Store(at, d)
	}
	return d
}

// definition types a definition in index notation.
func (e *elaborator) definition(s *syntax.Stmt) *value {
	d := e.defs[s]
	if e.implicit {
		for _, x := range indexelab.Names(d) {
			if _, known := e.names[x.Name]; known || x.Name == d.Name.Name {
				continue
			}
			if err := e.file.Nameable(syntax.Ident{Name: x.Name, Span: x.At}); err != nil {
				e.fail(err)
			}
			if given, ok := e.opt.Dims[x.Name]; ok {
				e.declare(&syntax.Declaration{Ident: syntax.Ident{Name: x.Name, Span: x.At}, Order: len(given), OrderSpan: x.At})
			}
		}
	}
	var given []size.Size
	if dims, ok := e.opt.Dims[d.Name.Name]; ok {
		given = []size.Size{}
		for i, n := range dims {
			if n < 0 {
				e.fail(e.errorf("T014", d.Name.Span, "the size %d given for axis %d of %s is negative", n, i, d.Name.Name))
			}
			given = append(given, size.Const(n))
		}
	}
	shape, err := indexelab.Shape(d, e.indexEnv(e.currentSize), given)
	if err != nil {
		e.fail(err.(*syntax.Error))
	}
	v := &value{expr: &syntax.Expr{Op: syntax.OpName, Name: d.Name.Name, Span: d.Span, At: d.Name.Span}}
	for k, s := range shape {
		a := e.sizedAxis(s, origin{d.Name.Span, d.Name.Name + " is defined here"})
		if name, ok := s.Symbol(); ok {
			a = e.class(name)
		}
		if given != nil {
			a = e.giveDefined(a, given[k], d)
		}
		v.axes = append(v.axes, a)
	}
	if e.current != nil {
		for _, x := range indexelab.Names(d) {
			if n, ok := e.names[x.Name]; ok && n.kind == definition {
				e.current.uses = append(e.current.uses, n.body)
			}
		}
	}
	v.build = func() *node {
		for k, g := range given {
			if s := e.size(v.axes[k]); s != g {
				e.fail(e.errorf("I008", d.Name.Span, "the size of axis %d of %s is %s, but the program makes it %s", k, d.Name.Name, g, s))
			}
		}
		n, open, err := indexelab.Build(d, e.indexEnv(e.size), e.shape(v.axes), e.store, e.named)
		if err != nil {
			e.fail(err.(*syntax.Error))
		}
		e.assumed = append(e.assumed, open...)
		return n
	}
	return v
}

// named is the tensor, or the number pi, that a name in index notation stands for.
func (e *elaborator) named(name string) *node {
	if n, ok := e.names[name]; ok {
		return n.val.get()
	}
	return e.store.Pi()
}

// giveDefined unites an axis of a defined tensor with the number that is given for it;
// where it is a size symbol, that is the number from here on. Whether a larger
// expression has the number is seen when all sizes are known.
func (e *elaborator) giveDefined(a *axis, given size.Size, d *index.Definition) *axis {
	number := e.sizedAxis(given, origin{d.Name.Span, d.Name.Name + " is given its sizes"})
	if root := a.find(); root.symbol != "" {
		root.parent = number
		return number
	}
	e.unify(a, number)
	return a
}

// indexEnv tells index notation what the names of the program mean, with sizes as they
// are known where it is asked.
func (e *elaborator) indexEnv(sizeOf func(*axis) size.Size) indexelab.Env {
	env := indexelab.Env{
		File:   e.file,
		Limits: e.limits,
		Tensor: func(name string) ([]size.Size, bool) {
			n, ok := e.names[name]
			if !ok && name == syntax.Pi {
				return nil, true
			}
			if !ok || n.kind == sizeSymbol || n.kind == mapping {
				return nil, false
			}
			shape := lists.Map(n.val.axes, sizeOf)
			return shape, true
		},
		Size: func(name string) (size.Size, bool) {
			n, ok := e.names[name]
			if !ok || n.kind != sizeSymbol {
				return size.Size{}, false
			}
			return sizeOf(n.axes[0]), true
		},
	}
	env.Map = func(name string) bool {
		n, ok := e.names[name]
		return ok && n.kind == mapping
	}
	if !e.implicit {
		env.Unknown = func(x *index.Expr) *syntax.Error {
			var names []string
			for name := range e.names {
				names = append(names, name)
			}
			slices.Sort(names)
			return e.errorf("N002", x.At, "%s is not declared", x.Name).Helpf("%s", e.suggest(x.Name, names))
		}
	}
	return env
}
