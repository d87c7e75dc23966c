package dot

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

const head = `digraph {
  node [fontname="Courier"]
  edge [fontname="Courier"]
`

// What is shared is one node, in grey; numbers stand at each use; edges carry indices or places.
func TestGraph(t *testing.T) {
	m, n := size.Sym("m"), size.Sym("n")
	s := combinators.NewStore()
	X, x := s.Var("X", []size.Size{m, n}), s.Var("x", []size.Size{n})
	u := s.Unary(atom.Exp, s.Einsum("ij,j->i", X, x))
	for _, c := range []struct {
		name string
		node *combinators.Node
		want string
	}{
		{"a variable", x, `  n0 [label="x\n[n]", shape=box, peripheries=2]
`},
		{"a number", s.Int(-2), `  n0 [label="-2", shape=plaintext, peripheries=2]
`},
		{"a constant tensor", s.Ones([]size.Size{m, n}), `  n0 [label="1[m,n]", shape=plaintext, peripheries=2]
`},
		{"places", s.Binary(atom.Pow, x, s.Einsum("i,i,->i", x, x, s.Int(2))), `  n0 [label="x\n[n]", shape=box]
  n1 [label="*(i,i,->i)\n[n]"]
  n0 -> n1 [label="i"]
  n0 -> n1 [label="i"]
  n1_2 [label="2", shape=plaintext]
  n1_2 -> n1
  n2 [label="pow\n[n]", peripheries=2]
  n0 -> n2 [label="1"]
  n1 -> n2 [label="2"]
`},
		{"sharing", s.Add(u, s.Unary(atom.Log, u)), `  n0 [label="X\n[m,n]", shape=box]
  n1 [label="x\n[n]", shape=box]
  n2 [label="*(ij,j->i)\n[m]"]
  n0 -> n2 [label="ij"]
  n1 -> n2 [label="j"]
  n3 [label="exp\n[m]", style=filled, fillcolor=lightgrey]
  n2 -> n3
  n4 [label="log\n[m]"]
  n3 -> n4
  n5 [label="+\n[m]", peripheries=2]
  n3 -> n5
  n4 -> n5
`},
		{"attributes", s.Reduce("amax", 1, s.Merge(0, X)), `  n0 [label="X\n[m,n]", shape=box]
  n1 [label="merge[0]\n[m*n]"]
  n0 -> n1
  n2 [label="amax[1]", peripheries=2]
  n1 -> n2
`},
	} {
		require.Equal(t, head+c.want+"}", Graph(Result{Node: c.node}), c.name)
	}
	got := Graph(Result{"value", u}, Result{"the log", s.Unary(atom.Log, u)})
	require.Contains(t, got, `n3 [label="exp\n[m]", style=filled, fillcolor=lightgrey, peripheries=2]`)
	require.Contains(t, got, "n3 -> r0 [style=dashed]\n  r1 [label=\"the log\", shape=plaintext]\n  n4 -> r1 [style=dashed]\n}")
}

// Every line is a node or an edge between nodes that came before; guards and odd names show.
func TestGraphIsWellFormed(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var(`a"b\c`, nil)
	got := Graph(Result{Node: s.Mul(s.Recip(x).WithGuard(combinators.GuardWeak), s.Norm2(x))})
	assert.Contains(t, got, `[label="a\"b\\c", shape=box]`)
	assert.Contains(t, got, `guard weak`)
	node := regexp.MustCompile(`^  (n\d+(?:_\d+)?) \[label="(?:[^"\\]|\\.)*"(?:, \w+=\w+)*\]$`)
	arrow := regexp.MustCompile(`^  (n\d+(?:_\d+)?) -> (n\d+)(?: \[label="[^"]*"\])?$`)
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(got, head), "\n}"), "\n") {
		if g := node.FindStringSubmatch(line); g != nil {
			assert.False(t, seen[g[1]], line)
			seen[g[1]] = true
			continue
		}
		g := arrow.FindStringSubmatch(line)
		require.NotNil(t, g, line)
		assert.True(t, seen[g[1]] && seen[g[2]], line)
	}
}
