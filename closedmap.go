package frechet

import (
	"fmt"
	"strconv"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/export/latex"
	"frechet/internal/words"
)

// A ClosedMap is a map without variables: a term of combinator notation, with values inside. It is
// given by a program in that notation, or is the derivative of any program.
type ClosedMap struct {
	f    *Func
	name string
	m    combinators.Map
}

// Map is the map of the program's one expression, as it is written in combinator notation; of a
// program in another language the closed map from the variables that occur to the value.
func (f *Func) Map() (c *ClosedMap, err error) {
	defer guard(&err)
	x, err := f.expression()
	if err != nil {
		return nil, err
	}
	return &ClosedMap{f, x.name, x.m}, nil
}

// expression is the program's one expression as a map at its argument.
type expression struct {
	name string
	m    combinators.Map
	at   *combinators.Value
}

func (f *Func) expression() (x expression, err error) {
	if f.closed != nil && len(f.closed.Maps) == 1 {
		m := f.closed.Maps[0]
		return expression{orF(m.Name), m.Map, m.Argument}, nil
	}
	if len(f.prog.Outputs) != 1 {
		return x, fmt.Errorf("the program has %s; one is needed", words.Count(len(f.prog.Outputs), "expression"))
	}
	n := f.prog.Outputs[0].Node
	b := &combinators.Block{Store: f.prog.Store, Params: f.closedParams(n), Outs: []*combinators.Node{n}}
	return expression{orF(f.prog.Outputs[0].Name), combinators.Readback(b), b.ParamsValue()}, nil
}

func orF(name string) string {
	if name == "" {
		return "f"
	}
	return name
}

// DerivativeMap is the derivative of the program's one expression at its argument, a linear map
// U -o V, by the rules of Elsman et al., Theorem 4.1. With variables named, it is the derivative by
// those alone.
func (f *Func) DerivativeMap(wrt ...string) (c *ClosedMap, err error) {
	defer guard(&err)
	x, err := f.by(wrt)
	if err != nil {
		return nil, err
	}
	l, err := adjoint.ClosedDerivative(x.m, x.at, nil)
	return &ClosedMap{f, "d" + x.name, l.Map}, err
}

// by is the expression as a map of the variables wrt alone, of all where none is named.
func (f *Func) by(wrt []string) (expression, error) {
	x, err := f.expression()
	if err == nil && len(x.at.Leaves()) == 0 {
		err = fmt.Errorf("the program has no variables: there is nothing to differentiate by")
	}
	if err != nil || len(wrt) == 0 {
		return x, err
	}
	var params []*combinators.Node
	for _, name := range wrt {
		p := f.param(name)
		if p == nil {
			return x, f.undeclared(name)
		}
		params = append(params, p)
	}
	b := &combinators.Block{Store: f.prog.Store, Params: params}
	if x.at == b.ParamsValue() {
		return x, nil
	}
	if len(f.prog.Outputs) != 1 {
		return x, fmt.Errorf("the program has %s; one is needed", words.Count(len(f.prog.Outputs), "expression"))
	}
	b.Outs = []*combinators.Node{f.prog.Outputs[0].Node}
	return expression{x.name, combinators.Readback(b), b.ParamsValue()}, nil
}

// arguments names the variables to which a program in combinator notation applies its one map.
func (f *Func) arguments() (names []string) {
	if f.closed == nil || len(f.closed.Maps) != 1 {
		return nil
	}
	for _, n := range f.closed.Maps[0].Argument.Leaves() {
		names = append(names, n.Name())
	}
	return names
}

// Conventions names the conventions of the functions that are differentiated in the program's one
// expression: by the variables wrt, all where none is named, and in the derivatives that stand in it.
func (f *Func) Conventions(wrt ...string) (cs []Convention, err error) {
	defer guard(&err)
	x, err := f.by(wrt)
	if err != nil {
		return nil, err
	}
	var kinks []kink
	differentiated := func(m combinators.Map, at *combinators.Value) error {
		m, err := adjoint.ClosedSimplify(m, nil)
		if err != nil {
			return err
		}
		y, err := m.Store().ApplyMap(m, at)
		if err == nil {
			kinks = append(kinks, kinksOf(y.Leaves(), at.Leaves())...)
		}
		return err
	}
	for _, m := range combinators.TopoMaps(x.m) {
		if m.Op() == combinators.MapDerivative {
			if err := differentiated(m.Maps()[0], m.Value()); err != nil {
				return nil, err
			}
		}
	}
	err = differentiated(x.m, x.at)
	return shownConventions(kinks), err
}

// Linear reports whether the map is linear by the way it is built.
func (c *ClosedMap) Linear() bool { _, ok := c.m.Linear(); return ok }

