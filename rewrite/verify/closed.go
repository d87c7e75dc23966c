package verify

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite"
)

// closedInstance is a choice of sizes, of maps and of values for the metavariables of a rule on
// closed combinators.
type closedInstance struct {
	types  *closedTypes
	sizes  map[string]int // of rigid spaces and sizes
	seed   uint64
	small  bool // entries 0 and 1, and maps c + M x + N x^2, for witnesses
	made   map[string]*function
	values map[string]*tuple
}

func (in *closedInstance) size(d *dimType) int {
	d = d.resolve()
	if d.fixed > 0 {
		return d.fixed
	}
	return in.sizes[d.name]
}

// space is the shape of a space; a rigid one has one axis.
func (in *closedInstance) space(t *spaceType) *shapes {
	t = t.resolve()
	switch t.kind {
	case spaceRigid:
		return &shapes{shape: []int{in.sizes[t.name]}}
	case spaceProduct:
		s := &shapes{parts: make([]*shapes, len(t.parts))}
		for i, p := range t.parts {
			s.parts[i] = in.space(p)
		}
		return s
	case spacePower:
		return power(in.space(t.base), in.size(t.index))
	}
	s := &shapes{shape: []int{}}
	for _, d := range t.dims {
		s.shape = append(s.shape, in.size(d))
	}
	return s
}

func power(s *shapes, n int) *shapes {
	if s.parts == nil {
		return &shapes{shape: append([]int{n}, s.shape...)}
	}
	out := &shapes{parts: make([]*shapes, len(s.parts))}
	for i, p := range s.parts {
		out.parts[i] = power(p, n)
	}
	return out
}

// number draws the field element with the given name: the same name gives the same element.
func (in *closedInstance) number(name string, at ...uint64) uint64 {
	h := in.seed
	mix := func(x uint64) {
		h ^= x
		h *= 0x9E3779B97F4A7C15
		h ^= h >> 29
		h *= 0xBF58476D1CE4E5B9
		h ^= h >> 32
	}
	for _, c := range name {
		mix(uint64(c))
	}
	for _, x := range at {
		mix(x + 0x9E37)
	}
	if in.small {
		return h >> 17 & 1
	}
	return (h ^ h>>31*0x94D049BB133111EB) % prime
}

func (in *closedInstance) element(name string, at ...uint64) element {
	v := in.number(name, at...)
	if in.small {
		if v == 0 {
			return zeroElement
		}
		return oneElement
	}
	r := rand.New(rand.NewPCG(v, in.seed))
	e := randomElement(r)
	e.d = 0 // a fixed value: only the argument moves
	return e
}

// value is a value metavariable.
func (in *closedInstance) value(name string, t *spaceType) *tuple {
	if v := in.values[name]; v != nil {
		return v
	}
	s := in.space(t)
	data := make([]element, s.count())
	for i := range data {
		data[i] = in.element(name, uint64(i))
	}
	in.values[name] = tupleOf(s, data)
	return in.values[name]
}

// opaque is a map metavariable: a random matrix, a random multilinear map, or a random function
// with a random derivative.
func (in *closedInstance) opaque(e *expr) *function {
	if f := in.made[e.name]; f != nil {
		return f
	}
	f := &function{dom: in.space(e.dom), cod: in.space(e.cod)}
	rows := f.cod.count()
	build := func(entry func(i int) element) (*tuple, error) {
		out := make([]element, rows)
		for i := range out {
			out[i] = entry(i)
		}
		return tupleOf(f.cod, out), nil
	}
	coefficient := func(kind string, at ...uint64) element {
		return field(in.number(e.name+kind, at...))
	}
	switch {
	case e.linear:
		f.apply = func(v *tuple) (*tuple, error) {
			x := v.entries()
			return build(func(i int) element {
				sum := zeroElement
				for j := range x {
					sum = sum.plus(coefficient("", uint64(i), uint64(j)).times(x[j]))
				}
				return sum
			})
		}
	case e.sort == text.BilinearTo:
		f.apply = func(v *tuple) (*tuple, error) {
			return build(func(i int) element { return multilinear(coefficient, v.parts, []uint64{uint64(i)}, oneElement) })
		}
	case in.small: // c + M x + N x^2
		f.apply = func(v *tuple) (*tuple, error) {
			x := v.entries()
			return build(func(i int) element {
				sum := coefficient("c", uint64(i))
				for j := range x {
					sum = sum.plus(coefficient("M", uint64(i), uint64(j)).times(x[j])).
						plus(coefficient("N", uint64(i), uint64(j)).times(x[j]).times(x[j]))
				}
				return sum
			})
		}
	default:
		f.apply = func(v *tuple) (*tuple, error) {
			x := v.entries()
			point := make([]uint64, len(x))
			for j, a := range x {
				if !a.is(hasValue) {
					return build(func(int) element { return element{} })
				}
				point[j] = a.v
			}
			return build(func(i int) element {
				key := append(append([]uint64{}, point...), uint64(i))
				out := element{has: hasValue | hasTangent, v: in.number(e.name, key...)}
				for j, a := range x {
					if !a.is(hasTangent) {
						out.has = hasValue
					}
					out.d = add(out.d, mul(in.number(e.name+"'", append(key, uint64(j))...), a.d))
				}
				return out
			})
		}
	}
	in.made[e.name] = f
	return f
}

