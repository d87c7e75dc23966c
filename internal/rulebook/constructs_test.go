package rulebook_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// TestConstructs: each rule of the example file passes the verifier, is applied where it holds and not elsewhere, and the
// certificate is checked; lemmas, and the other side of rules that have two, are for proofs alone.
func TestConstructs(t *testing.T) {
	b, err := os.ReadFile("../../examples/rules/constructs.rules")
	require.NoError(t, err)
	file := frechet.RuleFile{Name: "constructs.rules", Text: string(b)}
	rules, err := frechet.CheckRules(context.Background(), file, false)
	require.NoError(t, err)
	require.Empty(t, rules.Warnings())
	for _, c := range []struct {
		rule, program string
		applied       bool
	}{
		{"exp-of-sum", "declare x[n] y[n] expression exp(x + y)", true},
		{"exp-of-sum", "declare x[n] y[n] expression exp(x) .* exp(y)", false},
		{"sinh-of-double", "declare x[n] expression sinh(2*x)", false},
		{"gram-of-wide", "declare A[2,3] expression det(A'*A)", true},
		{"gram-of-wide", "declare A[m,m+k+1] expression det(A'*A)", true},
		{"gram-of-wide", "declare A[m,m+k] expression det(A'*A)", false},
		{"gram-of-wide", "declare A[3,3] expression det(A'*A)", false},
		{"det-of-square-product", "declare A[n+1,1+n] B[n+1,n+1] expression det(A*B)", true},
		{"det-of-square-product", "declare A[m,n] B[n,m] expression det(A*B)", false},
		{"inverse-of-two", "declare A[2,2] expression inv(A)", true},
		{"inverse-of-two", "declare A[n,n] expression inv(A)", false},
		{"skew-of-one", "declare A[1,1] antisymmetric expression tr(A)", true},
		{"skew-of-one", "declare X[1,1] expression sum(sin(X - X'))", true},
		{"skew-of-one", "declare A[n,n] antisymmetric x[n] expression sum(exp(A))", false},
		{"inverse-upper-blocks", "declare A[m,m] B[m,n] D[n,n] expression inv([A, 2*B; zeros(n,m), D])", true},
		{"inverse-upper-blocks", "declare A[m,m] B[m,n] D[n,n] expression inv([A, B; B', D])", false},
		{"inverse-upper-blocks", "declare A[2,2] B[2,1] D[1,1] expression inv([A, B; zeros(1,2), D])", true},
		{"det-upper-blocks", "declare A[m,m] B[n,n] C[k,k] expression det([A, zeros(m,n), zeros(m,k); zeros(n,m), B, zeros(n,k); zeros(k,m), zeros(k,n), C])", true},
		{"det-upper-blocks", "declare A[2,3] B[2,2] D[3,2] expression det([A, B; zeros(3,3), D])", false},
		{"det-upper-blocks", "declare A[m,m] b[m] d[] expression det([A, b; zeros(1,m), d])", true},
		{"total-of-split", "declare x[6] expression sum(reshape(x, 2, 3))", true},
		{"total-of-split", "declare x[6] y[3] expression sum(reshape(x, 2, 3) * y)", false},
		{"det-of-multiple", "declare A[n,n] c[] expression det(c*A)", true},
	} {
		require.Equal(t, c.applied, fires(t, c.rule, c.program, file, rules), "%s: %s", c.rule, c.program)
	}
	for _, q := range [][3]string{
		{"exp(x).*exp(y).*sin(z)", "exp(x + y).*sin(z)", "x[n] y[n] z[n]"}, {"sinh(2*x).*exp(y)", "2*sinh(x).*cosh(x).*exp(y)", "x[n] y[n]"},
	} {
		v, err := frechet.Prove(context.Background(), q[0], q[1], frechet.ProveOptions{Declare: q[2]}, frechet.WithRules(rules))
		require.NoError(t, err)
		require.Equal(t, frechet.EqualityProved, v.Outcome, q)
		var cert bytes.Buffer
		require.NoError(t, v.Derivation.Certificate(&cert))
		_, err = frechet.Replay(context.Background(), &cert, file)
		require.NoError(t, err, q)
	}
}

// TestConstructErrors: what is wrong with such rules is said where they are read.
func TestConstructErrors(t *testing.T) {
	for src, want := range map[string]string{
		"rule a [x y: S] exp(x) .* exp(y) <=> exp(x)":                               "1:11: rule a: y does not occur on the right side",
		"rule a [x: S] x ./ x <=> power[0](x) domain widened":                       "a rule with <=> keeps the domain",
		"rule a [U V, f: U -> V] f . id <=> f":                                      "1:25: a rule on maps is read from left to right",
		"rule a [x: S] x => abs(x)":                                                 "1:15: rule a: the left side is any value x",
		"rule a [A: R[m,n]] sin(A) => A when m < k":                                 "1:41: rule a: k is no size of the rule",
		"rule a [x y: S] exp(y) .* exp(x) ./ exp(x) <=> exp(y) .* power[0](exp(x))": "domain kept where x has a value",
		"rule a [A: R[m,n], B: R[m,k], C: R[k,n]] inv([A, B; C]) => inv([A, B; C])": "1:53: the row [C] has 1 block, the first one 2",
		"rule a [A: R[m,n], B: R[k,k]] inv([A, B; 0, 0]) => 0":                      "sizes differ in blocks: m and k",
		"rule a [A: R[m,n], x: R[n]] inv([A, x; 0, 1]) => 0":                        "a block is a matrix or a number, not one of shape [n]",
		"rule a [A: R[n,n]] inv([A, 0; 0, 0]) => 0":                                 "numbers alone has no size",
		"rule a [x: S] sin(x) <=> x":                                                "the right side is any value x",
	} {
		_, err := frechet.CheckRules(context.Background(), frechet.RuleFile{Name: "", Text: src}, false)
		require.ErrorContains(t, err, want, src)
	}
}
