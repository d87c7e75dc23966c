package proof

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/words"
)

// mapRule checks a step by a rule on maps: under the substitution the left side is the map before,
// and the right side the map after.
func (k *checker) mapRule(r *text.Rule, s *Step) error {
	before, after := *s.Before.Map, *s.After.Map
	if !before.Dom().Equal(after.Dom()) || !before.Cod().Equal(after.Cod()) {
		return fmt.Errorf("the maps before and after are of different spaces")
	}
	if before == after {
		return fmt.Errorf("the step changes nothing")
	}
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
	if err := m.declared(); err != nil {
		return err
	}
	if err := m.typed(); err != nil {
		return err
	}
	for _, w := range r.When {
		if len(w.Args) != 2 || w.Rel == "" {
			return fmt.Errorf("a condition on maps compares two components")
		}
		a, errA := m.component(w.Args[0])
		b, errB := m.component(w.Args[1])
		if errA != nil || errB != nil {
			return fmt.Errorf("a condition is on components that are not known")
		}
		if ok, err := compare(w.Rel, a-b); err != nil || ok == w.Not {
			return fmt.Errorf("a condition of the rule does not hold")
		}
	}
	if err := m.is(r.Left, before); err != nil {
		return fmt.Errorf("the left side is not the map before: %w", err)
	}
	m.right, k.widens = true, r.Domain != ""
	if err := m.is(r.Right, after); err != nil {
		return fmt.Errorf("the right side is not the map after: %w", err)
	}
	return nil
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
func (r *mapDenotation) declared() error {
	seen := map[string]bool{}
	names := slices.Concat(slices.Collect(maps.Keys(r.u.Maps)), slices.Collect(maps.Keys(r.u.Families)), slices.Collect(maps.Keys(r.u.Points)))
	for _, n := range names {
		if r.types[n] == nil || seen[n] {
			return fmt.Errorf("the rule has no metavariable %s of one kind", n)
		}
		seen[n] = true
	}
	for n := range r.u.Components {
		if r.types[n] != nil {
			return fmt.Errorf("the metavariable %s is no component", n)
		}
	}
	return nil
}

// runs checks that a family over the component k runs over all n there are: of a space, of a family
// of maps, of a tuple. No count of a certificate is believed.
func (r *mapDenotation) runs(k *text.Term, n int) error {
	if k.Op == text.Name && r.over[k.Name] && n != r.count {
		return fmt.Errorf("the family over %s has %s, and there are %s", k.Name, words.Count(r.count, "member"), words.Count(n, "component"))
	}
	return nil
}

// is checks that the term t denotes the map m, constructor by constructor.
func (r *mapDenotation) is(t *text.Term, m Map) error {
	r.k.work.add(1)
	switch t.Op {
	case text.Num:
		if t.Rat.Sign() == 0 {
			return hasOp(t, m, combinators.MapZero)
		}
	case text.Name:
		return r.named(t, m)
	case text.Let:
		if r.right {
			return r.let(t, m)
		}
	case text.Compose:
		// h . g . f is h . (g . f)
		ts := t.Args
		if len(ts) > 2 {
			ts = []*text.Term{ts[0], text.New(text.Compose, ts[1:]...)}
		}
		return r.madeOf(t, ts, m, combinators.MapCompose)
	case text.Pair, text.Product, text.Copair, text.Add:
		return r.madeOf(t, t.Args, m, constructors[t.Op])
	case text.Family:
		return r.family(t, m)
	case text.Copower:
		if err := hasOp(t, m, combinators.MapCopower); err != nil {
			return err
		}
		if !slices.Equal(m.Power(), r.u.Index) {
			return fmt.Errorf("%s is over another index set", t)
		}
		return r.is(t.Args[0], m.Maps()[0])
	case text.Apply:
		if head := t.Args[0]; head.Op == text.Call && head.Name == "D" && len(head.Args) == 1 {
			return r.derivative(t, m)
		}
	case text.Call:
		if !slices.ContainsFunc(t.Args, func(a *text.Term) bool { return a.Op == text.Hole }) || r.u.Maps[t.Name] != (Map{}) {
			return r.call(t, m)
		}
		return r.partly(t, m)
	case text.Mul, text.Div, text.Ein:
		return r.partly(t, m)
	}
	return fmt.Errorf("%s is no map", t)
}

// partly checks that m is an operation on values that t writes with open operands: both are compared at variables.
func (r *mapDenotation) partly(t *text.Term, m Map) error {
	got, vars, err := r.k.atVariables(m)
	if err != nil {
		return err
	}
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
	if len(vars) > 0 {
		return fmt.Errorf("%s has other open operands", t)
	}
	want, err := (&denotation{s: r.k.s, values: values}).value(&filled)
	if err != nil {
		return err
	}
	if !slices.Equal(got.Shape(), want.Shape()) || !r.k.refines(want, got, theory{sums: true}, newSigns(nil, r.k.work)) {
		return fmt.Errorf("%s is another map", t)
	}
	return nil
}

// constructors of maps of any number of parts, by how rules write them.
var constructors = map[text.Op]combinators.MapOp{text.Pair: combinators.MapPair, text.Product: combinators.MapProduct,
	text.Copair: combinators.MapCopair, text.Add: combinators.MapSum}

// hasOp checks that the constructor of m is the one of t.
func hasOp(t *text.Term, m Map, op combinators.MapOp) error {
	if m.Op() != op {
		return fmt.Errorf("%s is no %s", t, op)
	}
	return nil
}

// madeOf checks that m is built by the constructor of t, of parts that the terms ts denote.
func (r *mapDenotation) madeOf(t *text.Term, ts []*text.Term, m Map, op combinators.MapOp) error {
	if err := hasOp(t, m, op); err != nil {
		return err
	}
	if len(ts) != len(m.Maps()) {
		return fmt.Errorf("%s has %s, not %d", t, words.Count(len(ts), "part"), len(m.Maps()))
	}
	for i, a := range ts {
		if err := r.is(a, m.Maps()[i]); err != nil {
			return err
		}
	}
	return nil
}

// let names values for the term that follows.
func (r *mapDenotation) let(t *text.Term, m Map) error {
	for i, n := range t.Names {
		v, err := r.value(t.Args[i])
		if err != nil {
			return err
		}
		r.lets[n] = v
	}
	return r.is(t.Args[len(t.Args)-1], m)
}

// derivative is D(f)(x).
func (r *mapDenotation) derivative(t *text.Term, m Map) error {
	if err := hasOp(t, m, combinators.MapDerivative); err != nil {
		return err
	}
	v, err := r.tuple(t.Args[1:])
	if err != nil {
		return err
	}
	if v != m.Value() {
		return fmt.Errorf("%s is taken at another point", t)
	}
	return r.is(t.Args[0].Args[0], m.Maps()[0])
}

// call is adjoint(f), K(v), a section, a kind of operation, or a native step on a right side.
func (r *mapDenotation) call(t *text.Term, m Map) error {
	switch t.Name {
	case "adjoint":
		if err := hasOp(t, m, combinators.MapAdjoint); err != nil {
			return err
		}
		return r.is(t.Args[0], m.Maps()[0])
	case "K":
		v, err := r.tuple(t.Args)
		if err != nil {
			return err
		}
		if !v.Space().Equal(m.Cod()) {
			return fmt.Errorf("%s is of another space", t)
		}
		if r.k.s.ConstMap(m.Dom(), v) != m {
			return fmt.Errorf("%s is another map", t)
		}
		return nil
	case "contraction", "atom", "leaf":
		if t.Name == "leaf" && !m.Leaf() || t.Name == "contraction" && m.Op() != combinators.MapEin ||
			t.Name == "atom" && m.Op() != combinators.MapAtom {
			return fmt.Errorf("%s is no %s", t, t.Name)
		}
		return r.is(t.Args[0], m)
	case "section":
		return r.section(t, m)
	}
	if f, ok := r.u.Maps[t.Name]; ok {
		return r.open(f, t, m)
	}
	if r.right {
		return r.native(t, m)
	}
	return fmt.Errorf("%s is no map", t)
}

func (r *mapDenotation) named(t *text.Term, m Map) error {
	head, k := text.Component(t)
	switch {
	case r.types[t.Name] != nil:
		f, ok := r.u.Maps[t.Name]
		if len(t.Attrs) == 1 {
			fs := r.u.Families[t.Name]
			if err := r.runs(t.Attrs[0], len(fs)); err != nil {
				return err
			}
			i, err := r.component(t.Attrs[0])
			if err != nil || i < 1 || i > len(fs) {
				return fmt.Errorf("the substitution has no %s", t)
			}
			f, ok = fs[i-1], true
		}
		if !ok || f != m {
			return fmt.Errorf("the substitution has another %s", t)
		}
		return sorted(m, r.types[t.Name])
	case t.Function != nil:
		if m.Op() != combinators.MapAtom || m.Atom() != t.Function || len(m.Holes()) != t.Function.Arity || m.Proto().Attr() != 0 {
			return fmt.Errorf("a map is not %s", t)
		}
		return nil
	case t.Name == "id":
		if m.Op() != combinators.MapID {
			return fmt.Errorf("a map is not id")
		}
		return nil
	case head != "":
		i, err := r.component(k)
		if err != nil {
			return err
		}
		o := combinators.MapProj
		if head == "iota" {
			o = combinators.MapInj
		}
		if m.Op() != o || m.K()+1 != i {
			return fmt.Errorf("a map is not %s", t)
		}
		product := m.Dom()
		if o == combinators.MapInj {
			product = m.Cod()
		}
		return r.runs(k, len(product.Factors()))
	}
	return fmt.Errorf("%s is no map", t)
}

func (r *mapDenotation) component(t *text.Term) (int, error) {
	if t.Op == text.Num && t.Rat.IsInt() && t.Rat.Num().IsInt64() {
		return int(t.Rat.Num().Int64()), nil
	}
	if k, ok := r.ks[t.Name]; ok && t.Op == text.Name {
		return k, nil
	}
	return 0, fmt.Errorf("%s is no component", t)
}

// family is pair{k}(t) and its like, for every k. All families of a rule have the same members; how
// many, the tuples, copairs and products of the maps say, and everything that has the index k.
func (r *mapDenotation) family(t *text.Term, m Map) error {
	ops := map[string]combinators.MapOp{"pair": combinators.MapPair, "prod": combinators.MapProduct,
		"delta": combinators.MapProduct, "copair": combinators.MapCopair, "sum": combinators.MapSum}
	o, ok := ops[t.Name]
	if !ok {
		return fmt.Errorf("there is no family %s", t.Name)
	}
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
			if f.Op() != o {
				return fmt.Errorf("%s has %s, not %d", t, words.Count(len(members)+1, "summand"), count)
			}
			members = append(members, f.Maps()[1])
			f = f.Maps()[0]
		}
		members = append(members, f)
		if !indexed(t.Args[0], t.Names[0]) {
			return fmt.Errorf("nothing says how many members %s has", t)
		}
	} else if m.Op() != o {
		return fmt.Errorf("%s is no %s", t, o)
	}
	if r.count == 0 {
		r.count = len(members)
	}
	if len(members) != r.count {
		return fmt.Errorf("%s has %s, not %d", t, words.Count(len(members), "member"), r.count)
	}
	k := t.Names[0]
	outer, shadowed := r.ks[k]
	inner := r.over[k]
	r.over[k] = true
	for i, f := range members {
		r.ks[k] = i + 1
		if err := r.is(t.Args[0], f); err != nil {
			return err
		}
	}
	r.over[k] = inner
	if delete(r.ks, k); shadowed {
		r.ks[k] = outer
	}
	return nil
}

