package verify

import (
	"cmp"
	"fmt"

	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/rewrite/verify/model"
)

// infer types a map, most general first.
func (c *closedTypes) infer(t *text.Term) (*expr, error) {
	e, err := c.inferTerm(t)
	if c.typed != nil && e != nil {
		c.typed[t] = e
	}
	return e, err
}

func (c *closedTypes) inferTerm(t *text.Term) (*expr, error) {
	switch t.Op {
	case text.Num:
		if t.Rat.Sign() == 0 && len(t.Attrs) == 0 {
			e := &expr{dom: newSpaceVar(), cod: newSpaceVar(), linear: true}
			e.build = func(in *closedInstance) *model.Function { return model.ZeroFunction(in.space(e.dom), in.space(e.cod)) }
			return e, nil
		}
	case text.Name:
		return c.inferName(t)
	case text.Let:
		for i, n := range t.Names {
			v, err := c.inferValue(t.Args[i])
			if err != nil {
				return nil, err
			}
			c.let[n] = v
		}
		return c.infer(t.Args[len(t.Args)-1])
	case text.Compose:
		e, err := c.infer(t.Args[len(t.Args)-1])
		if err != nil {
			return nil, err
		}
		for i := len(t.Args) - 2; i >= 0; i-- {
			g, err := c.infer(t.Args[i])
			if err != nil {
				return nil, err
			}
			f := e
			if err := unify(g.dom, f.cod); err != nil {
				return nil, err
			}
			e = &expr{dom: f.dom, cod: g.cod, linear: f.linear && g.linear}
			e.build = func(in *closedInstance) *model.Function { return model.Compose(g.build(in), f.build(in)) }
		}
		return e, nil
	case text.Add, text.Sub:
		right := t.Args[1]
		if t.Op == text.Sub {
			right = text.NewNeg(right)
		}
		return c.sum(t.Args[0], right)
	case text.Neg:
		f, err := c.infer(t.Args[0])
		if err != nil {
			return nil, err
		}
		e := &expr{dom: f.dom, cod: f.cod, linear: f.linear}
		e.build = func(in *closedInstance) *model.Function { return model.Negate(f.build(in)) }
		return e, nil
	case text.Pair, text.Product, text.Copair:
		return c.several(t.Op, len(t.Args), func(k int) (*expr, error) { return c.infer(t.Args[k]) })
	case text.Family:
		return c.family(t)
	case text.Copower:
		f, err := c.infer(t.Args[0])
		if err != nil {
			return nil, err
		}
		e := &expr{dom: f.dom, cod: f.cod, linear: f.linear}
		var index []*dimType
		for i := len(t.Attrs) - 1; i >= 0; i-- {
			d, err := c.dim(t.Attrs[i])
			if err != nil {
				return nil, err
			}
			index = append(index, d)
			e.dom, e.cod = powerType(e.dom, d), powerType(e.cod, d)
		}
		e.build = func(in *closedInstance) *model.Function {
			n := 1
			for _, d := range index {
				n *= in.size(d)
			}
			return model.Copower(f.build(in), n, in.space(e.dom), in.space(e.cod))
		}
		return e, nil
	case text.Apply:
		if head := t.Args[0]; head.Op == text.Call && head.Name == "D" && len(head.Args) == 1 {
			return c.derivative(head.Args[0], t.Args[1:])
		}
	case text.Call:
		return c.inferCall(t)
	case text.Ein, text.Mul:
		return c.contraction(t)
	}
	return nil, noMap(t)
}

func (c *closedTypes) sum(a, b *text.Term) (*expr, error) {
	f, err := c.infer(a)
	if err != nil {
		return nil, err
	}
	g, err := c.infer(b)
	if err != nil {
		return nil, err
	}
	return sumExprs(f, g)
}

func sumExprs(f, g *expr) (*expr, error) {
	if err := cmp.Or(unify(f.dom, g.dom), unify(f.cod, g.cod)); err != nil {
		return nil, err
	}
	e := &expr{dom: f.dom, cod: f.cod, linear: f.linear && g.linear}
	e.build = func(in *closedInstance) *model.Function { return model.SumOf(f.build(in), g.build(in)) }
	return e, nil
}

