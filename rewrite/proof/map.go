package proof

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/internal/words"
)

// mapRule checks a step by a rule on maps: under the substitution the left side is the map before,
// and the right side the map after.
func (k *checker) mapRule(r *text.Rule, s *Step) {
	before, after := *s.Before.Map, *s.After.Map
	must.Hold(before.Dom().Equal(after.Dom()) && before.Cod().Equal(after.Cod()), "the maps before and after are of different spaces")
	must.Hold(before != after, "the step changes nothing")
	m := &mapDenotation{k: k, rule: r, u: &s.Subst, types: map[string]*text.Type{}, lets: map[string]*Value{}, ks: map[string]int{},
		over: map[string]bool{}, count: s.Subst.Count, before: before}
	for n, c := range s.Subst.Components {
		m.ks[n] = c
	}
	for _, v := range r.Vars {
		if v.Type != nil {
			m.types[v.Name] = v.Type
		}
	}
	m.declared()
	m.typed()
	for _, w := range r.When {
		must.Hold(len(w.Args) == 2 && w.Rel != "", "a condition on maps compares two components")
		must.Hold(w.Holds(m.component(w.Args[0])-m.component(w.Args[1])) != w.Not, "a condition of the rule does not hold")
	}
	must.Within(func() { m.is(r.Left, before) }, "the left side is not the map before")
	m.right, k.widens = true, r.Domain != ""
	must.Within(func() { m.is(r.Right, after) }, "the right side is not the map after")
}

// A mapDenotation says whether a term of a rule is a map, under a substitution.
type mapDenotation struct {
	k      *checker
	rule   *text.Rule
	u      *Subst
	types  map[string]*text.Type
	lets   map[string]*Value
	ks     map[string]int  // components
	over   map[string]bool // the components that a family runs over
	count  int             // members of every family of the rule; 0 where none is met yet
	before Map
	right  bool
}

// declared: the substitution has metavariables of the rule only, none of them as two things.
func (r *mapDenotation) declared() {
	seen := map[string]bool{}
	names := slices.Concat(slices.Collect(maps.Keys(r.u.Maps)), slices.Collect(maps.Keys(r.u.Families)), slices.Collect(maps.Keys(r.u.Points)))
	for _, n := range names {
		if r.types[n] == nil || seen[n] {
			panic(must.Errorf("the rule has no metavariable %s of one kind", n))
		}
		seen[n] = true
	}
	for n := range r.u.Components {
		if r.types[n] != nil {
			panic(must.Errorf("the metavariable %s is no component", n))
		}
	}
}

// runs checks that a family over the component k runs over all n there are: of a space, of a family
// of maps, of a tuple. No count of a certificate is believed.
func (r *mapDenotation) runs(k *text.Term, n int) {
	must.Hold(k.Op != text.Name || !r.over[k.Name] || n == r.count, "the family over %s has %s, and there are %s", k.Name, words.Count(r.count, "member"), words.Count(n, "component"))
}

// is checks that the term t denotes the map m, constructor by constructor.
func (r *mapDenotation) is(t *text.Term, m Map) {
	r.k.work.add(1)
	isHole := func(a *text.Term) bool { return a.Op == text.Hole }
	switch {
	case t.Op == text.Num && t.Rat.Sign() == 0:
		hasOp(t, m, combinators.MapZero)
	case t.Op == text.Name:
		r.named(t, m)
	case t.Op == text.Let && r.right:
		r.let(t, m)
	case t.Op == text.Compose:
		// h . g . f is h . (g . f)
		ts := t.Args
		if len(ts) > 2 {
			ts = []*text.Term{ts[0], text.New(text.Compose, ts[1:]...)}
		}
		r.madeOf(t, ts, m, combinators.MapCompose)
	case constructors[t.Op] != 0:
		r.madeOf(t, t.Args, m, constructors[t.Op])
	case t.Op == text.Family:
		r.family(t, m)
	case t.Op == text.Copower:
		hasOp(t, m, combinators.MapCopower)
		must.Hold(slices.Equal(m.Power(), r.u.Index), "%s is over another index set", t)
		r.is(t.Args[0], m.Maps()[0])
	case t.Op == text.Apply && t.Args[0].Op == text.Call && t.Args[0].Name == "D" && len(t.Args[0].Args) == 1:
		r.derivative(t, m)
	case t.Op == text.Call && (!slices.ContainsFunc(t.Args, isHole) || r.u.Maps[t.Name] != (Map{})):
		r.call(t, m)
	case t.Op == text.Call, t.Op == text.Mul, t.Op == text.Div, t.Op == text.Ein:
		r.partly(t, m)
	default:
		panic(must.Errorf("%s is no map", t))
	}
}

