package unparse

import (
	"maps"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/syntax"
)

// started is nodes with recurrences of which the first operand is one state beside zeros, where it can be that: what is added in each
// step stands in the step.
func started(nodes []*combinators.Node) []*combinators.Node {
	if combinators.Bodied(nodes...) == "" {
		return nodes
	}
	return combinators.Rebuild(nodes, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		m := n.With(args)
		if b := m.Body(); b != nil && !b.Implicit() {
			return m.Started()
		}
		return m
	})
}

// prepared is nodes as they are associated; sizes that are known are at least 0.
func prepared(nodes []*combinators.Node, known []size.Size) []*combinators.Node {
	return gathered(separate(started(nodes), known))
}

// bodied lowers an implicit function, or all states of a recurrence: of args, the first is what is added to every state, or where that is one first
// state beside zeros, this.
func (w *writer) bodied(n *combinators.Node, args []*term) *term {
	b, base := n.Body(), n.Arg(0)
	adds := 1
	if b.Implicit() {
		adds = 0
	} else if v, ok := base.Filled(); ok && v.Sign() == 0 {
		args[0], adds = w.fill(v, base.Shape()[1:]), 0
	} else if base.Ein() != nil && len(base.Args()) == 1 && base == n.Store().First(base.Arg(0), b.Steps, b.Reverse) {
		args[0], adds = w.of[base.Arg(0)], 0
	}
	return w.intern(term{op: opScan, args: args, attr: adds, body: b, shape: n.Shape(), sizes: []size.Size{b.Steps}})
}

// scan writes a recurrence or an implicit function, whose operands are written.
func (r *renderer) scan(t *term) *syntax.Expr {
	taken := r.taken()
	maps.Copy(taken, r.names.taken)
	pick := func(pool string) string {
		for k := 0; ; k++ {
			name := pool[k%len(pool) : k%len(pool)+1]
			if k >= len(pool) {
				name += strconv.Itoa(k / len(pool))
			}
			if !taken[name] {
				taken[name], r.bound = true, append(r.bound, name)
				return name
			}
		}
	}
	b := t.body
	l, e := &syntax.Loop{Reverse: b.Reverse, Adds: t.attr == 1}, &syntax.Expr{Op: syntax.OpScan, Name: "states", Args: []*syntax.Expr{nil, r.exprs[t.args[0].id].expr}}
	if b.Implicit() {
		e.Name, l.State.Name = b.Row.Name, pick("zuvwhg")
	} else {
		l.Counter.Name, l.State.Name = pick("tsrijk"), pick("hgzuvw")
		e.Args[0] = sizeExpr(t.sizes[0])
	}
	e.Loop = l
	o := Options{Notation: Einstein, Taken: taken, Open: r.opts.Open, Known: r.opts.Known, Explicit: r.opts.Explicit, ShapesKnown: true}
	if r.matrix {
		o.Notation = Matrix
	}
	stmts, err := Program([]*combinators.Node{b.Out()}, o)
	if err != nil {
		panic(err) // lower has looked
	}
	counter := syntax.Name(l.Counter.Name)
	names := map[string]*syntax.Expr{b.Params()[0].Name(): syntax.Name(l.State.Name)}
	for k, p := range b.Params()[1:] {
		x := r.exprs[t.args[k+1].id].expr
		if k < b.Sliced {
			x = sliceAt(x, counter, p.Order())
		}
		names[p.Name()] = x
	}
	for _, s := range stmts {
		e.Args = append(e.Args, replaced(s.Expr, names))
		if s.Kind == syntax.Let {
			l.Lets = append(l.Lets, s.Name)
			r.bound = append(r.bound, s.Name.Name)
		}
	}
	syntax.Each(e, func(x *syntax.Expr) {
		if x.Loop != nil && x != e {
			r.bound = append(r.bound, x.Loop.Counter.Name, x.Loop.State.Name)
			for _, l := range x.Loop.Lets {
				r.bound = append(r.bound, l.Name)
			}
		}
	})
	for _, name := range r.bound {
		r.names.taken[name] = true
	}
	return e
}

