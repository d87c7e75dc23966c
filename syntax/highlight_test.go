package syntax

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/stretchr/testify/require"

	"frechet/combinators/atom"
	"frechet/internal/corpus"
)

var updateHighlighting = flag.Bool("update-highlighting", false, "write the grammar of editors anew")

// A pattern of a TextMate grammar: what the whole match is, or its groups.
type pattern struct {
	Name     string                       `json:"name,omitempty"`
	Match    string                       `json:"match"`
	Captures map[string]map[string]string `json:"captures,omitempty"`
}

const highlighting = "../editors/frechet.tmLanguage.json"

// patterns are made from the words of the lexer. They are regular expressions of Go as well.
func patterns() []pattern {
	words := func(ws ...string) string {
		slices.SortFunc(ws, func(a, b string) int {
			if len(a) != len(b) {
				return len(b) - len(a)
			}
			return strings.Compare(a, b)
		})
		return strings.Join(ws, "|")
	}
	var always, called, attributes []string
	for _, f := range Functions() {
		if Reserved(f) {
			always = append(always, f)
		} else {
			called = append(called, f)
		}
	}
	for _, a := range atom.AttributeRows {
		attributes = append(attributes, a.Name)
	}
	call := map[string]map[string]string{"1": {"name": "support.function.frechet"}}
	return []pattern{
		{Name: "comment.line.number-sign.frechet", Match: "#.*$"},
		{Name: "keyword.control.frechet", Match: `\b(?:` + words(append([]string{"declare", "let", "expression", "derivative", "wrt", "along", "through", "map", "primitive"}, requests...)...) + `)\b`},
		{Name: "storage.modifier.frechet", Match: `\b(?:` + words(attributes...) + `)\b`},
		{Name: "constant.numeric.frechet", Match: `(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`},
		{Name: "keyword.operator.contraction.frechet", Match: `\*\s*\([^()]*->[^()]*\)`},
		{Match: `\b(` + words(called...) + `)\s*\(`, Captures: call},
		{Match: `\b(` + words(always...) + `|delta)\b`, Captures: call},
		{Name: "variable.other.frechet", Match: `[\p{L}_][\p{L}0-9_]*`},
		{Name: "keyword.operator.frechet", Match: `\.[*/^]|[-+*/^'=<>]`},
	}
}

// TestHighlighting: the grammar is that of the lexer's words, and gives the tokens of the corpora's programs the scopes of their kinds.
func TestHighlighting(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(map[string]any{"$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
		"name": "frechet", "scopeName": "source.frechet", "fileTypes": []string{"fr"}, "patterns": patterns()}))
	if *updateHighlighting {
		require.NoError(t, os.WriteFile(highlighting, b.Bytes(), 0o644))
	}
	have, err := os.ReadFile(highlighting)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(have), "go test ./syntax -run TestHighlighting -update-highlighting writes it")

	corpora, err := corpus.Programs("..")
	require.NoError(t, err)
	checked := 0
	for _, programs := range corpora {
		for i, p := range programs {
			if i%3 > 0 {
				continue
			}
			if _, err := Parse(p.Text, Limits{}); err == nil {
				checked += checkScopes(t, p.Text)
			}
		}
	}
	require.Greater(t, checked, 2000)
}

// checkScopes compares the tokens of a program with what the patterns make of it.
func checkScopes(t *testing.T, src string) (checked int) {
	scopes := scopesOf(src)
	for l := newProgramLexer(src, Limits{}); ; {
		tok, err := l.Next()
		require.NoError(t, err)
		if tok.Type == lexer.EOF {
			return checked
		}
		want := map[lexer.TokenType]string{tokDeclare: "keyword.control", tokExpression: "keyword.control", tokRequest: "keyword.control", tokWrt: "keyword.control",
			tokLet: "keyword.control", tokNum: "constant.numeric", tokCall: "support.function", tokDelta: "support.function", tokAttribute: "storage.modifier",
			tokOp: "keyword.operator", tokName: "variable.other"}[tok.Type]
		if _, known := functions[tok.Value]; tok.Type == tokCall && !known { // a function that the program declares, or that there is not
			continue
		}
		if want == "" || tok.Value == "" || tok.Type == tokName && !IsLetter(tok.Value[0]) || tok.Type == tokOp && strings.HasPrefix(tok.Value, "*(") {
			continue
		}
		got := scopes[tok.Pos.Offset]
		if tok.Type == tokName && got != want { // a name may be a keyword's elsewhere
			continue
		}
		require.True(t, strings.HasPrefix(got, want), "%q at %d of %s is %q", tok.Value, tok.Pos.Offset, src, got)
		checked++
	}
}

var compiled []*regexp.Regexp

// scopesOf applies the patterns as an editor does: the one that matches first, of several the one that stands first.
func scopesOf(src string) []string {
	ps := patterns()
	if compiled == nil {
		for _, p := range ps {
			compiled = append(compiled, regexp.MustCompile(p.Match))
		}
	}
	out := make([]string, len(src)+1)
	start := 0
	for line := range strings.Lines(src) {
		for at := 0; at < len(line); {
			best, from, to := -1, len(line), 0
			for i, re := range compiled {
				if m := re.FindStringSubmatchIndex(line[at:]); m != nil && m[1] > m[0] && at+m[0] < from && !insideWord(line, at+m[0]) {
					best, from, to = i, at+m[0], at+m[1]
					if ps[i].Name == "" {
						to = at + m[3]
					}
				}
			}
			if best < 0 {
				break
			}
			scope := ps[best].Name
			if scope == "" {
				scope = ps[best].Captures["1"]["name"]
			}
			for k := from; k < to; k++ {
				out[start+k] = scope
			}
			at = to
		}
		start += len(line)
	}
	return out
}

// insideWord: the text before belongs to the same word, which a pattern that was cut off there does not see.
func insideWord(line string, at int) bool {
	return at > 0 && IsLetter(line[at]) && (IsLetter(line[at-1]) || IsDigit(line[at-1]))
}
