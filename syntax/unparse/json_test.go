package unparse

import (
	"encoding/json"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"

	"github.com/stretchr/testify/require"
)

func TestJSON(t *testing.T) {
	s := combinators.NewStore()
	X, w := s.Var("X", []size.Size{m, size.Const(3)}), s.Var("w", []size.Size{size.Const(3)})
	g := JSON([]*combinators.Node{s.Unary(atom.Exp, s.Einsum("ij,j->i", X, w))}, []string{"f"})
	b, err := json.Marshal(g)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"nodes": [
			{"id": 0, "op": "var", "name": "X", "shape": ["m", 3]},
			{"id": 1, "op": "var", "name": "w", "shape": [3]},
			{"id": 2, "op": "ein", "args": [0, 1], "shape": ["m"],
			 "vars": {"i": "m", "j": 3}, "in": [["i", "j"], ["j"]], "out": ["i"]},
			{"id": 3, "op": "exp", "args": [2], "shape": ["m"]}
		],
		"outputs": [{"name": "f", "node": 3}]}`, string(b))
}

func TestLegend(t *testing.T) {
	require.Equal(t, "axes: [i of y, j k of X]", Legend(AxisGroup{"y", 1}, AxisGroup{"X", 2}))
	require.Equal(t, "axes: [i of the output, j of w]", Legend(AxisGroup{"", 1}, AxisGroup{"w", 1}))
	require.Equal(t, "axes: none, the result is a number", Legend(AxisGroup{"f", 0}))
}
