package denote

import (
	"errors"
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/internal/words"
)

// want is what is known of the spaces of a map that is to be built: id, 0, projections and
// injections take theirs from it.
type want struct{ dom, cod *combinators.Space }

func spaceOf(s combinators.Space) *combinators.Space { return &s }

// A MapSubst has the values of the metavariables of a rule on closed maps.
type MapSubst struct {
	Maps       map[string]combinators.Map
	Families   map[string][]combinators.Map
	Values     map[string]*combinators.Value
	Components map[string]int // counted from 1
	Index      []size.Size    // the index set of a copower
	Count      int            // members of families
}

// Component is the number that a component's expression denotes.
func (c *MapSubst) Component(t *text.Term) (int, error) {
	switch {
	case t.Op == text.Num && t.Rat.IsInt():
		return int(t.Rat.Num().Int64()), nil
	case t.Op == text.Name:
		if k, ok := c.Components[t.Name]; ok {
			return k, nil
		}
	}
	return 0, fmt.Errorf("%s is no component", t)
}

// Native makes a map in code, for the arguments of its call in a term.
type Native func(s *combinators.Store, args []Argument) (combinators.Map, error)

// ErrNoStep is the error of a native step at a map where there is nothing to do: the rule does not fire.
var ErrNoStep = errors.New("the step has nothing to do here")

// Argument is a map or a value.
type Argument struct {
	Map   combinators.Map
	Value *combinators.Value
}

// Instantiate makes the map dom -> cod that the side t of a rule denotes where its metavariables have the
// values of sub. The spaces of what comes out are other ones where t denotes no map of these:
// <pi1, pi2> is the identity on a product of two. A let in t puts its values into sub.
func Instantiate(s *combinators.Store, t *text.Term, sub *MapSubst, natives map[string]Native, dom, cod combinators.Space) (_ combinators.Map, err error) {
	defer must.Recover(&err)
	return (&mapBuilder{MapSubst: sub, store: s, natives: natives}).term(t, want{&dom, &cod}), nil
}

// InstantiateText is Instantiate for a side with sections or functions in it: a term as users write it.
func InstantiateText(s *combinators.Store, t *text.Term, sub *MapSubst, natives map[string]Native, dom, cod combinators.Space) (m combinators.Map, err error) {
	env := &Env{Maps: sub.Maps, Tuples: map[string]*combinators.Value{}}
	for name, v := range sub.Values {
		if n := v.Node(); n != nil {
			env.Values = append(env.Values, Binding{name, n})
		} else {
			env.Tuples[name] = v
		}
	}
	r := newReader(s, t, env)
	r.match.MapSubst, r.match.natives = sub, natives
	err = r.try(func() { m = r.match.term(t, want{&dom, &cod}) })
	return m, err
}

// mapBuilder makes maps of terms: those of a rule, or, with a reader, those that users write.
type mapBuilder struct {
	*MapSubst
	store   *combinators.Store
	natives map[string]Native // that the right sides of rules may call
	reader  *mapReader        // what other names and sections mean, in a text that is no rule
}

// term is the map that t denotes. In a text that is no rule an error has the place of the innermost
// term that is wrong.
func (c *mapBuilder) term(t *text.Term, w want) combinators.Map {
	r := c.reader
	if r == nil {
		return c.oneTerm(t, w)
	}
	at := r.enter(t)
	r.depth++
	must.Hold(r.depth <= maxDepth, "the terms that lets name are nested more than %d deep", maxDepth)
	r.steps++
	must.Hold(r.steps <= r.most, "the spaces in this term are too hard to find; give it in parts, with types")
	m := r.fitted(t, w)
	r.depth--
	r.at = at
	return m
}

