package rulebook_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/combinators/text"
	"frechet/rewrite"
)

var updateCalculus = flag.Bool("update-calculus", false, "rewrite the table of conditions in docs/calculus.md")

// docs/calculus.md has the table of conditions that the program uses.
func TestCalculusDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/calculus.md")
	require.NoError(t, err)
	doc := string(b)
	for name, want := range map[string]string{"conditions": conditionTable()} {
		open, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, ok := strings.Cut(doc, open)
		require.True(t, ok, name)
		have, after, ok := strings.Cut(rest, end)
		require.True(t, ok, name)
		if !*updateCalculus {
			require.Equal(t, want, have, "go test ./internal/rulebook -run TestCalculusDocument -update-calculus")
		}
		doc = before + open + want + end + after
	}
	if *updateCalculus {
		require.NoError(t, os.WriteFile("../../docs/calculus.md", []byte(doc), 0o644))
	}
}

func conditionTable() string {
	var b strings.Builder
	b.WriteString("| condition | of | holds where |\n|---|---|---|\n")
	for _, c := range rewrite.Conditions() {
		fmt.Fprintf(&b, "| `%s(%s)` | %s | %s |\n", c.Name, c.Args, strings.Join(c.On(), ", "), c.Says)
	}
	var names []string
	for _, r := range text.Relations {
		names = append(names, "`c "+r.Name+" d`")
	}
	fmt.Fprintf(&b, "| %s | numbers, sizes | they compare so; of sizes, whatever numbers their symbols stand for |\n", strings.Join(names, ", "))
	return b.String()
}

