package minimize_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"frechet"
)

// normal is a tensor of normal entries.
func normal(rng *rand.Rand, shape ...int) *frechet.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	t := &frechet.Tensor{Shape: shape, Data: make([]float64, n)}
	for i := range t.Data {
		t.Data[i] = rng.NormFloat64()
	}
	return t
}

const factorisation = "declare A[m,n] U[m,k] V[n,k] B[m,k] lam[] expression sum((A - U*V') .^ 2) + lam*sum(U .^ 2)"

func factorisationData(m, n, k int) frechet.Env {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	return frechet.Env{"A": normal(rng, m, n), "U": normal(rng, m, k), "V": normal(rng, n, k), "B": normal(rng, m, k), "lam": {Data: []float64{0.5}}}
}

// newtonStep compiles the Newton step by U, and the entries of the Hessian with the
// gradient.
func newtonStep(t testing.TB) (step, dense *frechet.Program) {
	f, err := frechet.Parse(factorisation)
	require.NoError(t, err)
	g, err := f.Gradient("U")
	require.NoError(t, err)
	h, err := f.HessianMap("U")
	require.NoError(t, err)
	x, how, err := h.Solve(g, nil)
	require.NoError(t, err)
	require.Equal(t, "a solve with the core, once for all other axes", how)
	step, err = frechet.Compile(x, nil)
	require.NoError(t, err)
	dense, err = frechet.CompileAll([]*frechet.Term{h.Entries(), g}, nil)
	require.NoError(t, err)
	return step, dense
}

// denseStep solves with all entries of the Hessian, by gonum.
func denseStep(t testing.TB, p *frechet.Program, env frechet.Env) []float64 {
	out, err := p.RunAll(context.Background(), env)
	require.NoError(t, err)
	n := len(out[1].Data)
	var x mat.VecDense
	require.NoError(t, x.SolveVec(mat.NewDense(n, n, out[0].Data), mat.NewVecDense(n, out[1].Data)))
	return x.RawVector().Data
}

// The compressed Newton step of matrix factorisation is that of the whole Hessian.
func TestCompressedNewtonStep(t *testing.T) {
	step, dense := newtonStep(t)
	for _, n := range []int{3, 20, 100} {
		env := factorisationData(n, n, 10)
		got, err := step.Run(context.Background(), env)
		require.NoError(t, err)
		assert.InDeltaSlice(t, denseStep(t, dense, env), got.Data, 1e-9, "n = %d", n)
	}
}

// BenchmarkNewtonStep compares the Newton step of matrix factorisation, A n by n and k = 10,
// by the compressed and by the whole Hessian, both with the gradient; system is the
// compressed solve alone, of a right side that is given.
func BenchmarkNewtonStep(b *testing.B) {
	step, dense := newtonStep(b)
	f, err := frechet.Parse(factorisation)
	require.NoError(b, err)
	h, err := f.HessianMap("U")
	require.NoError(b, err)
	rhs, err := f.Variable("B")
	require.NoError(b, err)
	x, _, err := h.Solve(rhs, nil)
	require.NoError(b, err)
	system, err := frechet.Compile(x, nil)
	require.NoError(b, err)
	for _, n := range []int{50, 100, 200, 1000} {
		env := factorisationData(n, n, 10)
		b.Run(fmt.Sprintf("compressed/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := step.Run(context.Background(), env); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("system/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := system.Run(context.Background(), env); err != nil {
					b.Fatal(err)
				}
			}
		})
		if n > 200 {
			continue
		}
		b.Run(fmt.Sprintf("dense/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				denseStep(b, dense, env)
			}
		})
	}
}

func minimize(t *testing.T, src string, env frechet.Env, o frechet.MinimizeOptions) *frechet.Minimum {
	f, err := frechet.Parse(src)
	require.NoError(t, err)
	m, err := f.Minimize(context.Background(), env, o)
	require.NoError(t, err)
	return m
}

func TestMethodsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	env := frechet.Env{"X": normal(rng, 30, 4), "y": normal(rng, 30)}
	src := "declare X[m,n] y[m] w[n] let r = X*w - y expression r'*r + sum(softplus(w)) derivative wrt w"
	want := minimize(t, src, env, frechet.MinimizeOptions{Method: "newton"})
	assert.True(t, want.Converged)
	assert.Equal(t, []string{"a dense solve"}, want.Systems)
	for _, method := range []string{"", "gradient"} {
		got := minimize(t, src, env, frechet.MinimizeOptions{Method: method, Tol: 1e-7, MaxIter: 5000})
		assert.True(t, got.Converged, method)
		assert.InDeltaSlice(t, want.At[0].Tensor.Data, got.At[0].Tensor.Data, 1e-6, method)
	}
	// more unknowns than points: the Hessian is a multiple of the identity and a low rank
	wide := frechet.Env{"X": normal(rng, 5, 40), "y": normal(rng, 5)}
	ridge := "declare X[m,n] y[m] w[n] expression sum((X*w - y) .^ 2) + w'*w derivative wrt w"
	want = minimize(t, ridge, wide, frechet.MinimizeOptions{Method: "newton"})
	assert.Equal(t, []string{"a diagonal and a term of low rank"}, want.Systems)
	assert.Equal(t, 1, want.Iterations)
	assert.InDeltaSlice(t, minimize(t, ridge, wide, frechet.MinimizeOptions{}).At[0].Tensor.Data, want.At[0].Tensor.Data, 1e-6)
	// gauss-newton, of a sum of squares and through a let
	squares := "declare X[m,n] y[m] w[n] let r = tanh(X*w) - y expression r'*r"
	a := minimize(t, squares, env, frechet.MinimizeOptions{Wrt: []string{"w"}, Method: "gauss-newton", Start: "zeros"})
	b := minimize(t, squares, env, frechet.MinimizeOptions{Wrt: []string{"w"}, Method: "gauss-newton", Through: "r", Start: "zeros"})
	assert.True(t, a.Converged)
	assert.Equal(t, a.At[0].Tensor.Data, b.At[0].Tensor.Data)
}

func TestNewtonLeavesSaddlePoints(t *testing.T) {
	src := "declare x[n] expression sum(x .^ 4)/4 - sum(x .^ 2)/2"
	m := minimize(t, src, frechet.Env{"x": {Shape: []int{2}, Data: []float64{0.1, -0.2}}}, frechet.MinimizeOptions{Wrt: []string{"x"}, Method: "newton"})
	assert.True(t, m.Converged)
	assert.InDeltaSlice(t, []float64{1, -1}, m.At[0].Tensor.Data, 1e-8)
	assert.Positive(t, m.Regularised)
	// a Hessian that is singular everywhere
	m = minimize(t, "declare x[n] a[n] expression (a'*x - 1)^2", frechet.Env{"a": {Shape: []int{2}, Data: []float64{1, 2}}},
		frechet.MinimizeOptions{Wrt: []string{"x"}, Method: "newton"})
	assert.True(t, m.Converged)
	assert.InDelta(t, 0, m.Value, 1e-12)
}

