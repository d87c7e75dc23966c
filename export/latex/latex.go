// Package latex writes expressions as LaTeX that amsmath alone compiles.
//
// What is in matrix notation stays so: X^\top (X w - y), a \odot b, \operatorname{diag}(x).
// What has index products is written element by element, with sums over the letters
// that the output does not have:
//
//	X *(ji,j->i) (X *(ij,j->i) w - y)
//	f_{i} = \sum_{j} X_{ji} \bigl(\sum_{k} X_{jk} w_{k} - y_{j}\bigr)
//
// Lets follow their expressions as "where" lines.
package latex

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/syntax"
	"frechet/syntax/index"
)

// Program writes statements as lines of an align* environment: expressions, then the
// lets that they use. A statement is in matrix notation or in index notation. One expression
// alone has no environment around it, and without a name no left side. orders has the orders
// of the variables that the statements do not declare, functions the declared functions. lefts are left sides by the names of
// expressions, which may have none; without one a name stands as it is. The error names what has an order that the notation does not allow.
func Program(lefts map[string]string, stmts []syntax.Stmt, orders map[string]int, functions *atom.Scope) (string, error) {
	w := newWriter(orders)
	w.lefts, w.functions = lefts, functions
	if len(stmts) == 1 && stmts[0].Name.Name == "" && stmts[0].Text == "" {
		t := w.whole(stmts[0].Expr)
		if left := lefts[""]; left != "" {
			t.s = left + " = " + t.s
		}
		return t.s, w.err
	}
	var exprs, lets []string
	for _, s := range stmts {
		switch s.Kind {
		case syntax.Declare:
			for _, d := range s.Declares {
				w.orders[d.Name] = d.Order
				if d.Sized {
					w.orders[d.Name] = len(d.Sizes)
				}
			}
		case syntax.Let:
			line, err := w.statement(s)
			if err != nil {
				return "", err
			}
			lets = append(lets, line)
		case syntax.Expression:
			line, err := w.statement(s)
			if err != nil {
				return "", err
			}
			exprs = append(exprs, line)
		}
	}
	if len(stmts) == 1 && stmts[0].Text != "" {
		return strings.Replace(exprs[0], " &= ", " = ", 1), nil
	}
	for i, l := range lets {
		if i == 0 {
			l = `\text{where}\quad ` + l
		}
		exprs = append(exprs, l)
	}
	return "\\begin{align*}\n" + strings.Join(exprs, " \\\\\n") + "\n\\end{align*}\n", nil
}

// statement writes one equation, and notes the order of its left side.
func (w *writer) statement(s syntax.Stmt) (string, error) {
	if s.Text == "" {
		line, err := w.line(s.Name.Name, s.Expr)
		w.orders[s.Name.Name] = w.order(s.Expr)
		return line, err
	}
	d, err := index.ParseText(s.Text, syntax.Limits{})
	if err != nil {
		return "", err
	}
	w.orders[d.Name.Name] = len(d.Indices)
	return definition(d), nil
}

// line writes one equation.
func (w *writer) line(name string, e *syntax.Expr) (string, error) {
	w.letters = 0
	if w.matrixStyle(e) {
		t := w.matrix(e)
		switch {
		case w.lefts[name] != "":
			return w.lefts[name] + " &= " + t.s, w.err
		case name != "":
			return Symbol(name) + " &= " + t.s, w.err
		}
		return "& " + t.s, w.err
	}
	idx := w.fresh(w.order(e))
	left := Symbol(w.unused())
	switch {
	case w.lefts[name] != "":
		left = `\left(` + w.lefts[name] + `\right)`
	case name != "":
		left = Symbol(name)
	}
	return left + subscript(idx) + " &= " + w.element(e, idx).s, w.err
}

// unused is a name for the value of an expression that has none.
func (w *writer) unused() string {
	for _, n := range []string{"T", "D", "R", "F", "Y", "Z"} {
		if _, ok := w.orders[n]; !ok {
			return n
		}
	}
	return "result"
}

// text is a piece of LaTeX and how strongly it holds together.
type text struct {
	s     string
	level int
}

