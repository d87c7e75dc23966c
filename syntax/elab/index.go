package elab

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
	indexelab "frechet/syntax/index/elab"
	"strings"
)

// picked is what a subscript picks of an axis: entry first + step*i for each i of out, or the one
// entry first where out is nil.
type picked struct {
	expr        *syntax.Expr
	axis        *axis
	first, stop size.Size // in classes of sizes; stop is what a range ends before
	step        int64
	out         *axis
	by          *value // the matrix of an array of whole numbers that picks, else nil
	loop        *loop  // of the counter that stands in it: entry first + step*t
}

// index types x[1:], A[i, :]: entries that are counted from 0, ranges without their end, as in
// Python. A number below 0 counts from the end of the axis.
func (e *elaborator) index(x *syntax.Expr) *value {
	if f := x.Args[0]; f.Op == syntax.OpName && e.names[f.Name] == nil {
		err := e.errorf("N002", f.Span, "%s is not declared", f.Name)
		switch here, none := syntax.Foreign(f.Name), syntax.Absent(f.Name); {
		case none != "":
			e.fail(err.Helpf("%s", none))
		case here != "":
			if strings.Contains(here, "command") {
				e.fail(err.Helpf("it is %s", here))
			}
			e.fail(err.Helpf("arguments of functions stand in parentheses: %s", here))
		}
	}
	return e.picks(x, e.expr(x.Args[0]))
}

// picks types x, subscripts of a.
func (e *elaborator) picks(x *syntax.Expr, a *value) *value {
	subs := x.Args[1:]
	if len(subs) == 1 && subs[0].Op == syntax.OpBlocks {
		e.sizeOfIndex(subs[0])
	}
	if len(subs) != a.order() {
		what := e.text(a.expr, "the operand")
		err := e.errorf("T002", x.At, "%s has order %d, but %s here", what, a.order(), words.Given(len(subs), "subscript"))
		if a.order() > len(subs) {
			text := syntax.Print(&syntax.Expr{Op: syntax.OpIndex, Args: append([]*syntax.Expr{syntax.Name("A")}, append(subs, wholes(a.order()-len(subs))...)...)})
			err.Helpf("a subscript is written for each axis, `:` for all of it: %s%s", parens(what), text[1:])
		} else if a.order() == 0 {
			err.Helpf("a number has no entries: a vector is declared as %s[n]", what)
		} else {
			err.Helpf("a subscript is written for each axis: %s%s", parens(what), syntax.Print(&syntax.Expr{Op: syntax.OpIndex, Args: append([]*syntax.Expr{syntax.Name("A")}, subs[:a.order()]...)})[1:])
		}
		e.fail(err.Note(a.expr.Span, "order %d", a.order()))
	}
	v := &value{expr: x, row: a.row}
	all := make([]*picked, len(subs))
	var arrays []*value
	for k, s := range subs {
		all[k] = e.subscript(s, a, k)
		if r := all[k].by; r != nil {
			if e.beside(arrays, r); arrays == nil {
				v.axes = append(v.axes, r.axes[:r.order()-1]...)
			}
			arrays = append(arrays, r)
		}
		if all[k].out != nil {
			v.axes = append(v.axes, all[k].out)
		}
	}
	v.row = a.row && v.order() == 1
	v.build = func() *node {
		if slices.ContainsFunc(all, func(p *picked) bool { return p.loop != nil }) {
			return e.stepped(x, a, all)
		}
		var c picking
		var at []einsum.Affine
		for _, p := range all {
			if p.by != nil {
				at = append(at, c.array(p.by.get()))
				continue
			}
			e.inRange(p, a, true)
			f := einsum.Affine{Off: e.finalSize(p.first)}
			if p.out != nil {
				i := c.variable(e.size(p.out))
				c.out, f = append(c.out, i), f.Plus(p.step, i)
			}
			at = append(at, f)
		}
		n := a.get()
		in := append(c.in, einsum.Access{Shape: n.Shape(), Index: at})
		return e.contraction(c.vars, in, einsum.Access{Shape: e.shape(v.axes), Index: c.out}, append(c.nodes, n)...)
	}
	return v
}

// contraction builds a contraction with affine index maps.
func (e *elaborator) contraction(vars []size.Size, in []einsum.Access, out einsum.Access, nodes ...*node) *node {
	c, err := einsum.New(vars, in, out, nil, nil)
	if err != nil {
		panic("elab: " + err.Error())
	}
	return e.store.Ein(c, nodes...)
}

