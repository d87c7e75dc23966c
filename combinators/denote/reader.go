package denote

import (
	"errors"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/internal/words"
)

// ReadMap makes the closed map that the term t denotes on the space dom, or to the space cod, or
// both; nil is "to be found". The names in t are the atoms, the constructors, what its lets bind,
// and the values and maps of env. It reads what text.Closed writes; the error says which part
// denotes no map, or needs a space that nothing tells.
func ReadMap(s *combinators.Store, t *text.Term, dom, cod *combinators.Space, env *Env) (m combinators.Map, err error) {
	r := newReader(s, t, env)
	err = r.try(func() {
		m = r.match.term(t, want{dom, cod})
		if dom != nil && !m.Dom().Equal(*dom) || cod != nil && !m.Cod().Equal(*cod) {
			needed := m.Cod().String()
			if cod != nil {
				needed = cod.String()
			}
			r.enter(t)
			panic(must.Errorf("the term is a map %s -> %s, where one to %s is needed", m.Dom(), m.Cod(), needed))
		}
	})
	return m, err
}

// ReadValue makes the value that the term t denotes: as [ReadNode] does, and maps may be applied in
// it, those of env and any other, f(x), (g . f)(x), D(f)(x)(dx), adjoint(L)(w); the value may be a
// tuple. The error has the place of the innermost term that is wrong.
func ReadValue(s *combinators.Store, t *text.Term, env *Env) (v *combinators.Value, err error) {
	r := newReader(s, t, env)
	err = r.try(func() { v = r.value(t) })
	return v, err
}

func newReader(s *combinators.Store, t *text.Term, env *Env) *mapReader {
	local := *env
	local.Values, local.Tuples = slices.Clip(env.Values), maps.Clone(env.Tuples)
	r := &mapReader{builder: builder{s: s, env: &local}, bound: map[string]*text.Term{}, read: map[readKey]combinators.Map{},
		open: map[readKey]bool{}, most: maxSteps}
	r.text = r
	r.match = &mapBuilder{MapSubst: &MapSubst{Maps: env.Maps}, store: s, reader: r}
	text.Walk(t, func(*text.Term) bool {
		r.most += 10
		return true
	})
	return r
}

// mapReader gives meaning to what only texts have: atoms by name, sections, lets of maps.
type mapReader struct {
	builder
	match *mapBuilder
	bound map[string]*text.Term
	read  map[readKey]combinators.Map
	open  map[readKey]bool // names whose maps are being read
	// noValue says why what a let binds is no value, for uses where one is needed
	noValue map[string]error
	steps   int // terms read so far, at most as many as most
	most    int
	depth   int
	at      text.Pos // of the innermost term that is read
}

// maxDepth bounds how deep terms, and what lets name in them, stand in each other: reading them is
// recursive.
const maxDepth = 20_000

// maxSteps bounds the terms that are tried for one map, beside ten times as many as it has: where a
// space is missing, both sides of a sum or composition are tried in turn.
const maxSteps = 50_000

// enter notes that t is read, and returns what was read.
func (r *mapReader) enter(t *text.Term) (outer text.Pos) {
	outer = r.at
	if t.Pos != (text.Pos{}) {
		r.at = t.Pos
	}
	return outer
}

// try is the error with which f ends, at the innermost term that was read, unless it has a place. The
// reader is then where it was.
func (r *mapReader) try(f func()) (err error) {
	at, depth := r.at, r.depth
	defer func() {
		var known *text.Error
		if err != nil && !errors.As(err, &known) && r.at != (text.Pos{}) {
			err = &text.Error{Pos: r.at, Message: err.Error()}
		}
		r.at, r.depth = at, depth
	}()
	defer must.Recover(&err)
	f()
	return nil
}

// readKey: a name that a let binds to a map may be used on several spaces.
type readKey struct{ name, dom string }

// let binds values and maps. A map is read where it is used, since its spaces show there; most are
// on the space of the whole, and are read at once, so that a long let is no deep recursion.
func (r *mapReader) let(t *text.Term, w want) combinators.Map {
	values, tuples := r.env.Values, r.env.Tuples
	defer func() { r.env.Values, r.env.Tuples = values, tuples }()
	for i, n := range t.Names {
		if !r.bind(n, t.Args[i]) {
			continue
		}
		if w.dom != nil { // a failure shows where it is used
			r.try(func() { r.named(n, want{dom: w.dom}) })
		}
	}
	return r.match.term(t.Args[len(t.Names)], w)
}

func (r *mapReader) named(n string, w want) combinators.Map {
	key := readKey{name: n}
	if w.dom != nil {
		key.dom = w.dom.String()
	}
	if m, ok := r.read[key]; ok && w.dom != nil {
		return m
	}
	must.Hold(!r.open[key], "%s is defined by itself", n)
	r.open[key] = true
	defer delete(r.open, key)
	m := r.match.term(r.bound[n], w)
	if w.dom != nil {
		r.read[key] = m
	}
	return m
}

