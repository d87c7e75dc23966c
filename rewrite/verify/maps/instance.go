package maps

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/verify/model"
)

// Instance is a choice of sizes, of maps and of values for the metavariables of a rule on
// closed combinators.
type Instance struct {
	types  *Types
	Sizes  map[string]int // of rigid spaces and sizes
	seed   uint64
	small  []uint64 // for witnesses, what entries are drawn from, with maps c + M x + N x^2; nil for all
	Made   map[string]*model.Function
	Values map[string]*model.Tuple
}

func (in *Instance) Size(d *Dim) int {
	d = d.resolve()
	if d.fixed > 0 {
		return d.fixed
	}
	return in.Sizes[d.Name]
}

// Space is the shape of a space; a rigid one has one axis.
func (in *Instance) Space(t *Space) *model.Shapes {
	t = t.resolve()
	switch t.kind {
	case spaceRigid:
		return &model.Shapes{Shape: []int{in.Sizes[t.name]}}
	case spaceProduct:
		s := &model.Shapes{Parts: make([]*model.Shapes, len(t.parts))}
		for i, p := range t.parts {
			s.Parts[i] = in.Space(p)
		}
		return s
	case spacePower:
		return in.Space(t.base).Power(in.Size(t.index))
	}
	s := &model.Shapes{Shape: []int{}}
	for _, d := range t.dims {
		s.Shape = append(s.Shape, in.Size(d))
	}
	return s
}

// number draws the field element with the given name: the same name gives the same element.
func (in *Instance) number(name string, at ...uint64) uint64 {
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
	return (h ^ h>>31*0x94D049BB133111EB) % model.Prime
}

func (in *Instance) element(name string, at ...uint64) model.Element {
	v := in.number(name, at...)
	if in.small != nil {
		return model.Of(v)
	}
	r := rand.New(rand.NewPCG(v, in.seed))
	e := model.RandomElement(r)
	e.D = 0 // a fixed value: only the argument moves
	return e
}

// value is a value metavariable.
func (in *Instance) value(name string, t *Space) *model.Tuple {
	if v := in.Values[name]; v != nil {
		return v
	}
	s := in.Space(t)
	data := lists.Make(s.Count(), func(i int) model.Element { return in.element(name, uint64(i)) })
	in.Values[name] = model.TupleOf(s, data)
	return in.Values[name]
}

// opaque is a map metavariable: a random matrix, a random multilinear map, or a random function
// with a random derivative.
func (in *Instance) opaque(e *Expr) *model.Function {
	if f := in.Made[e.name]; f != nil {
		return f
	}
	f := &model.Function{Dom: in.Space(e.Dom), Cod: in.Space(e.Cod)}
	rows := f.Cod.Count()
	build := func(entry func(i int) model.Element) (*model.Tuple, error) {
		out := lists.Make(rows, func(i int) model.Element { return entry(i) })
		return model.TupleOf(f.Cod, out), nil
	}
	coefficient := func(kind string, at ...uint64) model.Element {
		return model.Of(in.number(e.name+kind, at...))
	}
	switch {
	case e.linear:
		f.Apply = func(v *model.Tuple) (*model.Tuple, error) {
			x := v.Entries()
			return build(func(i int) model.Element {
				sum := model.Zero
				for j := range x {
					sum = sum.Plus(coefficient("", uint64(i), uint64(j)).Times(x[j]))
				}
				return sum
			})
		}
	case e.sort == text.BilinearTo:
		f.Apply = func(v *model.Tuple) (*model.Tuple, error) {
			return build(func(i int) model.Element { return multilinear(coefficient, v.Parts, []uint64{uint64(i)}, model.One) })
		}
	case in.small != nil: // c + M x + N x^2
		f.Apply = func(v *model.Tuple) (*model.Tuple, error) {
			x := v.Entries()
			return build(func(i int) model.Element {
				sum := coefficient("c", uint64(i))
				for j := range x {
					sum = sum.Plus(coefficient("M", uint64(i), uint64(j)).Times(x[j])).
						Plus(coefficient("N", uint64(i), uint64(j)).Times(x[j]).Times(x[j]))
				}
				return sum
			})
		}
	default:
		f.Apply = func(v *model.Tuple) (*model.Tuple, error) {
			x := v.Entries()
			point := make([]uint64, len(x))
			for j, a := range x {
				if !a.Is(model.HasValue) {
					return build(func(int) model.Element { return model.Element{} })
				}
				point[j] = a.V
			}
			return build(func(i int) model.Element {
				key := append(append([]uint64{}, point...), uint64(i))
				out := model.Element{Has: model.HasValue | model.HasTangent, V: in.number(e.name, key...)}
				for j, a := range x {
					if !a.Is(model.HasTangent) {
						out.Has = model.HasValue
					}
					out.D = model.Add(out.D, model.Mul(in.number(e.name+"'", append(key, uint64(j))...), a.D))
				}
				return out
			})
		}
	}
	in.Made[e.name] = f
	return f
}

