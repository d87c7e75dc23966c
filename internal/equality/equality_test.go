package equality

import (
	"bytes"
	"context"
	"testing"

	"frechet/internal/derivation"
	"frechet/internal/program"

	"github.com/stretchr/testify/require"
)

// identities are of two sides with the declarations of their variables.
var identities = []struct{ left, right, declare string }{
	{"inv(A*B)", "inv(B)*inv(A)", "A[n,n] B[n,n]"},
	{"tr(kron(A,B))", "tr(A)*tr(B)", "A[m,m] B[n,n]"},
	{"kron(A,B)*kron(C,D)", "kron(A*C, B*D)", "A[m,m] B[n,n] C[m,m] D[n,n]"},
	{"inv(A + U*C*V)", "inv(A) - inv(A)*U*inv(inv(C) + V*inv(A)*U)*V*inv(A)", "A[n,n] U[n,k] C[k,k] V[k,n]"},
	{"inv(A + u*v')", "inv(A) - inv(A)*u*v'*inv(A)/(1 + v'*inv(A)*u)", "A[n,n] u[n] v[n]"},
	{"inv(c*eye(n) + A*B)*A", "A*inv(c*eye(k) + B*A)", "A[n,k] B[k,n] c[]"},
	{"inv(X'*X + lam*eye(n))*X'", "X'*inv(X*X' + lam*eye(m))", "X[m,n] lam[]"},
	{"det(A + u*v')", "det(A)*(1 + v'*inv(A)*u)", "A[n,n] u[n] v[n]"},
	{"inv(A) - inv(B)", "inv(A)*(B - A)*inv(B)", "A[n,n] B[n,n]"},
	{"inv(inv(A) + inv(B))", "A*inv(A + B)*B", "A[n,n] B[n,n]"},
	{"logdet(A*B)", "logdet(A) + logdet(B)", "A[n,n] B[n,n]"},
	{"sin(x)^2 + cos(x)^2", "1", "x[n]"},
	{"tanh(x)", "(exp(2*x) - 1)/(exp(2*x) + 1)", "x[]"},
	{"log(x*y)", "log(x) + log(y)", "x[] y[]"},
	{"sqrt(x^2)", "abs(x)", "x[]"},
	{"sin(arcsin(x))", "x", "x[n]"},
	{"adj(inv(A))", "inv(adj(A))", "A[n,n]"},
}

// TestIdentities: known identities are proved, and the certificates are checked without what found them.
func TestIdentities(t *testing.T) {
	for _, i := range identities {
		proved(t, i.left, i.right, i.declare)
	}
}

func proved(t *testing.T, left, right, declare string) {
	v, err := Texts(context.Background(), left, right, Options{Declare: declare}, program.Options{})
	require.NoError(t, err, left)
	require.Equal(t, Proved, v.Outcome, "%s = %s: %s", left, right, v)
	var b bytes.Buffer
	require.NoError(t, v.Derivation.Certificate(&b), left)
	_, err = derivation.Replay(context.Background(), &b)
	require.NoError(t, err, left)
}

// inverses are functions of functions that are the identity where they have a value, with rules or laws that say it.
var inverses = []string{"exp(log(x))", "log(exp(x))", "tan(arctan(x))", "sin(arcsin(x))", "expm1(log1p(x))", "log1p(expm1(x))",
	"sqrt(x)^2", "1/(1/x)", "cos(arccos(x))", "inv(inv(diag(x)))*ones(n)"}

// TestInverses: of all pairs of these the sum is 2 x, and the product x^2, with a certificate.
func TestInverses(t *testing.T) {
	for i, f := range inverses {
		for _, g := range inverses[:i+1] {
			proved(t, f+" + "+g, "2*x", "x[n]")
			proved(t, f+" .* "+g, "x^2", "x[n]")
		}
	}
}

// TestForged: a certificate whose program is another one, or of which a part is missing, is refused.
func TestForged(t *testing.T) {
	v, err := Texts(context.Background(), "inv(A*B)", "inv(B)*inv(A)", Options{Declare: "A[n,n] B[n,n]"}, program.Options{})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, v.Derivation.Certificate(&b))
	for _, change := range [][2]string{{"inv(B)*inv(A)\"", "inv(A)*inv(B)\""}, {`"rule":"inv-of-product"`, `"rule":"det-of-product"`}, {`"kind":"right side"`, `"kind":"left side"`}} {
		forged := bytes.Replace(b.Bytes(), []byte(change[0]), []byte(change[1]), 1)
		require.NotEqual(t, b.Bytes(), forged, change)
		_, err := derivation.Replay(context.Background(), bytes.NewReader(forged))
		require.Error(t, err, change)
	}
}

// TestSizes: a law that holds at some sizes only is refuted.
func TestSizes(t *testing.T) {
	for _, wrong := range [][3]string{
		{"A*B", "B*A", "A[n,n] B[n,n]"}, {"det(2*A)", "2*det(A)", "A[n,n]"}, {"sum(ones(n))", "1", "x[n]"}, {"tr(A*B)", "tr(A)*tr(B)", "A[n,n] B[n,n]"},
		{"sum(X[i,:])", "sum(X)", "X[m,n] i[m] index(m)"}, {"scatter(v, i)", "2*scatter(v, i)", "v[k] i[k] index(m)"},
	} {
		v, err := Texts(context.Background(), wrong[0], wrong[1], Options{Declare: wrong[2]}, program.Options{})
		require.NoError(t, err, wrong)
		require.Equal(t, Refuted, v.Outcome, "%v: %s", wrong, v)
		require.True(t, v.Exact, "%v", wrong)
	}
}