// Adjoint is the linear map L* with <L v, w> = <v, L* w>, by the rules of Elsman et al., Theorem
// 6.5, simplified. The error says that the map is not linear by the way it is built.
func (c *ClosedMap) Adjoint() (a *ClosedMap, err error) {
	defer guard(&err)
	l, ok := c.m.Linear()
	if !ok {
		return nil, placeless(codeValueShape, "%s is a map %s; only a linear map has an adjoint", c.name, text.Signature(c.m)).
			Helpf("ask for the adjoint of its derivative: frechet adjoint --wrt")
	}
	back, err := adjoint.ClosedAdjoint(l, nil)
	return &ClosedMap{c.f, c.name + "_adj", back.Map}, err
}

// Simplify works out the derivatives and adjoints in the map and brings it to normal form under the
// algebra of closed combinators.
func (c *ClosedMap) Simplify() (s *ClosedMap, err error) {
	defer guard(&err)
	m, err := adjoint.ClosedSimplify(c.m, nil)
	return &ClosedMap{c.f, c.name, m}, err
}

// Compose is the map c . g, g first. Both are maps of one program.
func (c *ClosedMap) Compose(g *ClosedMap) (h *ClosedMap, err error) {
	defer guard(&err)
	if c.f != g.f {
		return nil, errOtherProgram
	}
	if !c.m.Dom().Equal(g.m.Cod()) {
		return nil, placeless(codeValueShape, "%s is a map on %s, but %s gives a value of %s", c.name, c.m.Dom(), g.name, g.m.Cod())
	}
	return &ClosedMap{c.f, c.name + "_" + g.name, c.m.Store().Compose(c.m, g.m)}, nil
}

// Add is the map c + g, of maps of one program between the same spaces.
func (c *ClosedMap) Add(g *ClosedMap) (h *ClosedMap, err error) {
	defer guard(&err)
	if c.f != g.f {
		return nil, errOtherProgram
	}
	if !c.m.Dom().Equal(g.m.Dom()) || !c.m.Cod().Equal(g.m.Cod()) {
		return nil, placeless(codeValueShape, "the sum of %s : %s and %s : %s", c.name, c.Type(), g.name, g.Type())
	}
	return &ClosedMap{c.f, c.name + "_" + g.name, c.m.Store().SumMaps(c.m, g.m)}, nil
}

// Derivative is D(c)(x), the derivative of the map at a point given by terms of its program, one for
// each tensor of the argument: a linear map from changes of the argument to those of the result.
func (c *ClosedMap) Derivative(x ...*Term) (d *ClosedMap, err error) {
	defer guard(&err)
	v, err := c.argument(x)
	if err != nil {
		return nil, err
	}
	l, err := adjoint.ClosedDerivative(c.m, v, nil)
	return &ClosedMap{c.f, "d" + c.name, l.Map}, err
}

// At is the map at terms of its program, one for each tensor of its argument: one term for each
// tensor of the result, in normal form. The derivative at a direction is a jvp, its adjoint at a
// cotangent a vjp.
func (c *ClosedMap) At(x ...*Term) (results []*Term, err error) {
	defer guard(&err)
	v, err := c.argument(x)
	if err != nil {
		return nil, err
	}
	return c.at(v)
}

// argument is terms as an argument of the map.
func (c *ClosedMap) argument(x []*Term) (*combinators.Value, error) {
	rest := x
	var build func(sp combinators.Space) (*combinators.Value, error)
	build = func(sp combinators.Space) (*combinators.Value, error) {
		if !sp.IsProduct() {
			if len(rest) == 0 {
				return nil, placeless(codeValueShape, "%s takes a value of %s, but %s", c.name, c.m.Dom(), words.Given(len(x), "term"))
			}
			t := rest[0]
			rest = rest[1:]
			if t.f != c.f {
				return nil, errOtherProgram
			}
			if size.Shape(t.node.Shape()) != size.Shape(sp.Shape()) {
				return nil, placeless(codeValueShape, "%s takes a value of %s, but a term has axes %s", c.name, sp, size.Shape(t.node.Shape()))
			}
			return c.m.Store().Value(t.node), nil
		}
		parts := make([]*combinators.Value, len(sp.Factors()))
		for i, f := range sp.Factors() {
			var err error
			if parts[i], err = build(f); err != nil {
				return nil, err
			}
		}
		return c.m.Store().Tuple(parts...), nil
	}
	v, err := build(c.m.Dom())
	if err == nil && len(rest) > 0 {
		err = placeless(codeValueShape, "%s takes a value of %s, but %s", c.name, c.m.Dom(), words.Given(len(x), "term"))
	}
	return v, err
}

