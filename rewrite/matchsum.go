package rewrite

import (
	"math/bits"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// maxAddends bounds the sums in which a rule looks for addends: wider ones are met at their two operands.
const maxAddends = 16

// eachAddend visits what n adds: the two operands where the addends are too many, or else what these add
// in turn.
func eachAddend(n *combinators.Node, f func(*combinators.Node)) {
	if n.Addends() > maxAddends {
		f(n.Arg(0))
		f(n.Arg(1))
		return
	}
	var waiting [maxAddends]*combinators.Node
	waiting[0] = n
	for left := 1; left > 0; {
		left--
		a := waiting[left]
		if a.Atom() != atom.Add {
			f(a)
			continue
		}
		waiting[left], waiting[left+1] = a.Arg(1), a.Arg(0)
		left += 2
	}
}

// addends lists them.
func addends(n *combinators.Node) []*combinators.Node {
	if n.Addends() == 2 || n.Addends() > maxAddends {
		return n.Args()
	}
	out := make([]*combinators.Node, 0, n.Addends())
	eachAddend(n, func(a *combinators.Node) { out = append(out, a) })
	return out
}

// addendMarks are the marks of their atoms.
func addendMarks(n *combinators.Node) (marks uint64) {
	eachAddend(n, func(a *combinators.Node) { marks |= mark(a.Atom()) })
	return marks
}

// parts is what addends, or the operands of a function, have, or must have for a rule to match.
type parts struct {
	factors        uint64 // marks of the operands of contractions among them
	scaled, number bool   // one of these operands is a number, or one of the parts is
}

// has reports whether s has what is asked for.
func (s *parts) has(asked *parts) bool {
	return asked.factors&^s.factors == 0 && (s.scaled || !asked.scaled) && (s.number || !asked.number)
}

func (s *parts) add(n *combinators.Node) {
	_, number := n.Filled()
	s.number = s.number || number
	if n.Ein() == nil {
		return
	}
	one := uint64(0)
	for _, b := range n.Args() {
		one |= mark(b.Atom())
	}
	s.factors |= one
	s.scaled = s.scaled || one&(mark(atom.Const)|mark(atom.Ein)) != 0
}

// sumOf is the sum of the addends that are not used, nil where there are none.
func sumOf(addends []*combinators.Node, used uint64) (sum *combinators.Node) {
	for k, a := range addends {
		switch {
		case used>>k&1 != 0:
		case sum == nil:
			sum = a
		default:
			sum = a.Store().Add(sum, a)
		}
	}
	return sum
}

// sum takes an addend of gl.n for the next one of the pattern. At the root others may remain; below it
// all must be taken, or a last metavariable stands for the sum of the rest. A metavariable that stands
// for a sum already takes its addends.
func (m *matcher) sum(gl goal) bool {
	if !gl.n.Is(atom.Add) {
		return false
	}
	all := addends(gl.n)
	left := len(all) - bits.OnesCount64(gl.used)
	if gl.j == len(gl.p.args) {
		if gl.root {
			m.used, m.addends, m.root = gl.used, all, true
			return m.solve(gl.next)
		}
		return left == 0 && m.solve(gl.next)
	}
	if left == 0 {
		return false
	}
	p := gl.p.args[gl.j]
	goals, trail, guard := len(m.goals), len(m.trail), m.guard
	take := func(set uint64, n *combinators.Node) bool {
		next := m.push(goal{p: gl.p, n: gl.n, next: gl.next, root: gl.root, j: gl.j + 1, used: gl.used | set, ref: -1})
		return m.try(goals, trail, guard, m.push(goal{p: p, n: n, next: next, ref: -1}))
	}
	if p.kind == patVar && m.values[p.slot] != nil {
		known := m.values[p.slot]
		if set := standingIn(known, all, gl.used); set != 0 {
			return take(set, known)
		}
		return false
	}
	if !gl.root && gl.j == len(gl.p.args)-1 && p.kind == patVar && left > 1 {
		return take(uint64(1)<<len(all)-1, sumOf(all, gl.used))
	}
	for k, a := range all {
		if gl.used>>k&1 == 0 && could(p, a) && take(1<<k, a) {
			return true
		}
	}
	return false
}

// standingIn is the set of addends, but those used, that add up to v; 0 where there is none.
func standingIn(v *combinators.Node, all []*combinators.Node, used uint64) (set uint64) {
	parts := []*combinators.Node{v}
	if v.Is(atom.Add) {
		parts = addends(v)
	}
next:
	for _, p := range parts {
		for k, a := range all {
			if a == p && (used|set)>>k&1 == 0 {
				set |= 1 << k
				continue next
			}
		}
		return 0
	}
	return set
}