// TestConditions: the example file has every condition, each of its rules is applied where its
// conditions hold and not where they do not, and a derivation with it replays, since the checker has
// conditions of its own.
func TestConditions(t *testing.T) {
	b, err := os.ReadFile("../../examples/rules/conditions.rules")
	require.NoError(t, err)
	file := frechet.RuleFile{Name: "conditions.rules", Text: string(b)}
	programs := map[string][2]string{ // where the conditions hold, and where one does not
		"sinh-number":         {"declare x[n] expression sinh(3)*x", "declare x[n] expression sinh(x)"},
		"tan-square":          {"declare x[] expression tan(x)^2", "declare x[n] expression tan(x)^2"},
		"exp-square":          {"declare A[n,n] expression sinh(A) + cosh(A)", "declare A[m,n] expression sinh(A) + cosh(A)"},
		"log-times":           {"declare x[n] y[n] expression log(cosh(x) .* cosh(y))", "declare x[n] y[n] expression log(x .* y)"},
		"abs-times":           {"declare x[n] y[n] expression abs(cosh(x) .* y)", "declare x[n] y[n] expression abs(x .* y)"},
		"sinh-sum":            {"declare x[n] y[n] expression sinh(exp(x) + cosh(y))", "declare x[n] y[n] expression sinh(x + cosh(y))"},
		"cosh-sum":            {"declare x[n] y[n] expression cosh(sin(x) + exp(y))", "declare x[n] y[n] expression cosh(log(x) + exp(y))"},
		"log-scale":           {"declare x[n] expression log(3*x)", "declare x[n] expression log(-3*x)"},
		"sin-cos":             {"declare x[n] expression sin(x) .* cos(x)", "declare x[n] y[n] expression sin(x) .* cos(y)"},
		"cos-multiple":        {"declare x[n] expression cos(3*x)", "declare x[n] expression cos(1/2*x)"},
		"cosh-half":           {"declare x[n] expression cosh(3/2*x)", "declare x[n] expression cosh(3*x)"},
		"sinh-double":         {"declare x[n] expression sinh(2*x)", "declare x[n] expression sinh(3*x)"},
		"max-power":           {"declare x[n] y[n] expression max(x.^3, y.^3)", "declare x[n] y[n] expression max(x.^4, y.^4)"},
		"sinh-tanh":           {"declare x[n] expression sinh(x).^2 - tanh(x).^2", "declare x[n] expression sinh(sqrt(x)).^2 - tanh(sqrt(x)).^2"},
		"max-of-both":         {"declare A[n,n] symmetric expression max(A, -A)", "declare A[n,n] expression max(A, -A)"},
		"min-of-both":         {"declare A[n,n] antisymmetric expression min(A, -A)", "declare A[n,n] symmetric expression min(A, -A)"},
		"max-with-zero":       {"declare A[n,n] diagonal expression max(A, 0)", "declare A[n,n] symmetric expression max(A, 0)"},
		"min-with-zero":       {"declare A[n,n] lower expression min(inv(A), 0)", "declare A[n,n] upper expression min(A, 0)"},
		"max-with-one":        {"declare A[n,n] upper expression max(A, 1)", "declare A[n,n] lower expression max(A, 1)"},
		"det-root":            {"declare A[n,n] positive definite expression sqrt(det(A))", "declare A[n,n] symmetric expression sqrt(det(A))"},
		"max-over-det":        {"declare A[n,n] orthogonal B[n,n] orthogonal expression max(det(A*B'), 1)", "declare A[n,n] invertible expression max(det(A), 1)"},
		"entries-at-most-one": {"declare x[n] unit expression max(x, 1)", "declare x[n] simplex expression max(x, 1)"},
		"shares-at-most-one":  {"declare x[n] simplex expression min(x, 1)", "declare x[n] unit expression min(x, 1)"},
		"min-with-one":        {"declare C[m,n,m,n] major symmetric expression min(C, 1)", "declare C[m,n,m,n] expression min(C, 1)"},
		"zero-or-one":         {"declare x[n] binary expression cos(x)", "declare x[n] nonnegative expression cos(x)"},
		"one-place":           {"declare i[m] index(n) x[m] expression sin(sum(onehot(i), axis=1)) .* x", "declare A[m,n] binary expression sum(A, axis=1)"},
		"cramer":              {"declare A[m,n] expression adj(eye(n) + A'*A)", "declare A[n,n] expression adj(A)"},
		"sinh-over-tanh":      {"declare x[n] expression sinh(x) ./ tanh(x)", "declare x[n] expression sinh(x) ./ tanh(2*x)"},
		"det-one":             {"declare A[1,1] expression det(A)", "declare A[n,n] expression det(A)"},
	}
	parsed, err := text.ParseRules(file.Text)
	require.NoError(t, err)
	used := map[string]bool{}
	for _, r := range parsed.Rules {
		for _, w := range r.When {
			if used[w.Rel] = true; w.Rel == "" {
				used[w.Args[0].Name] = true
			}
		}
		require.Contains(t, programs, r.Name)
		one := frechet.RuleFile{Name: file.Name, Text: r.String()}
		rules, err := frechet.CheckRules(context.Background(), one, false)
		require.NoError(t, err)
		require.Empty(t, rules.Warnings(), r.Name)
		for i, src := range programs[r.Name] {
			require.Equal(t, i == 0, fires(t, r.Name, src, one, rules), "%s: %s", r.Name, src)
		}
	}
	for _, c := range rewrite.Conditions() {
		require.True(t, used[c.Name], "no rule has the condition %s", c.Name)
	}
	// every relation, compared by the matcher and by the checker alike
	for _, q := range text.Relations {
		for c, sign := range map[string]int{"2": -1, "3": 0, "4": 1} {
			one := frechet.RuleFile{Name: "relation.rules", Text: fmt.Sprintf(
				"rule multiple [x: S, c: Q] cosh(c .* x) => 2 .* cosh(1/2 .* c .* x) .^ 2 - 1 when c %s 3, c > 1", q.Name)}
			rules, err := frechet.CheckRules(context.Background(), one, true)
			require.NoError(t, err)
			holds := slices.Contains(map[string][]int{"=": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}[q.Name], sign)
			require.Equal(t, holds, fires(t, "multiple", "declare x[n] expression cosh("+c+"*x)", one, rules), "%s %s 3", c, q.Name)
		}
	}
}

// fires reports whether a rule is applied in the derivation of a program, whose certificate is checked.
func fires(t *testing.T, rule, src string, file frechet.RuleFile, rules *frechet.UserRules) bool {
	t.Helper()
	f, err := frechet.Parse(src, frechet.WithRules(rules))
	require.NoError(t, err, src)
	d, err := f.Steps()
	require.NoError(t, err, src)
	var cert bytes.Buffer
	require.NoError(t, d.Certificate(&cert), src)
	_, err = frechet.Replay(context.Background(), &cert, file)
	require.NoError(t, err, src)
	for s := range d.Steps() {
		if s.Rule == rule {
			return true
		}
	}
	return false
}
