package definite

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/internal/derivation"
	"frechet/internal/equality"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/rewrite/verify"
)

// verdicts are programs by what is found; each begins with the variables.
var verdicts = map[equality.Outcome][]string{
	equality.Proved: {
		"w: declare X[m,n] w[n] lam[] nonnegative y[m] expression sum(log(1 + exp(-y .* (X*w)))) + 0.5*lam*(w'*w)",
		"w: sum(softplus(X*w))", "w: logsumexp(X*w)", "x: log(sum(exp(x)))", "w: norm2(X*w - y)^2", "w: norm2(X*w - y)", "w: norm2(w)", "X: norm2(X)",
		"W: declare X[m,n] W[n,k] Y[m,k] expression sum(logsumexp(X*W, axis=1)) - sum(Y .* (X*W))",
		"w: declare A[n,n] positive definite w[n] b[n] expression w'*A*w - b'*w",
		"S: declare S[n,n] positive definite expression -logdet(S)",
		"S: declare S[n,n] positive definite expression tr(inv(S))",
		"x: declare S[n,n] positive definite x[n] expression x'*inv(S)*x",
		"w: sum(where(abs(X*w-y) <= 1, (X*w-y)^2/2, abs(X*w-y) - 1/2))",
		"w: sum(sqrt(1 + (X*w)^2))", "w: sum(exp(X*w))", "w: sum((X*w)^4)", "w: sum(-log(X*w))", "w: sum((X*w) .* log(X*w))",
		"p: declare p[n] positive expression sum(p .* log(p))", "x: sum(relu(x)^2)", "x,t: declare x[n] t[] positive expression (x'*x)/t",
		"x,y: declare x[n] y[n] expression norm2(x - y)^2", "x: exp(x'*x)", "x: x'*A'*A*x", "x: declare x[n] A[m,n] b[m] expression sum(exp(A*x + b)) + norm2(x)^2",
	},
	equality.Refuted: {
		"x: x'*A*x", "x: sum(sin(x))", "x,y: x*y", "U,V: norm2(A - U*V')^2", "x: sum(x^3)", "x: log(1 + x'*x)", "x: 1/x", "S: declare S[n,n] expression -logdet(S)",
		"w: declare X[m,n] w[n] lam[] expression sum(softplus(X*w)) + lam*(w'*w)", "X: declare X[n,n] expression tr(X*X)",
		"x: declare A[n,n] symmetric x[n] expression x'*A*x", "w: declare X[m,n] w[n] expression sum(exp(X*w)) - w'*w", "X,Y: declare X[m,n] Y[n,m] expression tr(X*Y)",
		"S: declare S[n,n] positive definite C[n,n] symmetric expression logdet(S) + tr(inv(S)*C)",
	},
	equality.Undecided: {"x: sum(log(cosh(x)))"},
}

// TestVerdicts: each certificate of a proof replays, and at each point of a refutation the form is negative.
func TestVerdicts(t *testing.T) {
	for outcome, cases := range verdicts {
		for _, c := range cases {
			wrt, text, _ := strings.Cut(c, ": ")
			f, err := program.Read(text, program.Options{Limits: fault.Filled(fault.Limits{}), Scalar: true})
			require.NoError(t, err, c)
			v, err := Decide(context.Background(), f, strings.Split(wrt, ","), equality.Options{})
			require.NoError(t, err, c)
			require.Equal(t, outcome, v.Outcome, "%s\n%s", c, v.Form)
			switch outcome {
			case equality.Proved:
				require.NotEmpty(t, v.Proofs, c)
				require.NotEmpty(t, v.Laws, c)
			case equality.Refuted:
				require.True(t, strings.HasPrefix(v.Against.Witness.Left, "-"), c)
			}
			for _, p := range v.Proofs {
				var b bytes.Buffer
				require.NoError(t, p.Derivation.Certificate(&b), c)
				_, err := derivation.Replay(context.Background(), &b)
				require.NoError(t, err, c)
			}
		}
	}
}

// TestForms: the rules by which differences from 1 are read are put to the test as all rules are.
func TestForms(t *testing.T) {
	reports, err := verify.Rules(context.Background(), verify.File{Name: "forms.rules", Text: formsText})
	require.NoError(t, err)
	require.NotEmpty(t, reports)
	for _, r := range reports {
		require.True(t, r.Passed(), r.Name)
	}
}
