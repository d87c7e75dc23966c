package rulebook_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// Rules meet parts of longer products and sums; the derivations replay.
func TestRulesMeetParts(t *testing.T) {
	const declared = "declare A[n,n] B[n,n] C[n,n] X[m,n] Y[n,m] x[n] y[n] expression "
	const inverse = "[A: R[n,n]] ein(ij,jk->ik; inv(A), A) => eye[n] domain widened"
	const det = "[A B: R[n,n]] minor[0](ein(ij,jk->ik; A, B)) => minor[0](A) .* minor[0](B)"
	const lemma = "[u v: R[n]] minor[0](eye[n] + ein(i,j->ij; u, v)) => 1 + ein(i,i->; u, v)"
	const double = "[x: S] sinh(x) .^ 2 + cosh(x) .^ 2 => cosh(2 .* x)"
	for _, c := range []struct{ rule, src, want string }{ // want "" where the rule is not applied
		{inverse, "inv(A*C)*A*C*B", "B"},
		{inverse, "x'*inv(A*B*C)*A*B*C*y", "x'*y"},
		{inverse, "inv(A*C)*C*A*B", ""},
		{inverse, "inv(A')*A'*B", "B"},
		{inverse, "A*inv(A)*B", "B"},
		{inverse, "B*(A*C)'*inv((A*C)')", "B"},
		{inverse, "inv((A*C)')*(A*C)'*B", "B"},
		{inverse, "inv(Y*X)*Y*X*x", "x"},
		{inverse, "inv(A*A)*A*A*A", "A"},
		{inverse, "inv(A+B)*A + inv(A+B)*B", "eye(n)"},
		{inverse, "tr(inv(A*B)*A*B)", "n"},
		{det, "det(Y*X)", "det(Y*X)"},
		{det, "det(X*Y)", ""},
		{det, "det(A*Y*X)", "det(A)*det(Y*X)"},
		{"[A B: R[n,n]] ein(ii->; ein(ij,jk,kl->il; inv(A), B, A)) => ein(ii->; B)", "tr(inv(A*B)*C*x*x'*A*B)", "x'*C*x"},
		{"[x: S] x .* cosh(x) => sinh(x)", "(A*B) .* cosh(A*B)", "sinh(A*B)"},
		{lemma, "det(eye(n) + A*x*y')", "y'*A*x + 1"},
		{lemma, "det(x*x' + eye(n))", "x'*x + 1"},
		{lemma, "det(A + x*y')", ""},
		{double, "sinh(x)^2 + y + cosh(x)^2", "y + cosh(2*x)"},
		{double, "sinh(x*y') .^ 2 + y*x' + cosh(x*y') .^ 2 - x*x'", "(y - x)*x' + cosh(2*x*y')"},
		{double, "sinh(x)^2 + y + cosh(y)^2", ""},
	} {
		file := frechet.RuleFile{Name: "parts.rules", Text: "rule r " + c.rule}
		rules, err := frechet.CheckRules(context.Background(), file, true)
		require.NoError(t, err, c.rule)
		fired := fires(t, "r", declared+c.src, file, rules)
		if c.want == "" {
			require.False(t, fired, c.src)
			continue
		}
		f, err := frechet.Parse(declared+c.src, frechet.WithRules(rules))
		require.NoError(t, err, c.src)
		require.Equal(t, c.want, simplified(t, f), c.src)
	}
}

// The determinant of any word in matrices and transposes is the product of their determinants, however
// the word is cut; the derivations replay.
func TestRulesMeetWords(t *testing.T) {
	file := frechet.RuleFile{Name: "parts.rules", Text: "rule r [A B: R[n,n]] minor[0](ein(ij,jk->ik; A, B)) => minor[0](A) .* minor[0](B)"}
	rules, err := frechet.CheckRules(context.Background(), file, false)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		counts := map[string]int{}
		var word []string
		for range 2 + rnd.IntN(5) {
			l := string("ABC"[rnd.IntN(3)])
			counts[l]++
			word = append(word, l+[]string{"", "'"}[rnd.IntN(2)])
		}
		src := fmt.Sprintf("declare A[n,n] B[n,n] C[n,n] expression det(%s) - det(A)^%d*det(B)^%d*det(C)^%d",
			strings.Join(word, "*"), counts["A"], counts["B"], counts["C"])
		require.True(t, fires(t, "r", src, file, rules), src)
		f, err := frechet.Parse(src, frechet.WithRules(rules))
		require.NoError(t, err, src)
		require.Equal(t, "0", simplified(t, f), src)
	}
}

// simplified is the value of a program, by the user's rules too.
func simplified(t *testing.T, f *frechet.Func) string {
	t.Helper()
	r, err := f.Derive(context.Background(), frechet.Query{Order: 0})
	require.NoError(t, err)
	return r.Outputs[0].Value.String()
}
