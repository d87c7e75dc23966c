package code

import (
	"embed"
	"regexp"
	"strings"
)

// The functions that printed programs may need stand in files of their own, in their own language, with two empty lines
// between them. A program gets those that it calls.
//
//go:embed helpers
var helperFiles embed.FS

// helpers are the definitions of a file that body calls, and those that these call, in the order of the file.
// define finds the name of a definition in its text.
func helpers(file string, define *regexp.Regexp, body string) []string {
	text, err := helperFiles.ReadFile("helpers/" + file)
	if err != nil {
		panic(err) // the file is one of ours
	}
	blocks := strings.Split(strings.TrimSpace(string(text)), "\n\n\n")
	used := make([]bool, len(blocks))
	pending := []string{body}
	for len(pending) > 0 {
		text := pending[0]
		pending = pending[1:]
		for i, b := range blocks {
			m := define.FindStringSubmatch(b)
			if m == nil || used[i] || !regexp.MustCompile(`\b`+regexp.QuoteMeta(m[1])+`\b`).MatchString(text) {
				continue
			}
			used[i] = true
			pending = append(pending, b)
		}
	}
	var out []string
	for i, b := range blocks {
		if used[i] {
			out = append(out, b)
		}
	}
	return out
}
