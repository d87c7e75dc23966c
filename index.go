package frechet

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/program"
	"frechet/export/latex"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/index"
	"frechet/syntax/index/unparse"
)

// inIndexNotation reports whether all expressions of a program are definitions in index
// notation: their arguments need no declaration, and derivatives are written alike.
func inIndexNotation(file *syntax.File) bool {
	return !slices.ContainsFunc(file.Stmts, func(s syntax.Stmt) bool { return s.Kind == syntax.Expression && s.Index == nil })
}

// checkLanguage refuses a program that is not in the language that a request names.
func (t *source) checkLanguage(name string) error {
	index := inIndexNotation(t.file)
	for _, s := range t.file.Stmts {
		switch {
		case s.Kind != syntax.Expression || name == "auto" || name == "":
		case name == "index" && !index:
			return t.file.Errorf("S002", s.Span, "an expression of the Einstein language stands in a request for index notation").
				Helpf("a definition is written f[i] = ..., or ask for language auto")
		case name == "einstein" && s.Index != nil:
			return t.file.Errorf("S002", s.Span, "a definition in index notation stands in a request for the Einstein language").
				Helpf("ask for language index or auto")
		}
	}
	return nil
}

// printIndex prints a value in index notation, or its LaTeX, named after what it is: f, or
// dx for what has the axes of x.
func (t *Term) printIndex(format string) (string, error) {
	stmts, err := unparse.Program(combinators.Arrange(t.node), unparse.Options{Names: []string{t.indexName()}, Taken: t.f.names()})
	if err != nil {
		return "", err
	}
	if format != "latex" {
		return strings.TrimRight(syntax.PrintFile(&syntax.File{Stmts: stmts}), "\n"), nil
	}
	var exprs, lets []*index.Definition
	for _, s := range stmts {
		d, err := index.ParseText(s.Text, syntax.Limits{})
		if err != nil {
			return "", err
		}
		if s.Kind == syntax.Let {
			lets = append(lets, d)
		} else {
			exprs = append(exprs, d)
		}
	}
	return latex.Definitions(exprs, lets), nil
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
	of, several := t.name, len(t.f.prog.Outputs) > 1
	if of == "" && (t.from != nil || !several) {
		i := 0
		if t.from != nil {
			i = t.from.output
		}
		of = t.f.outputName(i)
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
	taken := t.f.names()
	for slices.Contains(taken, name) || syntax.Reserved(name) {
		name += "1"
	}
	return name
}

// outputName is the name of an expression; those of several that have none are numbered. It is "" for
// one alone.
func (f *Func) outputName(i int) string {
	name := f.prog.Outputs[i].Name
	for n := i + 1; name == "" && len(f.prog.Outputs) > 1; n += len(f.prog.Outputs) {
		if free := fmt.Sprintf("f%d", n); !slices.Contains(f.names(), free) {
			name = free
		}
	}
	return name
}

// decideAssumptions elaborates a program with the sizes that its values have, where its
// text alone leaves open whether every access is in range.
func (f *Func) decideAssumptions(env Env, sizes Sizes) error {
	if len(f.prog.Assumptions) == 0 {
		return nil
	}
	dims := map[string][]int64{}
	for _, p := range f.prog.Params {
		if t := env[p.Name]; t != nil {
			dims[p.Name] = []int64{}
			for _, d := range t.Shape {
				dims[p.Name] = append(dims[p.Name], int64(d))
			}
		}
	}
	_, err := elab.Elaborate(f.file, elab.Options{Dims: dims, Sizes: sizes, Limits: f.opt.limits.syntax(), Nodes: f.opt.limits.Nodes, Maps: program.ReadMap})
	return err
}
