package main

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const graph = `digraph { node [fontname="Courier"] n0 [label="x\n[n]", shape=box] n1 [label="exp\n[n]", style=filled, fillcolor=lightgrey, peripheries=2]
n0 -> n1 [label="i"] }`

// TestDraw: both formats have the nodes; a picture has black, grey and white.
func TestDraw(t *testing.T) {
	var svg, picture bytes.Buffer
	require.NoError(t, draw(nil, strings.NewReader(graph), &svg))
	require.Contains(t, svg.String(), ">exp</text>")
	require.NoError(t, draw([]string{"-Tpng"}, strings.NewReader(graph), &picture))
	m, err := png.Decode(&picture)
	require.NoError(t, err)
	seen := map[uint32]int{}
	for x := range m.Bounds().Dx() {
		for y := range m.Bounds().Dy() {
			r, _, _, _ := m.At(x, y).RGBA()
			seen[r>>8]++
		}
	}
	require.Greater(t, seen[0], 500)
	require.Greater(t, seen[0xd3], 2000)
	require.Greater(t, seen[0xff], 5000)
}

func TestDrawRefuses(t *testing.T) {
	for _, args := range [][]string{{"-Tgif"}, {"-Tpng", "x"}} {
		require.ErrorContains(t, draw(args, strings.NewReader(graph), nil), "usage")
	}
	require.Error(t, draw(nil, strings.NewReader("digraph {"), nil))
}
