package elab

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// loop is a recurrence whose step is typed: see [combinators.Body].
type loop struct {
	depth  int   // of loops around it
	steps  *axis // of the axis along which it goes
	state  *node // once it is built
	slices []combinators.Bound
}

// scan types a recurrence.
func (e *elaborator) scan(x *syntax.Expr) *value {
	l := x.Loop
	if x.Args[0] == nil {
		return e.implicitly(x)
	}
	c := &loop{depth: e.loops, steps: e.sizeClass(x.Args[0], origin{x.Args[0].Span, "the number of steps is written here"}, true)}
	if e.current != nil {
		e.current.fresh = append(e.current.fresh, c.steps)
	}
	first := e.expr(x.Args[1])
	axes, all := first.axes, first.axes
	if one := size.Const(1); l.Adds {
		if first.order() == 0 {
			e.fail(e.errorf("T007", first.expr.Span, "what is added to all states has an axis for these, of one more than there are steps").
				Helpf("a first state is written %s = ..., and a tensor of what is added to each %s += ...", l.State.Name, l.State.Name))
		}
		axes = axes[1:]
		e.stepSizes(x, first, all[0], e.sizedAxis(e.currentSize(c.steps).Add(one), origin{x.Args[0].Span, "one state more than steps"}))
	}
	states := e.sizedAxis(e.currentSize(c.steps).Add(size.Const(map[string]int64{"states": 1}[x.Name])), origin{x.At, "the states of " + x.Name})
	step, state := e.step(x, axes, axes, func(bind func(id syntax.Ident, n *entry)) {
		bind(l.Counter, &entry{kind: counter, loop: c, val: &value{build: func() *node { return c.slice(e, e.places(e.size(c.steps)), x) }}})
	})
	v := &value{expr: x, axes: slices.Concat([]*axis{states}, axes)}
	if x.Name == "iterate" {
		v.axes = axes
	}
	v.build = func() *node {
		s, steps := e.store, e.size(c.steps)
		base := first.get()
		if !l.Adds {
			base = s.First(base, steps, l.Reverse)
		}
		c.state = state.get()
		out, constant := e.captured(x, step.get(), c.state, c.slices)
		y := s.Recurrence(steps, l.Reverse, c.state, out, base, c.slices, constant)
		switch {
		case x.Name == "scan":
			return s.States(y, steps, l.Reverse)
		case x.Name == "states":
			return y
		case l.Reverse:
			return s.Entry(y, size.Size{})
		}
		return s.Entry(y, steps)
	}
	return v
}

// implicitly types an implicit function.
func (e *elaborator) implicitly(x *syntax.Expr) *value {
	at := atom.Implicit(x.Name)
	first := e.expr(x.Args[1])
	axes := first.axes
	if at == atom.Argmin {
		axes = nil
	}
	step, state := e.step(x, first.axes, axes, func(func(syntax.Ident, *entry)) {})
	return &value{expr: x, axes: first.axes, build: func() *node {
		h, start := state.get(), first.get()
		out, constant := e.captured(x, step.get(), h, nil)
		return e.store.Implicit(at, h, out, start, constant)
	}}
}

// step types the step of x, which has the axes of a value, and a state of the axes of another: with its names in the place of what they are
// outside, and those that more binds; all other names in it are those of the program.
func (e *elaborator) step(x *syntax.Expr, of, axes []*axis, more func(bind func(id syntax.Ident, n *entry))) (step, state *value) {
	l, last := x.Loop, len(x.Args)-1
	var bound []string
	bind := func(id syntax.Ident, n *entry) {
		if old := e.names[id.Name]; old != nil {
			e.fail(e.errorf("N001", id.Span, "%s is already %s", id.Name, old.kind).Note(old.span, "%s is %s here", id.Name, old.kind).Helpf("choose another name, such as %s1", id.Name))
		}
		bound = append(bound, id.Name)
		n.name, n.span = id.Name, id.Span
		e.names[id.Name] = n
	}
	e.loops++
	defer func() {
		e.loops--
		for _, name := range bound {
			delete(e.names, name)
		}
	}()
	name := fmt.Sprintf("#state%d", e.scanned)
	e.scanned++
	more(bind)
	state = &value{axes: of, build: func() *node { return e.store.Var(name, e.shape(of)) }}
	bind(l.State, &entry{kind: parameter, val: state})
	for k, id := range l.Lets {
		bind(id, &entry{kind: parameter, val: e.expr(x.Args[2+k])})
	}
	step = e.expr(x.Args[last])
	if step.lit {
		a := step
		step = &value{expr: a.expr, axes: axes, build: func() *node { return e.spread(a.get(), axes) }}
	}
	switch {
	case step.order() != len(axes) && x.Name == atom.Argmin.Name:
		e.fail(e.errorf("T001", x.Args[last].Span, "%s is of a number, and this has order %d", x.Name, step.order()).Helpf("sum(...) makes one number of its entries"))
	case step.order() != len(axes):
		e.fail(e.errorf("T001", x.Args[last].Span, "the state has order %d, and the step makes one of order %d of it", len(axes), step.order()).
			Note(x.Args[1].Span, "the state begins here").Helpf("the step has the shape of %s", l.State.Name))
	}
	for k, a := range step.axes {
		e.stepSizes(x, step, a, axes[k])
	}
	return step, state
}

