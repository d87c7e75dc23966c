package denote

import (
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// openSizes are the sizes that the result of a declared function leaves open: those of the space of the result, where that is
// known, else as the environment has them.
func (e *Env) openSizes(at *atom.Row, cod *combinators.Space) []size.Size {
	g := at.Signature()
	if g == nil {
		return nil
	}
	known := map[string]size.Size{}
	for _, s := range e.Sizes {
		known[s.Name] = s.Size
	}
	if cod != nil && !cod.IsProduct() && len(cod.Shape()) == len(g.Result) {
		for k, d := range g.Result {
			if name, alone := d.Symbol(); alone {
				known[name] = cod.Shape()[k]
			}
		}
	}
	return combinators.OpenSizes(at, known)
}

// onDeclared is the space of the arguments of a declared function that is no element-wise one, by its type; nil for
// others.
func onDeclared(at *atom.Row) *combinators.Space {
	g := at.Signature()
	if g == nil || g.Elementwise() {
		return nil
	}
	factors := lists.Map(g.Params, combinators.TensorSpace)
	if len(factors) == 1 {
		return &factors[0]
	}
	return spaceOf(combinators.ProductSpace(factors...))
}

// declared is the declared function that the side of a rule names, as a map of all its operands.
func (c *mapBuilder) declared(t *text.Term, w want) (m combinators.Map) {
	at := t.Function
	if w.dom == nil {
		w.dom = onDeclared(at)
	}
	fixed := make([]*combinators.Node, at.Arity)
	shapes := operands(nil, fixed, w.dom)
	return c.store.AtomMap(at, 0, nil, (&Env{}).openSizes(at, w.cod), fixed, shapes)
}

// level gives scalars among the operands of an element-wise function the shape of the others.
func (b *builder) level(args []*combinators.Node) {
	for _, a := range args {
		for k, c := range args {
			if a.Order() > 0 && c.Order() == 0 {
				args[k] = b.s.Broadcast(c, a.Shape())
			}
		}
	}
}