// partly checks that m is an operation on values that t writes with open operands: both are compared at variables.
func (r *mapDenotation) partly(t *text.Term, m Map) {
	got, vars := r.k.atVariables(m)
	values := map[string]*Node{}
	for _, points := range []map[string]*Value{r.u.Points, r.lets} {
		for name, v := range points {
			if n := v.Node(); n != nil {
				values[name] = n
			}
		}
	}
	filled := *t
	filled.Args = slices.Clone(t.Args)
	for i, a := range t.Args {
		if a.Op == text.Hole && len(vars) > 0 {
			name := fmt.Sprintf("#%d", i)
			filled.Args[i], values[name], vars = text.NewName(name), vars[0], vars[1:]
		}
	}
	must.Hold(len(vars) == 0, "%s has other open operands", t)
	want := (&denotation{s: r.k.s, values: values}).value(&filled)
	must.Hold(slices.Equal(got.Shape(), want.Shape()) && r.k.refines(want, got, theory{sums: true}, newSigns(nil, r.k.work)), "%s is another map", t)
}

// constructors of maps of any number of parts, by how rules write them.
var constructors = map[text.Op]combinators.MapOp{text.Pair: combinators.MapPair, text.Product: combinators.MapProduct,
	text.Copair: combinators.MapCopair, text.Add: combinators.MapSum}

// hasOp checks that the constructor of m is the one of t.
func hasOp(t *text.Term, m Map, op combinators.MapOp) {
	must.Hold(m.Op() == op, "%s is no %s", t, op)
}

// madeOf checks that m is built by the constructor of t, of parts that the terms ts denote.
func (r *mapDenotation) madeOf(t *text.Term, ts []*text.Term, m Map, op combinators.MapOp) {
	hasOp(t, m, op)
	must.Hold(len(ts) == len(m.Maps()), "%s has %s, not %d", t, words.Count(len(ts), "part"), len(m.Maps()))
	for i, a := range ts {
		r.is(a, m.Maps()[i])
	}
}

// let names values for the term that follows.
func (r *mapDenotation) let(t *text.Term, m Map) {
	for i, n := range t.Names {
		r.lets[n] = r.value(t.Args[i])
	}
	r.is(t.Args[len(t.Args)-1], m)
}

// derivative is D(f)(x).
func (r *mapDenotation) derivative(t *text.Term, m Map) {
	hasOp(t, m, combinators.MapDerivative)
	must.Hold(r.tuple(t.Args[1:]) == m.Value(), "%s is taken at another point", t)
	r.is(t.Args[0].Args[0], m.Maps()[0])
}

// call is adjoint(f), K(v), a section, a kind of operation, or a native step on a right side.
func (r *mapDenotation) call(t *text.Term, m Map) {
	switch t.Name {
	case "adjoint":
		hasOp(t, m, combinators.MapAdjoint)
		r.is(t.Args[0], m.Maps()[0])
	case "K":
		v := r.tuple(t.Args)
		must.Hold(v.Space().Equal(m.Cod()), "%s is of another space", t)
		must.Hold(r.k.s.ConstMap(m.Dom(), v) == m, "%s is another map", t)
	case "contraction", "atom", "leaf":
		must.Hold((t.Name != "leaf" || m.Leaf()) && (t.Name != "contraction" || m.Op() == combinators.MapEin) && (t.Name != "atom" || m.Op() == combinators.MapAtom), "%s is no %s", t, t.Name)
		r.is(t.Args[0], m)
	case "section":
		r.section(t, m)
	default:
		if f, ok := r.u.Maps[t.Name]; ok {
			r.open(f, t, m)
		} else {
			must.Hold(r.right, "%s is no map", t)
			r.native(t, m)
		}
	}
}

func (r *mapDenotation) named(t *text.Term, m Map) {
	head, k := text.Component(t)
	switch {
	case r.types[t.Name] != nil:
		f, ok := r.u.Maps[t.Name]
		if len(t.Attrs) == 1 {
			fs := r.u.Families[t.Name]
			r.runs(t.Attrs[0], len(fs))
			i := r.component(t.Attrs[0])
			must.Hold(i >= 1 && i <= len(fs), "the substitution has no %s", t)
			f, ok = fs[i-1], true
		}
		must.Hold(ok && f == m, "the substitution has another %s", t)
		sorted(m, r.types[t.Name])
	case t.Function != nil:
		must.Hold(m.Op() == combinators.MapAtom && m.Atom() == t.Function && len(m.Holes()) == t.Function.Arity && m.Proto().Attr() == 0, "a map is not %s", t)
	case t.Name == "id":
		must.Hold(m.Op() == combinators.MapID, "a map is not id")
	case head != "":
		i := r.component(k)
		o := combinators.MapProj
		if head == "iota" {
			o = combinators.MapInj
		}
		must.Hold(m.Op() == o && m.K()+1 == i, "a map is not %s", t)
		product := m.Dom()
		if o == combinators.MapInj {
			product = m.Cod()
		}
		r.runs(k, len(product.Factors()))
	default:
		panic(must.Errorf("%s is no map", t))
	}
}

func (r *mapDenotation) component(t *text.Term) int {
	if t.Op == text.Num && t.Rat.IsInt() && t.Rat.Num().IsInt64() {
		return int(t.Rat.Num().Int64())
	}
	if k, ok := r.ks[t.Name]; ok && t.Op == text.Name {
		return k
	}
	panic(must.Errorf("%s is no component", t))
}

