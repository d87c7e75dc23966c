package query_test

import (
	"bytes"
	"context"
	"frechet"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOperationsOfAProgramAreAnsweredInABatch(t *testing.T) {
	answer := func(line string) string {
		var out bytes.Buffer
		require.NoError(t, frechet.Batch(context.Background(), strings.NewReader(line+"\n"), &out))
		return strings.TrimSpace(out.String())
	}
	values := `"dims":{"A":[2,2]},"values":{"A":[1,2,3,4],"x":[1,2],"v":[1,0]}`
	program := `declare A 2 x 1 v 1 expression x *(i,i->) (A *(ij,j->i) x) `
	// H = A + A' = [[2,5],[5,8]]
	require.JSONEq(t, `{"id":1,"value":{"shape":[],"data":[27]},
		"hvp":{"shape":[2],"data":[2,5]},"diag-hessian":{"shape":[2],"data":[2,8]},
		"text":{"value":"x'*A*x","hvp":"(A + A')*v","diag-hessian":"2*diag(A)"},"conventions":[]}`,
		answer(`{"id":1,"input":"`+program+`hvp wrt x along v diag-hessian wrt x",`+values+`}`))
	require.JSONEq(t, `{"id":2,"jvp":{"shape":[],"data":[12]},"conventions":[]}`,
		answer(`{"id":2,"want":["jvp","conventions"],"input":"`+program+`jvp wrt x along v",`+values+`}`))
	require.Contains(t, answer(`{"id":3,"input":"declare x 1 v 2 expression x jvp wrt x along v"}`), `"kind":"order-mismatch"`)
	require.Contains(t, answer(`{"id":4,"input":"declare x[2] v[3] expression x jvp wrt x along v"}`), `"kind":"dimension-mismatch"`)
	require.Contains(t, answer(`{"id":5,"input":"declare x 1 expression x hvp wrt x along x"}`), `"kind":"order-mismatch"`)
	require.Contains(t, answer(`{"id":6,"input":"declare x 1 expression sum(exp(x)) gauss-newton wrt x through z"}`), `"kind":"undeclared-argument"`)
}

func TestGaussNewtonSplitsAtALet(t *testing.T) {
	f, err := frechet.Parse("declare X[m,n] w[n] y[m] let z = X*w expression sum(softplus(z)) - y'*z gauss-newton wrt w through z")
	require.NoError(t, err)
	r, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
	require.NoError(t, err)
	require.Empty(t, r.Outputs[0].Derivs)
	require.Len(t, r.Outputs[0].Parts, 1)
	h, err := f.Hessian("w")
	require.NoError(t, err)
	require.Equal(t, h.String(), r.Outputs[0].Parts[0].Term.String())
}

func TestADirectionBesideTheProgramGetsTheSizesOfItsVariable(t *testing.T) {
	op := frechet.Operation{Kind: "hvp", Wrt: "x", Along: "v"}
	src := "declare x 1 v 1 expression sum(exp(x))"
	f, err := frechet.Parse(src, frechet.WithOperations(op))
	require.NoError(t, err)
	r, err := f.Derive(context.Background(), frechet.Query{Operators: []frechet.Operation{op}})
	require.NoError(t, err)
	require.Equal(t, "v .* exp(x)", r.Outputs[0].Parts[0].Term.String())
	_, err = frechet.Parse("declare x 1 v 2 expression sum(exp(x))", frechet.WithOperations(op))
	require.Equal(t, "order-mismatch", frechet.ErrorKind(err))
}