// variables are the index maps of a tensor with a variable for each axis.
func variables(n int) []einsum.Affine {
	return lists.Make(n, func(v int) einsum.Affine { return einsum.Variable(v) })
}

// wholes are n subscripts `:`.
func wholes(n int) []*syntax.Expr {
	return lists.Make(n, func(i int) *syntax.Expr { return &syntax.Expr{Op: syntax.OpRange, Args: make([]*syntax.Expr, 3)} })
}

// subscript types one subscript, of axis k of a.
func (e *elaborator) subscript(x *syntax.Expr, a *value, k int) *picked {
	n := e.currentSize(a.axes[k])
	p := &picked{expr: x, axis: a.axes[k], step: 1}
	if c, coef, off := e.stepOf(x); c != nil {
		p.loop, p.step, p.first = c, coef, off
		if !p.axis.find().known {
			e.unify(p.axis, c.steps)
		}
		e.inRange(p, a, false)
		return p
	}
	if p.by = e.array(x); p.by != nil {
		bound := p.by.axes[p.by.order()-1]
		if s, t := e.describeSize(bound), e.describeSize(p.axis); !e.unify(p.axis, bound) {
			e.fail(e.errorf("T019", x.Span, "the numbers of %s are below %s, but axis %d of %s has size %s", e.text(x, "the array"), s, k, e.text(a.expr, "the operand"), t))
		}
		return p
	}
	if x.Op != syntax.OpRange {
		p.first = e.bound(x, n)
		e.inRange(p, a, false)
		return p
	}
	if x.Args[0] == nil && x.Args[1] == nil && x.Args[2] == nil {
		p.out, p.stop = p.axis, n
		return p
	}
	if s := x.Args[2]; s != nil {
		step, ok := e.sizeOfIndex(s).Int()
		if !ok || step == 0 {
			e.fail(e.errorf("T008", s.Span, "the step of a slice is a whole number other than 0, written out").
				Helpf("every second entry is x[::2], and backwards it is x[::-1]"))
		}
		p.step = step
	}
	one := size.Const(1)
	p.first, p.stop = size.Size{}, n
	if p.step < 0 {
		p.first, p.stop = n.Sub(one), size.Const(-1)
	}
	if s := x.Args[0]; s != nil {
		p.first = e.bound(s, n)
	}
	if s := x.Args[1]; s != nil {
		p.stop = e.bound(s, n)
	}
	e.inRange(p, a, false)
	many := p.stop.Sub(p.first)
	if p.step < 0 {
		many = p.first.Sub(p.stop)
	}
	count, ok := ceilDiv(many, max(p.step, -p.step))
	if !ok {
		e.fail(e.errorf("T008", x.Span, "%s has no size of whole numbers and products of sizes: it is %s over %d, rounded up", e.text(x, "the slice"), e.shownSize(many), max(p.step, -p.step)).
			Helpf("declare the axis with a multiple, as in x[%d*m], or with a number", max(p.step, -p.step)))
	}
	p.out = e.sizedAxis(count, origin{x.Span, "the size of " + e.text(x, "a slice") + " of " + e.text(a.expr, "a value")})
	return p
}

// ceilDiv is a/b, rounded up, where that is a polynomial.
func ceilDiv(a size.Size, b int64) (size.Size, bool) {
	out := size.Size{}
	for _, m := range a.Monomials() {
		if !m.Coef.IsInt64() {
			return out, false
		}
		c := m.Coef.Int64()
		if len(m.Symbols) > 0 && c%b != 0 {
			return out, false
		}
		q := c / b
		if c%b > 0 {
			q++
		}
		t := size.Const(q)
		for _, s := range m.Symbols {
			t = t.Mul(size.Sym(s))
		}
		out = out.Add(t)
	}
	return out, true
}

// bound is a place on an axis of size n; a number below 0 counts from the end.
func (e *elaborator) bound(x *syntax.Expr, n size.Size) size.Size {
	s := e.sizeOfIndex(x)
	if k, ok := s.Int(); ok && k < 0 && !named(x) {
		return n.Add(s)
	}
	return s
}

// named reports whether a name stands in x.
func named(x *syntax.Expr) bool {
	if x.Op == syntax.OpName {
		return true
	}
	for _, a := range x.Args {
		if named(a) {
			return true
		}
	}
	return slices.ContainsFunc(x.Steps, func(s syntax.Step) bool { return named(s.Arg) })
}