// multilinear sums T[i, j1, ..., jn] x1[j1] .. xn[jn].
func multilinear(coefficient func(string, ...uint64) model.Element, parts []*model.Tuple, at []uint64, p model.Element) model.Element {
	if len(parts) == 0 {
		return coefficient("", at...).Times(p)
	}
	sum := model.Zero
	for j, x := range parts[0].Entries() {
		sum = sum.Plus(multilinear(coefficient, parts[1:], append(at[:len(at):len(at)], uint64(j)), p.Times(x)))
	}
	return sum
}

// differentiate is D(f)(x): the part at eps of f(x + eps v).
func (in *Instance) differentiate(f *model.Function, x *valueExpr) *model.Function {
	return &model.Function{Dom: f.Dom, Cod: f.Cod, Apply: func(v *model.Tuple) (*model.Tuple, error) {
		at, err := x.eval(in)
		if err != nil {
			return nil, err
		}
		// along gives the derivative along the values, or along the tangents, of v
		along := func(part func(model.Element) (uint64, bool)) (*model.Tuple, error) {
			return f.Apply(model.Zip(f.Dom, at, v, func(a, b model.Element) model.Element {
				d, ok := part(b)
				if a.D, a.Has = d, a.Has|model.HasTangent; !ok {
					a.Has &^= model.HasTangent
				}
				a.Has &^= model.HasNumber
				return a
			}))
		}
		value, err := along(func(e model.Element) (uint64, bool) { return e.V, e.Is(model.HasValue) })
		if err != nil {
			return nil, err
		}
		tangent, err := along(func(e model.Element) (uint64, bool) { return e.D, e.Is(model.HasTangent) })
		if err != nil {
			return nil, err
		}
		return model.Zip(f.Cod, value, tangent, func(a, b model.Element) model.Element {
			out := model.Element{}
			if a.Is(model.HasTangent) {
				out.V, out.Has = a.D, model.HasValue
			}
			if b.Is(model.HasTangent) {
				out.D, out.Has = b.D, out.Has|model.HasTangent
			}
			return out
		}), nil
	}}
}

func (in *Instance) constantFunction(dom, cod *model.Shapes, v *valueExpr) *model.Function {
	return &model.Function{Dom: dom, Cod: cod, Apply: func(*model.Tuple) (*model.Tuple, error) { return v.eval(in) }}
}

// sectionFunction is f with all components but k fixed.
func (in *Instance) sectionFunction(f *model.Function, k int, fixed func() ([]*model.Tuple, error)) *model.Function {
	return &model.Function{Dom: f.Dom.Parts[k], Cod: f.Cod, Apply: func(v *model.Tuple) (*model.Tuple, error) {
		parts, err := fixed()
		if err != nil {
			return nil, err
		}
		parts = append([]*model.Tuple{}, parts...)
		parts[k] = v
		return f.Apply(&model.Tuple{Parts: parts})
	}}
}

// term evaluates a term of the value language, in which holes have the values given.
func (in *Instance) term(t *text.Term, holes []*model.Tuple) (*model.Tuple, error) {
	s := combinators.NewStore()
	env := &denote.Env{}
	values := map[string]*model.Array{}
	bind := func(n string, v *model.Tuple) {
		shape := lists.Map(v.Shape, func(d int) size.Size { return size.Const(int64(d)) })
		env.Values = append(env.Values, denote.Binding{Name: n, Value: s.Var(n, shape)})
		values[n] = &v.Array
	}
	for _, n := range slices.Sorted(maps.Keys(in.types.values)) {
		if v := in.value(n, in.types.values[n]); v.Parts == nil {
			bind(n, v)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(in.types.let)) {
		w, err := in.types.let[n].eval(in)
		if err != nil {
			return nil, err
		}
		if w.Parts == nil {
			bind(n, w)
		}
	}
	for i, h := range holes {
		bind(fmt.Sprintf("#%d", i), h)
	}
	for _, n := range slices.Sorted(maps.Keys(in.types.dims)) {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: size.Const(int64(in.Size(in.types.dims[n])))})
	}
	k := 0
	n, err := denote.ReadNode(s, fillHoles(t, &k), env)
	if err != nil {
		return nil, err
	}
	a, err := model.Evaluate(model.Specialise(n, in.types.Choice), values)
	if err != nil {
		return nil, err
	}
	return &model.Tuple{Array: *a}, nil
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
func (in *Instance) termFunction(t *text.Term, dom, cod *model.Shapes) *model.Function {
	return &model.Function{Dom: dom, Cod: cod, Apply: func(v *model.Tuple) (*model.Tuple, error) {
		holes := v.Parts
		if holes == nil {
			holes = []*model.Tuple{v}
		}
		return in.term(t, holes)
	}}
}

// DescribeMap shows a small map: the matrix of a linear one, or c + M x + N x^2.
func (in *Instance) DescribeMap(e *Expr, f *model.Function) string {
	rows, cols := f.Cod.Count(), f.Dom.Count()
	m := func(kind string) string {
		a := &model.Tuple{Array: *model.NewArray([]int{rows, cols})}
		for i := range rows {
			for j := range cols {
				a.Data[i*cols+j] = model.Of(in.number(e.name+kind, uint64(i), uint64(j)))
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
	c := &model.Tuple{Array: *model.NewArray([]int{rows})}
	for i := range rows {
		c.Data[i] = model.Of(in.number(e.name+"c", uint64(i)))
	}
	return c.String() + " + " + m("M") + " x + " + m("N") + " x^2"
}
