package elab

import (
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"
)

// derived types a function that is defined by a text: the arguments have the names of the parameters in it.
// What is wrong is wrong at the call.
func (e *elaborator) derived(x *syntax.Expr, d syntax.Derived) *value {
	body, err := syntax.ParseExpr(d.Is, e.limits)
	if err != nil {
		panic("elab: " + d.Name + ": " + err.Error())
	}
	place(body, x, d.Params)
	if d.Over != syntax.OverWhole {
		return e.derivedOver(x, d, body)
	}
	names := map[string]*entry{}
	for i, p := range d.Params {
		v := e.expr(x.Args[i])
		if v.order() != d.Order && d.Order > 0 && !v.lit {
			e.fail(e.errorf("T007", x.Args[i].Span, "%s takes %s, but %s has order %d", x.Name,
				map[int]string{1: "vectors", 2: "a matrix"}[d.Order], e.text(x.Args[i], "this"), v.order()).
				Helpf("%s(%s) is %s", d.Name, strings.Join(d.Params, ", "), d.Is))
		}
		names[p] = &entry{val: v, span: x.Args[i].Span}
	}
	if d.Order == 2 { // n is the number of its columns
		if a := names[d.Params[0]].val; a.order() == 2 {
			names["n"] = &entry{kind: sizeSymbol, axes: a.axes[1:], span: x.Args[0].Span}
		}
	}
	v := e.textOf(body, names)
	out := *v
	out.expr, out.built, out.build = x, nil, v.get
	return &out
}

// textOf types the text of a derived function, with what names in it stand for.
func (e *elaborator) textOf(body *syntax.Expr, names map[string]*entry) *value {
	hidden := map[string]*entry{}
	for name, n := range names {
		hidden[name] = e.names[name]
		n.name, n.body = name, e.current
		e.names[name] = n
	}
	usual := e.unusual
	v := e.expr(body)
	e.unusual = usual
	for name := range names {
		if e.names[name] = hidden[name]; hidden[name] == nil {
			delete(e.names, name)
		}
	}
	return v
}

// derivedOver types a derived function that acts on a vector, at each place of the other axes.
func (e *elaborator) derivedOver(x *syntax.Expr, d syntax.Derived, body *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	all := x.Axis == nil && d.Over != syntax.OverAxis
	if d.Over == syntax.OverList {
		e.hasAxis(x, a)
	}
	operand, along, lifted := a, 0, false
	switch {
	case all && d.Over == syntax.OverList:
		operand = e.listed(x, a)
	case !all:
		along = e.along(x, a)
		lifted = a.order() > 1
	}
	var hole *node
	if lifted {
		operand = &value{expr: a.expr, axes: a.axes[along : along+1], build: func() *node {
			hole = e.store.Fresh("x", e.shape(a.axes[along:along+1]))
			return hole
		}}
	}
	count := e.sizedAxis(size.Const(1), origin{x.Span, "entries are counted"})
	for i, c := range operand.axes {
		if count = e.product(count, c, count.from); i == 0 {
			count = c
		}
	}
	names := map[string]*entry{d.Params[0]: {val: operand, span: a.expr.Span}, "n": {kind: sizeSymbol, axes: []*axis{count}, span: a.expr.Span}}
	if d.Ddof {
		names["d"] = &entry{val: e.number(x, big.NewRat(int64(x.Ddof), 1)), span: x.Span}
	}
	for i, p := range d.Params[1:] {
		substitute(body, p, x.Args[i+1])
	}
	v := e.textOf(body, names)
	if a.order() == 0 {
		e.unusual += 8
	}
	out := &value{expr: x, axes: v.axes, row: a.row && v.order() == 1, build: v.get}
	if lifted {
		out.axes = slices.Concat(a.axes[:along], v.axes, a.axes[along+1:])
		out.build = func() *node { return e.lifted(v.get(), hole, a.get(), along) }
	}
	return e.kept(x, a, out)
}

// listed is a tensor as a vector, in C order.
func (e *elaborator) listed(x *syntax.Expr, a *value) *value {
	if a.order() < 2 {
		return a
	}
	whole := a.axes[0]
	for _, b := range a.axes[1:] {
		whole = e.product(whole, b, origin{x.At, "the entries are counted"})
	}
	return &value{expr: a.expr, axes: []*axis{whole}, build: func() *node {
		n := a.get()
		for n.Order() > 1 {
			n = e.store.Merge(0, n)
		}
		return n
	}}
}

