package docs_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/syntax"
	"frechet/syntax/index"
	"frechet/syntax/python"
)

var update = flag.Bool("update-grammar", false, "rewrite the grammars in grammar.md")

// spelled are the tokens that are always written the same.
var spelled = map[string]string{
	"open": "(", "close": ")", "opensize": "[", "closesize": "]", "openb": "[", "closeb": "]", "where": "[", "openc": "{", "closec": "}",
	"comma": ",", "colon": ":", "semicolon": ";", "equals": "=", "under": "_", "caret": "^", "group": "*(", "ein": "ein(",
	"wrt": "wrt", "declare": "declare", "let": "let", "expression": "expression", "expressionas": "expression", "delta": "delta",
	"if": "if", "then": "then", "else": "else", "total": "sum",
}

// shown is a grammar in the notation of the page.
func shown(grammar string) string {
	return regexp.MustCompile(`<([a-z]+)>`).ReplaceAllStringFunc(grammar, func(token string) string {
		if s := spelled[strings.Trim(token, "<>")]; s != "" {
			return `"` + s + `"`
		}
		return token
	})
}

// grammar.md has the grammars of the parsers, and they name no production that is not there.
func TestGrammarPage(t *testing.T) {
	b, err := os.ReadFile("grammar.md")
	require.NoError(t, err)
	page := string(b)
	terms := text.RuleGrammar()
	for name, grammar := range map[string]string{
		"programs": syntax.Grammar(), "index notation": index.Grammar(), "rules": terms,
		"combinators": text.StatementGrammar(), "python": python.Grammar(),
	} {
		all := grammar
		if name == "combinators" {
			all += terms
		}
		for word := range strings.FieldsSeq(regexp.MustCompile(`"[^"]*"|<[^>]*>|[^A-Za-z ]`).ReplaceAllString(grammar, " ")) {
			require.Contains(t, all, word+" = ", name)
		}
		open, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, ok := strings.Cut(page, open)
		require.True(t, ok, name)
		have, after, ok := strings.Cut(rest, end)
		require.True(t, ok, name)
		want := "```text\n" + shown(grammar) + "```\n"
		if !*update {
			require.Equal(t, want, have, "go test ./docs -update-grammar")
		}
		page = before + open + want + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile("grammar.md", []byte(page), 0o644))
	}
}
