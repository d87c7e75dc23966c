package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	adjointrules "frechet/adjoint/rules"
	"frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/rewrite/proof/coq"
)

var update = flag.Bool("update", false, "write the list of rules in docs/theorems.md anew")

// The list of docs/theorems.md has the rules of algebra.rules that are no lemmas.
func TestLedger(t *testing.T) {
	file, err := text.ParseRules(rules.Algebra)
	require.NoError(t, err)
	var without []string
	lemmas := 0
	for _, r := range file.Rules {
		if coq.IsLemma(r.Name) {
			lemmas++
		} else if len(without) == 0 || without[len(without)-1] != r.Name {
			without = append(without, r.Name)
		}
	}
	require.GreaterOrEqual(t, lemmas*10, len(file.Rules)*8)
	want := fmt.Sprintf("<!-- lemmas -->\n%d of the %d rules of algebra.rules are lemmas of `Rules.v`. These are not:\n%s.\n<!-- end of lemmas -->",
		lemmas, len(file.Rules), wrapped(without))
	const doc = "../../docs/theorems.md"
	src, err := os.ReadFile(doc)
	require.NoError(t, err)
	block := regexp.MustCompile(`(?s)<!-- lemmas -->.*<!-- end of lemmas -->`)
	if *update {
		require.NoError(t, os.WriteFile(doc, block.ReplaceAll(src, []byte(want)), 0o644))
		return
	}
	require.Equal(t, want, string(block.Find(src)), "go test ./internal/coq -update")
}

// wrapped are names in lines of some 110 characters.
func wrapped(names []string) string {
	var b strings.Builder
	line := 0
	for i, n := range names {
		if i > 0 {
			b.WriteByte(',')
			line++
			if line+len(n) > 110 {
				b.WriteByte('\n')
				line = 0
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString("`" + n + "`")
		line += len(n) + 3
	}
	return b.String()
}

// The rules that differentiate and transpose maps are lemmas of Maps.v.
func TestMapLedger(t *testing.T) {
	for _, src := range []string{adjointrules.Derivative, adjointrules.Adjoint, adjointrules.Chain} {
		file, err := text.ParseRules(src)
		require.NoError(t, err)
		for _, r := range file.Rules {
			require.True(t, coq.IsLemma(r.Name), r.Name)
		}
	}
}

// The laws that docs/theorems.md names are lemmas of the prelude.
func TestLemmasOfTheLedger(t *testing.T) {
	var all strings.Builder
	for _, text := range coq.Files() {
		all.WriteString(text)
	}
	doc, err := os.ReadFile("../../docs/theorems.md")
	require.NoError(t, err)
	names := regexp.MustCompile("`(D_\\w+|eq_\\w+|check_sound)`").FindAllSubmatch(doc, -1)
	require.NotEmpty(t, names)
	for _, m := range names {
		require.Regexp(t, `(Lemma|Theorem) `+string(m[1])+`\b`, all.String())
	}
}
