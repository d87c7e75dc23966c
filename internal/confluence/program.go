package confluence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"frechet"
	"frechet/adjoint/jacobian"
	"frechet/internal/programs"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// Shuffle says what another writing of a program changes.
type Shuffle struct {
	Operands     bool // of sums, of element-wise and index products
	Statements   bool // the order of let lines, as far as they do not use one another
	Letters      bool // names of indices
	Declarations bool // the order of the declared variables
}

// Program is the text of a random program in the Einstein language.
func Program(seed uint64) string {
	return rapid.Custom(func(t *rapid.T) string { return programs.Draw(t, false).Text() }).Example(int(seed))
}

// Of is another writing of a program.
func (o Shuffle) Of(text string, r *rand.Rand) (string, error) {
	f, err := syntax.Parse(text, syntax.Limits{})
	if err != nil {
		return "", err
	}
	s := &shuffler{Shuffle: o, Rand: r}
	var lets []syntax.Stmt
	out := &syntax.File{}
	for _, st := range f.Stmts {
		switch st.Kind {
		case syntax.Declare:
			st.Declares = slices.Clone(st.Declares)
			if o.Declarations {
				r.Shuffle(len(st.Declares), func(i, j int) { st.Declares[i], st.Declares[j] = st.Declares[j], st.Declares[i] })
			}
			out.Stmts = append(out.Stmts, st)
		case syntax.Let:
			st.Expr = s.expr(st.Expr)
			lets = append(lets, st)
		case syntax.Expression:
			st.Expr = s.expr(st.Expr)
			out.Stmts = append(append(out.Stmts, s.statements(lets)...), st)
			lets = nil
		default:
			out.Stmts = append(out.Stmts, st)
		}
	}
	return syntax.PrintFile(out), nil
}

type shuffler struct {
	Shuffle
	*rand.Rand
}

// statements is an order of lets in which each comes behind those that it uses.
func (s *shuffler) statements(lets []syntax.Stmt) []syntax.Stmt {
	if !s.Statements {
		return lets
	}
	var out []syntax.Stmt
	for lets = slices.Clone(lets); len(lets) > 0; {
		i := s.IntN(len(lets))
		if !slices.ContainsFunc(lets, func(o syntax.Stmt) bool { return names(lets[i].Expr, o.Name.Name) }) {
			out = append(out, lets[i])
			lets = slices.Delete(lets, i, i+1)
		}
	}
	return out
}

// names reports whether e uses a name.
func names(e *syntax.Expr, name string) bool {
	if e == nil {
		return false
	}
	in := func(a *syntax.Expr) bool { return names(a, name) }
	return e.Op == syntax.OpName && e.Name == name || slices.ContainsFunc(e.Args, in) ||
		slices.ContainsFunc(e.Steps, func(t syntax.Step) bool { return in(t.Arg) })
}

func (s *shuffler) expr(e *syntax.Expr) *syntax.Expr {
	c := *e
	c.Args, c.Steps = nil, nil
	for _, a := range e.Args {
		c.Args = append(c.Args, s.expr(a))
	}
	for _, t := range e.Steps {
		if t.Arg != nil {
			t.Arg = s.expr(t.Arg)
		}
		t.Spec = s.renamed(t.Spec)
		c.Steps = append(c.Steps, t)
	}
	c.Spec = s.renamed(e.Spec)
	if s.Operands {
		s.operands(&c)
	}
	return &c
}

// operands puts those of c in another order.
func (s *shuffler) operands(c *syntax.Expr) {
	only := func(ops ...syntax.StepOp) bool {
		return !slices.ContainsFunc(c.Steps, func(t syntax.Step) bool { return !slices.Contains(ops, t.Op) })
	}
	switch {
	case c.Op == syntax.OpSum:
		all := append([]syntax.Step{{Op: syntax.StepAdd, Arg: c.Args[0]}}, c.Steps...)
		s.Rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		c.Args, c.Steps = []*syntax.Expr{all[0].Arg}, all[1:]
		if all[0].Op == syntax.StepSub {
			c.Args[0] = syntax.Neg(all[0].Arg)
		}
	case c.Op == syntax.OpProduct && only(syntax.StepElemMul):
		all := []*syntax.Expr{c.Args[0]}
		for _, t := range c.Steps {
			all = append(all, t.Arg)
		}
		s.Rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		c.Args = all[:1]
		for i := range c.Steps {
			c.Steps[i].Arg = all[i+1]
		}
	case c.Op == syntax.OpProduct && c.Steps[0].Op == syntax.StepIndex && s.IntN(2) == 0:
		t := &c.Steps[0]
		c.Args[0], t.Arg = t.Arg, c.Args[0]
		t.Spec = &syntax.Spec{In: []syntax.Indices{t.Spec.In[1], t.Spec.In[0]}, Out: t.Spec.Out}
	case c.Op == syntax.OpEinsum:
		in := slices.Clone(c.Spec.In)
		s.Rand.Shuffle(len(in), func(i, j int) {
			in[i], in[j] = in[j], in[i]
			c.Args[i], c.Args[j] = c.Args[j], c.Args[i]
		})
		c.Spec = &syntax.Spec{In: in, Out: c.Spec.Out}
	}
}

