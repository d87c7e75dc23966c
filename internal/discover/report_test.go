package discover

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frechet/combinators/text"
	"frechet/internal/corpus"
	"frechet/internal/program"
	"frechet/rewrite/verify"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "find the laws of docs/rules-found.md anew: some minutes")

const page = "../../docs/rules-found.md"

// texts are the programs of the corpora that can be read, and the known closed forms of derivatives.
func texts(t *testing.T) (all []string) {
	programs, err := corpus.Programs("../..")
	require.NoError(t, err)
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	for _, ps := range programs {
		for _, p := range ps {
			all = append(all, p.Text)
		}
	}
	for _, f := range forms {
		for _, c := range f.Closed() {
			all = append(all, f.Program(c))
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(src string) bool {
		_, err := program.Read(src, program.Options{})
		return err != nil
	})
}

// TestReport: docs/rules-found.md has what is found over the signatures; of its laws a sample is put to the test.
func TestReport(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(report(t)), 0o644))
	}
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	count := 0
	for i, block := range regexp.MustCompile("(?s)```\n(#.*?)```").FindAllStringSubmatch(string(b), -1) {
		f, err := text.ParseRules(block[1])
		require.NoError(t, err, block[1])
		count += len(f.Rules)
		r := f.Rules[(7*i)%len(f.Rules)]
		require.True(t, verify.Rule(r).Passed(), r)
	}
	require.Greater(t, count, 100)
}

// report is the page.
func report(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# Laws that were found by machine

What ` + "`frechet rules find`" + ` finds over the functions of the table that the rules of the program do not prove, by signature, with what the
verifier says of each; those come first that make most values of the corpora smaller. The program does not use them but for those
that [calculus.md](calculus.md#finding-rules) names. Of what is tested in floating-point numbers, little is known beyond these:
functions that come near a constant may be taken for it. ` + "`go test ./internal/discover -run TestReport -update`" + ` writes this page.
`)
	programs := texts(t)
	for _, g := range Signatures {
		f, err := Laws(context.Background(), Options{Over: g.Over, Vars: g.Vars, Size: g.Size, Corpus: programs})
		require.NoError(t, err)
		fmt.Fprintf(&b, "\n## `%s`\n\n`%s` of at most %d nodes; %d terms, %d laws.\n", g.Over, g.Vars, g.Size, f.Terms, len(f.Laws))
		if len(f.Laws) > 0 {
			fmt.Fprintf(&b, "\n```\n%s```\n", f)
		}
	}
	return b.String()
}
