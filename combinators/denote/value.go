package denote

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// Values in a user's text: those of package text's value terms, and maps applied to values.

// node is the tensor that t denotes; an error has the place of the innermost term that is wrong.
func (r *mapReader) node(t *text.Term) *combinators.Node {
	at := r.enter(t)
	r.depth++
	must.Hold(r.depth <= maxDepth, "terms are nested more than %d deep", maxDepth)
	n := r.oneNode(t)
	r.depth--
	r.at = at
	return n
}

func (r *mapReader) oneNode(t *text.Term) *combinators.Node {
	must.Hold(!isMapTerm(t), "%s is a map, where a value is needed: (%s)(x) is its value at x", t, t)
	if t.Op != text.Let && t.Op != text.Tuple && !r.applies(t) {
		if t.Op == text.Name && len(t.Attrs) == 0 && r.env.value(t.Name) == nil {
			r.noTensor(t)
		}
		return r.builder.oneTerm(t)
	}
	v := r.value(t)
	if v.Node() == nil {
		panic(must.Errorf("%s is a tuple, of %s, where one tensor is needed: (pi1 . f)(x) is its first component", t, v.Space()))
	}
	return v.Node()
}

// isMapTerm: what is a map, whatever stands in it.
func isMapTerm(t *text.Term) bool {
	switch t.Op {
	case text.Compose, text.Pair, text.Product, text.Copair, text.Copower, text.Family, text.Typed:
		return true
	case text.Call:
		return t.Name == "adjoint" || t.Name == "K" || t.Name == "prod" || t.Name == "delta"
	case text.Apply:
		return t.Args[0].Op == text.Call && t.Args[0].Name == "D"
	}
	return false
}

// noTensor says why a name that means something stands for no tensor.
func (r *mapReader) noTensor(t *text.Term) {
	name := t.Name
	if v := r.env.Tuples[name]; v != nil {
		panic(must.Errorf("%s is a tuple, of %s, where one tensor is needed", name, v.Space()))
	}
	if err := r.noValue[name]; err != nil {
		panic(must.Error(err))
	}
	if _, ok := r.match.Maps[name]; ok || t.Function != nil || r.isMapName(name) {
		panic(must.Errorf("%s is a map, where a value is needed: %s(x) is its value at x", name, name))
	}
}

// isMapName: the names of constructors, atoms and standard maps.
func (r *mapReader) isMapName(name string) bool {
	if head, _ := text.Component(text.NewName(name)); head != "" {
		return true
	}
	if name == atom.Pi.Name {
		return r.bound[name] != nil
	}
	return text.Constructors[name] || isStandard(name) || atom.Named(name) != nil || r.bound[name] != nil
}

// applies reports whether t applies a map to values. A call of an atom does not: it is a node.
func (r *mapReader) applies(t *text.Term) bool {
	switch t.Op {
	case text.Apply:
		return !isMapTerm(t)
	case text.Call:
		if isMapTerm(t) {
			return false
		}
		if _, ok := r.match.Maps[t.Name]; ok || r.bound[t.Name] != nil {
			return true
		}
		head, _ := text.Component(text.NewName(t.Name, t.Attrs...))
		return head != "" || t.Name == "id" || isStandard(t.Name)
	}
	return false
}

// apply is the value of an application: the map is worked out and applied.
func (r *mapReader) apply(t *text.Term) *combinators.Value {
	head, args := text.NewName(t.Name, t.Attrs...), t.Args
	if head.Pos = t.Pos; t.Op == text.Apply {
		head, args = t.Args[0], t.Args[1:]
	}
	x := r.match.tuple(args)
	dom := x.Space()
	f := r.match.term(head, want{dom: &dom})
	must.Hold(f.Dom().Equal(dom), "%s is a map on %s; it is applied to a value of %s", head, f.Dom(), dom)
	return must.Get(r.env.Calculus.Apply(f, x))
}

// value is the value that t denotes, a tensor or a tuple.
func (r *mapReader) value(t *text.Term) *combinators.Value {
	at := r.enter(t)
	v := r.oneValue(t)
	r.at = at
	return v
}

