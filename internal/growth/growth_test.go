package growth

import (
	"testing"
	"time"

	"frechet/adjoint"
	"frechet/combinators"

	"github.com/stretchr/testify/require"
)

// derive is the derivative of y in x, with the time that it took for each node of it.
func derive(t testing.TB, y, x *Node) (g *Node, perNode time.Duration) {
	t.Helper()
	start := time.Now()
	gs, err := adjoint.Gradient(y, []*Node{x})
	require.NoError(t, err)
	took := time.Since(start)
	return gs[0], took / time.Duration(Measure(gs[0]).Nodes)
}

// A derivative has at most four times the nodes and edges of its function, at every
// length, and so has the derivative of the derivative.
func TestDerivativesGrowLinearly(t *testing.T) {
	lengths := []int{10, 100, 1000, 10_000}
	if testing.Short() {
		lengths = lengths[:3]
	}
	for _, f := range Families() {
		for _, n := range lengths {
			s := combinators.NewStore()
			x, y := f.Build(s, n)
			source := Measure(y)
			g, perNode := derive(t, y, x)
			first := Measure(g)
			h, _ := derive(t, g, x)
			second := Measure(h)
			t.Logf("%-8s %6d  source %v  derivative %v, %.2f times, %v a node  second %v, %.2f times",
				f.Name, n, source, first, first.Over(source), perNode, second, second.Over(first))
			if n >= 100 { // shorter ones are mostly the seed and the constants
				require.LessOrEqual(t, first.Over(source), 4.0, "%s of %d steps", f.Name, n)
				require.LessOrEqual(t, second.Over(first), 4.0, "%s of %d steps, second derivative", f.Name, n)
			}
		}
	}
}
