package maps

import (
	"fmt"
	"slices"

	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/verify/model"
)

// infer types a map, most general first.
func (c *Types) infer(t *text.Term) *Expr {
	e := c.inferTerm(t)
	if c.typed != nil {
		c.typed[t] = e
	}
	return e
}

// inferTerm types a map by its constructor.
func (c *Types) inferTerm(t *text.Term) *Expr {
	switch t.Op {
	case text.Num:
		if t.Rat.Sign() == 0 && len(t.Attrs) == 0 {
			e := &Expr{Dom: newSpaceVar(), Cod: newSpaceVar(), linear: true}
			e.build = func(in *Instance) *model.Function { return model.ZeroFunction(in.Space(e.Dom), in.Space(e.Cod)) }
			return e
		}
	case text.Name:
		return c.inferName(t)
	case text.Let:
		for i, n := range t.Names {
			c.let[n] = c.inferValue(t.Args[i])
		}
		return c.infer(t.Args[len(t.Args)-1])
	case text.Compose:
		return c.composition(t.Args)
	case text.Add, text.Sub:
		right := t.Args[1]
		if t.Op == text.Sub {
			right = text.NewNeg(right)
		}
		return c.sum(t.Args[0], right)
	case text.Neg:
		f := c.infer(t.Args[0])
		e := &Expr{Dom: f.Dom, Cod: f.Cod, linear: f.linear}
		e.build = func(in *Instance) *model.Function { return model.Negate(f.build(in)) }
		return e
	case text.Pair, text.Product, text.Copair:
		return c.several(t.Op, len(t.Args), func(k int) *Expr { return c.infer(t.Args[k]) })
	case text.Family:
		return c.family(t)
	case text.Copower:
		return c.copower(t)
	case text.Apply:
		if head := t.Args[0]; head.Op == text.Call && head.Name == "D" && len(head.Args) == 1 {
			return c.derivative(head.Args[0], t.Args[1:])
		}
	case text.Call:
		return c.inferCall(t)
	case text.Ein, text.Mul:
		return c.contraction(t)
	}
	panic(noMap(t))
}

// composition types g . f, from the map that is applied first.
func (c *Types) composition(ts []*text.Term) *Expr {
	e := c.infer(ts[len(ts)-1])
	for i := len(ts) - 2; i >= 0; i-- {
		g := c.infer(ts[i])
		f := e
		unify(g.Dom, f.Cod)
		e = &Expr{Dom: f.Dom, Cod: g.Cod, linear: f.linear && g.linear}
		e.build = func(in *Instance) *model.Function { return model.Compose(g.build(in), f.build(in)) }
	}
	return e
}

// copower types f^[d1,d2,..].
func (c *Types) copower(t *text.Term) *Expr {
	f := c.infer(t.Args[0])
	e := &Expr{Dom: f.Dom, Cod: f.Cod, linear: f.linear}
	var index []*Dim
	for i := len(t.Attrs) - 1; i >= 0; i-- {
		d := c.dim(t.Attrs[i])
		index = append(index, d)
		e.Dom, e.Cod = powerType(e.Dom, d), powerType(e.Cod, d)
	}
	e.build = func(in *Instance) *model.Function {
		n := 1
		for _, d := range index {
			n *= in.Size(d)
		}
		return model.Copower(f.build(in), n, in.Space(e.Dom), in.Space(e.Cod))
	}
	return e
}

// sum types f + g.
func (c *Types) sum(a, b *text.Term) *Expr {
	return sumExprs(c.infer(a), c.infer(b))
}

func sumExprs(f, g *Expr) *Expr {
	unify(f.Dom, g.Dom)
	unify(f.Cod, g.Cod)
	e := &Expr{Dom: f.Dom, Cod: f.Cod, linear: f.linear && g.linear}
	e.build = func(in *Instance) *model.Function { return model.SumOf(f.build(in), g.build(in)) }
	return e
}

