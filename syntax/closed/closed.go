// Package closed elaborates programs in combinator notation: maps without variables, given by terms
// with types (package combinators/text), become the typed values of package elab.
//
//	declare A[m,n] b[m]
//	layer(x) : R[n] -> R[m] = tanh . (id + K(b)) . (A *(ij,j->i) _)
//	derivative wrt x
//
// A definition that no later one uses is an expression of the program: its map, applied to its
// argument. The components of the argument are variables like the declared ones, named by the
// definition, else x, or x1, x2, ... where there are several.
package closed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// A Source is a program that is parsed.
type Source struct {
	File *syntax.File // declarations and expressions, for those who ask for names and orders
	prog *text.Program

	marks []mark
}

// A Program is elaborated: Maps has an entry for each output's definition.
type Program struct {
	*elab.Program
	Source *Source
	Maps   []Expression
}

// An Expression is a map at its argument. Outputs are the outputs that it gives: one, or, where it
// gives a tuple, one for each tensor.
type Expression struct {
	Name     string
	Map      combinators.Map
	Argument *combinators.Value
	Outputs  []int
}

// Parse reads the program's text. An error is a *[syntax.Error].
func Parse(src string, lim syntax.Limits) (*Source, error) {
	s := &Source{File: &syntax.File{Src: src}, marks: marks(src)}
	if lim.Bytes > 0 && len(src) > lim.Bytes {
		return nil, syntax.NewError("L001", "the program is %d bytes long; the limit is %d", len(src), lim.Bytes)
	}
	var err error
	if s.prog, err = text.ParseProgram(src); err != nil {
		return nil, s.place("S002", err, text.Pos{Line: 1, Column: 1})
	}
	declare := syntax.Stmt{Kind: syntax.Declare}
	add := func(name string, pos text.Pos, order int) {
		declare.Declares = append(declare.Declares, syntax.Declaration{
			Ident: syntax.Ident{Name: name, Span: s.span(pos, len(name))}, Order: order, Sized: true, Sizes: make([]*syntax.Expr, order)})
	}
	for _, d := range s.prog.Declares {
		add(d.Name, d.Pos, len(d.Dims))
	}
	for _, d := range s.outputs() {
		if d.Type != nil && d.Type.Dom != nil {
			leaves := spaces(d.Type.Dom)
			for i, name := range names(d, len(leaves)) {
				add(name, d.Pos, len(leaves[i].Dims))
			}
		}
	}
	s.File.Stmts = append(s.File.Stmts, declare)
	for _, d := range s.outputs() {
		s.File.Stmts = append(s.File.Stmts, syntax.Stmt{Kind: syntax.Expression, Span: s.span(d.Pos, len(d.Name)), Name: syntax.Ident{Name: d.Name}})
	}
	return s, nil
}

// outputs are the definitions that no later one names.
func (s *Source) outputs() []text.Def {
	used := map[string]bool{}
	var out []text.Def
	for _, d := range slices.Backward(s.prog.Defs) {
		if d.Name == "" || !used[d.Name] {
			out = append(out, d)
		}
		text.Walk(d.Body, func(t *text.Term) bool {
			used[t.Name] = true
			return true
		})
	}
	slices.Reverse(out)
	return out
}

// spaces are the tensor spaces of which a space is built, in order.
func spaces(s *text.Space) (out []*text.Space) {
	if len(s.Factors) == 0 {
		return []*text.Space{s}
	}
	for _, f := range s.Factors {
		out = append(out, spaces(f)...)
	}
	return out
}

// names are those of the components of a definition's argument.
func names(d text.Def, n int) []string {
	if len(d.Params) == n {
		return d.Params
	}
	if n == 1 {
		return []string{"x"}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("x%d", i+1)
	}
	return out
}

// A mark is the offset of a line and column; a source has one for every line and every hundred
// characters.
type mark struct{ line, column, offset int }