// sizeOfIndex is a number in a subscript: whole numbers and size symbols, their sums and products.
func (e *elaborator) sizeOfIndex(x *syntax.Expr) size.Size {
	if x.Op == syntax.OpBlocks {
		e.fail(e.errorf("T008", x.Span, "a subscript is made of whole numbers and sizes, and this is a block").
			Helpf("an entry is written x[0], A[0, 1], and a row A[0, :], counted from 0; a list of places has no meaning"))
	}
	if x.Op == syntax.OpName {
		n, known := e.names[x.Name]
		if !known || n.kind != sizeSymbol {
			err := e.errorf("T008", x.Span, "a subscript is made of whole numbers and sizes, and %s is neither", x.Name)
			if known {
				err.Note(n.span, "%s is %s here", x.Name, n.kind)
			}
			switch x.Name {
			case "end":
				e.fail(err.Helpf("the last entry is x[-1], and x[1:] goes to the end"))
			case "begin":
				e.fail(err.Helpf("the first entry is x[0]"))
			case "All":
				e.fail(err.Helpf("all of an axis is written `:`, as in A[0, :]"))
			case "None", "newaxis", "nothing":
				e.fail(err.Helpf("no axis is added: A + v repeats a vector beside a matrix, A + v' a row"))
			}
			e.fail(err.Helpf("element by element, a tensor is written in index notation: let f[%[1]s] = ...; a size is declared with a variable: declare v[%[1]s]", x.Name))
		}
	}
	return e.sizeExpr(x, false)
}

// finalSize is a size in classes as it is settled.
func (e *elaborator) finalSize(s size.Size) size.Size {
	subst := map[string]size.Size{}
	for _, name := range s.Symbols() {
		subst[name] = e.size(e.class(name))
	}
	return s.Subst(subst)
}

// shownSize writes a size in classes for a message.
func (e *elaborator) shownSize(s size.Size) string {
	subst := map[string]size.Size{}
	for _, name := range s.Symbols() {
		d := e.describeSize(e.class(name))
		if d == "" || len(d) >= 40 || !size.IsName(d) {
			d = "?"
		}
		subst[name] = size.Sym(d)
	}
	return s.Subst(subst).String()
}

// inRange checks that a subscript stays on its axis, with sizes as they are known, or as all are
// settled. What their symbols leave open then is assumed, and decided with numbers.
func (e *elaborator) inRange(p *picked, a *value, settled bool) {
	n, first, stop, one := e.currentSize(p.axis), p.first, p.stop, size.Const(1)
	if settled {
		n, first, stop = e.finalSize(n), e.finalSize(first), e.finalSize(stop)
	}
	var claims []size.Size // each is to be at least 0
	steps := one
	if p.loop != nil {
		steps = e.currentSize(p.loop.steps)
		if settled {
			steps = e.finalSize(steps)
		}
	}
	switch {
	case p.loop != nil && p.step > 0:
		claims = []size.Size{first, n.Sub(first).Sub(steps)}
	case p.loop != nil:
		claims = []size.Size{first.Add(one).Sub(steps), n.Sub(one).Sub(first)}
	case p.expr.Op != syntax.OpRange:
		claims = []size.Size{first, n.Sub(one).Sub(first)}
	case p.step > 0:
		claims = []size.Size{first, n.Sub(first), n.Sub(stop), stop.Sub(first)}
	default:
		claims = []size.Size{first.Add(one), n.Sub(one).Sub(first), stop.Add(one), first.Sub(stop)}
	}
	for k, c := range claims {
		if c.Nonnegative() {
			continue
		}
		if size.Const(-1).Sub(c).Nonnegative() {
			what := e.text(p.expr, "the subscript")
			err := e.errorf("I005", p.expr.Span, "%s leaves %s, whose axis has size %s", what, e.text(a.expr, "the operand"), e.describeSize(p.axis))
			if p.expr.Op == syntax.OpRange && k == len(claims)-1 {
				err.Message = what + " ends before it begins"
			}
			from := e.originOf(a, p.axis.find())
			e.fail(err.Note(from.span, "%s", from.text).
				Helpf("subscripts count from 0, a range ends before its second bound, and a number below 0 counts from the end"))
		}
		if settled {
			e.assumed = append(e.assumed, indexelab.Assumption{Text: e.text(p.expr, "the subscript") + " is in range", Span: p.expr.Span, Least: c})
		}
	}
}
