// Package closed measures how short the derivatives of testdata/closed are, against the
// shortest closed forms known.
package closed

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/corpus"
	"frechet/internal/reading"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

// Derivation is one function of the corpus with what differentiation makes of it.
type Derivation struct {
	Form *corpus.Form
	// Value is the derivative in normal form, in the store of the program.
	Value *combinators.Node
	Nodes int    // as the corpus counts them
	Order int    // the largest order of a proper part
	Text  string // in the Einstein language
}

// Ratio is the number of nodes over that of the reference.
func (d *Derivation) Ratio() float64 { return float64(d.Nodes) / float64(d.Form.Nodes) }

// Derive differentiates the function given by text, one of f.Functions().
func Derive(f *corpus.Form, text string) (*Derivation, error) {
	prog, err := elaborate(f.Program(text))
	if err != nil {
		return nil, err
	}
	y, err := derivative(prog, f)
	if err != nil {
		return nil, err
	}
	d := &Derivation{Form: f, Value: y}
	if d.Text, err = print(y, unparse.Einstein); err != nil {
		return nil, err
	}
	if d.Order, err = partOrder(f, d.Text, y.Shape()); err != nil {
		return nil, err
	}
	d.Nodes, err = unparse.CountNodes(y)
	return d, err
}

// derivative is the derivative that f asks for of the program's first expression.
func derivative(prog *elab.Program, f *corpus.Form) (*combinators.Node, error) {
	ds, err := jacobian.Derive(prog.Outputs[0].Node, variables(prog, f.Wrt), f.Order, jacobian.Planned)
	if err != nil {
		return nil, err
	}
	return reading.Shortest([]*combinators.Node{prog.Outputs[0].Node, ds.Value}, ds.ByOrder[f.Order-1][0]), nil
}

// variables lists the parameter of the name.
func variables(prog *elab.Program, name string) []*combinators.Node {
	for _, p := range prog.Params {
		if p.Name == name {
			return []*combinators.Node{p.Node}
		}
	}
	return nil
}

// Matrix prints the derivative in matrix notation, as far as it has one.
func (d *Derivation) Matrix() (string, error) { return print(d.Value, unparse.Matrix) }

func elaborate(src string) (*elab.Program, error) {
	file, err := syntax.Parse(src, syntax.Limits{})
	if err != nil {
		return nil, err
	}
	return elab.Elaborate(file, elab.Options{})
}

func print(y *combinators.Node, notation unparse.Notation) (string, error) {
	stmts, err := unparse.Program([]*combinators.Node{y}, unparse.Options{Notation: notation, ShapesKnown: true})
	if err != nil {
		return "", err
	}
	if len(stmts) == 1 {
		return syntax.Print(stmts[0].Expr), nil
	}
	return strings.TrimSpace(syntax.PrintFile(&syntax.File{Stmts: stmts})), nil
}

// partOrder is the largest order of a part of the text other than the whole, which has
// the given shape; literals, whatever their sizes, are no parts.
func partOrder(f *corpus.Form, text string, shape []size.Size) (int, error) {
	prog, err := elaborate(both(f, "0", text, shape))
	if err != nil {
		return 0, err
	}
	sum := prog.Outputs[1].Node // of the text and the zero that gives it its shape
	most := 0
	for _, n := range combinators.Topo(sum.Args()...) {
		literal := n.Ein() != nil && len(n.Args()) == 1 && n.Arg(0).Is(atom.Const)
		if !literal && !slices.Contains(sum.Args(), n) {
			most = max(most, n.Order())
		}
	}
	return most, nil
}

// Table gathers derivations by group.
type Table struct{ groups map[string][]*Derivation }

// Add adds a derivation.
func (t *Table) Add(d *Derivation) {
	if t.groups == nil {
		t.groups = map[string][]*Derivation{}
	}
	t.groups[d.Form.Group] = append(t.groups[d.Form.Group], d)
}

// Summary says how the derivations compare with their references.
type Summary struct {
	Cases int
	Share float64 // of derivations that are no longer
	Mean  float64 // geometric, of the ratios
}

func summarize(ds []*Derivation) Summary {
	s := Summary{Cases: len(ds)}
	for _, d := range ds {
		if d.Nodes <= d.Form.Nodes {
			s.Share++
		}
		s.Mean += math.Log(d.Ratio())
	}
	s.Share /= float64(len(ds))
	s.Mean = math.Exp(s.Mean / float64(len(ds)))
	return s
}

// ByGroup averages over groups, each of the same weight, since some groups hold many
// functions that are nearly the same.
func (t *Table) ByGroup() Summary {
	var s Summary
	for _, ds := range t.groups {
		g := summarize(ds)
		s.Cases += g.Cases
		s.Share += g.Share
		s.Mean += math.Log(g.Mean)
	}
	n := float64(len(t.groups))
	s.Share /= n
	s.Mean = math.Exp(s.Mean / n)
	return s
}

// All averages over all derivations.
func (t *Table) All() Summary {
	var all []*Derivation
	for _, ds := range t.groups {
		all = append(all, ds...)
	}
	return summarize(all)
}

// Write prints a line for each group, and the averages.
func (t *Table) Write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, s Summary) {
		fmt.Fprintf(tw, "%s\t%d\t%.0f%%\t%.3f\n", name, s.Cases, 100*s.Share, s.Mean)
	}
	fmt.Fprintln(tw, "group\tforms\tno longer\tnode ratio")
	for _, g := range slices.Sorted(maps.Keys(t.groups)) {
		line(g, summarize(t.groups[g]))
	}
	line("average by group", t.ByGroup())
	line("average of all", t.All())
	return tw.Flush()
}

// Longer lists the derivations with more nodes than their references.
func (t *Table) Longer() []*Derivation {
	var out []*Derivation
	for _, g := range slices.Sorted(maps.Keys(t.groups)) {
		for _, d := range t.groups[g] {
			if d.Nodes > d.Form.Nodes {
				out = append(out, d)
			}
		}
	}
	return out
}
