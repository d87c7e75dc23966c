package program

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// elaborator builds one program.
type elaborator struct {
	*Source
	store  *combinators.Store
	env    *denote.Env
	out    *Program
	opt    elab.Options
	params map[string]*combinators.Node
	known  map[string]int64 // numbers of size symbols
}

// Elaborate types the program, with the sizes of opt in numbers; maps in it are applied by the calculus.
// An error is a *[syntax.Error] at the innermost term that is wrong.
func (s *Source) Elaborate(opt elab.Options, calculus denote.Calculus) (p *Program, err error) {
	e := &elaborator{Source: s, store: combinators.NewStore(), env: &denote.Env{Maps: map[string]combinators.Map{}, Tuples: map[string]*combinators.Value{}, Calculus: calculus}, opt: opt,
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
			p, err = nil, elab.LimitError(r)
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
		shape, err := denote.ReadSpace(&text.Space{Name: "R", Bracket: true, Dims: d.Dims}, e.env)
		if err != nil {
			return nil, s.place("T012", err, d.Pos)
		}
		if why := elab.Unfit(d.Of, shape.Shape()); why != "" {
			return nil, e.File.Errorf("T018", e.span(d.Pos, len(d.Name)), "%s cannot be %s: %s", d.Name, d.Of, why)
		}
		if err := e.param(d.Name, shape.Shape(), d.Of, d.Pos); err != nil {
			return nil, err
		}
		e.env.Values = append(e.env.Values, denote.Binding{Name: d.Name, Value: e.params[d.Name]})
	}
	declared := len(e.out.Params)
	outputs := s.expressions()
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
			err := e.File.Errorf("T016", e.span(pos, len(name)), "%s has %s, but %s", name, words.Count(len(dims), "axis"), words.Given(len(given), "size"))
			if slices.Contains(given, 0) {
				err = err.Helpf("%s", syntax.EmptyArrays)
			}
			return err
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
	for _, d := range e.expressions() {
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
					e.env.Sizes = append(e.env.Sizes, denote.SizeBinding{Name: t.Name, Size: sz})
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
	for _, d := range e.File.Functions.All() {
		for _, name := range d.Open() {
			add([]*text.Term{text.NewName(name)}, text.Pos{Line: 1, Column: 1}, false)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.opt.Sizes)) {
		if !seen[name] {
			return syntax.NewError("T017", "the program has no size symbol %s", name)
		}
	}
	return nil
}

// param adds a variable, or finds the one of that name and shape.
func (e *elaborator) param(name string, shape []size.Size, of atom.Attributes, pos text.Pos) error {
	if old := e.params[name]; old != nil {
		if size.Shape(old.Shape()) != size.Shape(shape) {
			return e.File.Errorf("N001", e.span(pos, len(name)), "%s has the axes %s and the axes %s", name, size.Shape(old.Shape()), size.Shape(shape)).
				Helpf("name the arguments of one of the maps: f(u) : R[n] -> R[n] = ...")
		}
		return nil
	}
	if slices.ContainsFunc(e.env.Sizes, func(s denote.SizeBinding) bool { return s.Name == name }) {
		return e.File.Errorf("N001", e.span(pos, len(name)), "%s is a size and a variable", name)
	}
	n := e.store.Member(name, shape, of)
	e.params[name] = n
	e.out.Params = append(e.out.Params, elab.Param{Name: name, Node: n, Span: e.span(pos, len(name))})
	return nil
}

// define gives the definition its meaning; one that is an expression becomes an output.
func (e *elaborator) define(d text.Def, output bool, declared []elab.Param) error {
	if err := e.reserved(d); err != nil {
		return err
	}
	if e.defined(d.Name) {
		return e.File.Errorf("N001", e.span(d.Pos, len(d.Name)), "%s has a meaning already; choose another name", d.Name)
	}
	if d.Type != nil && d.Type.Arrow == text.NoArrow {
		return e.value(d, output)
	}
	m, err := e.read(d, declared)
	if err != nil {
		return err
	}
	if d.Name != "" {
		e.env.Maps[d.Name] = m
	}
	if output {
		return e.output(d, m, declared)
	}
	return nil
}

// reserved refuses names that mean a map everywhere.
func (s *Source) reserved(d text.Def) error {
	if d.Name != "" && (s.File.Functions.Named(d.Name) != nil || slices.Contains(denote.StandardMaps, d.Name) || d.Name == "id" || d.Name == "D" ||
		d.Name == "K" || d.Name == "adjoint") {
		return s.File.Errorf("N001", s.span(d.Pos, len(d.Name)), "%s has a meaning already; choose another name", d.Name)
	}
	return nil
}

// read makes the map of a definition.
func (e *elaborator) read(d text.Def, declared []elab.Param) (m combinators.Map, err error) {
	dom, cod, err := e.spacesOf(d, declared)
	if err != nil {
		return m, err
	}
	m, err = denote.ReadMap(e.store, d.Body, dom, cod, e.env)
	if err != nil {
		return m, e.place("T012", err, d.Body.Pos)
	}
	if d.Type != nil {
		_, linear := m.Linear()
		_, multi := m.Multilinear()
		if d.Type.Arrow == text.LinearTo && !linear || d.Type.Arrow == text.BilinearTo && !multi {
			return m, e.File.Errorf("T012", e.span(d.Pos, len(d.Name)), "the type of %s is %s, but the term is only known as a map %s", d.Name, d.Type, text.Signature(m)).
				Helpf("a map is linear by the way it is built: of linear maps, contractions and their sections")
		}
	}
	return m, nil
}

// value defines a value, which may be a tuple.
func (e *elaborator) value(d text.Def, output bool) error {
	v, err := denote.ReadValue(e.store, d.Body, e.env)
	if err != nil {
		return e.place("T012", err, d.Body.Pos)
	}
	want, err := denote.ReadSpace(d.Type.Cod, e.env)
	if err != nil {
		return e.place("T012", err, d.Pos)
	}
	if v.Node() != nil && v.Node().Order() == 0 && !want.IsProduct() && len(want.Shape()) > 0 {
		v = e.store.Value(e.store.Broadcast(v.Node(), want.Shape())) // a number is constant along all axes
	}
	if !want.Equal(v.Space()) {
		return e.place("T012", fmt.Errorf("the value is of %s, its type is %s", v.Space(), want), d.Body.Pos)
	}
	if v.Node() != nil {
		e.env.Values = append(e.env.Values, denote.Binding{Name: d.Name, Value: v.Node()})
	} else {
		e.env.Tuples[d.Name] = v
	}
	if output {
		e.outputs(d, v)
	}
	return nil
}

// outputs adds the tensors of a value to the outputs of the program and returns their places.
func (e *elaborator) outputs(d text.Def, v *combinators.Value) (at []int) {
	parts := v.Leaves()
	for i, n := range parts {
		name := d.Name
		if len(parts) > 1 {
			name = fmt.Sprintf("%s%d", orY(d.Name), i+1)
		}
		at = append(at, len(e.out.Outputs))
		e.out.Outputs = append(e.out.Outputs, elab.Output{Name: name, Node: n, Span: e.span(d.Pos, len(d.Name))})
	}
	return at
}

// spacesOf are the spaces of a definition: those of its type, or that of the declared values.
func (e *elaborator) spacesOf(d text.Def, declared []elab.Param) (dom, cod *combinators.Space, err error) {
	if d.Type != nil {
		u, err := denote.ReadSpace(d.Type.Dom, e.env)
		if err != nil {
			return nil, nil, e.place("T012", err, d.Pos)
		}
		v, err := denote.ReadSpace(d.Type.Cod, e.env)
		if err != nil {
			return nil, nil, e.place("T012", err, d.Pos)
		}
		return &u, &v, nil
	}
	if len(declared) == 0 {
		return nil, nil, e.File.Errorf("T015", e.span(d.Pos, 1), "the space of the argument is not known").
			Helpf("give the type: f : R[n] -> R[n] = ...")
	}
	u := e.tuple(declared).Space()
	return &u, nil, nil
}

func (e *elaborator) tuple(params []elab.Param) *combinators.Value {
	nodes := lists.Map(params, func(p elab.Param) *combinators.Node { return p.Node })
	return (&combinators.Block{Store: e.store, Params: nodes}).ParamsValue()
}

// output applies a map to its argument.
func (e *elaborator) output(d text.Def, m combinators.Map, declared []elab.Param) error {
	var arg *combinators.Value
	if d.Type == nil {
		arg = e.tuple(declared)
	} else {
		ns := names(d, len(leavesOf(m.Dom())))
		if len(d.Params) > 0 && len(d.Params) != len(ns) {
			return e.File.Errorf("T002", e.span(d.Pos, len(d.Name)), "%s for the %s of the argument", words.Count(len(d.Params), "name"), words.Count(len(ns), "component"))
		}
		for i, leaf := range leavesOf(m.Dom()) {
			if err := e.param(ns[i], leaf.Shape(), 0, d.Pos); err != nil {
				return err
			}
		}
		arg = e.argument(m.Dom(), &ns)
	}
	y, err := e.env.Calculus.Apply(m, arg)
	if err != nil {
		return e.place("T012", err, d.Pos)
	}
	x := Expression{Name: d.Name, Map: m, Argument: arg, Outputs: e.outputs(d, y)}
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
	parts := lists.Map(sp.Factors(), func(f combinators.Space) *combinators.Value { return e.argument(f, names) })
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
