package query_test

import (
	"context"
	"frechet"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// What has affine sums, which matrix notation has no form of, inside functions of whole tensors, which index
// notation has none of, is printed, and the text reads back.
func TestMixedNotationsArePrinted(t *testing.T) {
	const declare = "declare x[8] w[3] S[4,4]\n"
	const lets = "let y[i:6] = sum{k}_0^2 (x[i+k]*w[k])\nlet Y[i:4; j:4] = sum{k}_0^1 (y[i+k]*x[j+k]) + 9*S[i; j]\n"
	rng := rand.New(rand.NewPCG(1, 2))
	env := frechet.Env{}
	for name, shape := range map[string][]int{"x": {8}, "w": {3}} {
		env[name] = &frechet.Tensor{Shape: shape}
		for range shape[0] {
			env[name].Data = append(env[name].Data, 0.2+rng.Float64())
		}
	}
	env["S"] = &frechet.Tensor{Shape: []int{4, 4}, Data: make([]float64, 16)}
	for i := range 4 {
		env["S"].Data[5*i] = 1
	}
	for _, e := range []string{"sum(max(split(relu(y),0,3,2),axis=1))", "sum(max(Y,axis=0) .* min(Y,axis=1))", "sum(max(split(Y,1,2,2),axis=2))", "max(Y) - min(y)",
		"sum(inv(Y))", "logdet(Y)", "det(Y)", "sum(solve(Y, sum(w)*ones(4)))", "tr(matpow(Y,2))", "norm2(kron(Y,Y))", "norm1(y)",
		"sum(softmax(Y,axis=0) .* Y)", "logsumexp(y)", "sum(split(y,0,2,3)) * sum(merge(Y,0))", "norm2(y)", "sum(mean(Y,axis=1) .^ 2)", "sum(abs(Y .* (Y > 9)))"} {
		f, err := frechet.Parse(declare + lets + "expression " + e)
		require.NoError(t, err, e)
		r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{"w", "x"}, Order: 2})
		require.NoError(t, err, e)
		for _, d := range r.Outputs[0].Derivs {
			text, err := d.Term.Text("text")
			require.NoError(t, err, e)
			again, err := frechet.Parse(declare + text)
			if err != nil { // one expression
				again, err = frechet.Parse(declare + "expression " + text)
			}
			require.NoError(t, err, "%s: %s", e, text)
			want, got := valueOf(t, d.Term, env), valueOf(t, again.Value(), env)
			require.Equal(t, want.Shape, got.Shape, text)
			require.InDeltaSlice(t, want.Data, got.Data, 1e-7, "%s: %s", e, text)
			_, err = d.Text("latex")
			require.NoError(t, err, e)
		}
	}
}