// lifted is f along an axis of n, where y is f at the vector x.
func (e *elaborator) lifted(y, x, n *node, along int) *node {
	if x == nil { // f does not read it
		x = e.store.Fresh("x", n.Shape()[along:along+1])
	}
	all := einsum.UpTo(n.Order())
	rest := slices.Concat(all[:along], all[along+1:])
	n = e.permuted(n, append(slices.Clone(rest), along))
	m := e.store.Copower(combinators.Readback(&combinators.Block{Store: e.store, Params: []*node{x}, Outs: []*node{y}}), n.Shape()[:len(rest)])
	v, err := e.store.ApplyMap(m, e.store.Value(n))
	if err != nil {
		panic("elab: " + err.Error())
	}
	out := v.Node()
	if y.Order() == 1 {
		out = e.permuted(out, slices.Concat(all[:along], []int{len(rest)}, all[along:len(rest)]))
	}
	return out
}

// kept puts back the axes of a that a call has taken, with size 1, where it says keepdims.
func (e *elaborator) kept(x *syntax.Expr, a, v *value) *value {
	if !x.Keep {
		return v
	}
	out := &value{expr: x}
	var rest []int
	for k, c := range a.axes {
		if x.Axis == nil || k == e.along(x, a) {
			c = e.sizedAxis(size.Const(1), origin{x.Span, "the axis is kept, with size 1"})
			c.unit = true
		} else {
			rest = append(rest, k)
		}
		out.axes = append(out.axes, c)
	}
	out.build = func() *node { return e.plain([][]int{rest}, einsum.UpTo(len(out.axes)), e.shape(out.axes), v.get()) }
	return out
}

// substitute puts an expression for a name, in places that are read as they are written.
func substitute(x *syntax.Expr, name string, by *syntax.Expr) {
	if x == nil {
		return
	}
	for i, a := range x.Args {
		if a != nil && a.Op == syntax.OpName && a.Name == name {
			x.Args[i] = by
		} else {
			substitute(a, name, by)
		}
	}
	for i, s := range x.Steps {
		if s.Arg != nil && s.Arg.Op == syntax.OpName && s.Arg.Name == name {
			x.Steps[i].Arg = by
		} else {
			substitute(s.Arg, name, by)
		}
	}
}

// place gives a text the place of the call, and its parameters those of the arguments.
func place(x, call *syntax.Expr, params []string) {
	if x == nil {
		return
	}
	x.Span, x.At = syntax.Span{Start: call.At.Start, End: call.At.Start}, call.At
	if k := slices.Index(params, x.Name); k >= 0 && x.Op == syntax.OpName {
		x.Span, x.At = call.Args[k].Span, call.Args[k].At
	}
	for _, a := range x.Args {
		place(a, call, params)
	}
	for i := range x.Steps {
		x.Steps[i].At = call.At
		place(x.Steps[i].Arg, call, params)
	}
}

// along is the axis of a function that works along one: axis=, or the only one, or the first.
func (e *elaborator) along(x *syntax.Expr, a *value) int {
	e.hasAxis(x, a)
	if x.Axis == nil {
		return 0
	}
	return e.axisOf(x, e.text(a.expr, "the argument"), a.order())
}

// hasAxis reports a number where a function works along an axis.
func (e *elaborator) hasAxis(x *syntax.Expr, a *value) {
	if what := e.text(a.expr, "its argument"); a.order() == 0 {
		e.fail(e.errorf("T007", x.At, "%s works along an axis, but %s has order 0", x.Name, what).
			Helpf("a vector is declared as %s[n]", what))
	}
}

// cumsum types the sums of the first entries along an axis, which is the first one where none is named.
func (e *elaborator) cumsum(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	k := e.along(x, a)
	return &value{expr: x, axes: a.axes, row: a.row, build: func() *node {
		n := a.get()
		in := einsum.Access{Shape: n.Shape(), Index: variables(n.Order())}
		out := einsum.Access{Shape: n.Shape(), Index: slices.Clone(in.Index)}
		out.Index[k] = einsum.Variable(n.Order())
		return e.masked(append(slices.Clone(n.Shape()), n.Shape()[k]), in, out, out.Index[k].Plus(-1, in.Index[k]), n)
	}}
}

// masked is a contraction of one operand under the condition that a form is at least 0.
func (e *elaborator) masked(vars []size.Size, in, out einsum.Access, ge einsum.Affine, n *node) *node {
	c, err := einsum.New(vars, []einsum.Access{in}, out, nil, []einsum.Affine{ge})
	if err != nil {
		panic("elab: " + err.Error())
	}
	return e.store.Ein(c, n)
}

// triangle types tril(A, k) and triu(A, k): the entries on the diagonal k, which is 0 where none is named, and
// below or above; 0 elsewhere.
func (e *elaborator) triangle(x *syntax.Expr) *value {
	a := e.ordered(e.expr(x.Args[0]), 2)
	if a.order() != 2 {
		e.noMatrix(x, a)
	}
	k := int64(0)
	if len(x.Args) > 1 {
		d := e.expr(x.Args[1])
		if d.rat == nil || !d.rat.IsInt() || !d.rat.Num().IsInt64() {
			e.fail(e.errorf("T008", d.expr.Span, "argument 2 of %s is a whole number, written out", x.Name).
				Helpf("it is the diagonal: %s(A, 1) begins above, %s(A, -1) below the middle one", x.Name, x.Name))
		}
		k = d.rat.Num().Int64()
	}
	sign := int64(1)
	if x.Name == "triu" {
		sign = -1
	}
	return &value{expr: x, axes: a.axes, build: func() *node {
		n := a.get()
		at := einsum.Access{Shape: n.Shape(), Index: variables(2)}
		ge := einsum.Affine{Off: size.Const(sign * k)}.Plus(sign, at.Index[0]).Plus(-sign, at.Index[1])
		return e.masked(n.Shape(), at, at, ge, n)
	}}
}