func (c *closedTypes) inferName(t *text.Term) (*expr, error) {
	if e := c.maps[t.Name]; e != nil && len(t.Attrs) == 0 {
		return e, nil
	}
	head, kt := text.Component(t)
	switch {
	case t.Name == "id":
		u := newSpaceVar()
		return &expr{dom: u, cod: u, linear: true, build: func(in *closedInstance) *model.Function { return model.Identity(in.space(u)) }}, nil
	case t.Name == "dup":
		u := newSpaceVar()
		return &expr{dom: u, cod: productType(u, u), linear: true, build: func(in *closedInstance) *model.Function {
			return model.Pair([]*model.Function{model.Identity(in.space(u)), model.Identity(in.space(u))})
		}}, nil
	case head != "":
		k, err := c.componentOf(kt)
		if err != nil {
			return nil, err
		}
		u := c.product()
		if head == "pi" {
			return &expr{dom: u, cod: u.parts[k-1], linear: true, build: func(in *closedInstance) *model.Function { return model.Projection(in.space(u), k-1) }}, nil
		}
		return &expr{dom: u.parts[k-1], cod: u, linear: true, build: func(in *closedInstance) *model.Function { return model.Injection(in.space(u), k-1) }}, nil
	case len(t.Attrs) == 1 && atom.Named(t.Name) == nil:
		k, err := c.componentOf(t.Attrs[0])
		if err != nil {
			return nil, err
		}
		if e := c.maps[fmt.Sprintf("%s#%d", t.Name, k)]; e != nil {
			return e, nil
		}
	}
	if at := atom.Named(t.Name); at != nil && at.Arity == 1 && at.Class >= atom.ClassLinear {
		return c.atom(at, t)
	}
	return nil, fmt.Errorf("%s has no meaning", t)
}

// atom is a function of one operand by its name: element by element on any space, or of matrices.
func (c *closedTypes) atom(at *atom.Row, t *text.Term) (*expr, error) {
	u := newSpaceVar()
	if at.Name == "inv" {
		n := &dimType{}
		u = tensorType(n, n)
	} else if at.Class != atom.ClassElementwise {
		return nil, fmt.Errorf("%s: the verifier knows this operation in values only", t)
	}
	e := &expr{dom: u, cod: u}
	e.build = func(in *closedInstance) *model.Function {
		return in.termFunction(text.NewApply(t, text.New(text.Hole)), in.space(u), in.space(u))
	}
	return e, nil
}

func (c *closedTypes) several(op text.Op, n int, member func(k int) (*expr, error)) (*expr, error) {
	es := make([]*expr, n)
	linear := true
	doms, cods := make([]*spaceType, n), make([]*spaceType, n)
	for k := range es {
		e, err := member(k)
		if err != nil {
			return nil, err
		}
		es[k], doms[k], cods[k] = e, e.dom, e.cod
		linear = linear && e.linear
		if op == text.Copair && !e.linear {
			return nil, fmt.Errorf("a map that is not linear has no place in a copairing")
		}
		if op == text.Pair {
			err = unify(e.dom, es[0].dom)
		} else if op == text.Copair {
			err = unify(e.cod, es[0].cod)
		}
		if err != nil {
			return nil, err
		}
	}
	fs := func(in *closedInstance) []*model.Function {
		out := make([]*model.Function, n)
		for k := range es {
			out[k] = es[k].build(in)
		}
		return out
	}
	switch op {
	case text.Pair:
		return &expr{dom: es[0].dom, cod: productType(cods...), linear: linear, build: func(in *closedInstance) *model.Function { return model.Pair(fs(in)) }}, nil
	case text.Product:
		return &expr{dom: productType(doms...), cod: productType(cods...), linear: linear, build: func(in *closedInstance) *model.Function { return model.Product(fs(in)) }}, nil
	}
	return &expr{dom: productType(doms...), cod: es[0].cod, linear: true, build: func(in *closedInstance) *model.Function { return model.Copair(fs(in)) }}, nil
}

func (c *closedTypes) family(t *text.Term) (*expr, error) {
	binder := t.Names[0]
	outer, had := c.components[binder]
	defer func() {
		if delete(c.components, binder); had {
			c.components[binder] = outer
		}
	}()
	member := func(k int) (*expr, error) {
		c.components[binder] = k + 1
		return c.infer(t.Args[0])
	}
	switch t.Name {
	case "pair":
		return c.several(text.Pair, c.count, member)
	case "prod", "delta":
		return c.several(text.Product, c.count, member)
	case "copair":
		return c.several(text.Copair, c.count, member)
	case "sum":
		e, err := member(0)
		for k := 1; k < c.count && err == nil; k++ {
			var f *expr
			if f, err = member(k); err == nil {
				e, err = sumExprs(e, f)
			}
		}
		return e, err
	}
	return nil, fmt.Errorf("there is no family %s", t.Name)
}

