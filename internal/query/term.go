package query

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/export/dot"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/protocol"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof/json"
)

// A Term is a value: an expression over the parameters of a program, with a shape.
type Term struct {
	f    *program.Program
	node *combinators.Node
	form *combinators.Node // as it is written; nil where that is node
	axes []Axis
	name string   // of the expression whose value it is; "" for other terms
	from *lineage // nil for a term that is no value or derivative of an expression
}

// An Axis tells what an axis of a term runs over.
type Axis struct {
	Var   string // the variable whose axis it is; "" for an axis of the output
	Index int    // which of its axes
	Size  string // a number or an expression in size symbols: 3, n, m*n
}

// New is a node of a program as a term.
func New(f *program.Program, n *combinators.Node, axes []Axis) *Term {
	return &Term{f: f, node: n, axes: axes}
}

// Written is a node of a program as a term that is written in another form, of the same value; name is what a definition of it has.
func Written(f *program.Program, n, form *combinators.Node, name string) *Term {
	return &Term{f: f, node: n, form: form, axes: AxesOf(n, ""), name: name}
}

// Equation is the text of a term, in LaTeX with a left side.
func Equation(t *Term, format, left string) (string, error) { return t.text(format, left) }

// Of is the program of a term, Node its node.
func Of(t *Term) *program.Program    { return t.f }
func Node(t *Term) *combinators.Node { return t.node }

// Value is the first expression of a program, in normal form.
func Value(f *program.Program) *Term {
	n := normal.Simplify(f.Outputs[0].Node)[0]
	return &Term{f: f, node: n, axes: AxesOf(n, ""), from: &lineage{}}
}

// written is the term in the form in which it is written. Numbers are computed from the node: another form may lose digits.
func (t *Term) written() *combinators.Node {
	if t.form != nil {
		return t.form
	}
	return t.node
}

// Axes is the legend of the term's axes, one entry for each.
func (t *Term) Axes() []Axis { return t.axes }

// Shape gives the sizes of the axes: numbers, or expressions in size symbols.
func (t *Term) Shape() []string { return program.SizeTexts(t.node) }

// Order is the number of axes.
func (t *Term) Order() int { return t.node.Order() }

// Variables lists the program's variables that occur in the term, as declared: the
// arguments of the closed map that format combinators prints, with those whose sizes nothing else
// shows. Where none occurs, they are all.
func (t *Term) Variables() []string {
	var names []string
	for _, p := range t.f.DefinitionParams(t.written()) {
		names = append(names, p.Name())
	}
	return names
}

// Text prints the term in a notation of Formats. What is printed in one of the
// languages parses back to the same term: either one expression, or `let` lines followed
// by `expression ...`. The notations text and latex are those of matrices, of indices or of combinators,
// whichever has the term; in another notation a term without a form in it is an error with the code R003.
func (t *Term) Text(format string) (text string, err error) { return t.text(format, "") }

// text is Text, with a left side for LaTeX that has none.
func (t *Term) text(format, left string) (text string, err error) {
	defer fault.Guard(&err)
	w := writing{f: t.f, values: []*combinators.Node{t.written()}, names: []string{t.indexName()}, lefts: map[string]string{"": left}}
	return w.text(format)
}

// A writing is what is printed as one text: a term, or all results of a reply.
type writing struct {
	f      *program.Program
	values []*combinators.Node
	names  []string // of definitions in index notation; joint: in all notations
	joint  bool
	lefts  map[string]string // left sides in LaTeX, by name, of what has no name by ""
}

