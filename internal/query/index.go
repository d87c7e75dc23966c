package query

import (
	"cmp"
	"strings"

	"frechet/combinators"
	"frechet/internal/program"
	"frechet/syntax"
	"frechet/syntax/index/unparse"
)

// printIndex prints values in index notation, or their LaTeX, each under its name: f, or dx for what has the axes of x.
func (w writing) printIndex(format string) (string, error) {
	stmts, err := unparse.Program(combinators.Arrange(w.values...), unparse.Options{Names: w.names, Taken: w.taken()})
	if err != nil {
		return "", err
	}
	if format == "latex" {
		return program.LaTeX(w.lefts, stmts, w.values...)
	}
	return strings.TrimRight(syntax.PrintFile(&syntax.File{Stmts: stmts}), "\n"), nil
}

// taken are names that no let of the text may have.
func (w writing) taken() map[string]bool {
	if w.joint {
		return w.f.Taken(w.names)
	}
	return w.f.Names()
}

// closedName is the name of the map in combinators: that of one value, f of several.
func (w writing) closedName() string {
	if w.joint {
		return "f"
	}
	return w.names[0]
}

// closedEquations are the LaTeX of values in combinators, a line each.
func (w writing) closedEquations() string {
	var lines []string
	for i, n := range w.values {
		left := w.lefts[""]
		if w.joint {
			left = w.lefts[w.names[i]]
		}
		lines = append(lines, w.f.ClosedEquation(left, n))
	}
	return strings.Join(lines, "\n\n")
}

// function is the name of the expression that the term is derived from: f, or another letter where f is a
// variable, for one without a name.
func (t *Term) function() string {
	name := t.name
	if t.from != nil {
		name = t.f.OutputName(t.from.output)
	}
	for _, letter := range []string{"f", "g", "h", "F", "G", "H"} {
		if name == "" && !t.f.Names()[letter] {
			name = letter
		}
	}
	return cmp.Or(name, "f")
}

// indexName is the name of a definition of the term: f or that of its expression, dx for what has the
// axes of x. Where there are several expressions each has names of its own: f2, df2_dx.
func (t *Term) indexName() string {
	by := ""
	for i, a := range t.axes {
		if a.Var != "" && (a.Index == 0 || i == 0) {
			by += "_" + a.Var
		}
	}
	if t.from != nil && len(t.from.wrt) > 0 {
		by = "_" + strings.Join(t.from.wrt, "_")
	}
	of, several := t.name, len(t.f.Outputs) > 1
	if of == "" && (t.from != nil || !several) {
		i := 0
		if t.from != nil {
			i = t.from.output
		}
		of = t.f.OutputName(i)
	}
	name := "d" + strings.TrimPrefix(by, "_")
	switch {
	case by == "" && of != "":
		return of
	case by == "":
		name = "f"
	case several && of != "":
		name = "d" + of + "_" + name
	}
	for t.f.Names()[name] || syntax.Reserved(name) {
		name += "1"
	}
	return name
}