func (c *closedTypes) derivative(f *text.Term, at []*text.Term) (*expr, error) {
	e, err := c.infer(f)
	if err != nil {
		return nil, err
	}
	x, err := c.inferTuple(at)
	if err != nil {
		return nil, err
	}
	if err := unify(e.dom, x.typ); err != nil {
		return nil, err
	}
	return &expr{dom: e.dom, cod: e.cod, linear: true, build: func(in *closedInstance) *model.Function {
		return in.differentiate(e.build(in), x)
	}}, nil
}

func (c *closedTypes) inferCall(t *text.Term) (*expr, error) {
	switch t.Name {
	case "adjoint":
		f, err := c.infer(t.Args[0])
		if err != nil {
			return nil, err
		}
		if !f.linear {
			return nil, fmt.Errorf("the adjoint of a map that is not linear")
		}
		c.adjoints[c.adjointKey(t)] = f
		return &expr{dom: f.cod, cod: f.dom, linear: true, build: func(in *closedInstance) *model.Function { return model.AdjointOf(f.build(in)) }}, nil
	case "K":
		v, err := c.inferTuple(t.Args)
		if err != nil {
			return nil, err
		}
		u := newSpaceVar()
		return &expr{dom: u, cod: v.typ, build: func(in *closedInstance) *model.Function { return in.constantFunction(in.space(u), in.space(v.typ), v) }}, nil
	case "section":
		return c.section(t)
	}
	if b := c.maps[t.Name]; b != nil && b.sort == text.BilinearTo {
		return c.sectionOf(b, t)
	}
	return nil, noMap(t)
}

// section is section[k](b, v): all components but k fixed at those of v.
func (c *closedTypes) section(t *text.Term) (*expr, error) {
	if len(t.Args) != 2 || len(t.Attrs) != 1 || c.maps[t.Args[0].Name] == nil {
		return nil, fmt.Errorf("%s is no section", t)
	}
	b := c.maps[t.Args[0].Name]
	k, err := c.componentOf(t.Attrs[0])
	if err != nil {
		return nil, err
	}
	v, err := c.inferValue(t.Args[1])
	if err != nil {
		return nil, err
	}
	if err := unify(b.dom, v.typ); err != nil {
		return nil, err
	}
	open := b.dom.resolve().parts[k-1]
	return &expr{dom: open, cod: b.cod, linear: true, build: func(in *closedInstance) *model.Function {
		return in.sectionFunction(b.build(in), k-1, func() ([]*model.Tuple, error) {
			w, err := v.eval(in)
			if err != nil {
				return nil, err
			}
			return w.Parts, nil
		})
	}}, nil
}

// sectionOf is b(u, _) or b(_, v).
func (c *closedTypes) sectionOf(b *expr, t *text.Term) (*expr, error) {
	dom := b.dom.resolve()
	if dom.kind != spaceProduct || len(dom.parts) != len(t.Args) {
		return nil, fmt.Errorf("%s has the wrong number of components", t)
	}
	hole := -1
	fixed := make([]*valueExpr, len(t.Args))
	for i, a := range t.Args {
		if a.Op == text.Hole && hole < 0 {
			hole = i
			continue
		}
		v, err := c.inferValue(a)
		if err != nil {
			return nil, err
		}
		if err := unify(dom.parts[i], v.typ); err != nil {
			return nil, err
		}
		fixed[i] = v
	}
	if hole < 0 {
		return nil, fmt.Errorf("%s has no open component", t)
	}
	return &expr{dom: dom.parts[hole], cod: b.cod, linear: true, build: func(in *closedInstance) *model.Function {
		return in.sectionFunction(b.build(in), hole, func() ([]*model.Tuple, error) {
			parts := make([]*model.Tuple, len(fixed))
			for i, v := range fixed {
				if v != nil {
					w, err := v.eval(in)
					if err != nil {
						return nil, err
					}
					parts[i] = w
				}
			}
			return parts, nil
		})
	}}, nil
}

func noMap(t *text.Term) error {
	if t.Op == text.Call && t.Name == text.Contract {
		return fmt.Errorf("%s: in a rule a section names its indices, as in (A *(ij,j->i) _)", t)
	}
	return fmt.Errorf("%s is no map", t)
}
