package program

import (
	"fmt"
	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax/elab"

	"strconv"
)

// An Expression is the program's one expression as a map at its argument.
type Expression struct {
	Name   string
	Map    combinators.Map
	At     *combinators.Value
	Values *combinators.Block // of which Map is the readback; nil where the program has the map itself
}

func expression(name string, b *combinators.Block) Expression {
	return Expression{orF(name), combinators.Readback(b), b.ParamsValue(), b}
}

// Bodied is what has a body in the program: see [combinators.Bodied].
func (f *Program) Bodied() string {
	return combinators.Bodied(lists.Map(f.Outputs, func(o elab.Output) *combinators.Node { return o.Node })...)
}

// Expression is the one expression of the program.
func (f *Program) Expression() (x Expression, err error) {
	if f.Closed != nil && len(f.Closed.Maps) == 1 {
		m := f.Closed.Maps[0]
		return Expression{Name: orF(m.Name), Map: m.Map, At: m.Argument}, nil
	}
	if len(f.Outputs) != 1 {
		return x, fmt.Errorf("the program has %s; one is needed", words.Count(len(f.Outputs), "expression"))
	}
	n := f.Outputs[0].Node
	b := &combinators.Block{Store: f.Store, Params: f.closedParams(n), Outs: []*combinators.Node{n}}
	return expression(f.Outputs[0].Name, b), nil
}

func orF(name string) string {
	if name == "" {
		return "f"
	}
	return name
}

// By is the expression as a map of the variables wrt alone, of all where none is named.
func (f *Program) By(wrt []string) (Expression, error) {
	x, err := f.Expression()
	if err == nil && len(x.At.Leaves()) == 0 {
		err = fmt.Errorf("the program has no variables: there is nothing to differentiate by")
	}
	if err != nil || len(wrt) == 0 {
		return x, err
	}
	params, err := f.Named(wrt)
	if err != nil {
		return x, err
	}
	b := &combinators.Block{Store: f.Store, Params: params}
	if x.At == b.ParamsValue() {
		return x, nil
	}
	if len(f.Outputs) != 1 {
		return x, fmt.Errorf("the program has %s; one is needed", words.Count(len(f.Outputs), "expression"))
	}
	b.Outs = []*combinators.Node{f.Outputs[0].Node}
	return expression(x.Name, b), nil
}

// Variables are those named, of the one expression; all that occur where none is named.
func (f *Program) Variables(wrt []string) ([]*combinators.Node, error) {
	if len(f.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; one is needed", words.Count(len(f.Outputs), "expression"))
	}
	if len(wrt) > 0 {
		return f.Named(wrt)
	}
	params := f.closedParams(f.Outputs[0].Node)
	if len(params) == 0 {
		return nil, fmt.Errorf("the program has no variables: there is nothing to differentiate by")
	}
	return params, nil
}

// Arguments names the variables by which a program is differentiated where nobody says by which: those to
// which one in combinator notation applies its one map, all of a formula that declares none, and the only one.
func (f *Program) Arguments() (names []string) {
	if all := f.RealParams(); f.source.assumed != nil || f.Closed == nil && len(all) == 1 {
		for _, p := range all {
			names = append(names, p.Name)
		}
		return names
	}
	if f.Closed == nil || len(f.Closed.Maps) != 1 {
		return nil
	}
	for _, n := range f.Closed.Maps[0].Argument.Leaves() {
		names = append(names, n.Name())
	}
	return names
}

// ClosedTerm is a map as a term that is read back given its type.
func (f *Program) ClosedTerm(m combinators.Map) *text.Term {
	t := text.Closed(m)
	if !text.SpacesShow(m) && !f.readsBack(m, t) {
		t = text.ClosedTyped(m)
	}
	return t
}

// readsBack reports whether t, which is m without the types of its parts, is read as m.
func (f *Program) readsBack(m combinators.Map, t *text.Term) bool {
	env := &denote.Env{}
	for _, n := range combinators.Topo(text.Values(m)...) {
		if n.Name() != "" {
			env.Values = append(env.Values, denote.Binding{Name: n.Name(), Value: n})
		}
	}
	for _, s := range f.Symbols {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: s.Name, Size: size.Sym(s.Name)})
	}
	dom, cod := m.Dom(), m.Cod()
	back, err := denote.ReadMap(f.Store, t, &dom, &cod, env)
	return err == nil && back == m
}

// Only is the program with one of its expressions alone, or with n in its place.
func (f *Program) Only(output int, n *combinators.Node) *Program {
	if f.Closed != nil && n == nil {
		return f
	}
	prog := *f.Program
	o := f.Outputs[output]
	if n != nil {
		o.Node = n
	}
	prog.Outputs, prog.Requests = []elab.Output{o}, nil
	return &Program{Program: &prog, Options: f.Options, source: f.source}
}

// Fresh is a value of new variables, with their names: base, or base1, base2, ... where there are several.
func (f *Program) Fresh(base string, sp combinators.Space) (v *combinators.Value, names []string) {
	s := f.Store
	var build func(sp combinators.Space) *combinators.Value
	build = func(part combinators.Space) *combinators.Value {
		if !part.IsProduct() {
			name := base
			if sp.IsProduct() {
				name += strconv.Itoa(len(names) + 1)
			}
			n := s.Fresh(name, part.Shape())
			names = append(names, n.Name())
			return s.Value(n)
		}
		parts := make([]*combinators.Value, len(part.Factors()))
		for i, f := range part.Factors() {
			parts[i] = build(f)
		}
		return s.Tuple(parts...)
	}
	v = build(sp)
	return v, names
}
