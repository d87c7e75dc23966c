// Package dot draws a value as a graph for Graphviz: its nodes are the operations that compute the
// value, each one once however often it is used, and its edges go from operands to operations.
package dot

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

// A Result is a value with a name.
type Result struct {
	Name string
	Node *combinators.Node
}

// Graph is the directed acyclic graph of values in the language of Graphviz. A node shows its
// operation, as combinator notation writes it, and the sizes of its axes. Variables are boxes, and
// results have a double outline and their names below, where they have any. What several operations use is grey; numbers
// stand beside each of their uses, since nothing is computed for them. The edges into a contraction carry the indices of
// its operands, those into other operations that are not symmetric the places of theirs. Nodes are
// numbered in the order of computation, so equal values give equal text.
func Graph(results ...Result) string {
	var b strings.Builder
	b.WriteString("digraph {\n  node [fontname=\"Courier\"]\n  edge [fontname=\"Courier\"]\n")
	var roots []*combinators.Node
	for _, r := range results {
		roots = append(roots, r.Node)
	}
	nodes := combinators.Topo(roots...)
	uses := combinators.Uses(roots...)
	names := map[*combinators.Node]string{}
	for _, v := range nodes {
		if v.Is(atom.Const) && !slices.Contains(roots, v) {
			continue
		}
		names[v] = fmt.Sprintf("n%d", len(names))
		fmt.Fprintf(&b, "  %s [label=%s%s]\n", names[v], label(v), style(v, slices.Contains(roots, v), uses[v] > 1))
		if text.IsFilled(v) {
			continue
		}
		for k, a := range v.Args() {
			from, ok := names[a]
			if !ok {
				from = fmt.Sprintf("%s_%d", names[v], k)
				fmt.Fprintf(&b, "  %s [label=%s, shape=plaintext]\n", from, label(a))
			}
			fmt.Fprintf(&b, "  %s -> %s%s\n", from, names[v], edge(v, k))
		}
	}
	for k, r := range results {
		if r.Name != "" {
			fmt.Fprintf(&b, "  r%d [label=%q, shape=plaintext]\n  %s -> r%d [style=dashed]\n", k, r.Name, names[r.Node], k)
		}
	}
	b.WriteString("}")
	return b.String()
}

func style(v *combinators.Node, result, shared bool) string {
	out := ""
	switch {
	case v.Is(atom.Var):
		out = ", shape=box"
	case len(v.Args()) == 0 || text.IsFilled(v):
		out = ", shape=plaintext"
	case shared:
		out = ", style=filled, fillcolor=lightgrey"
	}
	if result {
		out += ", peripheries=2"
	}
	return out
}

// label is the operation over its shape, and the guard of a factor that a derivative introduced.
func label(v *combinators.Node) string {
	lines := []string{text.Head(v)}
	if v.Order() > 0 && !text.IsFilled(v) {
		lines = append(lines, size.Shape(v.Shape()))
	}
	switch v.Guard() {
	case combinators.GuardWeak:
		lines = append(lines, "guard weak")
	case combinators.GuardZero:
		lines = append(lines, "guard zero")
	}
	for i, l := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(l)
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

// edge tells the operands of v apart.
func edge(v *combinators.Node, k int) string {
	switch {
	case v.Ein() != nil:
		if group := text.IndexOf(v.Ein()).In[k].String(); group != "" && group != "[]" {
			return fmt.Sprintf(" [label=%q]", group)
		}
	case len(v.Args()) > 1 && !v.Is(atom.Add) && !v.Is(atom.Max) && !v.Is(atom.Min):
		return fmt.Sprintf(" [label=\"%d\"]", k+1)
	}
	return ""
}
