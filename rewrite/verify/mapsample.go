package verify

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
)

// sampler has maps and values of the types that a closed term gives its open names: operations that
// no rule takes apart where domain and codomain are tensors, and tuples of these.
type sampler struct {
	s     *combinators.Store
	types *closedTypes
	sizes func(name string) size.Size
	drawn int
}

// sample is a closed term and one of its parts, ready to be read: what their names stand for, their
// spaces, and the term with a name in the place of the part.
type sample struct {
	env          *denote.Env
	around, part *text.Term
	term         *text.Term
	spaces       [2][2]combinators.Space // of the term, and of the part
}

// sampled infers the types in a term, of which part stands where around names it. kinds are the types
// of the metavariables; families are written out.
func sampled(s *combinators.Store, kinds map[string]*text.Type, linear map[string]bool, sizes func(string) size.Size, around, part *text.Term) (*sample, error) {
	term := plug(around, replaced, part)
	c, err := newClosedTypes(&text.Rule{}, 2, nil)
	if err != nil {
		return nil, err
	}
	c.typed = map[*text.Term]*expr{}
	p := &sampler{s: s, types: c, sizes: sizes}
	for name, k := range kinds {
		switch k.Arrow {
		case text.NoArrow:
			c.values[name] = newSpaceVar()
		case text.BilinearTo:
			u := newSpaceVar()
			c.maps[name] = &expr{dom: productType(u, u), cod: u, name: name, sort: k.Arrow}
		default:
			c.maps[name] = &expr{dom: newSpaceVar(), cod: newSpaceVar(), linear: k.Arrow == text.LinearTo || linear[name], name: name, sort: k.Arrow}
		}
	}
	e, err := c.infer(term)
	if err != nil {
		return nil, err
	}
	c.rigidify(e.dom)
	c.rigidify(e.cod)
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
		if e := c.maps[name]; e != nil {
			c.rigidify(e.dom)
			c.rigidify(e.cod)
			if e.sort == text.BilinearTo {
				env.Maps[name] = p.bilinear(p.space(e.cod))
			} else {
				env.Maps[name] = p.draw(p.space(e.dom), p.space(e.cod), e.linear)
			}
			continue
		}
		c.rigidify(c.values[name])
		k := 0
		v := namedValue(s, p.space(c.values[name]), &k)
		if v.Node() != nil {
			env.Values = append(env.Values, denote.Binding{Name: name, Value: v.Node()})
		} else {
			env.Tuples[name] = v
		}
	}
	out := &sample{env: env}
	for i, t := range []*text.Term{term, part} {
		e := c.typed[t]
		if e == nil {
			return nil, fmt.Errorf("%s is no part of %s", part, term)
		}
		c.rigidify(e.dom)
		c.rigidify(e.cod)
		out.spaces[i] = [2]combinators.Space{p.space(e.dom), p.space(e.cod)}
	}
	out.around, out.part = p.constants(around, env), p.constants(part, env)
	out.term = plug(out.around, replaced, out.part)
	return out, nil
}

// constants names the projections, injections, identities and zeros of a term, whose spaces its text
// does not tell.
func (p *sampler) constants(t *text.Term, env *denote.Env) *text.Term {
	head, k := text.Component(t)
	if e := p.types.typed[t]; e != nil && (head != "" || t.Name == "id" || t.Op == text.Num) {
		p.types.rigidify(e.dom)
		p.types.rigidify(e.cod)
		u, w := p.space(e.dom), p.space(e.cod)
		n := 0
		if head != "" {
			n, _ = p.types.componentOf(k)
		}
		var m combinators.Linear
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

// unwrapped leaves out the calls that say which operations a pattern is for.
func unwrapped(t *text.Term) *text.Term {
	if t.Op == text.Call && len(t.Args) == 1 && (t.Name == "contraction" || t.Name == "atom" || t.Name == "leaf") {
		return unwrapped(t.Args[0])
	}
	u := *t
	u.Args = nil
	for _, a := range t.Args {
		u.Args = append(u.Args, unwrapped(a))
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
func (p *sampler) space(t *spaceType) combinators.Space {
	t = t.resolve()
	switch t.kind {
	case spaceProduct:
		fs := make([]combinators.Space, len(t.parts))
		for i, f := range t.parts {
			fs[i] = p.space(f)
		}
		return combinators.ProductSpace(fs...)
	case spacePower:
		return p.space(t.base).Power([]size.Size{p.size(t.index)})
	case spaceTensor:
		shape := []size.Size{}
		for _, d := range t.dims {
			shape = append(shape, p.size(d))
		}
		return combinators.TensorSpace(shape)
	}
	return combinators.TensorSpace([]size.Size{p.sizes("n")})
}

func (p *sampler) size(d *dimType) size.Size {
	if d = d.resolve(); d.fixed > 0 {
		return size.Const(int64(d.fixed))
	}
	return p.sizes(d.name)
}

// draw is a map from u to w, a different one each time.
func (p *sampler) draw(u, w combinators.Space, linear bool) combinators.Map {
	if w.IsProduct() {
		fs := make([]combinators.Map, len(w.Factors()))
		for i, f := range w.Factors() {
			fs[i] = p.draw(u, f, linear)
		}
		return p.s.Pair(fs...)
	}
	if u.IsProduct() {
		ls := make([]combinators.Linear, len(u.Factors()))
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

// smooth are functions that have values everywhere, and no two of them a law together.
var smooth = []*atom.Row{atom.Sin, atom.Exp, atom.Tanh, atom.Cos, atom.Arctan, atom.Sigmoid}

// function is an element-wise function.
func (p *sampler) function(u combinators.Space) combinators.Map {
	p.drawn++
	x := p.s.Var("open", u.Shape())
	return p.s.OpenMap(p.s.Unary(smooth[p.drawn%len(smooth)], x), func(int) bool { return true })
}

// matrix is the product with a fixed tensor: entry by entry within a space.
func (p *sampler) matrix(u, w combinators.Space) combinators.Map {
	p.drawn++
	n := len(u.Shape())
	from := make([]int, n)
	for i := range from {
		from[i] = i
	}
	to, shape := from, u.Shape()
	dims := slices.Clone(u.Shape())
	index := from
	if !u.Equal(w) {
		to = make([]int, len(w.Shape()))
		for i := range to {
			to[i] = n + i
		}
		dims = append(dims, w.Shape()...)
		index, shape = slices.Concat(to, from), slices.Concat(w.Shape(), u.Shape())
	}
	a := p.s.Var(fmt.Sprintf("a%d", p.drawn), shape)
	return p.s.EinMap(einsum.Plain([][]int{index, from}, to, dims), []*combinators.Node{a, nil})
}

// bilinear is the product entry by entry.
func (p *sampler) bilinear(u combinators.Space) combinators.Map {
	n := make([]int, len(u.Shape()))
	for i := range n {
		n[i] = i
	}
	return p.s.EinMap(einsum.Plain([][]int{n, n}, n, u.Shape()), []*combinators.Node{nil, nil})
}