// oneTerm is one switch: a case for each operation.
func (c *mapBuilder) oneTerm(t *text.Term, w want) (m combinators.Map) {
	s := c.store
	switch t.Op {
	case text.Num:
		must.Hold(t.Rat.Sign() == 0 && len(t.Attrs) == 0, "%s is a value, where a map is needed: K(%s) is the constant map", t, t)
		must.Hold(w.dom != nil && w.cod != nil, "the spaces of %s are not known", t)
		return s.ZeroMap(*w.dom, *w.cod).Map
	case text.Name:
		return c.name(t, w)
	case text.Let:
		if c.reader != nil {
			return c.reader.let(t, w)
		}
		for i, n := range t.Names {
			v := c.value(t.Args[i])
			if c.Values == nil {
				c.Values = map[string]*combinators.Value{}
			}
			c.Values[n] = v
		}
		return c.term(t.Args[len(t.Args)-1], w)
	case text.Compose:
		return c.compose(t.Args, w)
	case text.Add:
		return s.SumMaps(c.both(t.Args[0], t.Args[1], w))
	case text.Pair, text.Product, text.Copair:
		return c.several(t.Op, len(t.Args), w, func(k int, w want) combinators.Map { return c.term(t.Args[k], w) })
	case text.Family:
		return c.familyTerm(t, w)
	case text.Copower:
		if c.reader != nil {
			return c.reader.copower(t, w)
		}
		return s.Copower(c.term(t.Args[0], want{}), c.Index)
	case text.Apply:
		must.Hold(c.reader == nil || !c.reader.applies(t), "%s is a value, where a map is needed: K(%s) is the constant map", t, t)
		if head := t.Args[0]; head.Op == text.Call && head.Name == "D" && len(head.Args) == 1 && len(t.Args) > 1 {
			return s.Derivative(c.term(head.Args[0], w), c.tuple(t.Args[1:])).Map
		}
	case text.Call:
		return c.call(t, w)
	}
	if c.reader != nil {
		return c.reader.term(t, w)
	}
	panic(must.Errorf("%s is no map", t))
}

// both builds two maps of the same spaces: what one does not say, the other may.
func (c *mapBuilder) both(t, u *text.Term, w want) (f, g combinators.Map) {
	same := func(m combinators.Map) want { return want{spaceOf(m.Dom()), spaceOf(m.Cod())} }
	if c.reader != nil && w.cod == nil && isConstant(t) && !isConstant(u) {
		// a number is constant along all axes, which the other map has
		if c.try(func() { g = c.term(u, w) }) == nil {
			return c.term(t, same(g)), g
		}
	}
	if c.try(func() { f = c.term(t, w) }) == nil {
		return f, c.term(u, same(f))
	}
	g = c.term(u, w)
	return c.term(t, same(g)), g
}

// try is the error with which f ends.
func (c *mapBuilder) try(f func()) error {
	if c.reader == nil {
		return must.Try(f)
	}
	return c.reader.try(f)
}

// isConstant: K(c), or a sum of such.
func isConstant(t *text.Term) bool {
	switch t.Op {
	case text.Add, text.Sub, text.Neg:
		return !slices.ContainsFunc(t.Args, func(a *text.Term) bool { return !isConstant(a) })
	}
	return t.Op == text.Call && t.Name == "K"
}

func (c *mapBuilder) name(t *text.Term, w want) (m combinators.Map) {
	if f, ok := c.Maps[t.Name]; ok && len(t.Attrs) == 0 {
		return f
	}
	if fs, ok := c.Families[t.Name]; ok && len(t.Attrs) == 1 {
		k, err := c.Component(t.Attrs[0])
		must.Hold(err == nil && k >= 1 && k <= len(fs), "%s is no member of its family", t)
		return fs[k-1]
	}
	head, kt := text.Component(t)
	switch {
	case t.Function != nil && c.reader == nil:
		return c.declared(t, w)
	case t.Name == "id":
		if w.dom == nil {
			w.dom = w.cod
		}
		must.Hold(w.dom != nil, "the space of id is not known")
		return c.store.ID(*w.dom).Map
	case head == "pi" || head == "iota":
		k := must.Get(c.Component(kt))
		whole := w.dom
		if head == "iota" {
			whole = w.cod
		}
		must.Hold(whole != nil, "the space of %s is not known", t)
		must.Hold(k >= 1 && k <= len(whole.Factors()), "%s of %s, which has %s", t, whole, words.Spelled(len(whole.Factors()), "component"))
		if head == "pi" {
			return c.store.Proj(*whole, k-1).Map
		}
		return c.store.Inj(*whole, k-1).Map
	}
	if c.reader != nil {
		return c.reader.term(t, w)
	}
	panic(must.Errorf("%s is no map", t))
}

