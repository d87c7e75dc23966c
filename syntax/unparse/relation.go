package unparse

import (
	"slices"

	"frechet/combinators"
	"frechet/internal/lists"
	"frechet/syntax"
)

// gathered gives nodes in which contractions with arrays of whole numbers are made of what these pick and scatter.
func gathered(nodes []*combinators.Node) []*combinators.Node {
	if !slices.ContainsFunc(combinators.Topo(nodes...), (*combinators.Node).Relation) {
		return nodes
	}
	return combinators.Rebuild(nodes, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		return n.With(args).Gathered()
	})
}

// ofArrays reports whether n is written as X[i, :] or scatter(Y, i).
func ofArrays(n *combinators.Node) bool {
	_, _, picked := n.Picked()
	_, _, scattered := n.Scattered()
	return picked || scattered
}

// arrays is n as X[i, :] or scatter(Y, i), nil where it is neither.
func (w *writer) arrays(n *combinators.Node, args []*term) *term {
	if x, by, ok := n.Picked(); ok {
		parts := []*term{args[x]}
		subs := make([]subscript, len(by))
		for i, r := range by {
			if subs[i] = (subscript{size: args[x].shape[i], step: 1}); r >= 0 {
				parts = append(parts, args[r])
				subs[i] = subscript{by: len(parts) - 1}
			}
		}
		if slices.ContainsFunc(parts[1:], func(t *term) bool { return !t.array() }) {
			return nil
		}
		return w.intern(term{op: opIndex, args: parts, subs: subs, shape: n.Shape()})
	}
	if y, by, ok := n.Scattered(); ok {
		parts := []*term{args[y]}
		parts = lists.Append(parts, by, func(r int) *term { return args[r] })
		if slices.ContainsFunc(parts[1:], func(t *term) bool { return !t.array() }) {
			return nil
		}
		return w.call("scatter", 0, n.Shape(), parts...)
	}
	return nil
}

// array reports whether t is the matrix of an array of whole numbers, as it is written in subscripts.
func (t *term) array() bool {
	if t.op == opIndex {
		last := t.subs[len(t.subs)-1]
		return last.by == 0 && !last.one && last == subscript{size: t.args[0].shape[len(t.subs)-1], step: 1} && t.args[0].array()
	}
	return t.op == opCall && t.name == "onehot"
}

// arrayExpr is the array of the matrix x: i of onehot(i), i[1:] of onehot(i)[1:, :].
func arrayExpr(x *syntax.Expr) *syntax.Expr {
	if x.Op == syntax.OpCall {
		return x.Args[0]
	}
	return &syntax.Expr{Op: syntax.OpIndex, Args: append([]*syntax.Expr{arrayExpr(x.Args[0])}, x.Args[1:len(x.Args)-1]...)}
}
