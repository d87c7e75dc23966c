package code

import (
	"embed"
	"maps"
	"regexp"
	"strings"
)

// The functions that printed programs may need stand in files of their own, in their own language, with two empty lines
// between them. A program gets those that it calls.
//
//go:embed helpers
var helperFiles embed.FS

// helpers are the definitions in files that body calls, and those that these call, in their order. define finds the name of
// a definition in its text, edit puts in what a target says in its own way.
func helpers(files []string, edit *strings.Replacer, define *regexp.Regexp, body string) []string {
	var blocks []string
	own := map[string]bool{} // names that an earlier file defines
	for _, file := range files {
		text, err := helperFiles.ReadFile("helpers/" + file)
		if err != nil {
			panic(err) // the file is one of ours
		}
		names := map[string]bool{}
		for _, b := range strings.Split(strings.TrimSpace(edit.Replace(string(text))), "\n\n\n") {
			if name := define.FindStringSubmatch(b)[1]; !own[name] {
				blocks, names[name] = append(blocks, b), true
			}
		}
		maps.Copy(own, names)
	}
	used := make([]bool, len(blocks))
	for pending := []string{body}; len(pending) > 0; pending = pending[1:] {
		for i, b := range blocks {
			name := define.FindStringSubmatch(b)[1]
			if used[i] || !regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\(`).MatchString(pending[0]) {
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

// asItIs edits nothing.
var asItIs = strings.NewReplacer()