func (w writing) text(format string) (text string, err error) {
	names := w.names
	if !w.joint {
		names = nil
	}
	index := func() (string, error) { return w.printIndex(format) }
	matrices := func() (string, error) { return w.f.Print(format, names, w.values...) }
	closed := func() (string, error) { return w.f.Definition(w.closedName(), w.values...), nil }
	if format == "latex" {
		matrices = func() (string, error) { return w.f.Equations(w.lefts, names, w.values...) }
		closed = func() (string, error) { return w.closedEquations(), nil }
	}
	if what := combinators.Bodied(w.values...); what != "" {
		none := func() (string, error) {
			return "", errors.New(what + " has a form in matrix notation alone, and in the Einstein language")
		}
		index, closed = none, none
		if format == "dot" || format == "tree" || format == "combinators" {
			_, err := none()
			return "", fault.New(fault.NoForm, "%s", err).Helpf("format text prints it")
		}
	}
	var ways []func() (string, error)
	switch {
	case format == "dot":
		return w.graph(), nil
	case format == "tree" && w.joint:
		return "", fault.New(fault.NoForm, "a tree has one result").Helpf("each has its own without joint")
	case format == "tree":
		tree, err := json.TreeOf(combinators.Arrange(w.values...)[0])
		return string(tree), err
	case format == "combinators":
		return closed()
	case format == "index":
		ways = append(ways, index)
	case format != "text" && format != "latex":
		ways = append(ways, matrices)
	case program.InIndexNotation(w.f.File):
		ways = append(ways, index, matrices, closed)
	default:
		ways = append(ways, matrices, index, closed)
	}
	for _, way := range ways {
		if text, err = way(); err == nil {
			return text, nil
		}
	}
	if !slices.Contains(protocol.Formats, format) {
		return "", err
	}
	return "", fault.New(fault.NoForm, "%s", err).Helpf("format text takes a notation that has it; combinators has all")
}

// Declaration declares the variables by which the size symbols are known that stand in a text of the term and
// that the program leaves open: "declare x[m]" above 2*x/m, so that it can be read. It is "" where there are none.
func (t *Term) Declaration(text string) string {
	unknown := t.f.Unwritten()
	if len(unknown) == 0 {
		return ""
	}
	names := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	unknown = slices.DeleteFunc(unknown, func(s string) bool { return !slices.Contains(names, s) })
	var out []string
	for _, p := range t.f.Params {
		known := len(unknown)
		unknown = slices.DeleteFunc(unknown, func(s string) bool {
			return slices.ContainsFunc(p.Node.Shape(), func(d size.Size) bool { return slices.Contains(d.Symbols(), s) })
		})
		if len(unknown) < known {
			d := p.Name + size.Shape(p.Node.Given())
			if p.Node.Attributes().Has(atom.Index) {
				d += " index(" + p.Node.Shape()[len(p.Node.Given())].String() + ")"
			}
			out = append(out, d)
		}
	}
	if out == nil {
		return ""
	}
	return "declare " + strings.Join(out, " ")
}

// String prints the term in the default notation.
func (t *Term) String() string {
	s, err := t.Text("text")
	if err != nil {
		return "!(" + err.Error() + ")"
	}
	return s
}

// AxesOf labels all axes of a node.
func AxesOf(n *combinators.Node, name string) []Axis {
	axes := make([]Axis, n.Order())
	for i, s := range program.SizeTexts(n) {
		axes[i] = Axis{name, i, s}
	}
	return axes
}

// Graph is one picture for Graphviz of all values and derivatives that a reply has; written is of the values alone, as the
// program has them.
func (r *Reply) Graph(written bool) string {
	var results []dot.Result
	add := func(output string, d Deriv, n *combinators.Node) {
		name := d.Name()
		if output != "" {
			name += " of " + output
		}
		if len(d.Wrt) > 0 {
			name += " wrt " + strings.Join(d.Wrt, ", ")
		}
		results = append(results, dot.Result{Name: name, Node: n})
	}
	for i, out := range r.Outputs {
		if written {
			add(out.Name, Deriv{Term: out.Value}, r.f.Outputs[i].Node)
			continue
		}
		for _, d := range slices.Concat([]Deriv{{Term: out.Value}}, out.Derivs, out.Parts) {
			add(out.Name, d, d.Term.written())
		}
	}
	if !written {
		nodes := make([]*combinators.Node, len(results))
		for k, x := range results {
			nodes[k] = x.Node
		}
		for k, n := range combinators.Arrange(nodes...) {
			results[k].Node = n
		}
	}
	return dot.Graph(results...)
}
