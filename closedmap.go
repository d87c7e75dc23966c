package frechet

import (
	"fmt"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite"
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
		return x, fmt.Errorf("the program has %d expressions; one is needed", len(f.prog.Outputs))
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
		return x, fmt.Errorf("the program has %d expressions; one is needed", len(f.prog.Outputs))
	}
	b.Outs = []*combinators.Node{f.prog.Outputs[0].Node}
	return expression{x.name, combinators.Readback(b), b.ParamsValue()}, nil
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

// Type is the map's type: R[m,n] x R[n] -> R[m], with -o for a linear map and ->2 for a bilinear
// one.
func (c *ClosedMap) Type() string { return text.Signature(c.m) }

// String is the map as a definition in combinator notation; it reads back beside declarations of
// the values in it.
func (c *ClosedMap) String() string { return c.definition(false) }

// Unicode is String with the symbols of the paper.
func (c *ClosedMap) Unicode() string { return c.definition(true) }

func (c *ClosedMap) definition(unicode bool) string {
	p := text.Printer{Unicode: unicode, Lines: true}
	t := text.Closed(c.m)
	if !text.SpacesShow(c.m) && !c.f.readsBack(c.m, t) {
		t = text.ClosedTyped(c.m)
	}
	return c.name + " : " + p.Type(c.Type()) + " =" + onLines(p.Print(t))
}

// readsBack reports whether t, which is m without the types of its parts, is read as m.
func (f *Func) readsBack(m combinators.Map, t *text.Term) bool {
	env := &rewrite.Env{}
	for _, n := range combinators.Topo(text.Values(m)...) {
		if n.Name() != "" {
			env.Values = append(env.Values, rewrite.Binding{Name: n.Name(), Value: n})
		}
	}
	for _, s := range f.prog.Symbols {
		env.Sizes = append(env.Sizes, rewrite.SizeBinding{Name: s.Name, Size: size.Sym(s.Name)})
	}
	dom, cod := m.Dom(), m.Cod()
	back, err := rewrite.ReadMap(f.prog.Store, t, &dom, &cod, env)
	return err == nil && back == m
}

// Apply is the map at new variables named after base: their names, and the results as terms, one for
// each tensor of the result.
func (c *ClosedMap) Apply(base string) (names []string, results []*Term, err error) {
	defer guard(&err)
	s := c.f.prog.Store
	m := c.m
	if text.Unworked(m) {
		if m, err = adjoint.ClosedSimplify(m, nil); err != nil {
			return nil, nil, err
		}
	}
	v := c.fresh(base, m.Dom(), &names)
	y, err := s.ApplyMap(m, v)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range simplify(leaves(y)...) {
		results = append(results, &Term{c.f, n, axesOf(n, "")})
	}
	return names, results, nil
}

// fresh is a value of new variables.
func (c *ClosedMap) fresh(base string, sp combinators.Space, names *[]string) *combinators.Value {
	s := c.f.prog.Store
	if !sp.IsProduct() {
		n := s.Fresh(base, sp.Shape())
		*names = append(*names, n.Name())
		return s.Value(n)
	}
	var parts []*combinators.Value
	for _, f := range sp.Factors() {
		parts = append(parts, c.fresh(base, f, names))
	}
	return s.Tuple(parts...)
}

// leaves are the tensors of a value.
func leaves(v *combinators.Value) (out []*combinators.Node) {
	if v.Node() != nil {
		return []*combinators.Node{v.Node()}
	}
	for _, p := range v.Parts() {
		out = append(out, leaves(p)...)
	}
	return out
}