// family is pair{k}(t) and its like, for every k. All families of a rule have the same members; how
// many, the tuples, copairs and products of the maps say, and everything that has the index k.
func (r *mapDenotation) family(t *text.Term, m Map) {
	ops := map[string]combinators.MapOp{"pair": combinators.MapPair, "prod": combinators.MapProduct,
		"delta": combinators.MapProduct, "copair": combinators.MapCopair, "sum": combinators.MapSum}
	o, ok := ops[t.Name]
	must.Hold(ok, "there is no family %s", t.Name)
	members := m.Maps()
	if t.Name == "sum" {
		count := r.count
		if count == 0 {
			count = len(m.Dom().Factors())
		}
		// the last member stands first: .. + f2 + f1
		members = nil
		f := m
		for range count - 1 {
			must.Hold(f.Op() == o, "%s has %s, not %d", t, words.Count(len(members)+1, "summand"), count)
			members = append(members, f.Maps()[1])
			f = f.Maps()[0]
		}
		members = append(members, f)
		must.Hold(indexed(t.Args[0], t.Names[0]), "nothing says how many members %s has", t)
	} else {
		must.Hold(m.Op() == o, "%s is no %s", t, o)
	}
	if r.count == 0 {
		r.count = len(members)
	}
	must.Hold(len(members) == r.count, "%s has %s, not %d", t, words.Count(len(members), "member"), r.count)
	k := t.Names[0]
	outer, shadowed := r.ks[k]
	inner := r.over[k]
	r.over[k] = true
	for i, f := range members {
		r.ks[k] = i + 1
		r.is(t.Args[0], f)
	}
	r.over[k] = inner
	if delete(r.ks, k); shadowed {
		r.ks[k] = outer
	}
}

// indexed reports whether something in t has the index k.
func indexed(t *text.Term, k string) bool {
	is := func(a *text.Term) bool { return a.Op == text.Name && a.Name == k && len(a.Attrs) == 0 }
	return slices.ContainsFunc(t.Attrs, is) || slices.ContainsFunc(t.Args, func(a *text.Term) bool { return indexed(a, k) })
}

// section is section[k](b, v): all components but k fixed at those of v.
func (r *mapDenotation) section(t *text.Term, m Map) {
	must.Hold(len(t.Args) == 2 && len(t.Attrs) == 1, "%s is no section", t)
	f, ok := r.u.Maps[t.Args[0].Name]
	b, multi := f.Multilinear()
	must.Hold(ok && multi, "%s is no section", t)
	components := len(b.Dom().Factors())
	r.runs(t.Attrs[0], components)
	i := r.component(t.Attrs[0])
	v := r.value(t.Args[1])
	must.Hold(i >= 1 && i <= components && len(v.Parts()) == components, "a map is not %s", t)
	r.isSection(b, i-1, v.Parts(), t, m)
}

// isSection checks that m is b with all components but k fixed at those of parts.
func (r *mapDenotation) isSection(b combinators.Multilinear, k int, parts []*Value, t *text.Term, m Map) {
	if l, err := r.k.s.Section(b, k, parts); err != nil || l.Map != m {
		panic(must.Errorf("a map is not %s", t))
	}
}

// open is b(u, _) or b(_, v).
func (r *mapDenotation) open(f Map, t *text.Term, m Map) {
	b, ok := f.Multilinear()
	must.Hold(ok && len(t.Args) == len(f.Dom().Factors()), "%s is no section", t)
	hole, parts := -1, make([]*Value, len(t.Args))
	for i, a := range t.Args {
		if a.Op == text.Hole && hole < 0 {
			hole = i
			continue
		}
		v := r.value(a)
		if parts[i] = v; !v.Space().Equal(f.Dom().Factors()[i]) {
			panic(must.Errorf("%s is no value of %s", a, f.Dom().Factors()[i]))
		}
	}
	must.Hold(hole >= 0, "%s has no open component", t)
	r.isSection(b, hole, parts, t, m)
}

func (r *mapDenotation) value(t *text.Term) *Value {
	switch t.Op {
	case text.Name:
		v := r.lets[t.Name]
		if v == nil {
			v = r.u.Points[t.Name]
		}
		must.Hold(v != nil, "the substitution has no %s", t.Name)
		if len(t.Attrs) == 1 {
			r.runs(t.Attrs[0], len(v.Parts()))
			i := r.component(t.Attrs[0])
			must.Hold(i >= 1 && i <= len(v.Parts()), "%s is no component", t)
			v = v.Parts()[i-1]
		}
		return v
	case text.Tuple:
		return r.tuple(t.Args)
	case text.Call:
		f, ok := r.u.Maps[t.Name]
		if !ok {
			break
		}
		v := r.tuple(t.Args)
		must.Hold(v.Space().Equal(f.Dom()), "%s is applied to a value of another space", t.Name)
		return must.Get(r.k.s.ApplyMap(f, v))
	}
	panic(must.Errorf("%s is no value", t))
}

func (r *mapDenotation) tuple(ts []*text.Term) *Value {
	parts := lists.Map(ts, r.value)
	if len(parts) == 1 {
		return parts[0]
	}
	return r.k.s.Tuple(parts...)
}
