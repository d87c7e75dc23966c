package elab

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

// The document of the language is right: its programs elaborate, or give the error that
// they are marked with, both columns of its table of matrix notation are the same terms,
// and every function has a place in it.
func TestLanguageDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	doc := string(text)

	program := func(src string) string {
		if !strings.Contains(src, "declare") {
			return declarations + src
		}
		return src
	}
	blocks := regexp.MustCompile("(?s)```frechet(?: error (\\w+))?\n(.*?)```").FindAllStringSubmatch(doc, -1)
	assert.Greater(t, len(blocks), 5)
	for _, b := range blocks {
		_, err := elaborate(program(b[2]), Options{})
		if b[1] == "" {
			assert.NoError(t, err, b[2])
			continue
		}
		var e *syntax.Error
		if assert.ErrorAs(t, err, &e, b[2]) {
			assert.Equal(t, b[1], string(e.Code), b[2])
		}
	}

	_, table, _ := strings.Cut(doc, "| matrix notation | index product |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := regexp.MustCompile("\\| `(.*?)` \\| `(.*?)` \\|").FindAllStringSubmatch(table, -1)
	assert.Greater(t, len(rows), 10)
	for _, r := range rows {
		p, err := elaborate(declarations+"expression "+r[1]+" expression "+r[2], Options{})
		if assert.NoError(t, err, r[0]) {
			assert.Same(t, p.Outputs[0].Node, p.Outputs[1].Node, r[0])
		}
	}
	_, table, _ = strings.Cut(doc, "| index product | meaning |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1) {
		for _, m := range regexp.MustCompile("`(.*?)`").FindAllStringSubmatch(row[1], -1) {
			_, err := elaborate(declarations+"expression "+m[1], Options{})
			assert.NoError(t, err, m[1])
		}
	}
	for _, f := range syntax.Functions() {
		assert.Regexp(t, "[`( ]"+f+"[`( ]", doc, f)
	}
}
