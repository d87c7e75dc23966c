package main

import (
	"fmt"
	"io"
	"os"
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

// parse parses the source, with sizes as symbols.
func (a *app) parse() (*frechet.Func, error) {
	opts := []frechet.Option{frechet.WithLimits(a.limits), frechet.WithLanguage(a.language),
		frechet.WithOperations(a.operations...), frechet.WithRules(a.rules)}
	if a.scalar {
		opts = append(opts, frechet.WithScalar())
	}
	f, err := frechet.Parse(a.source.text, opts...)
	if err != nil {
		return nil, err
	}
	for _, w := range f.Warnings() {
		fmt.Fprint(a.err, w.Render(a.source.name, a.source.text, a.colour()))
	}
	return f, nil
}

// assumed is the line that says which declaration was taken for a formula that has none.
func assumed(comment string, f *frechet.Func) string {
	if d := f.Assumed(); d != "" {
		return comment + " assumed: " + d + "\n\n"
	}
	return ""
}