func (r *mapReader) oneValue(t *text.Term) *combinators.Value {
	switch {
	case t.Op == text.Tuple:
		return r.match.tuple(t.Args)
	case t.Op == text.Call && t.Name == "tuple" && len(t.Args) == 1:
		return r.s.Tuple(r.value(t.Args[0]))
	case t.Op == text.Name && len(t.Attrs) == 0 && r.env.Tuples[t.Name] != nil:
		return r.env.Tuples[t.Name]
	case t.Op == text.Let:
		values, tuples := r.env.Values, r.env.Tuples
		defer func() { r.env.Values, r.env.Tuples = values, tuples }()
		for i, n := range t.Names {
			r.bind(n, t.Args[i])
		}
		return r.value(t.Args[len(t.Names)])
	case r.applies(t):
		return r.apply(t)
	case arithmetic(t) && r.tupled(t):
		return r.vector(t)
	}
	return r.s.Value(r.node(t))
}

// bind gives a name to a value for what follows, or else to a map, which is read where it is used;
// isMap says so.
func (r *mapReader) bind(name string, t *text.Term) (isMap bool) {
	var v *combinators.Value
	if err := r.try(func() { v = r.value(t) }); err != nil {
		r.bound[name] = t
		if r.noValue == nil {
			r.noValue = map[string]error{}
		}
		r.noValue[name] = err
		return true
	}
	delete(r.bound, name)
	if n := v.Node(); n != nil {
		r.env.Values = append(r.env.Values, Binding{name, n})
		return false
	}
	tuples := map[string]*combinators.Value{name: v}
	for old, u := range r.env.Tuples {
		if old != name {
			tuples[old] = u
		}
	}
	r.env.Tuples = tuples
	return false
}

// hasMaps: a product with operands all written, of which some may be maps. A section has an open one, a bare
// contraction none.
func hasMaps(t *text.Term) bool {
	return len(t.Args) > 0 && !slices.ContainsFunc(t.Args, func(a *text.Term) bool { return a.Op == text.Hole })
}

// pointwise reads products of maps, entry by entry or as a contraction says, after Elsman's lifted
// operators: (f .* g)(x) = f(x) .* g(x), and c .* f for a value c.
func (r *mapReader) pointwise(t *text.Term, w want) combinators.Map {
	fixed := make([]*combinators.Node, len(t.Args))
	var fs []combinators.Map
	for k, a := range t.Args {
		if r.try(func() { fixed[k] = r.node(a) }) == nil {
			if t.Op == text.Div && k == 1 {
				fixed[k] = r.s.Recip(fixed[k])
			}
			continue
		}
		var f combinators.Map
		if err := r.try(func() { f = r.match.term(a, want{dom: w.dom}) }); err != nil {
			if t.Op == text.Ein {
				panic(must.Error(err))
			}
			f = r.match.term(a, w) // entry by entry
		}
		if f.Cod().IsProduct() {
			m, ok := r.multiple(t, k, f)
			if !ok {
				r.enter(a)
				panic(must.Errorf("%s gives a value of %s, where a tensor is multiplied", a, f.Cod()))
			}
			return m
		}
		if t.Op == text.Div && k == 1 {
			f = r.s.Compose(r.s.AtomMap(atom.Power, 0, big.NewRat(-1, 1), nil, make([]*combinators.Node, 1), [][]size.Size{f.Cod().Shape()}), f)
		}
		fs = append(fs, f)
	}
	must.Hold(len(fs) > 0, "%s is a value, where a map is needed: K(%s) is the constant map", t, t)
	arg := fs[0]
	if len(fs) > 1 {
		arg = r.s.Pair(fs...)
	}
	cod := arg.Cod()
	if t.Op == text.Ein {
		return r.s.Compose(r.section(t, fixed, want{dom: &cod}), arg)
	}
	return r.s.Compose(r.times(fixed, want{dom: &cod}), arg)
}