func (c *Types) inferName(t *text.Term) *Expr {
	if e := c.Maps[t.Name]; e != nil && len(t.Attrs) == 0 {
		return e
	}
	head, kt := text.Component(t)
	switch {
	case t.Name == "id":
		u := newSpaceVar()
		return &Expr{Dom: u, Cod: u, linear: true, build: func(in *Instance) *model.Function { return model.Identity(in.Space(u)) }}
	case t.Name == "dup":
		u := newSpaceVar()
		return &Expr{Dom: u, Cod: productType(u, u), linear: true, build: func(in *Instance) *model.Function {
			return model.Pair([]*model.Function{model.Identity(in.Space(u)), model.Identity(in.Space(u))})
		}}
	case head != "":
		k := c.component(kt)
		u := c.product()
		if head == "pi" {
			return &Expr{Dom: u, Cod: u.parts[k-1], linear: true, build: func(in *Instance) *model.Function { return model.Projection(in.Space(u), k-1) }}
		}
		return &Expr{Dom: u.parts[k-1], Cod: u, linear: true, build: func(in *Instance) *model.Function { return model.Injection(in.Space(u), k-1) }}
	case len(t.Attrs) == 1 && t.Row() == nil:
		k := c.component(t.Attrs[0])
		if e := c.Maps[fmt.Sprintf("%s#%d", t.Name, k)]; e != nil {
			return e
		}
	}
	switch at := t.Row(); {
	case t.Function != nil:
		return c.declared(at, t)
	case at != nil && at.Arity == 1 && at.Class >= atom.ClassLinear:
		return c.atom(at, t)
	}
	panic(must.Errorf("%s has no meaning", t))
}

// atom is a function of one operand by its name: element by element on any space, or of matrices.
func (c *Types) atom(at *atom.Row, t *text.Term) *Expr {
	u := newSpaceVar()
	if at == atom.Inv {
		n := &Dim{}
		u = tensorType(n, n)
	} else {
		must.Hold(at.Class == atom.ClassElementwise, "%s: the verifier knows this operation in values only", t)
	}
	e := &Expr{Dom: u, Cod: u}
	e.build = func(in *Instance) *model.Function {
		return in.termFunction(text.NewApply(t, text.New(text.Hole)), in.Space(u), in.Space(u))
	}
	return e
}

// declared is a declared function by its name. The sizes of its arguments are those of the call; one that its result leaves open
// is that of the rule with its name, or one of its own.
func (c *Types) declared(at *atom.Row, t *text.Term) *Expr {
	g := at.Signature()
	e := &Expr{linear: g.Linear}
	if g.Elementwise() {
		e.Cod = newSpaceVar()
		e.Dom = e.Cod
		if at.Arity > 1 {
			e.Dom = productType(slices.Repeat([]*Space{e.Cod}, at.Arity)...)
		}
	} else {
		dims := map[string]*Dim{}
		for _, name := range g.Open() {
			if c.dims[name] == nil {
				c.dims[name] = &Dim{} // found by the other side, or else any
			}
			dims[name] = c.dims[name]
		}
		space := func(s []size.Size) *Space {
			out := tensorType()
			for _, d := range s {
				name, alone := d.Symbol()
				n, number := d.Int()
				switch {
				case number:
					out.dims = append(out.dims, &Dim{fixed: int(n)})
				case !alone:
					out.dims = append(out.dims, &Dim{})
				default:
					if dims[name] == nil {
						dims[name] = &Dim{}
					}
					out.dims = append(out.dims, dims[name])
				}
			}
			return out
		}
		params := lists.Map(g.Params, space)
		if e.Dom = params[0]; len(params) > 1 {
			e.Dom = productType(params...)
		}
		e.Cod = space(g.Result)
	}
	e.build = func(in *Instance) *model.Function {
		holes := lists.Make(at.Arity, func(k int) *text.Term { return text.New(text.Hole) })
		return in.termFunction(text.NewApply(t, holes...), in.Space(e.Dom), in.Space(e.Cod))
	}
	return e
}

func (c *Types) several(op text.Op, n int, member func(k int) *Expr) *Expr {
	es := make([]*Expr, n)
	linear := true
	doms, cods := make([]*Space, n), make([]*Space, n)
	for k := range es {
		e := member(k)
		es[k], doms[k], cods[k] = e, e.Dom, e.Cod
		linear = linear && e.linear
		must.Hold(op != text.Copair || e.linear, "a map that is not linear has no place in a copairing")
		if op == text.Pair {
			unify(e.Dom, es[0].Dom)
		} else if op == text.Copair {
			unify(e.Cod, es[0].Cod)
		}
	}
	fs := func(in *Instance) []*model.Function {
		out := make([]*model.Function, n)
		for k := range es {
			out[k] = es[k].build(in)
		}
		return out
	}
	switch op {
	case text.Pair:
		return &Expr{Dom: es[0].Dom, Cod: productType(cods...), linear: linear, build: func(in *Instance) *model.Function { return model.Pair(fs(in)) }}
	case text.Product:
		return &Expr{Dom: productType(doms...), Cod: productType(cods...), linear: linear, build: func(in *Instance) *model.Function { return model.Product(fs(in)) }}
	}
	return &Expr{Dom: productType(doms...), Cod: es[0].Cod, linear: true, build: func(in *Instance) *model.Function { return model.Copair(fs(in)) }}
}

