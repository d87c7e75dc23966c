package derivation_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// Every line of a derivation follows from the one before by a rule or a schema of the rule files,
// and the last one is the normal form: Steps gives an error where it is not.
func TestDerivationsOfRandomPrograms(t *testing.T) {
	known := map[string]bool{}
	for _, f := range frechet.ShippedRules() {
		names, err := frechet.ListRules(f)
		require.NoError(t, err)
		for _, n := range names {
			known[n.Name] = true
		}
	}
	drawn, long := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		p := programs.Draw(t, true)
		f, err := frechet.Parse(p.Text())
		require.NoError(t, err)
		d, err := f.Steps()
		if frechet.ErrorKind(err) == "limit" {
			long++
			return
		}
		require.NoError(t, err, p.Text())
		for s := range d.Steps() {
			if s.Rule != "" && !known[s.Rule] {
				t.Fatalf("%s is no rule", s.Rule)
			}
		}
	})
	require.LessOrEqual(t, long, drawn/50, "derivations of more than the limit of steps")
}

// The derivation of the Hessian of an objective ends with the Hessian that is printed.
func TestDerivationsEndInTheHessian(t *testing.T) {
	terms := []string{"x'*A*x", "sum(exp(x))", "norm2(A*x - b)^2", "norm2(A*x - b)", "sum(log(1 + exp(A*x)))", "b'*x", "logsumexp(A*x)",
		"sum(x .* log(x))", "sum(sin(A*x) .* b)", "(b'*x)^3"}
	rapid.Check(t, func(t *rapid.T) {
		var sum []string
		for range rapid.IntRange(1, 2).Draw(t, "terms") {
			c := rapid.IntRange(1, 5).Draw(t, "coefficient")
			sum = append(sum, fmt.Sprintf("%d*%s", c, rapid.SampledFrom(terms).Draw(t, "term")))
		}
		src := "declare A[n,n] x[n] b[n] expression " + strings.Join(sum, " + ") + " hessian wrt x"
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		h, err := f.Hessian("x")
		require.NoError(t, err)
		d, err := f.Steps("x")
		require.NoError(t, err, src)
		var last frechet.Step
		for s := range d.Steps() {
			last = s
		}
		require.Equal(t, "Hessian", last.Part, src)
		require.Equal(t, shape(h.String()), shape(last.Text("text")), src)
	})
}

// shape is a text up to the names of lets, which stand before a formula or behind it, and the order of its parts.
func shape(text string) string {
	text = regexp.MustCompile(`\b(let|where|expression)\b`).ReplaceAllString(text, " ")
	text = regexp.MustCompile(`\b[ac-wyzP-Z]\d*\b`).ReplaceAllString(text, "_")
	signs := []rune(strings.Join(strings.Fields(text), ""))
	slices.Sort(signs)
	return string(signs)
}
