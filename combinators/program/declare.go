package program

import (
	"errors"
	"slices"

	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/syntax"
)

// Declare reads the declarations of functions in a program of the matrix, Einstein or index language. The program's functions
// are these and those of the parent. An error is a *[syntax.Error].
func Declare(f *syntax.File, parent *atom.Scope) error {
	f.Functions = atom.NewScope(parent)
	var all []*text.Primitive
	spans := map[*text.Primitive]syntax.Span{}
	for _, s := range f.Stmts {
		if s.Kind != syntax.Primitive {
			continue
		}
		p, err := text.ParsePrimitive(s.Text)
		if err != nil {
			return placed(f, err, s.Span)
		}
		all = append(all, p)
		spans[p] = s.Span
	}
	for _, p := range all {
		if err := p.Declare(f.Functions, known); err != nil {
			return placed(f, err, spans[p])
		}
	}
	for _, p := range all {
		if err := p.Check(f.Functions); err != nil {
			return placed(f, err, spans[p])
		}
	}
	return nil
}

// placed gives an error in a declaration its place in the program.
func placed(f *syntax.File, err error, at syntax.Span) error {
	code := syntax.Code("P001")
	var e *text.Error
	if !errors.As(err, &e) {
		return f.Errorf(code, at, "%s", err)
	}
	start := at.Start + syntax.Offset(f.Src[at.Start:at.End], e.Pos.Line, e.Pos.Column)
	if e.Code != "" {
		code = syntax.Code(e.Code)
	}
	out := f.Errorf(code, syntax.Span{Start: start, End: start + max(e.Width, 1)}, "%s", e.Message)
	if out.Help = e.Help; out.Help == "" {
		out.Help = "a function is declared as primitive h : R -> R derivative h1, or primitive g : R[n] -> R[m]"
	}
	return out
}

// known says what a name means in the languages, beside what it means in rules, "" where that is nothing.
func known(name string) string {
	if _, is := syntax.LookupFunction(name); is || slices.Contains(denote.StandardMaps, name) {
		return "a function"
	}
	if syntax.Reserved(name) {
		return "a keyword"
	}
	return ""
}
