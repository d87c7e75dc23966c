package elab

import (
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// Definitions of maps, in combinator notation, stand beside the other statements: they name the
// values and maps above them, and are applied like functions.

// A MapReader reads a definition NAME : TYPE = TERM that stands at a place of the program. Its error
// is a *[syntax.Error] with that place.
type MapReader func(f *syntax.File, at syntax.Span) (MapDefinition, error)

// A MapDefinition is a map whose type is known, and whose term is built once the sizes are.
type MapDefinition interface {
	// Dom and Cod have the sizes of the tensors of the argument and of the result, as they are
	// written.
	Dom() [][]string
	Cod() [][]string
	// Names are the names in the term: of values, maps and sizes, and of what is bound in it.
	Names() []string
	// Build makes the map; the error is a *[syntax.Error].
	Build(s *combinators.Store, env MapEnv) (combinators.Map, error)
	// Apply is the map, its derivatives and adjoints worked out, at values.
	Apply(m combinators.Map, args []*combinators.Node) ([]*combinators.Node, error)
}

// MapEnv has the meanings of the names in a map's term.
type MapEnv struct {
	Values map[string]*combinators.Node
	Maps   map[string]combinators.Map
	Sizes  map[string]size.Size
}

// mapEntry is what is known of a defined map.
type mapEntry struct {
	def      MapDefinition
	dom, cod [][]*axis
	m        combinators.Map
}

// mapStatement types the definition of a map: its type says the orders and sizes.
func (e *elaborator) mapStatement(s *syntax.Stmt) {
	if e.opt.Maps == nil {
		e.fail(e.errorf("S002", s.Span, "maps are not read here"))
	}
	def := readOnce(e, *s.Index, e.opt.Maps)
	if _, ok := syntax.LookupFunction(s.Name.Name); ok {
		e.fail(e.errorf("N001", s.Name.Span, "%s is a function already", s.Name.Name).Helpf("choose another name, such as %s1", s.Name.Name))
	}
	m := &mapEntry{def: def}
	axes := func(leaves [][]string) (out [][]*axis) {
		for _, sizes := range leaves {
			leaf := []*axis{}
			for _, text := range sizes {
				x, err := syntax.ParseExpr(text, e.opt.Limits)
				if err != nil {
					e.fail(e.errorf("T008", s.Name.Span, "in the type of %s: %s is no size", s.Name.Name, text))
				}
				moveTo(x, s.Name.Span)
				leaf = append(leaf, e.sizeClass(x, origin{s.Name.Span, s.Name.Name + " is defined here"}, true))
			}
			out = append(out, leaf)
		}
		return out
	}
	m.dom, m.cod = axes(def.Dom()), axes(def.Cod())
	b := &body{stmt: s}
	for _, name := range def.Names() {
		switch n := e.names[name]; {
		case n == nil:
		case n.kind == variable:
			b.vars = append(b.vars, n)
		case n.body != nil:
			b.uses = append(b.uses, n.body)
		}
	}
	b.def = e.define(s.Name, mapping)
	b.def.of, b.def.body = m, b
	e.bodies = append(e.bodies, b)
}

// moveTo puts an expression that stands nowhere in the program at a place of it.
func moveTo(x *syntax.Expr, at syntax.Span) {
	x.Span, x.At = at, at
	for _, a := range x.Args {
		moveTo(a, at)
	}
	for _, s := range x.Steps {
		if s.Arg != nil {
			moveTo(s.Arg, at)
		}
	}
}

// buildMap builds a map: all that it names is built.
func (e *elaborator) buildMap(n *entry) {
	env := MapEnv{map[string]*combinators.Node{}, map[string]combinators.Map{}, map[string]size.Size{}}
	for _, name := range n.of.def.Names() {
		switch m := e.names[name]; {
		case m == nil || m == n:
		case m.kind == variable:
			env.Values[name] = m.node
		case m.kind == definition && m.span.Start < n.span.Start:
			env.Values[name] = m.val.get()
		case m.kind == mapping && m.span.Start < n.span.Start:
			env.Maps[name] = m.of.m
		}
	}
	for name, s := range e.names {
		if s.kind == sizeSymbol {
			env.Sizes[name] = e.size(s.axes[0])
		}
	}
	var err error
	if n.of.m, err = n.of.def.Build(e.store, env); err != nil {
		e.fail(err.(*syntax.Error))
	}
}

// applied types the application of a map: its arguments are the tensors of its space, in order.
func (e *elaborator) applied(x *syntax.Expr, n *entry) *value {
	m := n.of
	if x.Axis != nil || len(x.Args) != len(m.dom) {
		s := "s"
		if len(m.dom) == 1 {
			s = ""
		}
		e.fail(e.errorf("S013", x.At, "%s takes %d argument%s and no axis", x.Name, len(m.dom), s).Note(n.span, "%s is defined here", n.name))
	}
	if len(m.cod) != 1 {
		e.fail(e.errorf("T007", x.At, "%s gives a tuple of %s, where one is needed", x.Name, words.Count(len(m.cod), "tensor")).
			Note(n.span, "%s is defined here", n.name).Helpf("map %s1 : ... = pi1 . %s is its first component", n.name, n.name))
	}
	args := make([]*value, len(x.Args))
	for i, a := range x.Args {
		v := e.ordered(e.expr(a), len(m.dom[i]))
		args[i] = v
		what := e.text(v.expr, "this")
		if v.order() != len(m.dom[i]) {
			e.fail(e.errorf("T007", v.expr.At, "%s has order %d, but argument %d of %s has order %d", what, v.order(), i+1, x.Name, len(m.dom[i])).
				Note(n.span, "%s is defined here", n.name))
		}
		for k, d := range m.dom[i] {
			if root := d.find(); e.numeric && root.symbol != "" && !v.axes[k].find().open() {
				root.parent = v.axes[k].find() // a symbol of the map's type alone gets its number here
			}
			if !e.unify(v.axes[k], d) {
				e.fail(e.helpSizes(e.errorf("T012", v.expr.At, "sizes differ: axis %d of %s is %s, and %s in argument %d of %s", k, what,
					e.describeSize(v.axes[k]), e.describeSize(d), i+1, x.Name).Note(n.span, "%s is defined here", n.name), v.axes[k], d))
			}
		}
	}
	if e.current != nil {
		e.current.uses = append(e.current.uses, n.body)
	}
	return &value{expr: x, axes: m.cod[0], build: func() *node {
		nodes := lists.Indexed(args, func(i int, v *value) *node { return e.spread(v.get(), m.dom[i]) })
		out, err := m.def.Apply(m.m, nodes)
		if err != nil {
			e.fail(e.errorf("T012", x.At, "%s", err))
		}
		return out[0]
	}}
}
