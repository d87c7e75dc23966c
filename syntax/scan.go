package syntax

import "slices"

func (l *Loop) equal(m *Loop) bool {
	same := func(a, b Ident) bool { return a.Name == b.Name }
	return same(l.Counter, m.Counter) && same(l.State, m.State) && l.Reverse == m.Reverse && l.Adds == m.Adds && slices.EqualFunc(l.Lets, m.Lets, same)
}

// Implicit reports whether e is an implicit function.
func (e *Expr) Implicit() bool { return e.Op == OpScan && e.Args[0] == nil }

// ScanOrder is the order of the recurrence or implicit function e that begins with a value of an order.
func (e *Expr) ScanOrder(first int) int {
	if e.Loop.Adds {
		first--
	}
	if e.Name != "iterate" && !e.Implicit() {
		first++
	}
	return first
}

// scan reads a recurrence or an implicit function.
func (b *builder) scan(x *scan) *Expr {
	at := spanOf(x.Key)
	e := &Expr{Op: OpScan, At: at, Name: x.Key.Value, Loop: &Loop{}, Args: []*Expr{nil, nil}}
	if x.Begin == nil {
		e.Loop.Counter = b.newName(x.Counter[0])
		e.Args[0], _ = b.expr(x.Steps)
	} else {
		x.Parts = []*scanPart{x.Begin}
	}
	for _, p := range x.Parts {
		switch {
		case x.Begin != nil && p.Sign[0].Value != "=":
			b.fail("S013", spanOf(p.Sign[0]), "%s begins with one value", e.Name).Helpf("write %s(%s = ...)", e.Name, p.Name[0].Value)
		case p.Arg == nil && p.Word[0].Value == "reverse" && !e.Loop.Reverse:
			e.Loop.Reverse = true
		case p.Arg == nil:
			b.fail("S013", spanOf(p.Word[0]), "here stands what %s begins with, or reverse", e.Name).Helpf("write %s(t: T, h = h0) step, or %s(t: T, reverse, h = h0) step", e.Name, e.Name)
		case e.Args[1] != nil:
			b.fail("S013", spanOf(p.Name[0]), "%s has one state, and %s is another", e.Name, p.Name[0].Value).
				Helpf("join several: h = [a; b], whose parts are h[:n] and h[n:]")
		default:
			e.Loop.State = b.newName(p.Name[0])
			e.Args[1], _ = b.expr(p.Arg)
			e.Loop.Adds = p.Sign[0].Value == "+="
		}
	}
	if e.Args[1] == nil {
		b.fail("S013", at, "%s has no state to begin with", e.Name).Helpf("write %s(t: T, h = h0) step", e.Name)
	}
	for _, l := range x.Lets {
		e.Loop.Lets = append(e.Loop.Lets, b.newName(l.Name))
		v, _ := b.expr(l.Expr)
		e.Args = append(e.Args, v)
	}
	step, last := b.expr(x.Step)
	e.Args = append(e.Args, step)
	e.Span = at.To(last)
	return e
}

// scan prints a recurrence or an implicit function.
func (p *printer) scan(e *Expr) {
	l, last := e.Loop, len(e.Args)-1
	p.text(e.Name, "(")
	if e.Args[0] != nil {
		p.text(l.Counter.Name, ": ")
		p.expr(e.Args[0], levelCompare)
		if l.Reverse {
			p.text(", reverse")
		}
		p.text(", ")
	}
	p.text(l.State.Name, map[bool]string{false: " = ", true: " += "}[l.Adds])
	p.expr(e.Args[1], levelCompare)
	p.text(") ")
	for k, a := range e.Args[2:last] {
		p.text("let ", l.Lets[k].Name, " = ")
		p.expr(a, levelCompare)
		p.text(" in ")
	}
	p.expr(e.Args[last], levelCompare)
}
