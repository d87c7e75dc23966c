package maps

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// Replaced names the part that the inner rule rewrites.
const Replaced = "rewritten"

// sampler has maps and values of the types that a closed term gives its open names: operations that
// no rule takes apart where domain and codomain are tensors, and tuples of these.
type sampler struct {
	s     *combinators.Store
	types *Types
	sizes func(name string) size.Size
	drawn int
}

// Sample is a closed term and one of its parts, ready to be read: what their names stand for, their
// spaces, and the term with a name in the place of the part.
type Sample struct {
	Env          *denote.Env
	Around, Part *text.Term
	Term         *text.Term
	Spaces       [2][2]combinators.Space // of the term, and of the part
}

// NewSample infers the types in a term, of which part stands where around names it. kinds are the types
// of the metavariables; families are written out.
func NewSample(s *combinators.Store, kinds map[string]*text.Type, linear map[string]bool, sizes func(string) size.Size, around, part *text.Term) (_ *Sample, err error) {
	defer must.Recover(&err)
	term := plug(around, Replaced, part)
	c := newTypes(&text.Rule{}, 2, nil)
	c.typed = map[*text.Term]*Expr{}
	p := &sampler{s: s, types: c, sizes: sizes}
	for name, k := range kinds {
		switch k.Arrow {
		case text.NoArrow:
			c.values[name] = newSpaceVar()
		case text.BilinearTo:
			u := newSpaceVar()
			c.Maps[name] = &Expr{Dom: productType(u, u), Cod: u, name: name, sort: k.Arrow}
		default:
			c.Maps[name] = &Expr{Dom: newSpaceVar(), Cod: newSpaceVar(), linear: k.Arrow == text.LinearTo || linear[name], name: name, sort: k.Arrow}
		}
	}
	e := c.infer(term)
	c.rigidify(e.Dom)
	c.rigidify(e.Cod)
	env := &denote.Env{Maps: map[string]combinators.Map{}, Tuples: map[string]*combinators.Value{}}
	for _, n := range []string{"X"} {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: sizes(n)})
	}
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if e := c.Maps[name]; e != nil {
			c.rigidify(e.Dom)
			c.rigidify(e.Cod)
			if e.sort == text.BilinearTo {
				env.Maps[name] = p.bilinear(p.space(e.Cod))
			} else {
				env.Maps[name] = p.draw(p.space(e.Dom), p.space(e.Cod), e.linear)
			}
			continue
		}
		c.rigidify(c.values[name])
		k := 0
		v := NamedValue(s, p.space(c.values[name]), &k)
		if v.Node() != nil {
			env.Values = append(env.Values, denote.Binding{Name: name, Value: v.Node()})
		} else {
			env.Tuples[name] = v
		}
	}
	out := &Sample{Env: env}
	for i, t := range []*text.Term{term, part} {
		e := c.typed[t]
		must.Hold(e != nil, "%s is no part of %s", part, term)
		c.rigidify(e.Dom)
		c.rigidify(e.Cod)
		out.Spaces[i] = [2]combinators.Space{p.space(e.Dom), p.space(e.Cod)}
	}
	out.Around, out.Part = p.constants(around, env), p.constants(part, env)
	out.Term = plug(out.Around, Replaced, out.Part)
	return out, nil
}

// constants names the projections, injections, identities and zeros of a term, whose spaces its text
// does not tell.
func (p *sampler) constants(t *text.Term, env *denote.Env) *text.Term {
	head, k := text.Component(t)
	if e := p.types.typed[t]; e != nil && (head != "" || t.Name == "id" || t.Op == text.Num) {
		p.types.rigidify(e.Dom)
		p.types.rigidify(e.Cod)
		u, w := p.space(e.Dom), p.space(e.Cod)
		n := 0
		if head != "" {
			n = p.types.componentOf(k)
		}
		var m combinators.PointFreeLinear
		switch {
		case t.Op == text.Num:
			m = p.s.ZeroMap(u, w)
		case head == "pi":
			m = p.s.Proj(u, n-1)
		case head == "iota":
			m = p.s.Inj(w, n-1)
		default:
			m = p.s.ID(u)
		}
		name := fmt.Sprintf("constant%d", len(env.Maps))
		env.Maps[name] = m.Map
		return text.NewName(name)
	}
	u := *t
	u.Args = nil
	for _, a := range t.Args {
		u.Args = append(u.Args, p.constants(a, env))
	}
	return &u
}

