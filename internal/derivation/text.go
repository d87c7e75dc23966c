package derivation

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/export/latex"
	"frechet/internal/program"
	"frechet/internal/words"
	"frechet/syntax"
	"frechet/syntax/unparse"
)

// A Law names a rule that was applied.
type Law struct {
	Rule   string // the rule's name, as in the rule files
	Detail string // of a rule for all functions: the function; of one that is read from right to left, that
	Source string // where the law is stated
}

func (l Law) String() string {
	r := l.Rule
	if l.Detail != "" {
		r += " " + l.Detail
	}
	if l.Source != "" {
		r += ": " + l.Source
	}
	return r
}

// A Step is a line of a derivation.
type Step struct {
	Part string // program, derivative, derivative at dx, adjoint, gradient, adjoint at w
	// Law is the rule by which the line follows. There is none on the first line of a part, nor where a value
	// is shown before it is differentiated or rewritten.
	Law
	// Before are the rules applied before it, where a value of a program is differentiated or
	// transposed in one line.
	Before []Law
	// Ordering says that the step only changes an order: of compositions, or of operands.
	Ordering bool

	follows bool // the line follows from what is before it, and is not equal to it
	f       *program.Program
	m       combinators.Map     // of a line that is a map
	term    *text.Term          // and the term that shows it, nil where that is known from the map alone
	ns      []*combinators.Node // of a line of values
	taken   map[string]bool     // names that no let in the line may have
	name    string              // of the value that a line of a long term shows
	where   []definition        // of names that stand in it for the first time
	text    string              // of values, once it was made
}

// onMaps says whether the line is a map, else it is values: none, where the space is the unit's.
func (s Step) onMaps() bool { return s.m != (combinators.Map{}) }

// Text is what stands on the line: in "text" and "unicode" a closed map in combinator notation, or
// formulas; in "latex" the same for LaTeX's mathematics.
func (s Step) Text(format string) string {
	if s.onMaps() {
		t := s.term
		if t == nil {
			t = text.Closed(s.m)
		}
		if format == "latex" {
			return latex.Closed(t)
		}
		return text.Printer{Unicode: format == "unicode", Lines: true}.Print(t)
	}
	if format == "text" && s.text != "" {
		return s.text
	}
	out := s.values(format, s.ns)
	if s.name != "" {
		out = named(s.name, out, format)
	}
	var b strings.Builder
	b.WriteString(out)
	for i, w := range s.where {
		sep := "\n      "
		switch {
		case format == "latex":
			sep = "\\quad\\text{where }"
		case i == 0:
			sep = "\nwhere "
		}
		b.WriteString(sep)
		b.WriteString(named(w.name, s.values(format, []*combinators.Node{w.value}), format))
	}
	return b.String()
}

// named is a value with its name.
func named(name, value, format string) string {
	if format == "latex" {
		if t, err := program.LaTeX(nil, []syntax.Stmt{{Kind: syntax.Expression, Expr: syntax.Name(name)}}); err == nil {
			name = t
		}
	}
	return name + " = " + value
}