func field(v uint64) element {
	if v <= 1 {
		return []element{zeroElement, oneElement}[v]
	}
	return element{has: hasValue | hasTangent, v: v}
}

// multilinear sums T[i, j1, ..., jn] x1[j1] .. xn[jn].
func multilinear(coefficient func(string, ...uint64) element, parts []*tuple, at []uint64, p element) element {
	if len(parts) == 0 {
		return coefficient("", at...).times(p)
	}
	sum := zeroElement
	for j, x := range parts[0].entries() {
		sum = sum.plus(multilinear(coefficient, parts[1:], append(at[:len(at):len(at)], uint64(j)), p.times(x)))
	}
	return sum
}

// differentiate is D(f)(x): the part at eps of f(x + eps v).
func (in *closedInstance) differentiate(f *function, x *valueExpr) *function {
	return &function{f.dom, f.cod, func(v *tuple) (*tuple, error) {
		at, err := x.eval(in)
		if err != nil {
			return nil, err
		}
		// along gives the derivative along the values, or along the tangents, of v
		along := func(part func(element) (uint64, bool)) (*tuple, error) {
			return f.apply(zip(f.dom, at, v, func(a, b element) element {
				d, ok := part(b)
				if a.d, a.has = d, a.has|hasTangent; !ok {
					a.has &^= hasTangent
				}
				a.has &^= hasNumber
				return a
			}))
		}
		value, err := along(func(e element) (uint64, bool) { return e.v, e.is(hasValue) })
		if err != nil {
			return nil, err
		}
		tangent, err := along(func(e element) (uint64, bool) { return e.d, e.is(hasTangent) })
		if err != nil {
			return nil, err
		}
		return zip(f.cod, value, tangent, func(a, b element) element {
			out := element{}
			if a.is(hasTangent) {
				out.v, out.has = a.d, hasValue
			}
			if b.is(hasTangent) {
				out.d, out.has = b.d, out.has|hasTangent
			}
			return out
		}), nil
	}}
}

func (in *closedInstance) constantFunction(dom, cod *shapes, v *valueExpr) *function {
	return &function{dom, cod, func(*tuple) (*tuple, error) { return v.eval(in) }}
}

// sectionFunction is f with all components but k fixed.
func (in *closedInstance) sectionFunction(f *function, k int, fixed func() ([]*tuple, error)) *function {
	return &function{f.dom.parts[k], f.cod, func(v *tuple) (*tuple, error) {
		parts, err := fixed()
		if err != nil {
			return nil, err
		}
		parts = append([]*tuple{}, parts...)
		parts[k] = v
		return f.apply(&tuple{parts: parts})
	}}
}