func (r *mapReader) copower(t *text.Term, w want) (m combinators.Map) {
	x := r.shape(t.Attrs)
	return r.s.Copower(r.match.term(t.Args[0], want{without(w.dom, x), without(w.cod, x)}), x)
}

// without is the space s with s^x = p, nil where p is no such copower.
func without(p *combinators.Space, x []size.Size) *combinators.Space {
	if p == nil {
		return nil
	}
	if !p.IsProduct() {
		if len(p.Shape()) < len(x) || !slices.Equal(p.Shape()[:len(x)], x) {
			return nil
		}
		return spaceOf(combinators.TensorSpace(p.Shape()[len(x):]))
	}
	factors := make([]combinators.Space, len(p.Factors()))
	for i := range factors {
		f := without(&p.Factors()[i], x)
		if f == nil {
			return nil
		}
		factors[i] = *f
	}
	return spaceOf(combinators.ProductSpace(factors...))
}

// term reads an atom, a contraction or a section.
func (r *mapReader) term(t *text.Term, w want) (m combinators.Map) {
	switch t.Op {
	case text.Name:
		if r.bound[t.Name] != nil {
			return r.named(t.Name, w)
		}
		if isStandard(t.Name) {
			return r.standard(t, w)
		}
		at := t.Row()
		switch {
		case text.IsPi(t):
			panic(must.Errorf("%s is a number, where a map is needed: K(%s) is the constant map", t, t))
		case at == nil:
			panic(must.Error(r.unknown(t)))
		}
		return r.atom(t, make([]*combinators.Node, at.Arity), w)
	case text.Typed:
		return r.typed(t, w)
	case text.Neg:
		// -f is the section (-1 .* _) after f
		f := r.match.term(t.Args[0], w)
		return r.s.Compose(r.scaled(r.s.Int(-1), f.Cod()), f)
	case text.Sub:
		return r.s.SumMaps(r.match.both(t.Args[0], text.NewNeg(t.Args[1]), w))
	case text.Pow:
		return r.power(t, w)
	case text.Ein:
		return r.contractionOf(t, w)
	case text.Mul, text.Div:
		return r.product(t, w)
	case text.Call:
		if t.Name == "tensor" {
			return r.tensorOf(t, w)
		}
		if t.Name == text.Contract {
			return r.contracted(t, w)
		}
		return r.atom(t, r.fixed(t.Args), w)
	}
	panic(must.Errorf("%s is no map", t))
}

// power is f .^ r, entry by entry.
func (r *mapReader) power(t *text.Term, w want) (m combinators.Map) {
	e, err := ReadNumber(t.Args[1], r.env.Numbers)
	if err != nil {
		panic(must.Errorf("the exponent of a map is a number, not %s", t.Args[1]))
	}
	f := r.match.term(t.Args[0], w)
	return r.s.Compose(r.s.AtomMap(atom.Power, 0, e, nil, make([]*combinators.Node, 1), [][]size.Size{f.Cod().Shape()}), f)
}

// contractionOf is a product of the values of maps, or a contraction in the operands that are not fixed.
func (r *mapReader) contractionOf(t *text.Term, w want) (m combinators.Map) {
	if hasMaps(t) {
		return r.pointwise(t, w)
	}
	fixed := make([]*combinators.Node, len(t.Index.In))
	if len(t.Args) > 0 {
		fixed = r.fixed(t.Args)
	}
	return r.section(t, fixed, w)
}

// product is a product or quotient of the values of maps, or one in the operand that is open.
func (r *mapReader) product(t *text.Term, w want) (m combinators.Map) {
	if hasMaps(t) {
		return r.pointwise(t, w)
	}
	fixed := r.fixed(t.Args)
	if t.Op == text.Div {
		must.Hold(fixed[1] != nil, "%s is no linear map in its open operand", t)
		fixed[1] = r.s.Recip(fixed[1])
	}
	if w.dom != nil && w.dom.IsProduct() {
		// (c .* _) on a product of spaces, for a number c
		for k, c := range fixed {
			if c != nil && c.Order() == 0 && fixed[1-k] == nil {
				return r.scaled(c, *w.dom)
			}
		}
	}
	return r.times(fixed, w)
}

// section is the contraction of t in the operands that are not fixed.
func (r *mapReader) section(t *text.Term, fixed []*combinators.Node, w want) (m combinators.Map) {
	return r.s.EinMap(r.contraction(t.Index, operands(t, fixed, w.dom)), fixed)
}

// typed reads (f : U -> V), which says the spaces of a map that nothing around it tells.
func (r *mapReader) typed(t *text.Term, w want) (m combinators.Map) {
	dom, cod := r.space(t.Type.Dom), r.space(t.Type.Cod)
	m = r.match.term(t.Args[0], want{&dom, &cod})
	_, linear := m.Linear()
	_, multi := m.Multilinear()
	switch {
	case !m.Dom().Equal(dom) || !m.Cod().Equal(cod),
		t.Type.Arrow == text.LinearTo && !linear, t.Type.Arrow == text.BilinearTo && !multi:
		panic(must.Errorf("the term is a map %s, its type says %s", text.Signature(m), t.Type))
	}
	return m
}

