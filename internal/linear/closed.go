package linear

import (
	"slices"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/export/latex"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
	"frechet/internal/words"
	"frechet/rewrite/normal"
	"frechet/syntax/unparse"
)

// A ClosedMap is a map without variables: a term of combinator notation, with values inside. It is
// given by a program in that notation, or is the derivative of any program.
type ClosedMap struct {
	f      *program.Program
	name   string
	m      combinators.Map
	values *adjoint.LinearProgram // of which m is the readback, where it is the derivative of a graph of values or its adjoint
}

// Closed is the map of the program's one expression, as it is written in combinator notation; of a
// program in another language the closed map from the variables that occur to the value.
func Closed(f *program.Program) (c *ClosedMap, err error) {
	defer fault.Guard(&err)
	x, err := f.Expression()
	if err == nil {
		err = closed(f)
	}
	if err != nil {
		return nil, err
	}
	return &ClosedMap{f: f, name: x.Name, m: x.Map}, nil
}

// ClosedDerivative is the derivative of the program's one expression at its argument, a linear map
// U -o V, by the rules of Elsman et al., Theorem 4.1. With variables named, it is the derivative by
// those alone.
func ClosedDerivative(f *program.Program, wrt ...string) (c *ClosedMap, err error) {
	defer fault.Guard(&err)
	x, err := f.By(wrt)
	if err == nil {
		err = closed(f)
	}
	if err != nil {
		return nil, err
	}
	if x.Values == nil {
		return (&ClosedMap{f: f, name: "d" + x.Name, m: f.Store.Derivative(x.Map, x.At).Map}).Simplify()
	}
	l, err := f.Calculus().D(x.Values, x.Values.Params)
	if err != nil {
		return nil, err
	}
	return walked(f, "d"+x.Name, l)
}

// closed is the error for what has no form as a closed map.
func closed(f *program.Program) error {
	if what := f.Bodied(); what != "" {
		return fault.New(fault.NoForm, "%s has no form in combinator notation", what).Helpf("its derivative along a direction, and the adjoint of that, are those of frechet grad for jvp and vjp")
	}
	return nil
}

// walked is a map that a walk over a graph of values has formed.
func walked(f *program.Program, name string, l *adjoint.LinearProgram) (*ClosedMap, error) {
	b := &combinators.Block{Store: f.Store, Params: l.In, Outs: slices.Clone(l.Outs)}
	for i, y := range b.Outs {
		if y == nil {
			b.Outs[i] = f.Store.Zero(l.OutShapes[i])
		}
	}
	return (&ClosedMap{f, name, combinators.Readback(b), l}).Simplify()
}

// Linear reports whether the map is linear by the way it is built.
func (c *ClosedMap) Linear() bool { _, ok := c.m.Linear(); return ok }

// Adjoint is the linear map L* with <L v, w> = <v, L* w>, by the rules of Elsman et al., Theorem
// 6.5, simplified. The error says that the map is not linear by the way it is built.
func (c *ClosedMap) Adjoint() (a *ClosedMap, err error) {
	defer fault.Guard(&err)
	l, ok := c.m.Linear()
	if !ok {
		return nil, fault.New(fault.ValueShape, "%s is a map %s; only a linear map has an adjoint", c.name, text.Signature(c.m)).
			Helpf("ask for the adjoint of its derivative: frechet adjoint --wrt")
	}
	if c.values == nil {
		return (&ClosedMap{f: c.f, name: c.name + "_adj", m: c.m.Store().Adjoint(l).Map}).Simplify()
	}
	back, err := c.values.Adjoint()
	if err != nil {
		return nil, err
	}
	return walked(c.f, c.name+"_adj", back)
}

// Simplify works out the derivatives and adjoints in the map and brings it to normal form under the
// algebra of closed combinators; so are the values in it, where that makes them shorter.
func (c *ClosedMap) Simplify() (s *ClosedMap, err error) {
	defer fault.Guard(&err)
	m, err := c.f.Calculus().ClosedForm(c.m, nil)
	if err != nil {
		return nil, err
	}
	values := combinators.MapNodes(m)
	simple := normal.Simplify(values...)
	if jacobian.Length(simple...) < jacobian.Length(values...) {
		image := map[*combinators.Node]*combinators.Node{}
		for i, n := range unparse.Associate(simple) {
			image[values[i]] = n
		}
		m = combinators.ReplaceOperands(m, func(n *combinators.Node) *combinators.Node { return image[n] })
		m, err = c.f.Calculus().ClosedForm(m, nil)
	}
	return &ClosedMap{c.f, c.name, m, c.values}, err
}

// Compose is the map c after g. Both are maps of one program.
func (c *ClosedMap) Compose(g *ClosedMap) (h *ClosedMap, err error) {
	defer fault.Guard(&err)
	if c.f != g.f {
		return nil, errOtherProgram
	}
	if !c.m.Dom().Equal(g.m.Cod()) {
		return nil, fault.New(fault.ValueShape, "%s is a map on %s, but %s gives a value of %s", c.name, c.m.Dom(), g.name, g.m.Cod())
	}
	return &ClosedMap{f: c.f, name: c.name + "_" + g.name, m: c.m.Store().Compose(c.m, g.m)}, nil
}