func marks(src string) []mark {
	out := []mark{{1, 1, 0}}
	line, column := 1, 1
	for i, r := range src {
		if column%100 == 0 || column == 1 {
			out = append(out, mark{line, column, i})
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return out
}

// span is the place of n bytes from pos on.
func (s *Source) span(pos text.Pos, n int) syntax.Span {
	k, found := slices.BinarySearchFunc(s.marks, pos, func(m mark, p text.Pos) int {
		return cmp.Or(cmp.Compare(m.line, p.Line), cmp.Compare(m.column, p.Column))
	})
	if !found {
		k = max(k-1, 0)
	}
	m := s.marks[k]
	for i, r := range s.File.Src[m.offset:] {
		if m.line == pos.Line && m.column == pos.Column {
			return syntax.Span{Start: m.offset + i, End: min(m.offset+i+max(n, 1), len(s.File.Src))}
		}
		if m.column++; r == '\n' {
			break
		}
	}
	return syntax.Span{Start: len(s.File.Src), End: len(s.File.Src)}
}

// place turns an error of the packages below into one with a code and a place: its own, else pos.
func (s *Source) place(code syntax.Code, err error, pos text.Pos) error {
	var user *syntax.Error
	if errors.As(err, &user) {
		return err
	}
	message := err.Error()
	var e *text.Error
	if errors.As(err, &e) {
		pos, message = e.Pos, e.Message
	}
	if strings.Contains(message, "is no map: it is neither") || strings.Contains(message, "stands for no value") {
		code = "N002"
	}
	out := s.File.Errorf(code, s.span(pos, 1), "%s", message)
	switch code {
	case "S002":
		out.Helpf("a definition is written f : R[m,n] x R[n] -> R[m] = *(ij,j->i)")
	case "N002":
		out.Helpf("values are declared with their sizes: declare A[m,n]; maps are defined before they are used")
	}
	return out
}

// elaborator builds one program.
type elaborator struct {
	*Source
	store  *combinators.Store
	env    *rewrite.Env
	out    *Program
	opt    elab.Options
	params map[string]*combinators.Node
	known  map[string]int64 // numbers of size symbols
}

// Elaborate types the program, with the sizes of opt in numbers. An error is a *[syntax.Error] at
// the innermost term that is wrong.
func (s *Source) Elaborate(opt elab.Options) (p *Program, err error) {
	e := &elaborator{Source: s, store: combinators.NewStore(), env: &rewrite.Env{Maps: map[string]combinators.Map{}}, opt: opt,
		params: map[string]*combinators.Node{}, known: map[string]int64{}}
	e.store.MaxNodes = opt.Nodes
	if opt.Nodes == 0 {
		e.store.MaxNodes = elab.DefaultNodes
	}
	e.out = &Program{Program: &elab.Program{File: s.File, Store: e.store}, Source: s}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *combinators.LimitError:
			p, err = nil, syntax.NewError("L006", "the program has more than %d nodes", r.Nodes).Helpf("raise the limit on nodes")
		default:
			panic(r)
		}
	}()
	for name, n := range opt.Sizes {
		e.known[name] = n
	}
	if err := e.numbers(); err != nil {
		return nil, err
	}
	if err := e.symbols(); err != nil {
		return nil, err
	}
	for _, d := range s.prog.Declares {
		shape, err := rewrite.ReadSpace(&text.Space{Name: "R", Bracket: true, Dims: d.Dims}, e.env)
		if err != nil {
			return nil, s.place("T012", err, d.Pos)
		}
		if err := e.param(d.Name, shape.Shape(), d.Pos); err != nil {
			return nil, err
		}
		e.env.Values = append(e.env.Values, rewrite.Binding{Name: d.Name, Value: e.params[d.Name]})
	}
	declared := len(e.out.Params)
	outputs := s.outputs()
	for _, d := range s.prog.Defs {
		isOutput := slices.ContainsFunc(outputs, func(o text.Def) bool { return o.Pos == d.Pos })
		if err := e.define(d, isOutput, e.out.Params[:declared:declared]); err != nil {
			return nil, err
		}
	}
	return e.out, e.requests()
}

