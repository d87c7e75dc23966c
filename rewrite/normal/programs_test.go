package normal_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/eval"
	"frechet/internal/programs"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// Programs of small axes, 1 among them, of which many orders of axes are one: their first and second derivatives
// have a normal form, of the same value. An axis of size 1 may be exchanged with others in more ways than change
// the value, so rewritings are most likely to come back to where they began.
func TestProgramsOfAxesOfSizeOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SampledFrom([]map[string]int64{
			{"1": 1, "2": 2}, {"1": 1}, {"1": 1, "2": 2, "3": 3}, {"o": 1, "k": 2}, {"1": 1, "k": 2, "m": 3},
		}).Draw(t, "sizes")
		p := programs.DrawAll(t, sizes)
		file, err := syntax.Parse(p.Text(), syntax.Limits{})
		require.NoError(t, err, p.Text())
		prog, err := elab.Elaborate(file, elab.Options{})
		require.NoError(t, err, p.Text())
		var wrt []*combinators.Node
		for _, q := range prog.Params {
			wrt = append(wrt, q.Node)
		}
		y := prog.Outputs[0].Node
		first, err := jacobian.Of(adjoint.Standard(), y, wrt, jacobian.Planned)
		require.NoError(t, err, p.Text())
		raw := append(first, y)
		short := append(normal.SimplifyWithin([]*combinators.Node{y}, first...), normal.Simplify(y)...)
		for i := range wrt {
			second, err := jacobian.Of(adjoint.Standard(), short[i], wrt[i:i+1], jacobian.Planned)
			require.NoError(t, err, p.Text())
			raw = append(raw, second...)
			short = append(short, normal.SimplifyWithin([]*combinators.Node{y}, second...)...)
		}
		env := eval.Env{}
		for name, v := range p.Values {
			env[name], err = eval.Of(p.Dims[name], v)
			require.NoError(t, err)
		}
		for i := range raw {
			require.True(t, slices.Equal(raw[i].Shape(), short[i].Shape()), p.Text())
			out, err := eval.Run(context.Background(), []*combinators.Node{raw[i], short[i], y}, env, eval.WithSizes(p.Sizes))
			require.NoError(t, err, p.Text())
			if largest(out[2].Data) > 1e8 {
				return // the program is not defined here, or nearly so
			}
			scale := max(1, largest(out[0].Data))
			for j, want := range out[0].Data {
				if got := out[1].Data[j]; !(math.Abs(got-want) <= 1e-8*scale) && scale < 1e8 {
					t.Fatalf("result %d of\n%s\nis\n%s\nof which entry %d is %g, not %g", i, p.Text(), text.Value(short[i]), j, got, want)
				}
			}
		}
	})
}

// largest is the largest absolute value in x, infinite where one is no number.
func largest(x []float64) (most float64) {
	for _, v := range x {
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		most = max(most, math.Abs(v))
	}
	return most
}