// maxBothWays bounds the length of chains whose spaces are looked for from both ends.
const maxBothWays = 64

// compose builds a chain. The last map's domain and the first one's codomain are known; what lies
// between comes from the side that can be built without it.
func (c *mapBuilder) compose(ts []*text.Term, w want) (m combinators.Map) {
	fromRight := func() { // each link on the space that the last one gives
		m = c.term(ts[len(ts)-1], want{dom: w.dom})
		for i := len(ts) - 2; i >= 0; i-- {
			v := want{dom: spaceOf(m.Cod())}
			if i == 0 {
				v.cod = w.cod
			}
			m = c.store.Compose(c.term(ts[i], v), m)
		}
	}
	if w.dom != nil {
		err := c.try(fromRight)
		if err == nil {
			return m
		}
		if len(ts) > maxBothWays {
			panic(must.Error(err))
		}
	}
	inner := func(w want) combinators.Map {
		if len(ts) == 2 {
			return c.term(ts[1], w)
		}
		return c.compose(ts[1:], w)
	}
	var f, g combinators.Map
	first := c.try(func() { f = inner(want{dom: w.dom}) })
	if first == nil {
		return c.store.Compose(c.term(ts[0], want{spaceOf(f.Cod()), w.cod}), f)
	}
	if c.try(func() { g = c.term(ts[0], want{cod: w.cod}) }) != nil {
		panic(must.Error(first))
	}
	return c.store.Compose(g, inner(want{w.dom, spaceOf(g.Dom())}))
}

// several builds a pairing, product or copairing of n maps.
func (c *mapBuilder) several(op text.Op, n int, w want, member func(k int, w want) combinators.Map) (m combinators.Map) {
	factor := func(s *combinators.Space, k int) *combinators.Space {
		if s == nil || k >= len(s.Factors()) {
			return nil
		}
		return spaceOf(s.Factors()[k])
	}
	if op != text.Pair && c.reader != nil && w.dom != nil && len(w.dom.Factors()) != n {
		panic(must.Errorf("%s side by side on %s, which has %s", words.Count(n, "map"), w.dom, words.Spelled(len(w.dom.Factors()), "component")))
	}
	fs, ls := make([]combinators.Map, n), make([]combinators.PointFreeLinear, n)
	for k := range fs {
		v := w
		if op != text.Pair {
			v.dom = factor(w.dom, k)
		}
		if op != text.Copair {
			v.cod = factor(w.cod, k)
		}
		fs[k] = member(k, v)
		l, ok := fs[k].Linear()
		if ls[k] = l; !ok && op == text.Copair {
			panic(must.Errorf("%s is no linear map: it has no place in a copairing", text.Closed(fs[k])))
		}
	}
	switch op {
	case text.Pair:
		return c.store.Pair(fs...)
	case text.Product:
		return c.store.Product(fs...)
	}
	return c.store.Copair(ls...).Map
}

