package normal_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
)

var updateDocument = flag.Bool("update-steps", false, "write the steps in docs/normal-form.md")

// The steps of the term that docs/normal-form.md takes through all stages are those it states.
func TestStepsInDocument(t *testing.T) {
	const document = "../../docs/normal-form.md"
	file, err := syntax.Parse("declare A[m,n] declare x[m] declare y[n] declare z[m] "+
		"expression x'*A*y + (2*y)'*(A'*z) + norm2(y)*norm2(y)*(sum(exp(x) .* exp(-x)) - m)", syntax.Limits{})
	require.NoError(t, err)
	prog, err := elab.Elaborate(file, elab.Options{})
	require.NoError(t, err)
	y := prog.Outputs[0].Node
	var b strings.Builder
	z := normal.New(y.Store(), nil)
	z.Trace = func(s normal.Step) {
		fmt.Fprintf(&b, "%-14s %s\n%-14s => %s\n", s.Rule, text.Value(s.Before), "", text.Value(s.After))
	}
	z.Simplify(y)
	have, err := os.ReadFile(document)
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)<!-- steps -->\n```\n.*?```\n")
	want := block.ReplaceAllLiteralString(string(have), "<!-- steps -->\n```\n"+b.String()+"```\n")
	if *updateDocument {
		require.NoError(t, os.WriteFile(document, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(have), "go test ./rewrite/normal -run Document -update-steps writes it")
}