// numbers finds the numbers of size symbols in the shapes that are given for variables.
func (e *elaborator) numbers() error {
	check := func(name string, dims []*text.Term, pos text.Pos) error {
		given, ok := e.opt.Dims[name]
		if !ok {
			return nil
		}
		if len(given) != len(dims) {
			return e.File.Errorf("T016", e.span(pos, len(name)), "%s has %d axes, but %d sizes are given", name, len(dims), len(given))
		}
		for i, d := range dims {
			if d.Op == text.Name && len(d.Attrs) == 0 {
				if old, ok := e.known[d.Name]; ok && old != given[i] {
					return e.File.Errorf("T014", e.span(pos, len(name)), "axis %d of %s is %s = %d in the program, but the size given is %d", i, name, d.Name, old, given[i])
				}
				e.known[d.Name] = given[i]
			}
		}
		return nil
	}
	for _, d := range e.prog.Declares {
		if err := check(d.Name, d.Dims, d.Pos); err != nil {
			return err
		}
	}
	for _, d := range e.outputs() {
		if d.Type != nil && d.Type.Dom != nil {
			leaves := spaces(d.Type.Dom)
			for i, name := range names(d, len(leaves)) {
				if err := check(name, leaves[i].Dims, d.Pos); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// symbols gives a size to every symbol of the types: its number where one is known.
func (e *elaborator) symbols() error {
	seen := map[string]bool{}
	add := func(dims []*text.Term, pos text.Pos, determined bool) {
		for _, d := range dims {
			text.Walk(d, func(t *text.Term) bool {
				if t.Op == text.Name && !seen[t.Name] {
					seen[t.Name] = true
					sz := size.Sym(t.Name)
					if n, ok := e.known[t.Name]; ok {
						sz = size.Const(n)
					}
					e.env.Sizes = append(e.env.Sizes, rewrite.SizeBinding{Name: t.Name, Size: sz})
					e.out.Symbols = append(e.out.Symbols, elab.Symbol{Name: t.Name, Declared: true, Determined: determined, Span: e.span(pos, 1)})
				}
				return true
			})
		}
	}
	for _, d := range e.prog.Declares {
		add(d.Dims, d.Pos, true)
	}
	for _, d := range e.prog.Defs {
		if d.Type == nil {
			continue
		}
		for _, sp := range []*text.Space{d.Type.Dom, d.Type.Cod} {
			if sp == nil {
				continue
			}
			for _, leaf := range spaces(sp) {
				add(leaf.Dims, d.Pos, true)
			}
		}
	}
	for name := range e.opt.Sizes {
		if !seen[name] {
			return syntax.NewError("T017", "the program has no size symbol %s", name)
		}
	}
	return nil
}

// param adds a variable, or finds the one of that name and shape.
func (e *elaborator) param(name string, shape []size.Size, pos text.Pos) error {
	if old := e.params[name]; old != nil {
		if size.Shape(old.Shape()) != size.Shape(shape) {
			return e.File.Errorf("N001", e.span(pos, len(name)), "%s has the axes %s and the axes %s", name, size.Shape(old.Shape()), size.Shape(shape)).
				Helpf("name the arguments of one of the maps: f(u) : R[n] -> R[n] = ...")
		}
		return nil
	}
	if slices.ContainsFunc(e.env.Sizes, func(s rewrite.SizeBinding) bool { return s.Name == name }) {
		return e.File.Errorf("N001", e.span(pos, len(name)), "%s is a size and a variable", name)
	}
	n := e.store.Var(name, shape)
	e.params[name] = n
	e.out.Params = append(e.out.Params, elab.Param{Name: name, Node: n, Span: e.span(pos, len(name))})
	return nil
}

// space is what a type says; R without brackets is R[].
func (e *elaborator) space(t *text.Space) (combinators.Space, error) {
	if len(t.Factors) == 0 && t.Name == "R" && !t.Bracket {
		return combinators.Space{}, nil
	}
	if len(t.Factors) == 0 {
		return rewrite.ReadSpace(t, e.env)
	}
	factors := make([]combinators.Space, len(t.Factors))
	for i, f := range t.Factors {
		var err error
		if factors[i], err = e.space(f); err != nil {
			return combinators.Space{}, err
		}
	}
	return combinators.ProductSpace(factors...), nil
}

// define gives the definition its meaning; one that is an expression becomes an output.
func (e *elaborator) define(d text.Def, output bool, declared []elab.Param) error {
	if d.Name != "" && (combinators.AtomNamed(d.Name) != nil || slices.Contains(rewrite.StandardMaps, d.Name) || d.Name == "id" || d.Name == "D" ||
		d.Name == "K" || d.Name == "adjoint" || e.defined(d.Name)) {
		return e.File.Errorf("N001", e.span(d.Pos, len(d.Name)), "%s has a meaning already; choose another name", d.Name)
	}
	if d.Type != nil && d.Type.Arrow == text.NoArrow {
		n, err := rewrite.Build(e.store, d.Body, e.env)
		if err != nil {
			return e.place("T012", err, d.Body.Pos)
		}
		want, err := e.space(d.Type.Cod)
		if err == nil && !want.Equal(combinators.TensorSpace(n.Shape())) {
			err = fmt.Errorf("the value is of %s, its type is %s", combinators.TensorSpace(n.Shape()), want)
		}
		if err != nil {
			return e.place("T012", err, d.Pos)
		}
		e.env.Values = append(e.env.Values, rewrite.Binding{Name: d.Name, Value: n})
		if output {
			e.out.Outputs = append(e.out.Outputs, elab.Output{Name: d.Name, Node: n, Span: e.span(d.Pos, len(d.Name))})
		}
		return nil
	}
	dom, cod, err := e.spacesOf(d, declared)
	if err != nil {
		return err
	}
	m, err := rewrite.ReadMap(e.store, d.Body, dom, cod, e.env)
	if err != nil {
		return e.place("T012", err, d.Body.Pos)
	}
	if d.Type != nil {
		_, linear := m.Linear()
		_, multi := m.Multilinear()
		if d.Type.Arrow == text.LinearTo && !linear || d.Type.Arrow == text.BilinearTo && !multi {
			return e.File.Errorf("T012", e.span(d.Pos, len(d.Name)), "the type of %s is %s, but the term is only known as a map %s", d.Name, d.Type, text.Signature(m)).
				Helpf("a map is linear by the way it is built: of linear maps, contractions and their sections")
		}
	}
	if d.Name != "" {
		e.env.Maps[d.Name] = m
	}
	if output {
		return e.output(d, m, declared)
	}
	return nil
}

// spacesOf are the spaces of a definition: those of its type, or that of the declared values.
func (e *elaborator) spacesOf(d text.Def, declared []elab.Param) (dom, cod *combinators.Space, err error) {
	if d.Type != nil {
		u, err := e.space(d.Type.Dom)
		if err != nil {
			return nil, nil, e.place("T012", err, d.Pos)
		}
		v, err := e.space(d.Type.Cod)
		if err != nil {
			return nil, nil, e.place("T012", err, d.Pos)
		}
		return &u, &v, nil
	}
	if len(declared) == 0 {
		return nil, nil, e.File.Errorf("T015", e.span(d.Pos, 1), "the space of the argument is not known").
			Helpf("give the type: f : R[n] -> R[n] = ...")
	}
	u := e.value(declared).Space()
	return &u, nil, nil
}

func (e *elaborator) value(params []elab.Param) *combinators.Value {
	nodes := make([]*combinators.Node, len(params))
	for i, p := range params {
		nodes[i] = p.Node
	}
	return (&combinators.Block{Store: e.store, Params: nodes}).ParamsValue()
}

// output applies a map to its argument.
func (e *elaborator) output(d text.Def, m combinators.Map, declared []elab.Param) error {
	var arg *combinators.Value
	if d.Type == nil {
		arg = e.value(declared)
	} else {
		ns := names(d, len(leavesOf(m.Dom())))
		if len(d.Params) > 0 && len(d.Params) != len(ns) {
			return e.File.Errorf("T002", e.span(d.Pos, len(d.Name)), "%d names for the %d components of the argument", len(d.Params), len(ns))
		}
		for i, leaf := range leavesOf(m.Dom()) {
			if err := e.param(ns[i], leaf.Shape(), d.Pos); err != nil {
				return err
			}
		}
		arg = e.argument(m.Dom(), &ns)
	}
	worked := m
	if text.Unworked(m) {
		var err error
		if worked, err = adjoint.ClosedSimplify(m, nil); err != nil {
			return e.place("T012", err, d.Pos)
		}
	}
	y, err := e.store.ApplyMap(worked, arg)
	if err != nil {
		return e.place("T012", err, d.Pos)
	}
	x := Expression{Name: d.Name, Map: m, Argument: arg}
	parts := flat(y)
	for i, n := range parts {
		name := d.Name
		if len(parts) > 1 {
			name = fmt.Sprintf("%s%d", orY(d.Name), i+1)
		}
		x.Outputs = append(x.Outputs, len(e.out.Outputs))
		e.out.Outputs = append(e.out.Outputs, elab.Output{Name: name, Node: n, Span: e.span(d.Pos, len(d.Name))})
	}
	e.out.Maps = append(e.out.Maps, x)
	return nil
}

// argument is the variables as a value of the space.
func (e *elaborator) argument(sp combinators.Space, names *[]string) *combinators.Value {
	if !sp.IsProduct() {
		n := e.params[(*names)[0]]
		*names = (*names)[1:]
		return e.store.Value(n)
	}
	parts := make([]*combinators.Value, len(sp.Factors()))
	for i, f := range sp.Factors() {
		parts[i] = e.argument(f, names)
	}
	return e.store.Tuple(parts...)
}

func leavesOf(sp combinators.Space) (out []combinators.Space) {
	if !sp.IsProduct() {
		return []combinators.Space{sp}
	}
	for _, f := range sp.Factors() {
		out = append(out, leavesOf(f)...)
	}
	return out
}

func flat(v *combinators.Value) (out []*combinators.Node) {
	if v.Node() != nil {
		return []*combinators.Node{v.Node()}
	}
	for _, p := range v.Parts() {
		out = append(out, flat(p)...)
	}
	return out
}

func (e *elaborator) requests() error {
	for _, r := range e.prog.Requests {
		for _, name := range r.Wrt {
			if e.params[name] == nil {
				return e.File.Errorf("N003", e.span(r.Pos, len(r.Kind)), "%s is neither declared nor the argument of a map", name)
			}
		}
		order := r.Order
		if order == 0 {
			order = 1
			if r.Kind == "hessian" {
				order = 2
			}
		}
		e.out.Requests = append(e.out.Requests, elab.Request{Kind: r.Kind, Wrt: r.Wrt, Order: order, Span: e.span(r.Pos, len(r.Kind))})
	}
	return nil
}

func (e *elaborator) defined(name string) bool {
	_, ok := e.env.Maps[name]
	return ok
}

// orY names the results of an expression that has no name.
func orY(name string) string {
	if name == "" {
		return "y"
	}
	return name
}