// Unwrapped leaves out the calls that say which operations a pattern is for.
func Unwrapped(t *text.Term) *text.Term {
	if t.Op == text.Call && len(t.Args) == 1 && (t.Name == "contraction" || t.Name == "atom" || t.Name == "leaf") {
		return Unwrapped(t.Args[0])
	}
	u := *t
	u.Args = nil
	for _, a := range t.Args {
		u.Args = append(u.Args, Unwrapped(a))
	}
	return &u
}

// plug puts part in the place of a name, itself and not a copy.
func plug(t *text.Term, name string, part *text.Term) *text.Term {
	if t.Op == text.Name && t.Name == name {
		return part
	}
	u := *t
	u.Args = nil
	for _, a := range t.Args {
		u.Args = append(u.Args, plug(a, name, part))
	}
	return &u
}

// space is a space in combinators: an arbitrary one is R[n].
func (p *sampler) space(t *Space) combinators.Space {
	t = t.resolve()
	switch t.kind {
	case spaceProduct:
		fs := lists.Map(t.parts, p.space)
		return combinators.ProductSpace(fs...)
	case spacePower:
		return p.space(t.base).Power([]size.Size{p.size(t.index)})
	case spaceTensor:
		shape := []size.Size{}
		shape = lists.Append(shape, t.dims, p.size)
		return combinators.TensorSpace(shape)
	}
	return combinators.TensorSpace([]size.Size{p.sizes("n")})
}

func (p *sampler) size(d *Dim) size.Size {
	if d = d.resolve(); d.fixed > 0 {
		return size.Const(int64(d.fixed))
	}
	return p.sizes(d.Name)
}

// draw is a map from u to w, a different one each time.
func (p *sampler) draw(u, w combinators.Space, linear bool) combinators.Map {
	if w.IsProduct() {
		fs := lists.Map(w.Factors(), func(f combinators.Space) combinators.Map { return p.draw(u, f, linear) })
		return p.s.Pair(fs...)
	}
	if u.IsProduct() {
		ls := make([]combinators.PointFreeLinear, len(u.Factors()))
		for i, f := range u.Factors() {
			ls[i], _ = p.draw(f, w, true).Linear()
		}
		m := p.s.Copair(ls...).Map
		if !linear {
			m = p.s.Compose(p.function(w), m)
		}
		return m
	}
	switch {
	case !linear && u.Equal(w):
		return p.function(u)
	case !linear:
		return p.s.Compose(p.function(w), p.matrix(u, w))
	}
	return p.matrix(u, w)
}

// Smooth are functions that have values everywhere, and no two of them a law together.
var Smooth = []*atom.Row{atom.Sin, atom.Exp, atom.Tanh, atom.Cos, atom.Arctan, atom.Sigmoid}

// function is an element-wise function.
func (p *sampler) function(u combinators.Space) combinators.Map {
	p.drawn++
	x := p.s.Var("open", u.Shape())
	return p.s.OpenMap(p.s.Unary(Smooth[p.drawn%len(Smooth)], x), func(int) bool { return true })
}

// matrix is the product with a fixed tensor: entry by entry within a space.
func (p *sampler) matrix(u, w combinators.Space) combinators.Map {
	p.drawn++
	n := len(u.Shape())
	from := lists.Make(n, func(i int) int { return i })
	to, shape := from, u.Shape()
	dims := slices.Clone(u.Shape())
	index := from
	if !u.Equal(w) {
		to = lists.Make(len(w.Shape()), func(i int) int { return n + i })
		dims = append(dims, w.Shape()...)
		index, shape = slices.Concat(to, from), slices.Concat(w.Shape(), u.Shape())
	}
	a := p.s.Var(fmt.Sprintf("a%d", p.drawn), shape)
	return p.s.EinMap(einsum.Plain([][]int{index, from}, to, dims), []*combinators.Node{a, nil})
}

// bilinear is the product entry by entry.
func (p *sampler) bilinear(u combinators.Space) combinators.Map {
	n := lists.Make(len(u.Shape()), func(i int) int { return i })
	return p.s.EinMap(einsum.Plain([][]int{n, n}, n, u.Shape()), []*combinators.Node{nil, nil})
}

// NamedValue is a value of a space whose tensors are variables of their own, counted on in k.
func NamedValue(s *combinators.Store, sp combinators.Space, k *int) *combinators.Value {
	if !sp.IsProduct() {
		*k++
		return s.Value(s.Var(fmt.Sprintf("v%d", *k), sp.Shape()))
	}
	parts := lists.Map(sp.Factors(), func(f combinators.Space) *combinators.Value { return NamedValue(s, f, k) })
	return s.Tuple(parts...)
}