const (
	levelSum     = iota // a + b, and a sum over an index
	levelProduct        // a b, -a
	levelFactor         // a name, a function, anything in brackets
)

// as puts brackets around t where it is weaker than level.
func (t text) as(level int) string {
	if t.level >= level {
		return t.s
	}
	return bracket(t.s)
}

func bracket(s string) string {
	if strings.Contains(s, `\sum`) || strings.Contains(s, `\frac`) || strings.Contains(s, `\left`) {
		return `\left(` + s + `\right)`
	}
	return "(" + s + ")"
}

type writer struct {
	lefts     map[string]string // left sides of expressions by their names, without one by ""
	orders    map[string]int
	functions *atom.Scope
	known     map[*syntax.Expr][]int // see prefixes
	letters   int                    // index letters in use
	err       error
}

func newWriter(orders map[string]int) *writer {
	w := &writer{orders: map[string]int{}, known: map[*syntax.Expr][]int{}}
	for n, o := range orders {
		w.orders[n] = o
	}
	return w
}

func (w *writer) fail(format string, args ...any) text {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
	return text{"?", levelFactor}
}

// fresh takes n index letters that are not in use.
func (w *writer) fresh(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = syntax.Letter(w.letters)
		w.letters++
	}
	return out
}

func subscript(idx []string) string {
	if len(idx) == 0 {
		return ""
	}
	return "_{" + strings.Join(idx, "") + "}"
}

var greek = map[string]string{
	"lam": "lambda", "eps": "varepsilon", "alpha": "", "beta": "", "gamma": "", "delta": "", "epsilon": "",
	"zeta": "", "eta": "", "theta": "", "iota": "", "kappa": "", "lambda": "", "mu": "", "nu": "", "xi": "",
	"pi": "", "rho": "", "sigma": "", "tau": "", "upsilon": "", "phi": "", "chi": "", "psi": "", "omega": "",
	"Gamma": "", "Delta": "", "Theta": "", "Lambda": "", "Xi": "", "Pi": "", "Sigma": "", "Phi": "", "Psi": "", "Omega": "",
}

// Symbol writes a name: x, \lambda, x_{1}, \mathit{loss}.
func Symbol(name string) string {
	if g, ok := greek[name]; ok {
		if g == "" {
			g = name
		}
		return `\` + g
	}
	if len(name) == 1 {
		return name
	}
	if rest := name[1:]; strings.Trim(rest, "0123456789") == "" {
		return "{" + name[:1] + "_{" + rest + "}}"
	}
	return `\mathit{` + strings.ReplaceAll(name, "_", `\_`) + "}"
}

// notation is that of a function of n arguments, with # for each: the row of its name and of as many.
func notation(name string, n int) string {
	if name == "det" {
		return `\det(#)`
	}
	if f, ok := atom.FunctionNamed(name); ok && f.LaTeX != "" {
		return f.LaTeX
	}
	for _, r := range atom.Rows() {
		if r.Spoken() == name && r.Arity == n && r.LaTeX != "" {
			return r.LaTeX
		}
	}
	if _, ok := syntax.LookupFunction(name); !ok {
		return atom.Notation(name, n)
	}
	return `\operatorname{` + strings.ReplaceAll(name, "_", `\_`) + "}(" + strings.Join(slices.Repeat([]string{"#"}, n), ",") + ")"
}

// function fills the notation of a function: brackets grow with their contents.
func function(name string, args ...text) text {
	t := notation(name, len(args))
	for i := range args {
		a := args[i]
		s := a.s
		switch {
		case strings.Contains(t, "(#)") || strings.Contains(t, "(#,"):
			if b := bracket(s); strings.HasPrefix(b, `\left`) && len(args) == 1 {
				t = strings.Replace(t, "(#)", b, 1)
				continue
			}
		case strings.Contains(t, "#^"), strings.Contains(t, "^{-1}#"):
			s = a.as(levelFactor)
		}
		t = strings.Replace(t, "#", s, 1)
	}
	return text{t, levelFactor}
}
