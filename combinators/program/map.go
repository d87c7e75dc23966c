package program

import (
	"errors"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// definition is a map that a program of another language defines.
type definition struct {
	*Source
	calculus denote.Calculus
	def      text.Def
	file     *syntax.File
	at       syntax.Span
}

// ReadMap reads NAME : TYPE = TERM at a place of a program; with a calculus, by which the map is applied, it
// is an [elab.MapReader].
func ReadMap(calculus denote.Calculus, f *syntax.File, at syntax.Span) (elab.MapDefinition, error) {
	src := f.Src[at.Start:at.End]
	d := &definition{calculus: calculus, Source: &Source{File: &syntax.File{Src: src, Functions: f.Functions}, marks: marks(src)}, file: f, at: at}
	var err error
	if d.prog, err = text.ParseProgram(src); err != nil {
		return nil, d.moved(d.place("S002", err, text.Pos{Line: 1, Column: 1}))
	}
	if len(d.prog.Defs) != 1 || len(d.prog.Declares)+len(d.prog.Requests) > 0 || d.prog.Defs[0].Type == nil || d.prog.Defs[0].Type.Arrow == text.NoArrow {
		return nil, f.Errorf("S002", at, "a map is defined by its type and its term").Helpf("write map L : R[n] -o R[m] = (A *(ij,j->i) _)")
	}
	d.def = d.prog.Defs[0]
	text.Resolve(d.def.Body, f.Functions, d.def.Name)
	if len(d.def.Params) > 0 {
		return nil, f.Errorf("S002", at, "the arguments of a map have no names").Helpf("write map %s : ...", d.def.Name)
	}
	if err := d.reserved(d.def); err != nil {
		return nil, d.moved(err)
	}
	return d, nil
}

// moved gives an error in the text of the definition its place in the program.
func (d *definition) moved(err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	out := d.file.Errorf(e.Code, syntax.Span{Start: d.at.Start + e.Span.Start, End: d.at.Start + e.Span.End}, "%s", e.Message)
	out.Help = e.Help
	return out
}

func (d *definition) Dom() [][]string { return sizesOf(d.def.Type.Dom) }
func (d *definition) Cod() [][]string { return sizesOf(d.def.Type.Cod) }

func sizesOf(s *text.Space) (out [][]string) {
	for _, leaf := range spaces(s) {
		dims := []string{}
		dims = lists.Append(dims, leaf.Dims, text.Attr)
		out = append(out, dims)
	}
	return out
}

func (d *definition) Names() []string {
	names := map[string]bool{}
	text.Walk(d.def.Body, func(t *text.Term) bool {
		if t.Name != "" {
			names[t.Name] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(names))
}

func (d *definition) Build(s *combinators.Store, env elab.MapEnv) (combinators.Map, error) {
	e := &elaborator{Source: d.Source, store: s, env: &denote.Env{Maps: env.Maps, Tuples: map[string]*combinators.Value{}, Calculus: d.calculus}}
	for _, name := range slices.Sorted(maps.Keys(env.Values)) {
		e.env.Values = append(e.env.Values, denote.Binding{Name: name, Value: env.Values[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(env.Sizes)) {
		e.env.Sizes = append(e.env.Sizes, denote.SizeBinding{Name: name, Size: env.Sizes[name]})
	}
	m, err := e.read(d.def, nil)
	return m, d.moved(err)
}

func (d *definition) Apply(m combinators.Map, args []*combinators.Node) ([]*combinators.Node, error) {
	y, err := d.calculus.Apply(m, tupleOf(m, args))
	if err != nil {
		return nil, err
	}
	return y.Leaves(), nil
}

// tupleOf is the argument of a map from its tensors.
func tupleOf(m combinators.Map, args []*combinators.Node) *combinators.Value {
	var build func(sp combinators.Space) *combinators.Value
	build = func(sp combinators.Space) *combinators.Value {
		if !sp.IsProduct() {
			n := args[0]
			args = args[1:]
			return m.Store().Value(n)
		}
		parts := lists.Map(sp.Factors(), build)
		return m.Store().Tuple(parts...)
	}
	return build(m.Dom())
}