// reshape types reshape(x, m, n, ..): the entries in C order in a tensor of other sizes.
func (e *elaborator) reshape(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	if a.order() == 0 {
		e.fail(e.errorf("T007", x.At, "reshape takes a tensor of order 1 or more, but %s has order 0", e.text(a.expr, "its argument")).
			Helpf("a vector that repeats a number s is s*ones(n)"))
	}
	axes := e.writtenSizes(x, x.Args[1:])
	from := origin{x.At, "the sizes of reshape are multiplied"}
	whole, given := a.axes[0], axes[0]
	for _, b := range a.axes[1:] {
		whole = e.product(whole, b, from)
	}
	for _, b := range axes[1:] {
		given = e.product(given, b, from)
	}
	if p, q := whole.find(), given.find(); !e.unify(p, q) {
		e.fail(e.errorf("T012", x.At, "reshape makes %s of %s entries", e.describeSize(q), e.describeSize(p)).
			Helpf("the product of the sizes is %s, as in reshape(%s, %s)", e.describeSize(p), e.text(a.expr, "A"), e.describeSize(p)))
	}
	return &value{expr: x, axes: axes, build: func() *node {
		n := a.get()
		for n.Order() > 1 {
			n = e.store.Merge(0, n)
		}
		for k := range len(axes) - 1 {
			rest := size.Const(1)
			for _, b := range axes[k+1:] {
				rest = rest.Mul(e.size(b))
			}
			n = e.store.Split(k, e.size(axes[k]), rest, n)
		}
		return n
	}}
}

// aligned repeats a vector beside a matrix: a column for each column of it, a row for each row.
func (e *elaborator) aligned(a, b *value, at syntax.Span, op string) (*value, *value) {
	switch {
	case a.order() == 2 && b.order() == 1:
		return a, e.alongOther(b, a, at, op)
	case a.order() == 1 && b.order() == 2:
		return e.alongOther(a, b, at, op), b
	case a.order() == b.order() && !a.lit && !b.lit:
		return e.repeatedUnits(a, b), e.repeatedUnits(b, a)
	}
	return a, b
}

// repeatedUnits repeats v along its axes that a keepdims has kept, beside other axes of w.
func (e *elaborator) repeatedUnits(v, w *value) *value {
	out := &value{expr: v.expr, axes: slices.Clone(v.axes)}
	var units []int
	for k, c := range v.axes {
		if c.find().unit && !w.axes[k].find().unit {
			units = append(units, k)
			out.axes[k] = w.axes[k]
		}
	}
	if units == nil {
		return v
	}
	out.build = func() *node {
		in, dims := einsum.UpTo(len(out.axes)), e.shape(out.axes)
		for _, k := range units { // its one entry is the sum along the axis
			in[k] = len(dims)
			dims = append(dims, size.Const(1))
		}
		return e.plain([][]int{in}, einsum.UpTo(len(out.axes)), dims, v.get())
	}
	return out
}

func (e *elaborator) alongOther(v, m *value, at syntax.Span, op string) *value {
	e.unusual += 4
	k, what, turned := 0, "column", parens(e.text(v.expr, "the vector"))+"'"
	if v.row {
		k, what, turned = 1, "row", "a column"
		if v.expr.Op == syntax.OpTranspose {
			turned = e.text(v.expr.Args[0], turned)
		}
	}
	if p, q := v.axes[0].find(), m.axes[k].find(); !e.unify(p, q) {
		name := e.text(v.expr, "the vector")
		err := e.errorf("T011", at, "sizes differ in %s: %s is repeated for each %s of %s, and has size %s where that has %s",
			op, name, what, e.text(m.expr, "the matrix"), e.describeSize(p), e.describeSize(q))
		e.noteOrigins(err, e.originOf(v, p), e.originOf(m, q))
		if e.currentSize(v.axes[0]) == e.currentSize(m.axes[1-k]) {
			err.Helpf("%s is repeated along the other axis", turned)
		}
		e.fail(e.helpSizes(err, p, q))
	}
	out := &value{expr: v.expr, axes: slices.Clone(m.axes)}
	out.axes[k] = v.axes[0]
	out.build = func() *node { return e.plain([][]int{{k}}, []int{0, 1}, e.shape(out.axes), v.get()) }
	return out
}
