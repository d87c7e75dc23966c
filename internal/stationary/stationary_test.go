package stationary

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/internal/check"
	"frechet/internal/fault"
	"frechet/internal/program"
)

func read(t require.TestingT, text string, sizes program.Sizes) *program.Program {
	f, err := program.Read(text, program.Options{Limits: fault.Filled(fault.Limits{}), Sizes: sizes})
	require.NoError(t, err, text)
	return f
}

// TestTextbookSolutions: the solutions as a textbook has them.
func TestTextbookSolutions(t *testing.T) {
	for _, c := range []struct {
		text     string
		wrt      []string
		together bool
		want     []string
	}{
		{"norm2(X*w - y)^2", []string{"w"}, false, []string{"w = inv(X'*X)*X'*y"}},
		{"declare X[m,n] y[m] w[n] c[] d[m] expression sum(d .* (X*w - y)^2) + c*norm2(w)^2", []string{"w"}, false, []string{"w = inv(c*eye(n) + X'*diag(d)*X)*X'*diag(d)*y"}},
		{"declare A[m,n] X[n,k] B[m,k] l[] expression norm2(A*X - B)^2 + l*norm2(X)^2", []string{"X"}, false, []string{"X = inv(l*eye(n) + A'*A)*A'*B"}},
		{"declare A[m,n] X[n,k] B[m,l] C[k,l] expression norm2(A*X*C - B)^2", []string{"X"}, false, []string{"X = inv(A'*A)*A'*B*C'*inv(C*C')"}},
		{"declare X[m,n] mu[n] P[n,n] positive definite expression sum(((X - mu')*P) .* (X - mu'))", []string{"mu"}, false, []string{"mu = mean(X, axis=0)"}},
		{"declare A[m,n] U[m,k] V[n,k] expression norm2(A - U*V')^2", []string{"U", "V"}, false, []string{"U = A*V*inv(V'*V)", "V = A'*U*inv(U'*U)"}},
		{"declare X[m,n] y[m] w[n] b[] expression norm2(X*w + b - y)^2", []string{"w", "b"}, false, []string{"w = inv(X'*X)*X'*(y - b)", "b = (sum(y) - w'*sum(X, axis=0))/m"}},
		{"declare S[n,n] C[n,n] expression logdet(S) + tr(inv(S)*C)", []string{"S"}, false, []string{"S = C"}},
		{"declare S[n,n] positive definite C[n,n] symmetric expression logdet(S) + tr(inv(S)*C)", []string{"S"}, false, []string{"S = C"}},
		{"declare P[n,n] C[n,n] expression -logdet(P) + tr(P*C)", []string{"P"}, false, []string{"P = inv(C)"}},
		{"declare s[] x[n] mu[] expression n*log(s) + sum((x - mu)^2)/(2*s^2)", []string{"s"}, false, []string{"s = sqrt((x - mu)'*(x - mu)/n)"}},
		{"declare v[] x[n] mu[] expression n*log(v) + sum((x - mu)^2)/v", []string{"mu", "v"}, true, []string{"mu = mean(x)", "let u = x - mean(x)\nv = u'*u/n"}},
		{"declare x[n] A[n,n] symmetric b[n] expression x'*A*x/2 - b'*x", []string{"x"}, false, []string{"x = inv(A)*b"}},
	} {
		found, err := Find(context.Background(), read(t, c.text, nil), c.wrt, c.together)
		require.NoError(t, err, c.text)
		for i, s := range found {
			text, err := s.Text("text")
			require.NoError(t, err)
			require.Equal(t, c.want[i], text, c.text)
		}
	}
}

// TestNotAffine: what is not solved is an error that says why, and no wrong solution: a factor that the domain does not exclude is not
// multiplied by, and what is affine on a sphere is not solved.
func TestNotAffine(t *testing.T) {
	for text, want := range map[string]string{
		"declare X[m,n] w[n] expression sum(log(1 + exp(X*w)))":    "not affine",
		"declare a[n] w[n] expression a'*w":                        "the same for every w",
		"declare w[] expression arctan(w)":                         "not affine",
		"declare w[n] unit A[n,n] expression w'*A*w + sum(w)":      "not affine",
		"declare w[n,n] expression tr(inv(eye(n) + w*w'))":         "not affine",
		"declare a[n] w[n] expression exp(a'*w)":                   "not affine",
		"declare w[n] expression w .* w":                           "scalar",
		"declare w[n] expression f = sum(w .* w) expression g = 1": "one",
	} {
		_, err := Find(context.Background(), read(t, text, nil), []string{"w"}, false)
		require.ErrorContains(t, err, want, text)
	}
}

// TestQuadratics: the gradient of a random quadratic function is 0 at its solutions, for each variable and for all together.
func TestQuadratics(t *testing.T) {
	parts := []string{"norm2(A*x - b)^2", "c*norm2(x)^2", "(a'*x - 1)^2", "norm2(A*x + B*y - b)^2", "sum(e .* (y - x)^2)", "y'*x", "norm2(y)^2", "tr(B'*(b*y'))", "(sum(x) - sum(y))^2"}
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		text := "declare A[m,n] B[m,n] b[m] a[n] e[n] c[] x[n] y[n] expression norm2(x)^2 + norm2(y - a)^2"
		for _, p := range rapid.SliceOfNDistinct(rapid.SampledFrom(parts), 1, 4, rapid.ID).Draw(t, "parts") {
			text += " + " + p
		}
		together := rapid.Bool().Draw(t, "together")
		sizes := program.Sizes{"m": 3, "n": 2}
		f := read(t, text, sizes)
		found, err := Find(ctx, f, []string{"x", "y"}, together)
		require.NoError(t, err, text)
		env, err := check.RandomEnv(ctx, f, sizes, rapid.Uint64Range(1, 50).Draw(t, "seed"))
		require.NoError(t, err)
		report, err := Check(ctx, f, found, together, env)
		require.NoError(t, err, text)
		require.True(t, report.OK(), "%s\n%s", text, report)
	})
}
