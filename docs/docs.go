// Package docs has the pages that the command shows in a terminal. It reads and imports nothing.
package docs

import (
	_ "embed" // the pages
	"strings"
)

// Language describes the languages, Calculus the rules and the notation in which they are written.
var (
	//go:embed language.md
	Language string
	//go:embed calculus.md
	Calculus string
)

// Section is the part of a page below the heading "## title", "" where there is none.
func Section(page, title string) string {
	_, rest, ok := strings.Cut(page, "\n## "+title+"\n")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return title + "\n" + text
}