// Entries are the entries of a linear map between tensors, multiplied out: the axes of the result,
// then those of the argument. The error says that the map is not linear by the way it is built, or
// is on a product of spaces.
func (c *ClosedMap) Entries() (t *Term, err error) {
	defer guard(&err)
	if _, ok := c.m.Linear(); !ok || c.m.Dom().IsProduct() || c.m.Cod().IsProduct() {
		return nil, placeless(codeValueShape, "%s is a map %s; a linear map between tensors has entries", c.name, c.Type())
	}
	var names []string
	x := c.fresh("v", c.m.Dom(), &names)
	y, err := c.at(x)
	if err != nil {
		return nil, err
	}
	js, err := adjoint.Jacobian(y[0].node, []*combinators.Node{x.Node()}, Planned)
	if err != nil {
		return nil, err
	}
	return &Term{f: c.f, node: simplify(js[0])[0], axes: append(axesOf(y[0].node, ""), axesOf(x.Node(), names[0])...)}, nil
}

// Type is the map's type: R[m,n] x R[n] -> R[m], with -o for a linear map and ->2 for a bilinear
// one.
func (c *ClosedMap) Type() string { return text.Signature(c.m) }

// String is the map as a definition in combinator notation; it reads back beside declarations of
// the values in it.
func (c *ClosedMap) String() string { return c.definition(false) }

// Unicode is String with the symbols of the paper.
func (c *ClosedMap) Unicode() string { return c.definition(true) }

// LaTeX is the map with its type as an align environment; what is used more than once has a row of
// its own.
func (c *ClosedMap) LaTeX() string {
	typ, err := text.ParseType(c.Type())
	if err != nil {
		panic(err) // types print as they are read
	}
	return latex.Definition(c.name, typ, text.Closed(c.m))
}

func (c *ClosedMap) definition(unicode bool) string {
	p := text.Printer{Unicode: unicode, Lines: true}
	return c.name + " : " + p.Type(c.Type()) + " =" + onLines(p.Print(c.f.closedTerm(c.m)))
}

// closedTerm is a map as a term that is read back given its type.
func (f *Func) closedTerm(m combinators.Map) *text.Term {
	t := text.Closed(m)
	if !text.SpacesShow(m) && !f.readsBack(m, t) {
		t = text.ClosedTyped(m)
	}
	return t
}

// readsBack reports whether t, which is m without the types of its parts, is read as m.
func (f *Func) readsBack(m combinators.Map, t *text.Term) bool {
	env := &denote.Env{}
	for _, n := range combinators.Topo(text.Values(m)...) {
		if n.Name() != "" {
			env.Values = append(env.Values, denote.Binding{Name: n.Name(), Value: n})
		}
	}
	for _, s := range f.prog.Symbols {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: s.Name, Size: size.Sym(s.Name)})
	}
	dom, cod := m.Dom(), m.Cod()
	back, err := denote.ReadMap(f.prog.Store, t, &dom, &cod, env)
	return err == nil && back == m
}

// Apply is the map at new variables named after base: their names, and the results as terms, one for
// each tensor of the result.
func (c *ClosedMap) Apply(base string) (names []string, results []*Term, err error) {
	defer guard(&err)
	v := c.fresh(base, c.m.Dom(), &names)
	results, err = c.at(v)
	return names, results, err
}

func (c *ClosedMap) at(v *combinators.Value) (results []*Term, err error) {
	m := c.m
	if text.Unworked(m) {
		if m, err = adjoint.ClosedSimplify(m, nil); err != nil {
			return nil, err
		}
	}
	y, err := c.f.prog.Store.ApplyMap(m, v)
	if err != nil {
		return nil, err
	}
	for _, n := range simplify(y.Leaves()...) {
		results = append(results, &Term{f: c.f, node: n, axes: axesOf(n, "")})
	}
	return results, nil
}

// fresh is a value of new variables: base, or base1, base2, ... where there are several.
func (c *ClosedMap) fresh(base string, sp combinators.Space, names *[]string) *combinators.Value {
	s := c.f.prog.Store
	var build func(sp combinators.Space) *combinators.Value
	build = func(part combinators.Space) *combinators.Value {
		if !part.IsProduct() {
			name := base
			if sp.IsProduct() {
				name += strconv.Itoa(len(*names) + 1)
			}
			n := s.Fresh(name, part.Shape())
			*names = append(*names, n.Name())
			return s.Value(n)
		}
		parts := make([]*combinators.Value, len(part.Factors()))
		for i, f := range part.Factors() {
			parts[i] = build(f)
		}
		return s.Tuple(parts...)
	}
	return build(sp)
}
