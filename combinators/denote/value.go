package denote

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

// Values in a user's text: those of package text's value terms, and maps applied to values.

// node is the tensor that t denotes; an error has the place of the innermost term that is wrong.
func (r *mapReader) node(t *text.Term) (n *combinators.Node, err error) {
	defer func() { err = r.placed(t, err) }()
	defer caught(&err)
	if r.depth++; r.depth > maxDepth {
		return nil, fmt.Errorf("terms are nested more than %d deep", maxDepth)
	}
	defer func() { r.depth-- }()
	if isMapTerm(t) {
		return nil, fmt.Errorf("%s is a map, where a value is needed: (%s)(x) is its value at x", t, t)
	}
	if t.Op != text.Let && t.Op != text.Tuple && !r.applies(t) {
		if t.Op == text.Name && len(t.Attrs) == 0 && r.env.value(t.Name) == nil {
			if err := r.noTensor(t); err != nil {
				return nil, err
			}
		}
		return r.builder.oneTerm(t), nil
	}
	v, err := r.value(t)
	if err != nil {
		return nil, err
	}
	if v.Node() == nil {
		return nil, fmt.Errorf("%s is a tuple, of %s, where one tensor is needed: (pi1 . f)(x) is its first component", t, v.Space())
	}
	return v.Node(), nil
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
func (r *mapReader) noTensor(t *text.Term) error {
	name := t.Name
	if v := r.env.Tuples[name]; v != nil {
		return fmt.Errorf("%s is a tuple, of %s, where one tensor is needed", name, v.Space())
	}
	if err := r.noValue[name]; err != nil {
		return err
	}
	if _, ok := r.match.Maps[name]; ok || t.Function != nil || r.isMapName(name) {
		return fmt.Errorf("%s is a map, where a value is needed: %s(x) is its value at x", name, name)
	}
	return nil
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
func (r *mapReader) apply(t *text.Term) (*combinators.Value, error) {
	head, args := text.NewName(t.Name, t.Attrs...), t.Args
	if head.Pos = t.Pos; t.Op == text.Apply {
		head, args = t.Args[0], t.Args[1:]
	}
	x, err := r.match.tuple(args)
	if err != nil {
		return nil, err
	}
	dom := x.Space()
	f, err := r.match.term(head, want{dom: &dom})
	if err != nil {
		return nil, err
	}
	if !f.Dom().Equal(dom) {
		return nil, fmt.Errorf("%s is a map on %s; it is applied to a value of %s", head, f.Dom(), dom)
	}
	return r.env.Calculus.Apply(f, x)
}

// value is the value that t denotes, a tensor or a tuple.
func (r *mapReader) value(t *text.Term) (v *combinators.Value, err error) {
	defer func() { err = r.placed(t, err) }()
	switch {
	case t.Op == text.Tuple:
		return r.match.tuple(t.Args)
	case t.Op == text.Call && t.Name == "tuple" && len(t.Args) == 1:
		v, err := r.value(t.Args[0])
		if err != nil {
			return nil, err
		}
		return r.s.Tuple(v), nil
	case t.Op == text.Name && len(t.Attrs) == 0 && r.env.Tuples[t.Name] != nil:
		return r.env.Tuples[t.Name], nil
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
	n, err := r.node(t)
	if err != nil {
		return nil, err
	}
	return r.s.Value(n), nil
}

// bind gives a name to a value for what follows, or else to a map, which is read where it is used;
// isMap says so.
func (r *mapReader) bind(name string, t *text.Term) (isMap bool) {
	v, err := r.value(t)
	if err != nil {
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

// pointwise reads products of maps, entry by entry or as a contraction says, after Elsman's lifted
// operators: (f .* g)(x) = f(x) .* g(x), and c .* f for a value c. ok is false for a section or a
// bare contraction, which have no maps in them.
func (r *mapReader) pointwise(t *text.Term, w want) (m combinators.Map, ok bool, err error) {
	if len(t.Args) == 0 {
		return m, false, nil
	}
	for _, a := range t.Args {
		if a.Op == text.Hole {
			return m, false, nil
		}
	}
	fixed := make([]*combinators.Node, len(t.Args))
	var fs []combinators.Map
	for k, a := range t.Args {
		n, noValue := r.node(a)
		if noValue == nil {
			if t.Op == text.Div && k == 1 {
				n = r.s.Recip(n)
			}
			fixed[k] = n
			continue
		}
		f, err := r.match.term(a, want{dom: w.dom})
		if err != nil && t.Op != text.Ein { // entry by entry
			f, err = r.match.term(a, w)
		}
		if err != nil {
			return m, true, err
		}
		if f.Cod().IsProduct() {
			if m, ok, err := r.multiple(t, k, f); ok {
				return m, true, err
			}
			return m, true, r.placed(a, fmt.Errorf("%s gives a value of %s, where a tensor is multiplied", a, f.Cod()))
		}
		if t.Op == text.Div && k == 1 {
			f = r.s.Compose(r.s.AtomMap(atom.Power, 0, big.NewRat(-1, 1), nil, make([]*combinators.Node, 1), [][]size.Size{f.Cod().Shape()}), f)
		}
		fs = append(fs, f)
	}
	if len(fs) == 0 {
		return m, true, fmt.Errorf("%s is a value, where a map is needed: K(%s) is the constant map", t, t)
	}
	arg := fs[0]
	if len(fs) > 1 {
		arg = r.s.Pair(fs...)
	}
	cod := arg.Cod()
	if t.Op != text.Ein {
		m, err = r.times(fixed, want{dom: &cod})
	} else {
		m, err = r.section(t, fixed, want{dom: &cod})
	}
	if err != nil {
		return m, true, err
	}
	return r.s.Compose(m, arg), true, nil
}
