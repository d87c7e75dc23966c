package normal_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// Numbers of chains of products do not double their length from step to step: they are multiplied out only
// as long as they are not too large.
func TestNumbersOfChains(t *testing.T) {
	steps := []string{"c*y.^2", "y .* (c*y)", "(c*y + x)^2", "(c*y + x) .* (y - x)",
		"(c*y)^3", "y / (c*y.^3)", "(y'*y)*(c*y)", "abs(c*y) .* y", "y + c*y.^2"}
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int{3, 40}).Draw(t, "length")
		kinds := rapid.SliceOfN(rapid.SampledFrom(steps), 1, 3).Draw(t, "steps")
		number := rapid.SampledFrom([]string{"2", "0.5", "3", "0.7", "-1.5", "1e5"}).Draw(t, "number")
		var source strings.Builder
		source.WriteString("declare x[n]\nlet z0 = x\n")
		for i := range length {
			step := strings.NewReplacer("y", fmt.Sprintf("z%d", i), "c", number).Replace(kinds[i%len(kinds)])
			fmt.Fprintf(&source, "let z%d = %s\n", i+1, step)
		}
		fmt.Fprintf(&source, "expression z%d", length)
		file, err := syntax.Parse(source.String(), syntax.Limits{})
		require.NoError(t, err)
		p, err := elab.Elaborate(file, elab.Options{})
		require.NoError(t, err)
		value := p.Outputs[0].Node
		form := normal.Simplify(value)[0]
		for _, n := range combinators.Topo(form) {
			if r := n.Rat(); r != nil {
				require.LessOrEqual(t, max(r.Num().BitLen(), r.Denom().BitLen()), 4096*(4+length), source.String())
			}
		}
		env := eval.Env{"x": {Shape: []int{1}, Data: []float64{1.1}}}
		out, err := eval.Run(context.Background(), []*combinators.Node{value, form}, env, eval.WithSizes(map[string]int64{"n": 1}))
		require.NoError(t, err)
		want, got := out[0].Data[0], out[1].Data[0]
		if a := math.Abs(want); length == 3 && a > 1e-100 && a < 1e100 {
			require.InEpsilon(t, want, got, 1e-9, source.String())
		}
	})
}
