package json

import "frechet/combinators"

// A Tree is a value as JSON: its nodes as in a certificate, each with its type, operands before what is made of them. The last
// one is the value. docs/tree.schema.json is its schema.
type Tree struct {
	Format     string           `json:"format"`
	Version    int              `json:"version"`
	Primitives table[string]    `json:"primitives,omitempty"`
	Nodes      table[typedNode] `json:"nodes"`
}

// TreeFormat identifies trees.
const TreeFormat = "frechet tree"

type typedNode struct {
	nodeJSON
	Type []string `json:"type"` // the sizes of the axes
}

// TreeOf is a value as JSON, with a line for each node.
func TreeOf(n *combinators.Node) ([]byte, error) {
	e := &encoder{nodes: map[*combinators.Node]int{}, c: new(Certificate)}
	t := Tree{Format: TreeFormat, Version: 1}
	for _, v := range combinators.Topo(n) {
		e.nodes[v] = len(t.Nodes)
		t.Nodes = append(t.Nodes, typedNode{e.node(v), append([]string{}, sizes(v.Shape())...)})
	}
	for _, f := range e.functions.All() {
		t.Primitives = append(t.Primitives, f.String())
	}
	return inLines(t)
}