// indexed reports whether something in t has the index k.
func indexed(t *text.Term, k string) bool {
	is := func(a *text.Term) bool { return a.Op == text.Name && a.Name == k && len(a.Attrs) == 0 }
	return slices.ContainsFunc(t.Attrs, is) || slices.ContainsFunc(t.Args, func(a *text.Term) bool { return indexed(a, k) })
}

// section is section[k](b, v): all components but k fixed at those of v.
func (r *mapDenotation) section(t *text.Term, m Map) error {
	if len(t.Args) != 2 || len(t.Attrs) != 1 {
		return fmt.Errorf("%s is no section", t)
	}
	f, ok := r.u.Maps[t.Args[0].Name]
	b, multi := f.Multilinear()
	if !ok || !multi {
		return fmt.Errorf("%s is no section", t)
	}
	components := len(b.Dom().Factors())
	if err := r.runs(t.Attrs[0], components); err != nil {
		return err
	}
	i, err := r.component(t.Attrs[0])
	if err != nil {
		return err
	}
	v, err := r.value(t.Args[1])
	if err != nil {
		return err
	}
	if i < 1 || i > components || len(v.Parts()) != components {
		return fmt.Errorf("a map is not %s", t)
	}
	return r.isSection(b, i-1, v.Parts(), t, m)
}