func TestMinimizeErrors(t *testing.T) {
	ctx := context.Background()
	a := frechet.Env{"a": {Shape: []int{2}, Data: []float64{1, 2}}}
	for _, c := range []struct {
		src  string
		env  frechet.Env
		o    frechet.MinimizeOptions
		says string
	}{
		{"declare x[n] a[n] expression x'*a", a, frechet.MinimizeOptions{}, "does not say"},
		{"declare x[n] a[n] expression x'*a", a, frechet.MinimizeOptions{Wrt: []string{"z"}}, "not declared"},
		{"declare x[n] a[n] expression x'*a", a, frechet.MinimizeOptions{Wrt: []string{"x", "x"}}, "twice"},
		{"declare x[n] a[n] expression x .* a", a, frechet.MinimizeOptions{Wrt: []string{"x"}}, "scalar"},
		{"declare x[n] a[n] expression x'*a", nil, frechet.MinimizeOptions{Wrt: []string{"x"}}, "size"},
		{"declare x[n] a[n] expression x'*x + sum(a)", frechet.Env{"x": a["a"]}, frechet.MinimizeOptions{Wrt: []string{"x"}}, "no value"},
		{"declare x[n] a[n] expression x'*a", a, frechet.MinimizeOptions{Wrt: []string{"x"}, Method: "simplex"}, "known are"},
		{"declare x[n] a[n] expression x'*a", a, frechet.MinimizeOptions{Wrt: []string{"x"}, Start: "ones"}, "zeros and random"},
		{"declare x[n] a[n] expression sum(log(x)) + x'*a", frechet.Env{"a": a["a"], "x": {Shape: []int{2}, Data: []float64{-1, 1}}}, frechet.MinimizeOptions{Wrt: []string{"x"}}, "not finite"},
		{"declare x[n] a[n] expression exp(x'*a)", a, frechet.MinimizeOptions{Wrt: []string{"x"}, Method: "gauss-newton"}, "sum of squares"},
		{"declare x[n] expression x'*x", frechet.Env{"x": {Shape: []int{0}}}, frechet.MinimizeOptions{Wrt: []string{"x"}}, "no entries"},
	} {
		f, err := frechet.Parse(c.src)
		require.NoError(t, err)
		_, err = f.Minimize(ctx, c.env, c.o)
		require.ErrorContains(t, err, c.says, c.src)
	}
	// what does not fit is refused before it is allocated
	huge, err := frechet.Parse("declare x[n] expression x'*x")
	require.NoError(t, err)
	for _, n := range []int64{1 << 30, 1 << 60} {
		_, err = huge.Minimize(ctx, nil, frechet.MinimizeOptions{Wrt: []string{"x"}, Sizes: frechet.Sizes{"n": n}})
		require.Equal(t, "limit", frechet.ErrorKind(err), "%v", err)
	}
	// ended from outside: the last point beside the error
	f, err := frechet.Parse("declare x[n] a[n] expression sum((x .^ 2 - a) .^ 2) + x'*x")
	require.NoError(t, err)
	short, stop := context.WithCancel(ctx)
	m, err := f.Minimize(short, a, frechet.MinimizeOptions{Wrt: []string{"x"}, Progress: func(s frechet.MinimizeStep) {
		if s.Number == 2 {
			stop()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, m)
	assert.Equal(t, 2, m.Iterations)
	assert.False(t, m.Converged)
}

// TestMinimizeKeepsAttributes: a minimum by a variable with attributes is the known one among the values that have them, of which
// zero is 0, and has them itself.
func TestMinimizeKeepsAttributes(t *testing.T) {
	all := frechet.Env{"A": {Shape: []int{3, 3}, Data: []float64{2, 1, 0.5, 1, 3, -0.5, 0.5, -0.5, 1.5}}, "c": {Shape: []int{3}, Data: []float64{0.2, -1, 0.7}}}
	for _, row := range []struct{ declare, minimized, zero string }{
		{"X[n] unit A[n,n]", "X'*A*X", "X*X' - eigvecs(A)[:, 0]*eigvecs(A)[:, 0]'"},
		{"X[n,n] orthogonal A[n,n]", "norm2(A - X)^2", "X - A*inv(sqrtm(A'*A))"},
		{"X[n] simplex c[n]", "c'*X + sum(X .* log(X))", "X - softmax(-c)"},
		{"X[n,n] positive definite A[n,n]", "tr(A*X) - logdet(X)", "X - inv(A)"},
		{"X[n,n] lower A[n,n]", "norm2(A - X)^2", "X - tril(A)"},
		{"X[n] positive c[n]", "sum(X - (c^2 + 1) .* log(X))", "X - c^2 - 1"},
	} {
		env := maps.Clone(all)
		maps.DeleteFunc(env, func(name string, _ *frechet.Tensor) bool { return !strings.Contains(row.declare, name+"[") })
		for _, method := range []string{"lbfgs", "newton", "lbfgs"} { // the last one from the minimum
			m := minimize(t, "declare "+row.declare+" expression "+row.minimized, env, frechet.MinimizeOptions{Wrt: []string{"X"}, Method: method})
			require.True(t, m.Converged, "%s by %s: %s", row.declare, method, m.Reason)
			env["X"] = m.At[0].Tensor
			f, err := frechet.Parse("declare " + row.declare + " expression " + row.zero)
			require.NoError(t, err)
			reply, err := f.Derive(t.Context(), frechet.Query{})
			require.NoError(t, err)
			values, _, err := reply.Evaluate(t.Context(), []*frechet.Term{reply.Outputs[0].Value}, env)
			require.NoError(t, err, row.declare) // as it would be where X is not as declared
			for _, v := range values[0].Data {
				require.InDelta(t, 0, v, 1e-6, "%s by %s", row.declare, method)
			}
		}
	}
}

// What does not keep attributes says so, and so does a start that has not got them.
func TestMinimizeErrorsOfAttributes(t *testing.T) {
	for src, says := range map[string]string{
		"declare x[3] unit expression norm2(x - 1)^2":                "has no value at zeros",
		"declare Q[3,3] orthogonal symmetric expression sum(exp(Q))": "is not known",
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		_, err = f.Minimize(context.Background(), nil, frechet.MinimizeOptions{Wrt: f.Arguments(), Start: "zeros"})
		require.ErrorContains(t, err, says)
	}
	f, err := frechet.Parse("declare x[2] unit expression norm2(x - 1)^2")
	require.NoError(t, err)
	_, err = f.Minimize(context.Background(), nil, frechet.MinimizeOptions{Wrt: []string{"x"}, Method: "gauss-newton"})
	require.ErrorContains(t, err, "does not keep x unit")
	_, err = f.Minimize(context.Background(), frechet.Env{"x": {Shape: []int{2}, Data: []float64{1, 1}}}, frechet.MinimizeOptions{Wrt: []string{"x"}})
	require.ErrorContains(t, err, "where it begins the norm is")
}