func (c *Types) family(t *text.Term) *Expr {
	binder := t.Names[0]
	outer, had := c.components[binder]
	defer func() {
		if delete(c.components, binder); had {
			c.components[binder] = outer
		}
	}()
	member := func(k int) *Expr {
		c.components[binder] = k + 1
		return c.infer(t.Args[0])
	}
	switch t.Name {
	case "pair":
		return c.several(text.Pair, c.Count, member)
	case "prod", "delta":
		return c.several(text.Product, c.Count, member)
	case "copair":
		return c.several(text.Copair, c.Count, member)
	case "sum":
		e := member(0)
		for k := 1; k < c.Count; k++ {
			e = sumExprs(e, member(k))
		}
		return e
	}
	panic(must.Errorf("there is no family %s", t.Name))
}

func (c *Types) derivative(f *text.Term, at []*text.Term) *Expr {
	e := c.infer(f)
	x := c.inferTuple(at)
	unify(e.Dom, x.typ)
	return &Expr{Dom: e.Dom, Cod: e.Cod, linear: true, build: func(in *Instance) *model.Function {
		return in.differentiate(e.build(in), x)
	}}
}

func (c *Types) inferCall(t *text.Term) *Expr {
	switch t.Name {
	case "adjoint":
		f := c.infer(t.Args[0])
		must.Hold(f.linear, "the adjoint of a map that is not linear")
		c.adjoints[c.adjointKey(t)] = f
		return &Expr{Dom: f.Cod, Cod: f.Dom, linear: true, build: func(in *Instance) *model.Function { return model.AdjointOf(f.build(in)) }}
	case "K":
		v := c.inferTuple(t.Args)
		u := newSpaceVar()
		return &Expr{Dom: u, Cod: v.typ, build: func(in *Instance) *model.Function { return in.constantFunction(in.Space(u), in.Space(v.typ), v) }}
	case "section":
		return c.section(t)
	}
	if b := c.Maps[t.Name]; b != nil && b.sort == text.BilinearTo {
		return c.sectionOf(b, t)
	}
	panic(noMap(t))
}

// section is section[k](b, v): all components but k fixed at those of v.
func (c *Types) section(t *text.Term) *Expr {
	if len(t.Args) != 2 || len(t.Attrs) != 1 || c.Maps[t.Args[0].Name] == nil {
		panic(must.Errorf("%s is no section", t))
	}
	b := c.Maps[t.Args[0].Name]
	k := c.component(t.Attrs[0])
	v := c.inferValue(t.Args[1])
	unify(b.Dom, v.typ)
	open := b.Dom.resolve().parts[k-1]
	return &Expr{Dom: open, Cod: b.Cod, linear: true, build: func(in *Instance) *model.Function {
		return in.sectionFunction(b.build(in), k-1, func() ([]*model.Tuple, error) {
			w, err := v.eval(in)
			if err != nil {
				return nil, err
			}
			return w.Parts, nil
		})
	}}
}

// sectionOf is b(u, _) or b(_, v).
func (c *Types) sectionOf(b *Expr, t *text.Term) *Expr {
	dom := b.Dom.resolve()
	must.Hold(dom.kind == spaceProduct && len(dom.parts) == len(t.Args), "%s has the wrong number of components", t)
	hole := -1
	fixed := make([]*valueExpr, len(t.Args))
	for i, a := range t.Args {
		if a.Op == text.Hole && hole < 0 {
			hole = i
			continue
		}
		v := c.inferValue(a)
		unify(dom.parts[i], v.typ)
		fixed[i] = v
	}
	must.Hold(hole >= 0, "%s has no open component", t)
	return &Expr{Dom: dom.parts[hole], Cod: b.Cod, linear: true, build: func(in *Instance) *model.Function {
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
	}}
}

func noMap(t *text.Term) must.Failure {
	if t.Op == text.Call && t.Name == text.Contract {
		return must.Errorf("%s: in a rule a section names its indices, as in (A *(ij,j->i) _)", t)
	}
	return must.Errorf("%s is no map", t)
}