// term evaluates a term of the value language, in which holes have the values given.
func (in *closedInstance) term(t *text.Term, holes []*tuple) (*tuple, error) {
	s := combinators.NewStore()
	env := &rewrite.Env{}
	values := map[string]*array{}
	bind := func(n string, v *tuple) {
		shape := make([]size.Size, len(v.shape))
		for i, d := range v.shape {
			shape[i] = size.Const(int64(d))
		}
		env.Values = append(env.Values, rewrite.Binding{Name: n, Value: s.Var(n, shape)})
		values[n] = &v.array
	}
	for n, typ := range in.types.values {
		if v := in.value(n, typ); v.parts == nil {
			bind(n, v)
		}
	}
	for n, v := range in.types.let {
		w, err := v.eval(in)
		if err != nil {
			return nil, err
		}
		if w.parts == nil {
			bind(n, w)
		}
	}
	for i, h := range holes {
		bind(fmt.Sprintf("#%d", i), h)
	}
	for n, d := range in.types.dims {
		env.Sizes = append(env.Sizes, rewrite.SizeBinding{Name: n, Size: size.Const(int64(in.size(d)))})
	}
	k := 0
	n, err := buildSide(s, fillHoles(t, &k), env)
	if err != nil {
		return nil, err
	}
	a, err := evaluate(n, values)
	if err != nil {
		return nil, err
	}
	return &tuple{array: *a}, nil
}

// fillHoles gives the holes of a term the names #0, #1, ...
func fillHoles(t *text.Term, k *int) *text.Term {
	if t.Op == text.Hole {
		*k++
		return text.NewName(fmt.Sprintf("#%d", *k-1))
	}
	if len(t.Args) == 0 {
		return t
	}
	u := *t
	u.Args = make([]*text.Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = fillHoles(a, k)
	}
	return &u
}

// termFunction is a term of the value language as a map of its holes.
func (in *closedInstance) termFunction(t *text.Term, dom, cod *shapes) *function {
	return &function{dom, cod, func(v *tuple) (*tuple, error) {
		holes := v.parts
		if holes == nil {
			holes = []*tuple{v}
		}
		return in.term(t, holes)
	}}
}

// closedRule checks a rule on closed combinators.
func closedRule(r *text.Rule) *Report {
	rep := newReport(r)
	if step := nativeStep(r); step != "" {
		return nativeRule(r, step, rep)
	}
	var instances []*typedRule
	for _, count := range counts(r) {
		for _, choice := range componentChoices(r, count) {
			t, err := typeRule(r, count, choice)
			if err != nil {
				if more := componentChoices(r, 2); count == 1 && len(more) > 0 { // two members read better than one
					if _, e := typeRule(r, 2, more[0]); e != nil {
						err = e
					}
				}
				rep.Typing, rep.Reason = IllTyped, err.Error()
				return rep
			}
			instances = append(instances, t)
		}
	}
	rep.Typing = Typed
	tried := map[string]bool{}
	for _, t := range instances {
		for _, sizes := range t.sizes([]int{2, 3, 4, 5, 2, 3, 4, 5}, []int{2}, []int{1}) {
			for k := range modularTrials {
				in := t.instance(sizes, uint64(k+1), false)
				verdict, _, _, _ := t.compare(in)
				if verdict == sidesDiffer {
					rep.Equality = Refuted
					rep.Witness = smallestClosed(instances)
					return rep
				}
				if verdict == noSide {
					rep.Equality, rep.Reason = Assumed, assumption(r)
					return rep
				}
			}
			if s := describe(sizes, t.types.count); !tried[s] {
				tried[s] = true
				rep.Shapes = append(rep.Shapes, s)
			}
		}
	}
	rep.Equality, rep.Trials, rep.Degree = TestedMod, modularTrials, closedDegree(r)
	return rep
}

// closedDegree bounds the degree of both sides in the entries of what is random.
func closedDegree(r *text.Rule) int {
	n := 0
	count := func(*text.Term) bool { n++; return true }
	text.Walk(r.Left, count)
	text.Walk(r.Right, count)
	return n
}

// typedRule is a rule with the types of both sides.
type typedRule struct {
	types       *closedTypes
	left, right *expr
}