// Add is the map c + g, of maps of one program between the same spaces.
func (c *ClosedMap) Add(g *ClosedMap) (h *ClosedMap, err error) {
	defer fault.Guard(&err)
	if c.f != g.f {
		return nil, errOtherProgram
	}
	if !c.m.Dom().Equal(g.m.Dom()) || !c.m.Cod().Equal(g.m.Cod()) {
		return nil, fault.New(fault.ValueShape, "the sum of %s : %s and %s : %s", c.name, c.Type(), g.name, g.Type())
	}
	return &ClosedMap{f: c.f, name: c.name + "_" + g.name, m: c.m.Store().SumMaps(c.m, g.m)}, nil
}

// Derivative is D(c)(x), the derivative of the map at a point given by terms of its program, one for
// each tensor of the argument: a linear map from changes of the argument to those of the result.
func (c *ClosedMap) Derivative(x ...*query.Term) (d *ClosedMap, err error) {
	defer fault.Guard(&err)
	v, err := c.argument(x)
	if err != nil {
		return nil, err
	}
	return (&ClosedMap{f: c.f, name: "d" + c.name, m: c.m.Store().Derivative(c.m, v).Map}).Simplify()
}

// At is the map at terms of its program, one for each tensor of its argument: one term for each
// tensor of the result, in normal form. The derivative at a direction is a jvp, its adjoint at a
// cotangent a vjp.
func (c *ClosedMap) At(x ...*query.Term) (results []*query.Term, err error) {
	defer fault.Guard(&err)
	v, err := c.argument(x)
	if err != nil {
		return nil, err
	}
	return c.at(v)
}

// argument is terms as an argument of the map.
func (c *ClosedMap) argument(x []*query.Term) (*combinators.Value, error) {
	rest := x
	var build func(sp combinators.Space) (*combinators.Value, error)
	build = func(sp combinators.Space) (*combinators.Value, error) {
		if !sp.IsProduct() {
			if len(rest) == 0 {
				return nil, fault.New(fault.ValueShape, "%s takes a value of %s, but %s", c.name, c.m.Dom(), words.Given(len(x), "term"))
			}
			t := rest[0]
			rest = rest[1:]
			if query.Of(t) != c.f {
				return nil, errOtherProgram
			}
			if size.Shape(query.Node(t).Shape()) != size.Shape(sp.Shape()) {
				return nil, fault.New(fault.ValueShape, "%s takes a value of %s, but a term has axes %s", c.name, sp, size.Shape(query.Node(t).Shape()))
			}
			return c.m.Store().Value(query.Node(t)), nil
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
		err = fault.New(fault.ValueShape, "%s takes a value of %s, but %s", c.name, c.m.Dom(), words.Given(len(x), "term"))
	}
	return v, err
}

// Entries are the entries of a linear map between tensors, multiplied out: the axes of the result,
// then those of the argument. The error says that the map is not linear by the way it is built, or
// is on a product of spaces.
func (c *ClosedMap) Entries() (t *query.Term, err error) {
	defer fault.Guard(&err)
	if _, ok := c.m.Linear(); !ok || c.m.Dom().IsProduct() || c.m.Cod().IsProduct() {
		return nil, fault.New(fault.ValueShape, "%s is a map %s; a linear map between tensors has entries", c.name, c.Type())
	}
	x, names := c.f.Fresh("v", c.m.Dom())
	y, err := c.at(x)
	if err != nil {
		return nil, err
	}
	js, err := jacobian.Of(c.f.Calculus(), query.Node(y[0]), []*combinators.Node{x.Node()}, jacobian.Planned)
	if err != nil {
		return nil, err
	}
	return query.New(c.f, normal.Simplify(js[0])[0], append(query.AxesOf(query.Node(y[0]), ""), query.AxesOf(x.Node(), names[0])...)), nil
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
	return c.name + " : " + p.Type(c.Type()) + " =" + program.OnLines(p.Print(c.f.ClosedTerm(c.m)))
}

// Apply is the map at new variables named after base: their names, and the results as terms, one for
// each tensor of the result.
func (c *ClosedMap) Apply(base string) (names []string, results []*query.Term, err error) {
	defer fault.Guard(&err)
	v, names := c.f.Fresh(base, c.m.Dom())
	results, err = c.at(v)
	return names, results, err
}

func (c *ClosedMap) at(v *combinators.Value) (results []*query.Term, err error) {
	m := c.m
	if text.Unworked(m) {
		if m, err = c.f.Calculus().ClosedSimplify(m, nil); err != nil {
			return nil, err
		}
	}
	y, err := c.f.Store.ApplyMap(m, v)
	if err != nil {
		return nil, err
	}
	for _, n := range normal.Simplify(y.Leaves()...) {
		results = append(results, query.New(c.f, n, query.AxesOf(n, "")))
	}
	return results, nil
}
