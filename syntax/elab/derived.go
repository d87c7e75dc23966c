package elab

import (
	"math/big"
	"slices"

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
	place(body, x)
	args := make([]*value, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.expr(a)
	}
	hidden := make([]*entry, len(args))
	for i, p := range d.Params {
		hidden[i] = e.names[p]
		e.names[p] = &entry{kind: variable, name: p, span: x.Args[i].Span, val: args[i], body: e.current}
	}
	v := e.expr(body)
	for i, p := range d.Params {
		if e.names[p] = hidden[i]; hidden[i] == nil {
			delete(e.names, p)
		}
	}
	out := *v
	out.expr, out.built, out.build = x, nil, v.get
	return &out
}

// place gives all of a text the place of the call.
func place(x, call *syntax.Expr) {
	if x == nil {
		return
	}
	x.Span, x.At = call.Span, call.At
	for _, a := range x.Args {
		place(a, call)
	}
	for i := range x.Steps {
		x.Steps[i].At = call.At
		place(x.Steps[i].Arg, call)
	}
}

// along is the axis of a function that works along one: axis=, or the only one, or the first.
func (e *elaborator) along(x *syntax.Expr, a *value) int {
	if a.order() == 0 {
		e.fail(e.errorf("T007", x.At, "%s works along an axis, but %s has order 0", x.Name, e.text(a.expr, "its argument")))
	}
	if x.Axis == nil {
		return 0
	}
	return e.axisOf(x, e.text(a.expr, "the argument"), a.order())
}

// turned types flip(x, axis=k), which is x[::-1] along the axis, and roll(x, shift, axis=k), the last entries
// before the others: concat(x[-shift:], x[:-shift]).
func (e *elaborator) turned(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	k := e.along(x, a)
	pick := func(bounds ...*syntax.Expr) *syntax.Expr {
		subs := wholes(a.order())
		copy(subs[k].Args, bounds)
		out := &syntax.Expr{Op: syntax.OpIndex, Args: append([]*syntax.Expr{x.Args[0]}, subs...)}
		for _, s := range append(subs, out) {
			s.Span, s.At = x.Span, x.At
		}
		return out
	}
	if x.Name == "flip" {
		return e.expr(pick(nil, nil, &syntax.Expr{Op: syntax.OpNeg, Args: []*syntax.Expr{syntax.Int(1)}, Span: x.Span, At: x.At}))
	}
	back := &syntax.Expr{Op: syntax.OpNeg, Args: x.Args[1:2], Span: x.Args[1].Span, At: x.Args[1].At}
	call := syntax.Call("concat", pick(back), pick(nil, back))
	call.Span, call.At, call.Axis = x.Span, x.At, &syntax.Axis{Value: k, Span: x.At}
	return e.expr(call)
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
		e.fail(e.errorf("T005", x.At, "%s needs a matrix, but %s has order %d", x.Name, e.text(a.expr, "the argument"), a.order()).
			Note(a.expr.Span, "order %d", a.order()))
	}
	k := int64(0)
	if len(x.Args) > 1 {
		d := e.expr(x.Args[1])
		if d.rat == nil || !d.rat.IsInt() || !d.rat.Num().IsInt64() {
			e.fail(e.errorf("T008", d.expr.Span, "argument 2 of %s is a whole number, written out", x.Name))
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

// variance types var and std, over all entries or along an axis, with the divisor n, or n - ddof.
func (e *elaborator) variance(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	v := &value{expr: x}
	along := a.order()
	if x.Axis != nil {
		along = e.axisOf(x, e.text(a.expr, "the argument"), a.order())
		v.axes = slices.Concat(a.axes[:along], a.axes[along+1:])
	}
	v.build = func() *node {
		n := a.get()
		all := einsum.UpTo(n.Order())
		kept, counted := []int(nil), n.Shape()
		if along < n.Order() {
			kept, counted = slices.Concat(all[:along], all[along+1:]), counted[along:along+1]
		}
		mean := e.reduce("mean", n, along)
		d := e.store.Sub(n, e.plain([][]int{kept}, all, n.Shape(), mean))
		sum := e.reduce("sum", e.store.Power(d, big.NewRat(2, 1)), along)
		count := size.Const(1)
		for _, s := range counted {
			count = count.Mul(s)
		}
		out := e.mul(e.recip(e.store.SizeOf(count)), sum)
		if x.Name == "std" {
			out = e.store.Power(out, big.NewRat(1, 2))
		}
		return out
	}
	return v
}

// reshape types reshape(x, m, n, ..): the entries in C order in a tensor of other sizes.
func (e *elaborator) reshape(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	if a.order() == 0 {
		e.fail(e.errorf("T007", x.At, "reshape takes a tensor of order 1 or more, but %s has order 0", e.text(a.expr, "its argument")))
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
		e.fail(e.errorf("T012", x.At, "reshape makes %s of %s entries", e.describeSize(q), e.describeSize(p)))
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
	}
	return a, b
}

func (e *elaborator) alongOther(v, m *value, at syntax.Span, op string) *value {
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
