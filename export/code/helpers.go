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

// helpers are the definitions in files that body calls, and those that these call, in their order. define finds the name of
// a definition in its text.
func helpers(files []string, define *regexp.Regexp, body string) []string {
	var blocks []string
	for _, file := range files {
		text, err := helperFiles.ReadFile("helpers/" + file)
		if err != nil {
			panic(err) // the file is one of ours
		}
		blocks = append(blocks, strings.Split(strings.TrimSpace(string(text)), "\n\n\n")...)
	}
	used := make([]bool, len(blocks))
	for pending := []string{body}; len(pending) > 0; pending = pending[1:] {
		for i, b := range blocks {
			name := define.FindStringSubmatch(b)[1]
			if used[i] || !regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).MatchString(pending[0]) {
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
