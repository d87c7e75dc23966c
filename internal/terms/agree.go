package terms

import (
	"context"
	"math"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
)

// Env gives every variable of nodes a value that only its name and the seed decide.
func Env(nodes []*combinators.Node, seed uint64) eval.Env {
	env := eval.Env{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Is(atom.Var) {
			env[n.Name()] = numbers(seed, n.Name(), n.Shape())
		}
	}
	return env
}

// Values are those of nodes by the evaluator that follows the definitions.
func Values(t require.TestingT, nodes []*combinators.Node, env eval.Env) []*eval.Tensor {
	out, err := eval.Reference(context.Background(), nodes, env, Sizes)
	require.NoError(t, err)
	return out
}

// Close requires two tensors to agree.
func Close(t require.TestingT, want, got *eval.Tensor, tolerance float64, msg string) {
	require.Equal(t, want.Shape, got.Shape, msg)
	for i := range want.Data {
		if math.Abs(want.Data[i]-got.Data[i]) > tolerance*(1+math.Abs(want.Data[i])) {
			require.Failf(t, "values differ", "%s: entry %d is %v, not %v", msg, i, got.Data[i], want.Data[i])
		}
	}
}
