package unparse_test

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/index/unparse"
)

// operand is that of a step.
var operand = regexp.MustCompile(`\by\b`)

// steps make a vector of n entries of the vector y, which several of them use more than once.
var steps = []string{
	"= softmax(y)",
	"= softmax(x + A*y)",
	"= x * logsumexp(y)",
	"= x*norm2(y) + x",
	"= x*max(y) + x",
	"= tanh(y) .* y",
	"= (tanh(y) + x)^2",
	"= abs(y) + sin(x + y)",
	"= inv(5*eye(n) + tanh(y*y')) * y",
	"= solve(5*eye(n) + A*diag(tanh(y)), y)",
	"= sum(softmax(x*y', axis=1), axis=0)",
	"[i:n] = sum{j}_0^i ([2*j < i + 3] * sin(y[j]) * x[i])",
	"[i:n] = exp(y[i]) / sum{j}_0^(n-1) ([j <= i] * exp(y[j]))",
	"[i:n] = [2*i < n] * y[i] * x[i] - [2*i >= n] * y[n - 1 - i]",
}

// What is printed of functions nested in each other grows as they do, and is read as the same values: so do
// gradients, and Hessians of few of them.
func TestNestedFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.SampledFrom([]int{1, 2, 3, 10, 60}).Draw(t, "depth")
		kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(steps), 1, 3, rapid.ID[string]).Draw(t, "steps")
		const declare = "declare x[n] A[n,n]\n"
		var source strings.Builder
		last := "x"
		for i := range depth {
			step := operand.ReplaceAllString(kinds[i%len(kinds)], last)
			last = fmt.Sprintf("z%d", i)
			fmt.Fprintf(&source, "let %s %s\n", last, step)
		}
		text := declare + source.String() + "expression " + last
		file, err := syntax.Parse(text, syntax.Limits{})
		require.NoError(t, err, text)
		p, err := elab.Elaborate(file, elab.Options{})
		require.NoError(t, err, text)
		nodes := normal.Simplify(p.Outputs[0].Node)
		derive := func(y *combinators.Node) {
			js, err := jacobian.Of(adjoint.Standard(), y, []*combinators.Node{p.Params[0].Node}, jacobian.Planned)
			require.NoError(t, err, text)
			nodes = append(nodes, normal.Simplify(js...)...)
		}
		derive(p.Store.Contract([][]int{{0}}, nil, p.Outputs[0].Node.Shape(), p.Outputs[0].Node))
		if depth <= 3 {
			derive(nodes[1])
		}
		env := eval.Env{"x": {Shape: []int{3}, Data: []float64{0.3, -0.4, 0.6}},
			"A": {Shape: []int{3, 3}, Data: []float64{0.2, -0.3, 0.1, 0.5, 0.4, -0.1, -0.2, 0.3, 0.6}}}
		sizes := eval.WithSizes(map[string]int64{"n": 3})
		for order, n := range nodes {
			stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Names: []string{"result"}})
			require.NoError(t, err, text)
			printed := syntax.PrintFile(&syntax.File{Stmts: stmts})
			if order < 2 {
				require.LessOrEqual(t, len(printed), 600*(depth+1), "%d-th derivative of\n%s", order, text)
			}
			again, err := syntax.Parse(declare+printed, syntax.Limits{})
			require.NoError(t, err, printed)
			q, err := elab.Elaborate(again, elab.Options{})
			require.NoError(t, err, printed)
			got, err := eval.Run(context.Background(), []*combinators.Node{q.Outputs[len(q.Outputs)-1].Node}, env, sizes)
			require.NoError(t, err)
			want, err := eval.Run(context.Background(), []*combinators.Node{n}, env, sizes)
			require.NoError(t, err)
			if slices.ContainsFunc(want[0].Data, func(x float64) bool { return math.IsNaN(x) || math.Abs(x) > 1e100 }) {
				continue // an overflow
			}
			require.InDeltaSlice(t, want[0].Data, got[0].Data, 1e-8, "%s\nis printed as\n%s", text, printed)
		}
	})
}
