package frechet

import (
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/export/latex"
	"frechet/syntax"
	"frechet/syntax/closed"
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

func (t *Term) indexName() string {
	name := ""
	for i, a := range t.axes {
		if a.Var != "" && (a.Index == 0 || i == 0) {
			name += "_" + a.Var
		}
	}
	if name == "" {
		if t.name != "" {
			return t.name
		}
		for _, o := range t.f.prog.Outputs {
			if o.Name != "" && len(t.f.prog.Outputs) == 1 {
				return o.Name
			}
		}
		name = "f"
	} else {
		name = "d" + name[1:]
	}
	taken := t.f.names()
	for slices.Contains(taken, name) || syntax.Reserved(name) {
		name += "1"
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
	_, err := elab.Elaborate(f.file, elab.Options{Dims: dims, Sizes: sizes, Limits: f.opt.limits.syntax(), Nodes: f.opt.limits.Nodes, Maps: closed.ReadMap})
	return err
}
