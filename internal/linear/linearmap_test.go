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

// A derivative has the values, entries and adjoint of the map that is given by its entries, whichever
// way it is applied; one by several variables has inputs, outputs and an adjoint alone.
func TestDerivativeIsTheJacobianMap(t *testing.T) {
	f, err := frechet.Parse("declare A[m,n] x[n] v[n] w[m] V[n,k] expression sin(A*x)")
	require.NoError(t, err)
	env, err := f.RandomEnv(context.Background(), nil, 1)
	require.NoError(t, err)
	number := func(n *frechet.Term, err error) []float64 {
		require.NoError(t, err)
		p, err := frechet.Compile(n, nil)
		require.NoError(t, err)
		out, err := p.Run(context.Background(), env)
		require.NoError(t, err)
		return out.Data
	}
	term := func(name string) *frechet.Term {
		x, err := f.Variable(name)
		require.NoError(t, err)
		return x
	}
	d, err := f.Derivative("x")
	require.NoError(t, err)
	j, err := f.JacobianMap("x")
	require.NoError(t, err)
	da, err := d.Adjoint()
	require.NoError(t, err)
	ja, err := j.Transpose()
	require.NoError(t, err)
	for _, v := range []string{"v", "V"} {
		assert.InDeltaSlice(t, number(j.Apply(term(v))), number(d.Apply(term(v))), 1e-12, v)
	}
	assert.InDeltaSlice(t, number(ja.Apply(term("w"))), number(da.Apply(term("w"))), 1e-12)
	assert.InDeltaSlice(t, number(j.Entries(), nil), number(d.Entries(), nil), 1e-12)
	assert.Equal(t, ja.Entries().String(), da.Entries().String())
	assert.Equal(t, j.Axes(), d.Axes())
	outs, err := j.Outputs()
	require.NoError(t, err)
	env[j.Inputs()[0]] = env["v"]
	assert.InDeltaSlice(t, number(d.Apply(term("v"))), number(outs[0], nil), 1e-12)
	both, err := f.Derivative("A", "x")
	require.NoError(t, err)
	assert.Len(t, both.Inputs(), 2)
	back, err := both.Adjoint()
	require.NoError(t, err)
	grads, err := back.Outputs()
	require.NoError(t, err)
	assert.Len(t, grads, 2)
	assert.Nil(t, both.Entries())
	for arg, m := range map[string]*frechet.LinearMap{"v": both, "w": back} {
		_, err := m.Apply(term(arg))
		assert.ErrorContains(t, err, "a map from one tensor to one has entries")
		assert.Equal(t, "!("+err.Error()+")", m.String())
	}
}