// typeRule infers the left side's most general type, makes what it leaves open arbitrary, and
// checks that the right side has it.
func typeRule(r *text.Rule, count int, components map[string]int) (*typedRule, error) {
	c, err := newClosedTypes(r, count, components)
	if err != nil {
		return nil, err
	}
	onLeft := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool { onLeft[t.Name] = true; return true })
	for _, v := range r.Vars {
		if v.Type != nil && !onLeft[v.Name] {
			return nil, fmt.Errorf("%s does not occur on the left side", v.Name)
		}
	}
	l, err := c.infer(r.Left)
	if err != nil {
		return nil, fmt.Errorf("the left side: %w", err)
	}
	c.rigidify(l.dom)
	c.rigidify(l.cod)
	for _, e := range c.maps {
		c.rigidify(e.dom)
		c.rigidify(e.cod)
	}
	for _, t := range c.values {
		c.rigidify(t)
	}
	for _, n := range c.order {
		c.rigidify(c.spaces[n])
	}
	right, err := c.infer(r.Right)
	if err != nil {
		return nil, fmt.Errorf("the right side: %w", err)
	}
	if unify(l.dom, right.dom) != nil || unify(l.cod, right.cod) != nil {
		return nil, fmt.Errorf("the left side is a map %s -> %s, the right side %s -> %s", l.dom, l.cod, right.dom, right.cod)
	}
	if l.linear && !right.linear {
		return nil, fmt.Errorf("the left side is linear, the right side is not linear by construction")
	}
	return &typedRule{c, l, right}, nil
}