// captured is out with variables for what is constant in the step of x: see [combinators.Store.Captured].
func (e *elaborator) captured(x *syntax.Expr, out, state *node, sliced []combinators.Bound) (*node, []combinators.Bound) {
	out, constant := e.store.Captured(out, state, sliced)
	if slices.ContainsFunc(constant, func(b combinators.Bound) bool { return b.Value.Relation() }) {
		e.noArrays(x)
	}
	return out, constant
}

// noArrays reports that an array of whole numbers picks in a step.
func (e *elaborator) noArrays(x *syntax.Expr) {
	e.fail(e.errorf("T008", x.Span, "an array of whole numbers picks nothing within a step yet").
		Helpf("name what it picks by let, before the recurrence: let Y = X[i, :], and read Y[t, :]"))
}

// stepSizes makes the sizes of two axes one.
func (e *elaborator) stepSizes(x *syntax.Expr, v *value, a, b *axis) {
	if e.unify(a, b) {
		return
	}
	err := e.errorf("T012", v.expr.Span, "sizes differ in %s: the state has size %s and %s has %s", x.Name, e.describeSize(b), e.text(v.expr, "the step"), e.describeSize(a))
	e.noteOrigins(err, e.originOf(v, a), e.originOf(v, b))
	e.fail(e.helpSizes(err, a, b))
}

// slice is the variable that stands for n at each step; x is where that is.
func (c *loop) slice(e *elaborator, n *node, x *syntax.Expr) *node {
	for _, b := range c.slices {
		if b.Value == n {
			return b.Var
		}
	}
	inside := func(m *node) bool {
		return m == c.state || slices.ContainsFunc(c.slices, func(b combinators.Bound) bool { return b.Var == m })
	}
	if slices.ContainsFunc(combinators.Topo(n), inside) {
		e.fail(e.errorf("T008", x.Span, "what is read at each step must not change from step to step").
			Helpf("entries of the state are named by numbers: h[0]"))
	}
	v := e.store.Var(fmt.Sprintf("#slice%d", e.scanned), n.Shape()[1:])
	e.scanned++
	c.slices = append(c.slices, combinators.Bound{Var: v, Value: n})
	return v
}

// places are the numbers 0, 1, .. of steps.
func (e *elaborator) places(steps size.Size) *node {
	before := einsum.Variable(0).Plus(-1, einsum.Variable(1)).Plus(-1, einsum.Affine{Off: size.Const(1)})
	one := []size.Size{steps}
	c, err := einsum.New([]size.Size{steps, steps}, nil, einsum.Access{Shape: one, Index: variables(1)}, nil, []einsum.Affine{before})
	if err != nil {
		panic("elab: " + err.Error())
	}
	return e.store.Ein(c)
}

// stepOf is the recurrence whose counter stands in a subscript, with a coefficient, and what is added to it; nil is none.
func (e *elaborator) stepOf(x *syntax.Expr) (c *loop, coef int64, off size.Size) {
	is := func(x *syntax.Expr) *loop {
		if x.Op == syntax.OpName && e.names[x.Name] != nil {
			return e.names[x.Name].loop
		}
		return nil
	}
	if c := is(x); c != nil {
		return c, 1, off
	}
	if x.Op != syntax.OpSum {
		return nil, 0, off
	}
	terms := []syntax.Step{{Op: syntax.StepAdd, Arg: x.Args[0]}}
	terms = append(terms, x.Steps...)
	for _, t := range terms {
		sign := map[syntax.StepOp]int64{syntax.StepAdd: 1, syntax.StepSub: -1}[t.Op]
		if l := is(t.Arg); l != nil && c == nil {
			c, coef = l, sign
		}
	}
	if c == nil {
		return nil, 0, off
	}
	for _, t := range terms {
		switch {
		case is(t.Arg) == c:
		case t.Op == syntax.StepSub:
			off = off.Sub(e.sizeOfIndex(t.Arg))
		default:
			off = off.Add(e.sizeOfIndex(t.Arg))
		}
	}
	return c, coef, off
}

// stepped is the tensor of which the entries of n that are picked are slices, for each loop that picks some: the outer ones first.
func (e *elaborator) stepped(x *syntax.Expr, a *value, all []*picked) *node {
	var loops []*loop
	for _, p := range all {
		if p.loop != nil && !slices.Contains(loops, p.loop) {
			loops = append(loops, p.loop)
		}
	}
	slices.SortFunc(loops, func(c, d *loop) int { return c.depth - d.depth })
	var vars []size.Size
	vars = lists.Append(vars, loops, func(c *loop) size.Size { return e.size(c.steps) })
	n := a.get()
	at := einsum.Access{Shape: n.Shape()}
	for _, p := range all {
		if p.by != nil {
			e.noArrays(x)
		}
		e.inRange(p, a, true)
		f := einsum.Affine{Off: e.finalSize(p.first)}
		if p.loop != nil {
			f = f.Plus(p.step, einsum.Variable(slices.Index(loops, p.loop)))
		} else if p.out != nil {
			f = f.Plus(p.step, einsum.Variable(len(vars)))
			vars = append(vars, e.size(p.out))
		}
		at.Index = append(at.Index, f)
	}
	n = e.contraction(vars, []einsum.Access{at}, einsum.Access{Shape: vars, Index: variables(len(vars))}, n)
	for _, c := range loops {
		n = c.slice(e, n, x)
	}
	return n
}
