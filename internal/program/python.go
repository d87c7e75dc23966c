package program

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"frechet/internal/fault"
	"frechet/syntax"
	"frechet/syntax/python"
)

// parsePython reads a function that is written in Python. It is translated for the likeliest orders of its arguments for which it has
// a type and its value is a number; for the likeliest with a type, where there are none such.
func parsePython(src string, o Options) (*Source, error) {
	f, err := python.Parse(src, fault.Syntax(o.Limits))
	if err != nil {
		return nil, err
	}
	o.Language = "einstein"
	var names []formulaName
	for _, name := range f.Open() {
		names = append(names, formulaName{name: name})
	}
	var s *Source
	orders, err := likeliest(names, len(src), true, func(orders map[string]int) (p *Program, err error) {
		_, p, err = translate(f, orders, o)
		return p, err
	})
	if err == nil {
		s, _, err = translate(f, orders, o)
	}
	return s, err
}

// translate translates a function for orders of its arguments, and types it.
func translate(f *python.Function, orders map[string]int, o Options) (*Source, *Program, error) {
	text, err := f.Translate(orders)
	if err != nil {
		return nil, nil, err
	}
	s, err := Parse(text, o)
	if err != nil {
		return nil, nil, inTranslation(err, text)
	}
	s.Options.Language = "numpy"
	s.translated = true
	if len(orders) > 0 {
		s.declared, _, _ = strings.Cut(text, "\n")
	}
	p, err := s.Elaborate(nil, nil)
	return s, p, err
}

const pythonIsRead = "a text in Python is read with --language numpy"

var assigned = regexp.MustCompile(`^\s*\w+\s*$`)

// numpyMarks and pythonMarks are what tells a formula in Python from one with a mistake; a product of matrices is * in SymPy.
var numpyMarks = regexp.MustCompile(`@|\b(np|numpy|jnp|jax|torch|F|math|scipy)\.\w`)
var pythonMarks, sympyMarks = regexp.MustCompile(`[\w)\]]\.\w+\(`), regexp.MustCompile(`\b(sympy|sp)\.|\.(diff|subs|step)\(|\.T\s*\*|\*\s*\w+\.T|\b[A-Z]\w*\s*\*\s*[A-Za-z]`)

// asPython adds to an error of a formula how it is written here, where it is one in Python.
func asPython(err error, src string, o Options) error {
	var e *syntax.Error
	if !errors.As(err, &e) || e.Code[0] != 'S' || !numpyMarks.MatchString(src) && (!pythonMarks.MatchString(src) || sympyMarks.MatchString(src)) {
		return err
	}
	if name, value, ok := strings.Cut(src, "="); ok && assigned.MatchString(name) {
		src = value
	}
	s, perr := parsePython(strings.TrimSpace(src), o)
	if perr != nil {
		return err
	}
	f, perr := s.Elaborate(nil, nil)
	if perr != nil || len(f.Outputs) != 1 {
		return err
	}
	text, perr := f.Print("matrix", nil, f.Outputs[0].Node)
	if perr != nil {
		return err
	}
	out := *e
	out.Help = fmt.Sprintf("write %s\n%s", text, pythonIsRead)
	return &out
}

// inTranslation is an error in a translation, whose places are not those of the text that a user wrote.
func inTranslation(err error, text string) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Line, out.Column, out.Notes = 0, 0, nil
	out.Help = strings.TrimLeft(out.Help+"\n", "\n") + "the function was read as:\n" + text
	return &out
}
