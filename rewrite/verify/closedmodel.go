package verify

import (
	"fmt"
	"math/rand/v2"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

// closedInstance is a choice of sizes, of maps and of values for the metavariables of a rule on
// closed combinators.
type closedInstance struct {
	types  *closedTypes
	sizes  map[string]int // of rigid spaces and sizes
	seed   uint64
	small  []uint64 // for witnesses, what entries are drawn from, with maps c + M x + N x^2; nil for all
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
	if in.small != nil {
		return in.small[h>>17%uint64(len(in.small))]
	}
	return (h ^ h>>31*0x94D049BB133111EB) % prime
}

func (in *closedInstance) element(name string, at ...uint64) element {
	v := in.number(name, at...)
	if in.small != nil {
		return field(v)
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
	case in.small != nil: // c + M x + N x^2
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
	env := &denote.Env{}
	values := map[string]*array{}
	bind := func(n string, v *tuple) {
		shape := make([]size.Size, len(v.shape))
		for i, d := range v.shape {
			shape[i] = size.Const(int64(d))
		}
		env.Values = append(env.Values, denote.Binding{Name: n, Value: s.Var(n, shape)})
		values[n] = &v.array
	}
	for _, n := range sorted(in.types.values) {
		if v := in.value(n, in.types.values[n]); v.parts == nil {
			bind(n, v)
		}
	}
	for _, n := range sorted(in.types.let) {
		w, err := in.types.let[n].eval(in)
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
	for _, n := range sorted(in.types.dims) {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: size.Const(int64(in.size(in.types.dims[n])))})
	}
	k := 0
	n, err := denote.ReadNode(s, fillHoles(t, &k), env)
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