// values prints values as formulas, with what they share behind them, or, where a value has no
// formula, as terms.
func (s Step) values(format string, ns []*combinators.Node) string {
	stmts, err := unparse.Program(ns, unparse.Options{Taken: s.taken, Open: s.f.Unwritten(), Known: s.f.KnownSizes()})
	if err != nil || format == "latex" && len(stmts) > len(ns) {
		var parts []string
		for _, n := range ns {
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
		} else if e, err = program.LaTeX(nil, []syntax.Stmt{{Kind: syntax.Expression, Expr: st.Expr}}, ns...); err != nil {
			e = latex.Words(syntax.Print(st.Expr))
		}
		if st.Kind == syntax.Let {
			where = append(where, st.Name.Name+" = "+e)
		} else {
			parts = append(parts, e)
		}
	}
	out := tuple(parts, format)
	notes := s.guardNotes(ns)
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

// Reason is the rules as they stand in braces, each with the function it is for and its source.
func (s Step) Reason() string {
	var all []string
	for _, l := range s.Before {
		all = append(all, l.String())
	}
	return strings.Join(append(all, s.Law.String()), "; ")
}

// Text prints the derivation as a calculation, a line for each step with its reason in braces, in
// "text", "unicode" or "latex". Steps that only change an order are left out unless all is set.
func (d *Derivation) Text(format string, all bool) string {
	var b strings.Builder
	_ = d.Write(&b, format, all, true) // which a builder takes
	return b.String()
}

// A long part shows so many entries at its beginning, and as many at its end.
const shownEntries = 40

// Write writes what [Derivation.Text] prints, as it is made. Unless full is set, a long part shows its
// beginning and its end, and says how much is left out.
func (d *Derivation) Write(w io.Writer, format string, all, full bool) error {
	after := false
	for g := range d.groups() {
		t := &printer{w: bufio.NewWriter(w), format: format, all: all}
		t.heading(g.name, after)
		if after = true; full || g.count <= 2*shownEntries+1 {
			t.entries(g, 0, g.count)
		} else {
			t.entries(g, 0, shownEntries)
			t.leftOut(g.count - 2*shownEntries)
			t.entries(g, g.count-shownEntries, g.count)
		}
		t.end()
		if err := t.w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// A printer writes the lines of a part.
type printer struct {
	w      *bufio.Writer
	format string
	all    bool
	any    bool  // a line has been written
	held   *Step // the line that is next, which others may still change
}

func (t *printer) heading(name string, after bool) {
	if after {
		t.w.WriteByte('\n')
	}
	if t.format == "latex" {
		fmt.Fprintf(t.w, "%% %s\n\\begin{align*}\n", name)
		return
	}
	fmt.Fprintf(t.w, "# %s\n", name)
}

// entries writes some entries. A step that stands for an ordering step as well shows the line after
// it, and so does one for the next that only counts like terms, too.
func (t *printer) entries(g group, from, to int) {
	for i := from; i < to; i++ {
		for _, s := range g.at(i, i == from) {
			counted := t.held != nil && s.Rule == "S-collect" && s.Law == t.held.Law && s.name == t.held.name
			switch {
			case t.held == nil || t.all || s.Rule == "" || !s.Ordering && !counted:
				t.flush()
			case t.held.Rule == "": // the first line stays as it is given
				continue
			default:
				s.Law, s.Before, s.follows = t.held.Law, t.held.Before, t.held.follows
			}
			t.held = &s
		}
	}
	t.flush()
}

// flush writes the line that is held.
func (t *printer) flush() {
	s := t.held
	if t.held = nil; s == nil {
		return
	}
	sign := "= "
	switch {
	case t.format != "latex":
		if s.follows {
			sign = "=>"
		}
		if s.Rule != "" {
			fmt.Fprintf(t.w, "%s   { %s }\n", sign, s.Reason())
		}
		fmt.Fprintf(t.w, "   %s\n", indent(s.Text(t.format)))
	default:
		if t.any {
			t.w.WriteString(" \\\\\n")
		}
		if s.follows {
			sign = "\\Rightarrow"
		}
		if s.Rule != "" {
			fmt.Fprintf(t.w, "&%s \\quad \\{\\text{%s}\\} \\\\\n", strings.TrimSpace(sign), latex.Words(s.Reason()))
		}
		fmt.Fprintf(t.w, "&\\phantom{{}={}} %s", s.Text(t.format))
	}
	t.any = true
}

// leftOut says that steps are not shown.
func (t *printer) leftOut(count int) {
	says := fmt.Sprintf("%s left out here, which --full shows", words.Steps(count))
	if t.format == "latex" {
		fmt.Fprintf(t.w, " \\\\\n&\\quad \\text{%s}", latex.Words(says))
		return
	}
	fmt.Fprintf(t.w, "   .. %s ..\n", says)
}

func (t *printer) end() {
	if t.format == "latex" {
		t.w.WriteString("\n\\end{align*}\n")
	}
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n   ") }