// isSection checks that m is b with all components but k fixed at those of parts.
func (r *mapDenotation) isSection(b combinators.Multilinear, k int, parts []*Value, t *text.Term, m Map) error {
	if l, err := r.k.s.Section(b, k, parts); err != nil || l.Map != m {
		return fmt.Errorf("a map is not %s", t)
	}
	return nil
}

// open is b(u, _) or b(_, v).
func (r *mapDenotation) open(f Map, t *text.Term, m Map) error {
	b, ok := f.Multilinear()
	if !ok || len(t.Args) != len(f.Dom().Factors()) {
		return fmt.Errorf("%s is no section", t)
	}
	hole, parts := -1, make([]*Value, len(t.Args))
	for i, a := range t.Args {
		if a.Op == text.Hole && hole < 0 {
			hole = i
			continue
		}
		v, err := r.value(a)
		if err != nil {
			return err
		}
		if parts[i] = v; !v.Space().Equal(f.Dom().Factors()[i]) {
			return fmt.Errorf("%s is no value of %s", a, f.Dom().Factors()[i])
		}
	}
	if hole < 0 {
		return fmt.Errorf("%s has no open component", t)
	}
	return r.isSection(b, hole, parts, t, m)
}

func (r *mapDenotation) value(t *text.Term) (*Value, error) {
	switch t.Op {
	case text.Name:
		v := r.lets[t.Name]
		if v == nil {
			v = r.u.Points[t.Name]
		}
		if v == nil {
			return nil, fmt.Errorf("the substitution has no %s", t.Name)
		}
		if len(t.Attrs) == 1 {
			if err := r.runs(t.Attrs[0], len(v.Parts())); err != nil {
				return nil, err
			}
			i, err := r.component(t.Attrs[0])
			if err != nil || i < 1 || i > len(v.Parts()) {
				return nil, fmt.Errorf("%s is no component", t)
			}
			v = v.Parts()[i-1]
		}
		return v, nil
	case text.Tuple:
		return r.tuple(t.Args)
	case text.Call:
		f, ok := r.u.Maps[t.Name]
		if !ok {
			break
		}
		v, err := r.tuple(t.Args)
		if err != nil {
			return nil, err
		}
		if !v.Space().Equal(f.Dom()) {
			return nil, fmt.Errorf("%s is applied to a value of another space", t.Name)
		}
		return r.k.s.ApplyMap(f, v)
	}
	return nil, fmt.Errorf("%s is no value", t)
}

func (r *mapDenotation) tuple(ts []*text.Term) (*Value, error) {
	parts := make([]*Value, len(ts))
	for i, t := range ts {
		var err error
		if parts[i], err = r.value(t); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return r.k.s.Tuple(parts...), nil
}
