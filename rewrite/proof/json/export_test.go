package json

import (
	"encoding/json"

	"frechet/combinators"
)

// ReadTree builds the value of a tree in the store.
func ReadTree(text string, s *combinators.Store) (n *combinators.Node, err error) {
	t := new(Tree)
	if err := json.Unmarshal([]byte(text), t); err != nil {
		return nil, err
	}
	c := &Certificate{Primitives: t.Primitives}
	for _, v := range t.Nodes {
		c.Nodes = append(c.Nodes, v.nodeJSON)
	}
	r := &decoder{s: s, c: c, functions: Functions(s)}
	defer combinators.Recover(&err, func(m string) error { return malformed("node %d: %s", len(r.nodes), m) })
	if err := r.declare(); err != nil {
		return nil, malformed("%v", err)
	}
	for i := range c.Nodes {
		n = r.node(&c.Nodes[i])
		r.nodes = append(r.nodes, n)
	}
	return n, nil
}
