package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"frechet"
)

// A source is a program's text and the name that messages give it.
type source struct {
	name, text string
	literal    bool // the text was an argument
}

// readSource finds the program: "-" is standard input, the name of a file is that file,
// anything that cannot be a file's name is the program itself.
func (a *app) readSource(arg string) error {
	if arg == "-" {
		return a.readAll("<stdin>", a.in)
	}
	f, err := os.Open(arg)
	if err != nil {
		if looksLikeProgram(arg) {
			a.source = source{"<expression>", arg, true}
			return nil
		}
		if arg == "" {
			arg = "''"
		}
		return fmt.Errorf("%s: no such file; a program can also be given as text, like 'declare x 1 expression x *(i,i->) x derivative wrt x', or on standard input as -", arg)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", arg)
	}
	return a.readAll(arg, f)
}

// readAll reads at most one byte beyond the limit, which Parse then reports.
func (a *app) readAll(name string, r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, a.limits.Input+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	a.source = source{name: name, text: string(b)}
	return nil
}

func looksLikeProgram(arg string) bool { return strings.ContainsAny(arg, " \t\n()*+^=[]'") }

// parse parses the source, with sizes as symbols. An expression that stands alone gets a hint how to
// declare its variables.
func (a *app) parse() (*frechet.Func, error) {
	f, err := frechet.Parse(a.source.text, frechet.WithLimits(a.limits), frechet.WithLanguage(a.language),
		frechet.WithOperations(a.operations...), frechet.WithRules(a.rules))
	if err != nil && a.language != "combinators" && !strings.Contains(a.source.text, ":") && !strings.Contains(a.source.text, "declare") && !definition.MatchString(a.source.text) {
		return nil, frechet.WithHelp(err, "a program declares its variables first: "+declared(a.source.text))
	}
	return f, err
}

var (
	word  = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]*`)
	index = regexp.MustCompile(`\*\s*\([A-Za-z', ]*->[A-Za-z' ]*\)`)
	// a definition in index notation, whose arguments need no declaration
	definition = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9_]*\s*(\[[^\]]*\]\s*)?=`)

	call = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]*\s*\(`)
)

// declared guesses declarations for a bare expression: capitals for matrices.
func declared(expr string) string {
	if expr = strings.TrimSpace(expr); len(expr) > 60 {
		return "declare x 1 A 2 expression ... derivative wrt x"
	}
	bare := call.ReplaceAllString(index.ReplaceAllString(expr, " "), "(")
	var names []string
	for _, n := range word.FindAllString(bare, -1) {
		if !slices.Contains(names, n) && n != "expression" && n != "derivative" && n != "wrt" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		names = []string{"x"}
	}
	var b strings.Builder
	b.WriteString("declare")
	for _, n := range names {
		order := 1
		if n[0] >= 'A' && n[0] <= 'Z' {
			order = 2
		}
		fmt.Fprintf(&b, " %s %d", n, order)
	}
	if !strings.HasPrefix(expr, "expression") {
		b.WriteString(" expression")
	}
	b.WriteString(" " + expr)
	if !strings.Contains(expr, "wrt") {
		b.WriteString(" derivative wrt " + names[0])
	}
	return b.String()
}