// taken are the names that no let may have: those that are given, and those within recurrences.
func (r *renderer) taken() map[string]bool {
	names := maps.Clone(r.opts.Taken)
	if names == nil {
		names = map[string]bool{}
	}
	for _, name := range r.bound {
		names[name] = true
	}
	return names
}

// sliceAt is entry t of the first axis of x, which has n axes behind it: of x[0, a:b], x[0, t + a].
func sliceAt(x, t *syntax.Expr, n int) *syntax.Expr {
	if x.Op == syntax.OpIndex {
		k := slices.IndexFunc(x.Args, func(s *syntax.Expr) bool { return s.Op == syntax.OpRange })
		from := x.Args[k].Args[0]
		if x.Args[k].Args[2] == nil && (from == nil || firstFactor(from).Op != syntax.OpNeg) {
			if from != nil {
				t = sumExpr(t, syntax.StepAdd, from, false)
			}
			subs := slices.Clone(x.Args)
			subs[k] = t
			return &syntax.Expr{Op: syntax.OpIndex, Args: subs}
		}
	}
	subs := slices.Repeat([]*syntax.Expr{{Op: syntax.OpRange, Args: make([]*syntax.Expr, 3)}}, n)
	return &syntax.Expr{Op: syntax.OpIndex, Args: append([]*syntax.Expr{x, t}, subs...)}
}

// replaced is e with expressions for names.
func replaced(e *syntax.Expr, names map[string]*syntax.Expr) *syntax.Expr {
	if e == nil {
		return nil
	}
	if x := names[e.Name]; e.Op == syntax.OpName && x != nil {
		return x
	}
	n := *e
	n.Args, n.Steps = slices.Clone(e.Args), slices.Clone(e.Steps)
	for i, a := range n.Args {
		n.Args[i] = replaced(a, names)
	}
	for i, s := range n.Steps {
		a := replaced(s.Arg, names)
		if s.Op == syntax.StepAdd && a.Op == syntax.OpNeg { // x + -y
			n.Steps[i].Op, a = syntax.StepSub, a.Args[0]
		}
		n.Steps[i].Arg = a
	}
	switch {
	case n.Op == syntax.OpIndex && n.Args[0].Op == syntax.OpIndex:
		return within(&n)
	case n.Op == syntax.OpTranspose && n.Args[0].Op == syntax.OpTranspose:
		return n.Args[0].Args[0]
	}
	return &n
}

// within is x[t, :][s] as x[t, s], where the inner subscripts leave axes as they are.
func within(n *syntax.Expr) *syntax.Expr {
	args, next := slices.Clone(n.Args[0].Args), 1
	for i, s := range args[1:] {
		if s.Op != syntax.OpRange {
			continue
		}
		if slices.ContainsFunc(s.Args, func(a *syntax.Expr) bool { return a != nil }) {
			return n
		}
		args[i+1] = n.Args[next]
		next++
	}
	return &syntax.Expr{Op: syntax.OpIndex, Args: args}
}

// statesOf is the part x of states that scan and iterate are, where it is one: all but the first state, and the last one.
func statesOf(t *term, x *syntax.Expr) *syntax.Expr {
	from := t.args[0]
	if from.op != opScan || x.Args[0].Op != syntax.OpScan || from.body.Implicit() {
		return x
	}
	for _, s := range t.subs[1:] {
		if s.one || s.first != (size.Size{}) || s.step != 1 {
			return x
		}
	}
	s, steps, reverse := t.subs[0], from.sizes[0], from.body.Reverse
	out := *x.Args[0]
	last, first := steps, size.Const(1)
	if reverse {
		last, first = size.Size{}, size.Size{}
	}
	switch {
	case s.one && s.first == last:
		out.Name = "iterate"
	case !s.one && s.first == first && s.step == 1 && s.size == steps:
		out.Name = "scan"
	default:
		return x
	}
	for k, p := range t.subs[1:] {
		if p.size != from.shape[k+1] {
			return x
		}
	}
	return &out
}
