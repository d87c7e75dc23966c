package maps

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/rewrite/verify/model"
)

// inferValue types a value that stands in a map: a metavariable, a component of one, a tuple, a map
// applied, or a term of the value language.
func (c *Types) inferValue(t *text.Term) *valueExpr {
	switch t.Op {
	case text.Name:
		v := c.let[t.Name]
		if typ := c.values[t.Name]; typ != nil {
			v = &valueExpr{typ, func(in *Instance) (*model.Tuple, error) { return in.value(t.Name, typ), nil }}
		}
		if v == nil {
			break
		}
		if len(t.Attrs) == 0 {
			return v
		}
		k := c.component(t.Attrs[0])
		whole := v.typ.resolve()
		if whole.kind == spaceVar {
			whole.bound = c.product()
			whole = whole.resolve()
		}
		must.Hold(whole.kind == spaceProduct && k <= len(whole.parts), "%s has no components", t.Name)
		return &valueExpr{whole.parts[k-1], func(in *Instance) (*model.Tuple, error) {
			w, err := v.eval(in)
			if err != nil {
				return nil, err
			}
			return w.Parts[k-1], nil
		}}
	case text.Tuple:
		return c.inferTuple(t.Args)
	case text.Call:
		var f *Expr
		if len(t.Attrs) == 0 {
			f = c.Maps[t.Name]
		} else if k := c.componentOf(t.Attrs[0]); k > 0 && c.Maps[fmt.Sprintf("%s#%d", t.Name, k)] != nil {
			f = c.Maps[fmt.Sprintf("%s#%d", t.Name, k)]
		}
		if f == nil {
			break
		}
		x := c.inferTuple(t.Args)
		unify(f.Dom, x.typ)
		return &valueExpr{f.Cod, func(in *Instance) (*model.Tuple, error) {
			w, err := x.eval(in)
			if err != nil {
				return nil, err
			}
			return f.build(in).Apply(w)
		}}
	}
	return c.termValue(t)
}

func (c *Types) inferTuple(ts []*text.Term) *valueExpr {
	if len(ts) == 1 {
		return c.inferValue(ts[0])
	}
	vs := make([]*valueExpr, len(ts))
	types := make([]*Space, len(ts))
	for i, t := range ts {
		v := c.inferValue(t)
		vs[i], types[i] = v, v.typ
	}
	return &valueExpr{productType(types...), func(in *Instance) (*model.Tuple, error) {
		parts := make([]*model.Tuple, len(vs))
		for i, v := range vs {
			w, err := v.eval(in)
			if err != nil {
				return nil, err
			}
			parts[i] = w
		}
		return &model.Tuple{Parts: parts}, nil
	}}
}

// termValue types a term of the value language over the value metavariables, whose spaces have
// known axes.
func (c *Types) termValue(t *text.Term) *valueExpr {
	s := combinators.NewStore()
	env := &denote.Env{}
	spaces := map[string]*Space{}
	for _, n := range slices.Sorted(maps.Keys(c.values)) {
		shape, ok := Symbols(c.values[n])
		if v := c.values[n].resolve(); v.kind == spaceRigid { // any space: what is done is done entry by entry
			shape, ok = []size.Size{size.Sym("space " + v.name)}, true
			spaces["space "+v.name] = v
		}
		if ok {
			env.Values = append(env.Values, denote.Binding{Name: n, Value: s.Var(n, shape)})
		}
	}
	for n := range c.dims {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: size.Sym(n)})
	}
	n := must.Get(denote.ReadNode(s, t, env))
	typ := tensorType()
	if len(n.Shape()) == 1 {
		if name, _ := n.Shape()[0].Symbol(); spaces[name] != nil {
			typ = spaces[name]
		}
	}
	for _, d := range n.Shape() {
		if typ.kind == spaceRigid {
			break
		}
		k, whole := d.Int()
		name, ok := d.Symbol()
		must.Hold(ok || whole, "%s has an axis of size %s", t, d)
		if whole {
			typ.dims = append(typ.dims, &Dim{fixed: int(k)})
		} else if c.dims[name] == nil {
			panic(must.Errorf("%s mixes spaces", t))
		} else {
			typ.dims = append(typ.dims, c.dims[name])
		}
	}
	return &valueExpr{typ, func(in *Instance) (*model.Tuple, error) { return in.term(t, nil) }}
}

// Symbols is the shape of a tensor space whose sizes are names or numbers.
func Symbols(t *Space) ([]size.Size, bool) {
	if t = t.resolve(); t.kind != spaceTensor {
		return nil, false
	}
	shape := []size.Size{}
	for _, d := range t.dims {
		switch d = d.resolve(); {
		case d.Name != "":
			shape = append(shape, size.Sym(d.Name))
		case d.fixed > 0:
			shape = append(shape, size.Const(int64(d.fixed)))
		default:
			return nil, false
		}
	}
	return shape, true
}

// contraction is a contraction with open operands: *(ij,j->i), (A *(ij,j->i) _), (v .* _).
func (c *Types) contraction(t *text.Term) *Expr {
	if t.Op == text.Mul {
		return c.scaled(t)
	}
	args := t.Args
	if len(args) == 0 {
		for range t.Index.In {
			args = append(args, text.New(text.Hole))
		}
	}
	letters := map[string]*Dim{}
	for _, z := range t.Index.Sizes {
		letters[z.Letter] = c.dim(z.Size)
	}
	axes := func(a text.Axes) *Space {
		typ := tensorType()
		must.Hold(!a.Batch && !a.Rest, "%s: the verifier needs the axes of a map's contraction", t.Index)
		for _, f := range a.Forms {
			typ.dims = append(typ.dims, c.dim(f.Size))
		}
		for _, l := range a.Letters {
			if letters[l] == nil {
				letters[l] = &Dim{}
			}
			typ.dims = append(typ.dims, letters[l])
		}
		return typ
	}
	var open []*Space
	for i, a := range args {
		typ := axes(t.Index.In[i])
		if a.Op == text.Hole {
			open = append(open, typ)
			continue
		}
		unify(typ, c.inferValue(a).typ)
	}
	known := len(letters)
	cod := axes(t.Index.Out)
	must.Hold(len(open) != 0, "%s has no open operand", t)
	must.Hold(len(letters) <= known, "%s: the result has an axis whose size is not given", t.Index)
	e := &Expr{Dom: open[0], Cod: cod, linear: len(open) == 1}
	if len(open) > 1 {
		e.Dom = productType(open...)
	}
	body := text.NewEin(t.Index, args...)
	e.build = func(in *Instance) *model.Function { return in.termFunction(body, in.Space(e.Dom), in.Space(cod)) }
	return e
}

// scaled is (v .* _): a product entry by entry, of the shape of v, or of any shape where v is a
// number.
func (c *Types) scaled(t *text.Term) *Expr {
	fixed, hole := t.Args[0], t.Args[1]
	if fixed.Op == text.Hole {
		fixed, hole = hole, fixed
	}
	must.Hold(hole.Op == text.Hole, "%s has no open operand", t)
	u := c.inferValue(fixed).typ
	if w := u.resolve(); w.kind == spaceTensor && len(w.dims) == 0 {
		u = newSpaceVar()
	}
	return &Expr{Dom: u, Cod: u, linear: true, build: func(in *Instance) *model.Function { return in.termFunction(t, in.Space(u), in.Space(u)) }}
}
