package rewrite

import (
	"frechet/combinators"
	"frechet/rewrite/assumptions"
)

// An Engine normalises values by one set of rules after another: innermost, memoised by node, under
// a budget of firings. It never asks how often a node is used: what is shared is rewritten once.
type Engine struct {
	Rules []*Rules // strata: at a node the first set that fires wins
	// Budget bounds the number of firings; 0 is no bound. When it ends, what is left stays as it
	// is, and Exhausted says so; also where there is no end: what a term became holds the term again.
	Budget    int
	Facts     *assumptions.Facts // what is known of signs; nil is what the form of a value says
	Trace     func(Firing)
	Native    func(*combinators.Node) *combinators.Node // what is done with a node before rules are tried; nil is nothing
	Fired     int
	Last      string // the rule that fired last
	Exhausted bool

	normal map[*combinators.Node]*combinators.Node // final
	next   map[*combinators.Node]*combinators.Node // same value, not yet final
	open   map[*combinators.Node]bool              // those whose operands or successors are being brought to normal form
}

// Step applies one rule at the top of n.
func (e *Engine) Step(n *combinators.Node) (*combinators.Node, bool) {
	for _, rs := range e.Rules {
		if len(rs.byHead[n.Atom().Number()]) == 0 {
			continue
		}
		if e.Budget > 0 && e.Fired >= e.Budget {
			e.Exhausted = true
			return n, false
		}
		f, ok := rs.fire(n, e.Facts, e.Trace != nil)
		if ok && e.next[f.After] != nil && e.normal[f.After] == nil {
			return n, false // back to a term in progress: a circle, and the term stays
		}
		if ok {
			e.Fired++
			e.Last = f.Rule.Name
			if e.Trace != nil {
				e.Trace(f)
			}
			return f.After, true
		}
	}
	return n, false
}

// Normalize is the normal form of outs. Its stack is its own: depth of terms is no depth of calls.
func (e *Engine) Normalize(outs ...*combinators.Node) []*combinators.Node {
	if e.normal == nil {
		e.normal, e.next = map[*combinators.Node]*combinators.Node{}, map[*combinators.Node]*combinators.Node{}
		e.open = map[*combinators.Node]bool{}
	}
	result := make([]*combinators.Node, len(outs))
	for i, n := range outs {
		if result[i] = n; e.run(n) {
			result[i] = e.normal[n]
		}
	}
	return result
}

// run finds the normal form of root; it is false where that has no end.
func (e *Engine) run(root *combinators.Node) bool {
	stack := []*combinators.Node{root}
	endless := func(n *combinators.Node) bool {
		again := e.open[n] && e.normal[n] == nil
		e.Exhausted = e.Exhausted || again
		return again
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		if e.normal[n] != nil {
			stack = stack[:len(stack)-1]
			continue
		}
		if m := e.next[n]; m != nil {
			switch done := e.normal[m]; {
			case done != nil:
				e.normal[n] = done
			case endless(m):
				return false
			default:
				e.open[n] = true
				stack = append(stack, m)
			}
			continue
		}
		waiting := len(stack)
		args := make([]*combinators.Node, len(n.Args()))
		for k := len(args) - 1; k >= 0; k-- { // the first operand is done first
			if args[k] = e.normal[n.Arg(k)]; args[k] == nil {
				if endless(n.Arg(k)) {
					return false
				}
				stack = append(stack, n.Arg(k))
			}
		}
		if len(stack) > waiting {
			e.open[n] = true
			continue
		}
		m, changed := n.With(args), true
		if e.Native != nil {
			m = e.Native(m)
		}
		if m == n {
			m, changed = e.Step(n)
		}
		if !changed || e.next[m] != nil && e.normal[m] == nil {
			e.normal[n] = n
			continue
		}
		e.next[n] = m
	}
	return true
}