// counts are the numbers of components with which a rule is tried: as many as it writes, or any.
func counts(r *text.Rule) []int {
	fixed := 0
	look := func(t *text.Term) bool {
		if t.Op == text.Pair || t.Op == text.Product || t.Op == text.Copair {
			fixed = max(fixed, len(t.Args))
		}
		if head, k := component(t); head != "" && k.Op == text.Num {
			fixed = max(fixed, 2, int(k.Rat.Num().Int64()))
		}
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Dom != nil {
			fixed = max(fixed, len(v.Type.Dom.Factors))
		}
	}
	if fixed > 0 {
		return []int{fixed}
	}
	several := false
	look = func(t *text.Term) bool {
		head, _ := component(t)
		several = several || head != "" || t.Op == text.Family
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	if several {
		return []int{1, 2, 3}
	}
	return []int{2}
}

// componentChoices are the values of component metavariables that the conditions allow.
func componentChoices(r *text.Rule, count int) (out []map[string]int) {
	bound := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool {
		if t.Op == text.Family {
			bound[t.Names[0]] = true
		}
		return true
	})
	var free []string
	text.Walk(r.Left, func(t *text.Term) bool {
		if _, k := component(t); k != nil && k.Op == text.Name && !bound[k.Name] && !contains(free, k.Name) {
			free = append(free, k.Name)
		}
		return true
	})
	total := 1
	for range free {
		total *= count
	}
	for i := range total {
		choice := map[string]int{}
		var numbers []rewrite.Number
		for _, n := range free {
			choice[n] = i%count + 1
			numbers = append(numbers, rewrite.Number{Name: n, Value: ratInt(choice[n])})
			i /= count
		}
		ok := true
		for _, w := range r.When {
			holds, applies := numberCondition(w, numbers)
			ok = ok && (!applies || holds)
		}
		if ok {
			out = append(out, choice)
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

// sizes gives numbers to the rigid spaces and sizes, in turn from each list.
func (t *typedRule) sizes(lists ...[]int) (out []map[string]int) {
	for _, list := range lists {
		m := map[string]int{}
		k := 0
		next := func(n string) {
			if _, ok := m[n]; !ok {
				m[n] = list[min(k, len(list)-1)]
				k++
			}
		}
		for _, s := range t.types.rigid {
			next(s.name)
		}
		for _, n := range t.types.dimNames {
			next(n)
		}
		out = append(out, m)
	}
	return out
}

func describe(sizes map[string]int, count int) string {
	var parts []string
	for n, k := range sizes {
		parts = append(parts, fmt.Sprintf("%s=%d", n, k))
	}
	sort.Strings(parts)
	switch count {
	case 2:
	case 1:
		parts = append(parts, "1 component")
	default:
		parts = append(parts, fmt.Sprintf("%d components", count))
	}
	return strings.Join(parts, ", ")
}

func (t *typedRule) instance(sizes map[string]int, seed uint64, small bool) *closedInstance {
	return &closedInstance{types: t.types, sizes: sizes, seed: seed, small: small, made: map[string]*function{}, values: map[string]*tuple{}}
}

// compare applies both sides to one argument. noSide says that nothing was decided.
func (t *typedRule) compare(in *closedInstance) (o outcome, arg, l, r *tuple) {
	dom := in.space(t.left.dom)
	data := make([]element, dom.count())
	for i := range data {
		data[i] = in.element("argument", uint64(i))
		if !in.small {
			data[i].d = in.number("tangent", uint64(i))
		}
	}
	arg = tupleOf(dom, data)
	l, errL := t.left.build(in).apply(arg)
	r, errR := t.right.build(in).apply(arg)
	switch {
	case errL != nil && errR != nil:
		return noSide, arg, nil, nil
	case errL != nil:
		return rightOnly, arg, nil, r
	case errR != nil:
		return leftOnly, arg, l, nil
	}
	x, y := l.entries(), r.entries()
	known := true
	for i := range x {
		equal, ok := agree(x[i], y[i])
		if ok && !equal {
			return sidesDiffer, arg, l, r
		}
		known = known && ok
	}
	if !known {
		return noSide, arg, l, r
	}
	return sidesEqual, arg, l, r
}

// smallestClosed is the smallest witness: fewest components, smallest sizes, entries 0 and 1.
func smallestClosed(rules []*typedRule) *Witness {
	for _, total := range []int{1, 2, 3} {
		for _, t := range rules {
			for _, sizes := range t.sizes([]int{total}) {
				for seed := range 400 {
					in := t.instance(sizes, uint64(seed), true)
					if o, arg, l, r := t.compare(in); o == sidesDiffer {
						return t.witness(in, arg, l, r)
					}
				}
			}
		}
	}
	return nil
}

func (t *typedRule) witness(in *closedInstance, arg, l, r *tuple) *Witness {
	w := &Witness{Sizes: describe(in.sizes, t.types.count)}
	var names []string
	for n := range in.made {
		names = append(names, n)
	}
	for n := range in.values {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if v := in.values[n]; v != nil {
			w.Values = append(w.Values, Named{n, v.String()})
			continue
		}
		w.Values = append(w.Values, Named{strings.ReplaceAll(n, "#", ""), in.describeMap(t.types.maps[n], in.made[n])})
	}
	w.Values = append(w.Values, Named{"argument", arg.String()})
	w.Left, w.Right = l.String(), r.String()
	return w
}

// describeMap shows a small map: the matrix of a linear one, or c + M x + N x^2.
func (in *closedInstance) describeMap(e *expr, f *function) string {
	rows, cols := f.cod.count(), f.dom.count()
	m := func(kind string) string {
		a := &tuple{array: *newArray([]int{rows, cols})}
		for i := range rows {
			for j := range cols {
				a.data[i*cols+j] = field(in.number(e.name+kind, uint64(i), uint64(j)))
			}
		}
		return a.String()
	}
	switch {
	case e.linear:
		return m("")
	case e.sort == text.BilinearTo:
		return "a multilinear map with coefficients 0 and 1"
	}
	c := &tuple{array: *newArray([]int{rows})}
	for i := range rows {
		c.data[i] = field(in.number(e.name+"c", uint64(i)))
	}
	return c.String() + " + " + m("M") + " x + " + m("N") + " x^2"
}

// String writes a value as nested rows, small numbers as such.
func (v *tuple) String() string {
	if v.parts != nil {
		parts := make([]string, len(v.parts))
		for i, p := range v.parts {
			parts[i] = p.String()
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	var b strings.Builder
	var rec func(shape []int, data []element)
	rec = func(shape []int, data []element) {
		if len(shape) == 0 {
			e := data[0]
			switch {
			case !e.is(hasValue):
				b.WriteString("?")
			case e.v > prime/2:
				fmt.Fprintf(&b, "-%d", prime-e.v)
			default:
				fmt.Fprint(&b, e.v)
			}
			return
		}
		b.WriteByte('[')
		step := len(data) / max(shape[0], 1)
		for i := range shape[0] {
			if i > 0 {
				b.WriteByte(' ')
			}
			rec(shape[1:], data[i*step:(i+1)*step])
		}
		b.WriteByte(']')
	}
	rec(v.shape, v.data)
	return b.String()
}