// familyTerm builds pair{k}(t) and its like, for k from 1 to the number of members.
func (c *mapBuilder) familyTerm(t *text.Term, w want) (m combinators.Map) {
	n := c.Count
	if n == 0 && w.dom != nil {
		n = len(w.dom.Factors())
	}
	must.Hold(n != 0, "%s: the number of members is not known", t)
	if c.Components == nil {
		c.Components = map[string]int{}
	}
	binder := t.Names[0]
	defer delete(c.Components, binder)
	member := func(k int, w want) combinators.Map {
		c.Components[binder] = k + 1
		return c.term(t.Args[0], w)
	}
	switch t.Name {
	case "pair":
		return c.several(text.Pair, n, w, member)
	case "prod", "delta":
		return c.several(text.Product, n, w, member)
	case "copair":
		return c.several(text.Copair, n, w, member)
	case "sum":
		// the last member stands first, as in the product rule of the paper
		for k := n - 1; k >= 0; k-- {
			f := member(k, w)
			if k == n-1 {
				m = f
			} else {
				m = c.store.SumMaps(m, f)
			}
		}
		return m
	}
	panic(must.Errorf("there is no family %s", t.Name))
}

func (c *mapBuilder) call(t *text.Term, w want) (m combinators.Map) {
	s := c.store
	if n := len(t.Args); t.Name == "adjoint" && n != 1 || t.Name == "K" && n == 0 {
		panic(must.Errorf("%s needs an argument", t))
	}
	switch t.Name {
	case "prod", "delta":
		if c.reader != nil && len(t.Args) > 0 {
			return c.sideBySide(t, w)
		}
	case "adjoint":
		l, ok := c.term(t.Args[0], want{w.cod, w.dom}).Linear()
		must.Hold(ok, "the adjoint of a map that is not linear")
		return s.Adjoint(l).Map
	case "K":
		return c.constant(t, w)
	case "section":
		return c.section(t)
	}
	if f, ok := c.Maps[t.Name]; ok {
		return c.sectionOf(f, t)
	}
	if c.reader != nil && c.natives[t.Name] == nil {
		return c.reader.term(t, w)
	}
	return c.native(t)
}

// sideBySide is prod(f, g), which is f x g; delta of linear maps, given one by one, is the same.
func (c *mapBuilder) sideBySide(t *text.Term, w want) combinators.Map {
	m := c.several(text.Product, len(t.Args), w, func(k int, w want) combinators.Map { return c.term(t.Args[k], w) })
	_, linear := m.Linear()
	must.Hold(linear || t.Name == "prod", "delta gathers linear maps; prod(f, g) is the product of any")
	return m
}

// constant is K(v).
func (c *mapBuilder) constant(t *text.Term, w want) (m combinators.Map) {
	v := c.tuple(t.Args)
	must.Hold(w.dom != nil, "the space of the argument of %s is not known", t)
	if n := v.Node(); c.reader != nil && n != nil && n.Order() == 0 && w.cod != nil && !w.cod.IsProduct() && len(w.cod.Shape()) > 0 {
		v = c.store.Value(c.store.Broadcast(n, w.cod.Shape())) // a number is constant along all axes
	}
	return c.store.ConstMap(*w.dom, v)
}

// section is section[k](b, v): all components but k fixed at those of v.
func (c *mapBuilder) section(t *text.Term) (m combinators.Map) {
	must.Hold(len(t.Args) == 2 && len(t.Attrs) == 1, "%s is no section", t)
	f, ok := c.Maps[t.Args[0].Name]
	must.Hold(ok, "%s is no section", t)
	b, ok := f.Multilinear()
	must.Hold(ok, "%s is no section", t)
	k := must.Get(c.Component(t.Attrs[0]))
	v := c.value(t.Args[1])
	must.Hold(k >= 1 && k <= len(v.Parts()), "%s is no section", t)
	return must.Get(c.store.Section(b, k-1, v.Parts())).Map
}

// native is what a native step makes of its arguments, maps or values.
func (c *mapBuilder) native(t *text.Term) (m combinators.Map) {
	native := c.natives[t.Name]
	must.Hold(native != nil, "%s is no map", t)
	args := make([]Argument, len(t.Args))
	for i, a := range t.Args {
		if c.try(func() { args[i].Value = c.value(a) }) != nil {
			args[i].Map = c.term(a, want{})
		}
	}
	return must.Get(native(c.store, args))
}
