package derivation

import (
	"fmt"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/export/latex"
	"frechet/internal/program"
	"frechet/rewrite/proof"
	"frechet/syntax"
	"frechet/syntax/unparse"
)

// A Step is a line of a derivation. The first line of each part has no rule.
type Step struct {
	Part   string // program, derivative, derivative at dx, adjoint, gradient, adjoint at w
	Rule   string // the rule's name, as in the rule files
	Detail string // of a rule for all functions: the function
	Source string // where the law is stated
	// Ordering says that the step only changes an order: of compositions, or of operands.
	Ordering bool

	f     *program.Program
	m     combinators.Map // of a line that is a map
	ns    []*combinators.Node
	text  string // of values, once it was made
	proof proof.Step
}

// onMaps says whether the line is a map, else it is values: none, where the space is the unit's.
func (s Step) onMaps() bool { return s.m != (combinators.Map{}) }

// Text is what stands on the line: in "text" and "unicode" a closed map in combinator notation, or
// formulas; in "latex" the same for LaTeX's mathematics.
func (s Step) Text(format string) string {
	if s.onMaps() {
		switch format {
		case "latex":
			return latex.Closed(text.Closed(s.m))
		case "unicode":
			return text.PrintClosed(s.m, true)
		}
		return text.PrintClosed(s.m, false)
	}
	if format == "text" && s.text != "" {
		return s.text
	}
	return s.values(format)
}

// values prints values as formulas, with what they share behind them, or, where a value has no
// formula, as terms.
func (s Step) values(format string) string {
	stmts, err := unparse.Program(s.ns, unparse.Options{Taken: s.f.Names(), Open: s.f.Open()})
	if err != nil || format == "latex" && len(stmts) > len(s.ns) {
		var parts []string
		for _, n := range s.ns {
			if format == "latex" {
				parts = append(parts, latex.Closed(text.Value(n)))
			} else {
				parts = append(parts, text.Printer{Unicode: format == "unicode"}.Print(text.Value(n)))
			}
		}
		return tuple(parts, format)
	}
	var parts, where []string
	for _, st := range stmts {
		e := ""
		if format != "latex" {
			e = syntax.Print(st.Expr)
		} else if e, err = program.LaTeX("", []syntax.Stmt{{Kind: syntax.Expression, Expr: st.Expr}}, s.ns...); err != nil {
			e = latex.Words(syntax.Print(st.Expr))
		}
		if st.Kind == syntax.Let {
			where = append(where, st.Name.Name+" = "+e)
		} else {
			parts = append(parts, e)
		}
	}
	out := tuple(parts, format)
	notes := s.guardNotes()
	if format == "latex" {
		for _, n := range notes {
			out += "\\quad\\text{where " + latex.Words(n) + "}"
		}
		return out
	}
	if where = append(where, notes...); len(where) > 0 {
		out += "\nwhere " + strings.Join(where, "\n      ")
	}
	return out
}

// tuple is one part alone, or several in parentheses.
func tuple(parts []string, format string) string {
	switch {
	case len(parts) == 1:
		return parts[0]
	case format == "latex":
		return "\\left(" + strings.Join(parts, ",\\ ") + "\\right)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Reason is the rule as it stands in braces: its name, the function it is for, and its source.
func (s Step) Reason() string {
	r := s.Rule
	if s.Detail != "" {
		r += " " + s.Detail
	}
	if s.Source != "" {
		r += ": " + s.Source
	}
	return r
}

// Text prints the derivation as a calculation, a line for each step with its reason in braces, in
// "text", "unicode" or "latex". Steps that only change an order are left out unless all is set.
func (d *Derivation) Text(format string, all bool) string {
	var b strings.Builder
	for i, p := range d.parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if format == "latex" {
			fmt.Fprintf(&b, "%% %s\n\\begin{align*}\n&\\phantom{{}={}} %s", p.name, p.lines[0].Text(format))
		} else {
			fmt.Fprintf(&b, "# %s\n   %s\n", p.name, indent(p.lines[0].Text(format)))
		}
		for _, s := range d.shown(p, all) {
			if format == "latex" {
				fmt.Fprintf(&b, " \\\\\n&= \\quad \\{\\text{%s}\\} \\\\\n&\\phantom{{}={}} %s", latex.Words(s.Reason()), s.Text(format))
			} else {
				fmt.Fprintf(&b, "=    { %s }\n   %s\n", s.Reason(), indent(s.Text(format)))
			}
		}
		if format == "latex" {
			b.WriteString("\n\\end{align*}\n")
		}
	}
	return b.String()
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n   ") }

// shown are the steps of a part after its first line. One that stands for an ordering step as well
// shows the line after it, and so does one for the next that only counts like terms, too.
func (d *Derivation) shown(p part, all bool) []Step {
	var out []Step
	for _, s := range p.lines[1:] {
		counted := len(out) > 0 && s.Rule == "S-collect" && out[len(out)-1].Rule == s.Rule
		switch {
		case all || !s.Ordering && !counted:
			out = append(out, s)
		case len(out) > 0:
			out[len(out)-1].m, out[len(out)-1].ns, out[len(out)-1].text = s.m, s.ns, s.text
		}
	}
	return out
}
