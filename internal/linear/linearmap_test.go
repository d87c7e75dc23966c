package linear_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

func TestLinearMaps(t *testing.T) {
	ctx := context.Background()
	f, err := frechet.Parse("declare A[m,n] x[n] b[m] B[m,p] expression sin(A*x) .* b")
	require.NoError(t, err)
	j, err := f.JacobianMap("x")
	require.NoError(t, err)
	assert.Equal(t, []frechet.Axis{{Size: "m"}, {Var: "x", Size: "n"}}, j.Axes())
	env := frechet.Env{
		"A": {Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 5, 6}},
		"x": {Shape: []int{2}, Data: []float64{0.5, -0.25}},
		"b": {Shape: []int{3}, Data: []float64{1, -1, 2}},
	}
	number := func(x *frechet.Term) *frechet.Tensor {
		p, err := frechet.Compile(x, nil)
		require.NoError(t, err)
		out, err := p.Run(ctx, env)
		require.NoError(t, err)
		return out
	}
	e := number(j.Entries())
	require.Equal(t, []int{3, 2}, e.Shape)
	v := &frechet.Tensor{Shape: []int{2}, Data: []float64{2, -3}}
	got, err := j.ApplyTo(ctx, v, env)
	require.NoError(t, err)
	for i := range 3 {
		assert.InDelta(t, e.Data[2*i]*2-e.Data[2*i+1]*3, got.Data[i], 1e-12)
	}
	jt, err := j.Transpose()
	require.NoError(t, err)
	b, err := f.Variable("b")
	require.NoError(t, err)
	pulled, err := jt.Apply(b)
	require.NoError(t, err)
	for k, x := range number(pulled).Data {
		assert.InDelta(t, e.Data[k]*1-e.Data[2+k]+2*e.Data[4+k], x, 1e-12)
	}
	two, err := j.Add(j)
	require.NoError(t, err)
	for i, x := range number(two.Entries()).Data {
		assert.InDelta(t, 2*e.Data[i], x, 1e-12)
	}
	assert.Contains(t, two.String(), "2 * ")

	// further axes of a term trail
	many, err := frechet.Parse("declare A[m,n] x[n] X[n,p] expression A*x")
	require.NoError(t, err)
	jm, err := many.JacobianMap("x")
	require.NoError(t, err)
	x, err := many.Variable("X")
	require.NoError(t, err)
	ax, err := jm.Apply(x)
	require.NoError(t, err)
	assert.Equal(t, "A*X", ax.String())

	// lets of a factor stay within it
	logistic, err := frechet.Parse("declare X[m,n] w[n] expression sum(softplus(X*w)) + w'*w")
	require.NoError(t, err)
	h, err := logistic.HessianMap("w")
	require.NoError(t, err)
	assert.Equal(t, "2 * delta[i,j] + (let u = sigmoid(X*w); X'*diag(u .* (1 - u))*X)[i,j]", h.String())

	// what does not fit is an error
	for _, bad := range []func() error{
		func() error { _, err := j.Apply(b); return err },
		func() error { _, err := j.Apply(x); return err },
		func() error { _, err := j.Add(jt); return err },
		func() error { _, err := j.Add(jm); return err },
		func() error { _, err := j.Diagonal(); return err },
		func() error { _, _, err := j.Solve(b, nil); return err },
		func() error { _, err := f.HessianMap("x"); return err },
		func() error { _, err := f.JacobianMap("z"); return err },
		func() error { _, err := f.GaussNewtonMap("x", ""); return err },
		func() error { _, err := f.Variable("z"); return err },
	} {
		assert.Error(t, bad())
	}
}
