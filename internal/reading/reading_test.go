package reading_test

import (
	"context"
	"testing"

	"frechet"

	"github.com/stretchr/testify/require"
)

// Each derivative is written as a textbook has it: factors are taken out where that is shorter, fractions have one bar, and
// residuals stay.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		program, wrt string
		order        int
		want         string
	}{
		{"A[m,n] x[n] expression logsumexp(A*x)", "x", 2, "let u = softmax(A*x)\nexpression A'*(diag(u) - u*u')*A"},
		{"A[m,n] x[n] expression softmax(A*x)", "x", 1, "let u = softmax(A*x)\nexpression (diag(u) - u*u')*A"},
		{"S[m,n] G[m,n] expression sum(softmax(S, axis=1) .* G)", "S", 1, "let P = softmax(S, axis=1)\nexpression P .* (G - sum(G .* P, axis=1))"},
		{"A[n,n] x[n] expression x'*A*x/(x'*x)", "x", 1, "let u = (A + A')*x\nexpression (u - x'*u*x/(x'*x))/(x'*x)"},
		{"x[n] expression 1/norm2(x)", "x", 2, "let u = x/norm2(x)\nexpression (3*u*u' - eye(n))/norm2(x)^3"},
		{"p[n] q[n] expression sum((p - q).^2 ./ q)", "q", 1, "1 - (p ./ q)^2"},
		{"W[n,m] x[m] k[m] a[] c[] expression a*log(1 + norm2(W*(x - k))^2/c)", "x", 1, "let u = W*(x - k)\nexpression 2*a*W'*u/(u'*u + c)"},
		{"r[m] X[m,n] w[n] y[m] expression sum((y + r) .* log(r + exp(X*w))) - y'*(X*w)", "w", 1, "let u = exp(X*w)\nexpression X'*((r .* (u - y)) ./ (r + u))"},
		{"W[n,n] x[n] expression 0.5*sum(W .* (x*ones(n)' - ones(n)*x').^2)", "x", 2, "diag(sum(W, axis=1) + sum(W, axis=0)) - W - W'"},
		{"X[m,n] w[n] y[m] expression norm2(X*w - y)^2", "w", 1, "2*X'*(X*w - y)"},
		{"A[m,n] x[n] expression sum(sigmoid(A*x))", "x", 1, "let u = sigmoid(A*x)\nexpression A'*(u .* (1 - u))"},
		// Equal factors are one choice: all orders of sixteen took seconds.
		{"x[] y[] z[] expression x^8*y^8 + x^7*y^8*z + x^6*y^7*z^2 + x^5*y^8*z^3 + x^4*z^8", "x", 1, "x^3*(4*z^8 + x*y^7*(x^2*y*(8*x + 7*z) + z^2*(6*x + 5*y*z)))"},
	} {
		f, err := frechet.Parse("declare " + c.program)
		require.NoError(t, err)
		r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{c.wrt}, Order: c.order})
		require.NoError(t, err)
		derivs := r.Outputs[0].Derivs
		require.Equal(t, c.want, derivs[len(derivs)-1].Term.String(), c.program)
	}
}