// renamed is a spec in other letters.
func (s *shuffler) renamed(spec *syntax.Spec) *syntax.Spec {
	if spec == nil || !s.Letters {
		return spec
	}
	perm := s.Perm(26)
	rename := func(g syntax.Indices) syntax.Indices {
		var out syntax.Indices
		for _, l := range g.Letters {
			out.Letters = append(out.Letters, string(rune('a'+perm[l[0]-'a']))+l[1:])
		}
		return out
	}
	out := &syntax.Spec{Out: rename(spec.Out)}
	for _, g := range spec.In {
		out.In = append(out.In, rename(g))
	}
	return out
}

// formats are those whose texts are compared.
var formats = []string{"text", "matrix", "einstein", "index", "combinators", "latex", "dot"}

// Printed is what was seen of programs in one format.
type Printed struct {
	What      string // value, Jacobian, Hessian
	Format    string
	Programs  int
	Apart     int // programs with another normal form in one of the writings
	Different int // programs with another text for the same normal form
	Failures  []PrintedFailure
}

// PrintedFailure is a program with two texts for one normal form.
type PrintedFailure struct {
	Program, Other  string // the writings
	Text, OtherText string
}

func (f PrintedFailure) String() string {
	return fmt.Sprintf("%s\n%s\n   %s\n   %s\n", f.Program, f.Other, f.Text, f.OtherText)
}

var whats = []string{"value", "Jacobian", "Hessian"}

// writing is a program with its derivatives: their forms, and their texts by format, by order.
type writing struct {
	program string
	forms   [][]*Node
	texts   [][]string
}

// RunPrinted counts how often writings of a program whose normal forms are the same are printed in
// different ways.
func RunPrinted(o Options, sh Shuffle, mode frechet.Mode) []Printed {
	var out []Printed
	for _, w := range whats {
		for _, f := range formats {
			out = append(out, Printed{What: w, Format: f})
		}
	}
	for n := range o.Terms {
		seed := o.Seed + uint64(n)
		forms := NewForms()
		first, err := newWriting(Program(seed), mode, forms)
		if err != nil {
			continue
		}
		var others []*writing
		for v := range o.Writings {
			text, err := sh.Of(first.program, rand.New(rand.NewPCG(seed, uint64(v)+2)))
			if err != nil {
				panic(err)
			}
			w, err := newWriting(text, mode, forms)
			if err != nil {
				panic(fmt.Sprint(err, "\n", first.program, "\n", text))
			}
			others = append(others, w)
		}
		for i := range out {
			if order := i / len(formats); order < len(first.texts) {
				out[i].compare(first, others, order, i%len(formats), o.Show)
			}
		}
	}
	return out
}

func (p *Printed) compare(first *writing, others []*writing, order, format, show int) {
	p.Programs++
	if slices.ContainsFunc(others, func(w *writing) bool { return !slices.Equal(w.forms[order], first.forms[order]) }) {
		p.Apart++
	}
	for _, w := range others {
		if slices.Equal(w.forms[order], first.forms[order]) && w.texts[order][format] != first.texts[order][format] {
			p.Different++
			if len(p.Failures) < show {
				p.Failures = append(p.Failures, PrintedFailure{first.program, w.program, first.texts[order][format], w.texts[order][format]})
			}
			return
		}
	}
}

// maxHessian bounds the variables of programs of which Hessians are printed.
const maxHessian = 3

// newWriting differentiates a program by its variables in the order of their names: once, and twice
// where it is a number and has few of them.
func newWriting(program string, mode frechet.Mode, forms *Forms) (*writing, error) {
	file, err := syntax.Parse(program, syntax.Limits{})
	if err != nil {
		return nil, err
	}
	p, err := elab.Elaborate(file, elab.Options{})
	if err != nil {
		return nil, err
	}
	f, err := frechet.Parse(program)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(p.Params, func(a, b elab.Param) int { return strings.Compare(a.Name, b.Name) })
	var names []string
	var wrt []*Node
	for _, v := range p.Params {
		names, wrt = append(names, v.Name), append(wrt, v.Node)
	}
	y := p.Outputs[0].Node
	order := 1
	if y.Order() == 0 && len(wrt) <= maxHessian {
		order = 2
	}
	d, err := jacobian.Derive(y, wrt, order, mode)
	if err != nil {
		return nil, err
	}
	reply, err := f.Derive(context.Background(), frechet.Query{Wrt: names, Order: order, Mode: mode})
	if err != nil {
		return nil, err
	}
	w := &writing{program: program, forms: [][]*Node{{forms.Of(d.Value)}}}
	for _, all := range d.ByOrder {
		var level []*Node
		for _, n := range all {
			level = append(level, forms.Of(n))
		}
		w.forms = append(w.forms, level)
	}
	printed := [][]*frechet.Term{{reply.Outputs[0].Value}}
	for range order {
		printed = append(printed, nil)
	}
	for _, d := range reply.Outputs[0].Derivs {
		printed[d.Order] = append(printed[d.Order], d.Term)
	}
	for _, terms := range printed {
		var level []string
		for _, format := range formats {
			var all []string
			for _, t := range terms {
				text, err := t.Text(format)
				if err != nil {
					text = err.Error()
				}
				all = append(all, text)
			}
			level = append(level, strings.Join(all, "\n   "))
		}
		w.texts = append(w.texts, level)
	}
	return w, nil
}

func (p Printed) String() string {
	return fmt.Sprintf("%-8s %-11s %d programs, %d with another normal form, %d printed in another way", p.What, p.Format, p.Programs, p.Apart, p.Different)
}
