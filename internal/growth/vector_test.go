package growth

import (
	"bytes"
	"fmt"
	"testing"
	"text/tabwriter"
	"time"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/eval/plan"
	"frechet/internal/processor"

	"github.com/stretchr/testify/require"
)

// A vectorRow is what planning makes of the Jacobian of one program.
type vectorRow struct {
	source, jacobian Size
	mults            int64 // of the plan
	way              string
	time             time.Duration // for each node of the result
}

const dim = 20

func measureVector(t testing.TB, f VectorFamily, n int, seed uint64) vectorRow {
	t.Helper()
	s := combinators.NewStore()
	x, y := f.Build(s, n, dim, seed)
	count := func(values []*Node) (float64, error) {
		o, err := plan.MakeOutline(values, nil, true)
		if err != nil {
			return 0, err
		}
		mults := o.Total(nil).Mults
		k, _ := mults.Int()
		return float64(k), nil
	}
	r := vectorRow{source: Measure(y)}
	p := &jacobian.Planner{Cost: count, Report: func(c jacobian.Choice) { r.way = c.Taken }}
	start := processor.Time()
	d, err := p.Derive(y, []*Node{x}, 1)
	require.NoError(t, err)
	took := processor.Time() - start
	j := d.ByOrder[0]
	r.jacobian = Measure(j[0])
	r.time = took / time.Duration(r.jacobian.Nodes)
	c, err := count(j)
	require.NoError(t, err)
	r.mults = int64(c)
	return r
}

// The Jacobian of a vector function grows linearly too, in nodes and in multiplications,
// however many paths there are.
func TestJacobiansGrowLinearly(t *testing.T) {
	for _, f := range VectorFamilies() {
		for seed := range uint64(2) {
			short, long := measureVector(t, f, 20, seed), measureVector(t, f, 160, seed)
			for _, r := range []vectorRow{short, long} {
				require.LessOrEqual(t, r.jacobian.Over(r.source), 5.0, "%s: %v, Jacobian %v", f.Name, r.source, r.jacobian)
			}
			require.LessOrEqual(t, float64(long.mults), 9.5*float64(short.mults), f.Name)
		}
	}
}

// vectorTable is the part of docs/growth.md on Jacobians, of programs of at most so many steps.
func vectorTable(t *testing.T, most int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, vectorPreface, dim)
	tw := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| program\t| steps\t| nodes, edges\t| Jacobian\t| ratio\t| us\t| multiplications\t| for each step\t| taken\t|")
	fmt.Fprintln(tw, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, f := range VectorFamilies() {
		for n := 10; n <= min(f.Steps, most); n *= 10 {
			r := measureVector(t, f, n, 1)
			fmt.Fprintf(tw, "| `%s`\t| %d\t| %s\t| %s\t| %.2f\t| %s\t| %d\t| %d\t| %s\t|\n", f.What, n, r.source,
				r.jacobian, r.jacobian.Over(r.source), micros(r.time), r.mults, r.mults/int64(n), r.way)
		}
	}
	require.NoError(t, tw.Flush())
	return b.String()
}

const vectorPreface = `
## Jacobians of vector functions

The programs below fork and join between vectors of %d entries: the paths from the variable to
the result double with every step, or do worse. The Jacobian is planned and in normal form; its
ratio is to the program, and its multiplications are those of its plan, the program's included.
The last column says in which way it was found.

`
