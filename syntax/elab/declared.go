package elab

import (
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// declaredCall types the call of a declared function.
func (e *elaborator) declaredCall(x *syntax.Expr, at *atom.Row) *value {
	if x.Axis != nil || len(x.Args) != at.Arity {
		e.fail(e.errorf("S013", x.At, "%s takes %s and no axis, here are %d", x.Name, words.Count(at.Arity, "argument"), len(x.Args)))
	}
	args := lists.Map(x.Args, e.expr)
	if at.Signature().Elementwise() {
		return e.entrywise(x, at, args)
	}
	return e.betweenSpaces(x, at, args)
}

// entrywise types a declared function of numbers, at operands of one shape or of order 0.
func (e *elaborator) entrywise(x *syntax.Expr, at *atom.Row, args []*value) *value {
	v := &value{expr: x, lit: args[0].lit, axes: args[0].axes, row: args[0].row}
	for _, a := range args[1:] {
		v.lit = v.lit && a.lit
		v.axes, v.row = e.join(&value{expr: args[0].expr, axes: v.axes, row: v.row}, a, x.At, x.Name)
	}
	v.build = func() *node {
		nodes := lists.Map(args, func(a *value) *node { return e.spread(a.get(), v.axes) })
		return e.store.Declared(at, 0, nil, nodes...)
	}
	return v
}

// betweenSpaces types a declared function from space to space: its arguments say what the sizes of its type are.
func (e *elaborator) betweenSpaces(x *syntax.Expr, at *atom.Row, args []*value) *value {
	g := at.Signature()
	symbols := map[string]*axis{} // of the type
	for _, name := range g.Open() {
		symbols[name] = e.sizeClass(&syntax.Expr{Op: syntax.OpName, Name: name, Span: x.At, At: x.At}, origin{x.At, name + " is a size of " + x.Name}, true)
	}
	for k, p := range g.Params {
		a := e.ordered(args[k], len(p))
		if n := a.order(); n != len(p) && !(g.Linear && n > len(p)) {
			e.fail(e.errorf("T007", a.expr.At, "%s has order %d, but argument %d of %s, of type %s, has order %d", e.text(a.expr, "this"), n, k+1, x.Name, g, len(p)))
		}
		args[k] = a
		for i, d := range p {
			if name, alone := d.Symbol(); alone && symbols[name] == nil {
				symbols[name] = a.axes[i]
			}
		}
	}
	from := origin{x.At, x.Name + " is of type " + g.String()}
	for k, p := range g.Params {
		for i, d := range p {
			want, got := e.sizeIn(d, symbols, from), args[k].axes[i]
			if s, t := e.describeSize(got), e.describeSize(want); !e.unify(got, want) {
				e.fail(e.helpSizes(e.errorf("T012", args[k].expr.At, "sizes differ: axis %d of %s is %s, and %s in argument %d of %s, of type %s", i,
					e.text(args[k].expr, "this"), s, t, k+1, x.Name, g), got, want))
			}
		}
	}
	v := &value{expr: x}
	for _, d := range g.Result {
		v.axes = append(v.axes, e.sizeIn(d, symbols, from))
	}
	if g.Linear {
		v.axes = append(v.axes, args[0].axes[len(g.Params[0]):]...)
	}
	v.build = func() *node {
		known := map[string]size.Size{}
		for name, a := range symbols {
			known[name] = e.size(a)
		}
		nodes := lists.Map(args, func(a *value) *node { return e.spread(a.get(), a.axes) })
		return e.store.Declared(at, 0, combinators.OpenSizes(at, known), nodes...)
	}
	return v
}

// sizeIn is the class of a size in the type of a function, whose symbols are the classes of its call.
func (e *elaborator) sizeIn(d size.Size, symbols map[string]*axis, from origin) *axis {
	if name, alone := d.Symbol(); alone {
		return symbols[name]
	}
	subst := map[string]size.Size{}
	for _, name := range d.Symbols() {
		subst[name] = e.currentSize(symbols[name])
	}
	return e.sizedAxis(d.Subst(subst), from)
}