// fixed builds the operands of a section; open ones are nil.
func (r *mapReader) fixed(ts []*text.Term) []*combinators.Node {
	out := make([]*combinators.Node, len(ts))
	for i, t := range ts {
		if t.Op != text.Hole {
			out[i] = r.builder.term(t)
		}
	}
	return out
}

// operands gives the shapes of all operands of t, nil for none: the fixed ones have theirs, the open ones are the
// components of dom.
func operands(t *text.Term, fixed []*combinators.Node, dom *combinators.Space) [][]size.Size {
	wrong := func(format string, args ...any) must.Failure {
		if t != nil {
			format, args = "%s: "+format, append([]any{t}, args...)
		}
		return must.Errorf(format, args...)
	}
	shapes := make([][]size.Size, len(fixed))
	var open []int
	for k, n := range fixed {
		if n == nil {
			open = append(open, k)
		} else {
			shapes[k] = n.Shape()
		}
	}
	switch {
	case len(open) == 0:
		panic(wrong("no operand is open"))
	case dom == nil:
		panic(wrong("the space of what is open is not known"))
	case len(open) == 1 && !dom.IsProduct():
		shapes[open[0]] = dom.Shape()
		return shapes
	case len(open) == 1 || len(open) != len(dom.Factors()):
		panic(wrong("%s, but the argument is of %s", words.Count(len(open), "open operand"), dom))
	}
	for i, k := range open {
		if dom.Factors()[i].IsProduct() {
			panic(wrong("an open operand is of %s", dom.Factors()[i]))
		}
		shapes[k] = dom.Factors()[i].Shape()
	}
	return shapes
}

// kept is the space of the operands that are open, each of which has that of the result where nothing else is
// known: most maps keep the shape.
func (w want) kept(fixed []*combinators.Node) *combinators.Space {
	if w.dom != nil || w.cod == nil || w.cod.IsProduct() {
		return w.dom
	}
	var open []combinators.Space
	for _, n := range fixed {
		if n == nil {
			open = append(open, *w.cod)
		}
	}
	if len(open) == 1 {
		return &open[0]
	}
	return spaceOf(combinators.ProductSpace(open...))
}

// times is the product entry by entry of two operands, one of which may be a scalar.
func (r *mapReader) times(fixed []*combinators.Node, w want) (m combinators.Map) {
	shapes := operands(nil, fixed, w.kept(fixed))
	long := shapes[0]
	if len(long) == 0 {
		long = shapes[1]
	}
	in := make([][]int, 2)
	for k, sh := range shapes {
		if len(sh) > 0 {
			must.Hold(slices.Equal(sh, long), "a product of shapes %s and %s", size.Shape(shapes[0]), size.Shape(shapes[1]))
			in[k] = einsum.UpTo(len(long))
		}
	}
	return r.s.EinMap(einsum.Plain(in, einsum.UpTo(len(long)), long), fixed)
}

// atom is any other atom in its open operands.
func (r *mapReader) atom(t *text.Term, fixed []*combinators.Node, w want) (m combinators.Map) {
	at := t.Row()
	if at == nil {
		panic(must.Error(r.unknown(t)))
	}
	if w.dom == nil && !slices.ContainsFunc(fixed, func(n *combinators.Node) bool { return n != nil }) {
		w.dom = onDeclared(at)
	}
	must.Hold(at.Arity == len(fixed) && at.Class >= atom.ClassLinear, "%s is no map", t)
	shapes := operands(t, fixed, w.kept(fixed))
	if at == atom.Power {
		return r.s.AtomMap(at, 0, r.attr(t, 0), nil, fixed, shapes)
	}
	attr, sizes := 0, []size.Size(nil)
	if len(t.Attrs) > 0 {
		e, err := ReadNumber(t.Attrs[0], r.env.Numbers)
		must.Hold(err == nil && e.IsInt() && e.Num().IsInt64() && e.Num().BitLen() <= 30, "%s: the attribute is no whole number", t)
		attr = int(e.Num().Int64())
		sizes = r.shape(t.Attrs[1:])
	}
	if len(sizes) == 0 {
		sizes = r.env.openSizes(at, w.cod)
	}
	must.Hold((t.Name == "split") == (len(sizes) == 2), "%s has the wrong number of attributes", t)
	return r.s.AtomMap(at, attr, nil, sizes, slices.Clone(fixed), shapes)
}

// ReadSpace is the space that a type's text denotes; its sizes are numbers and those of env.
func ReadSpace(t *text.Space, env *Env) (s combinators.Space, err error) {
	defer must.Recover(&err)
	return (&builder{env: env}).space(t), nil
}

func (b *builder) space(t *text.Space) combinators.Space {
	if len(t.Factors) > 0 || t.Name == "Prod" {
		factors := lists.Map(t.Factors, b.space)
		return combinators.ProductSpace(factors...)
	}
	if t.Name != "R" {
		panic(combinators.TypeErrorf("%s is no space: a space is R[m,n], or a product of such", t))
	}
	return combinators.TensorSpace(b.shape(t.Dims))
}
