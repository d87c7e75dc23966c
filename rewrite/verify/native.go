package verify

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/verify/model"
)

// nativeStep is the step that a rule's right side calls, "" for none.
func nativeStep(r *text.Rule) string {
	step := ""
	text.Walk(r.Right, func(t *text.Term) bool {
		if t.Op == text.Call && adjoint.Natives()[t.Name] != nil {
			step = t.Name
		}
		return true
	})
	return step
}

// nativeRule checks a rule whose right side calls a native step: the rule is applied to contractions
// drawn at random, to every atom and to compositions, and what it makes is compared with what its
// left side means.
func nativeRule(r *text.Rule, step string, rep *Report) *Report {
	src := fmt.Sprintf("%s\nnative %s-step \"of the program\" %s \"see its schema\"\n", r, r.Name, step)
	rules, err := rewrite.LoadClosedRules(src, adjoint.Natives())
	if err != nil {
		rep.Typing, rep.Reason = IllTyped, err.Error()
		return rep
	}
	rep.Typing = Typed
	p := &pool{s: combinators.NewStore(), r: rand.New(rand.NewPCG(5, 6)), env: map[string]*model.Array{}}
	fired, decided := 0, 0
	var failed error
	for _, c := range p.cases() {
		f, ok, err := fire(rules, c.before)
		if err != nil {
			failed = cmp.Or(failed, err)
		}
		if err != nil || !ok {
			continue
		}
		fired++
		if c.floats != nil {
			if w := c.floats(f.After); w != nil {
				rep.Equality, rep.Witness = Refuted, w
				return rep
			}
		}
		got, ok := p.function(f.After)
		if !ok {
			continue
		}
		for range modularTrials {
			clear(p.env)
			data := lists.Make(got.Dom.Count(), func(i int) model.Element { return model.RandomElement(p.r) })
			arg := model.TupleOf(got.Dom, data)
			a, errA := c.want().Apply(arg)
			b, errB := got.Apply(arg)
			if errA != nil || errB != nil {
				continue
			}
			x, y := a.Entries(), b.Entries()
			for i := range x {
				equal, ok := model.Agree(x[i], y[i])
				if ok {
					decided++
				}
				if ok && !equal {
					rep.Equality = Refuted
					rep.Witness = &Witness{Values: []Named{{"the map", text.PrintClosed(c.before, false)}},
						Left: "its matrix or derivative over the field", Right: text.PrintClosed(f.After, false)}
					return rep
				}
			}
		}
	}
	rep.Shapes = []string{counted(fired, "map")}
	switch {
	case fired == 0 && failed != nil:
		rep.Typing, rep.Reason, rep.Shapes = IllTyped, failed.Error(), nil
	case fired == 0:
		rep.Equality, rep.Reason = Assumed, assumption(r)
	case step == "derivative":
		rep.Equality, rep.Trials = FloatTested, differencePoints
	case decided > 0:
		rep.Equality, rep.Trials, rep.Degree = TestedMod, modularTrials, 12
	default:
		rep.Equality, rep.Reason = Assumed, assumption(r)
	}
	return rep
}

// fire applies a rule; that a right side does not fit its left one is an error.
func fire(rules *rewrite.ClosedRules, m combinators.Map) (f rewrite.ClosedFiring, ok bool, err error) {
	defer must.Recover(&err)
	return rules.Fire(m)
}

// pool draws concrete maps for the native steps.
type pool struct {
	s   *combinators.Store
	r   *rand.Rand
	env map[string]*model.Array // the variables inside maps
}

// A nativeCase is a map at which a rule may fire, with what it means.
type nativeCase struct {
	before combinators.Map
	want   func() *model.Function
	floats func(after combinators.Map) *Witness
}

func (p *pool) cases() (out []nativeCase) {
	two, three := size.Const(2), size.Const(3)
	var leaves []combinators.Map
	for k := range 60 {
		leaves = append(leaves, p.contraction(k))
	}
	leaves = append(leaves, p.s.Scan(three, []size.Size{two}).Map)
	square := p.s.Var("C", []size.Size{two, two})
	block := p.s.Var("B", []size.Size{two, three})
	open := func(n *combinators.Node, k int) {
		leaves = append(leaves, p.s.OpenMap(n, func(i int) bool { return i == k }))
	}
	open(p.s.Solve(square, block), 1)
	open(p.s.Solve(square, block), 0)
	open(p.s.Merge(0, block), 0)
	open(p.s.Split(0, two, three, p.s.Var("z", []size.Size{size.Const(6)})), 0)
	for _, n := range p.atoms() {
		open(n, 0)
		if len(n.Args()) > 1 && n.Arg(1) != n.Arg(0) {
			open(n, 1)
		}
	}
	for _, m := range leaves {
		if f, ok := p.function(m); ok {
			out = append(out, nativeCase{before: p.s.Copower(m, []size.Size{three}),
				want: func() *model.Function { return model.Copower(f, 3, f.Dom.Power(3), f.Cod.Power(3)) }})
		}
		if l, ok := m.Linear(); ok {
			f, _ := p.function(m)
			out = append(out, nativeCase{before: p.s.Adjoint(l).Map, want: func() *model.Function { return model.AdjointOf(f) }})
		}
		if m.Op() == combinators.MapAtom {
			out = append(out, p.derivatives(m))
		}
	}
	return append(append(out, p.shared()...), p.joined()...)
}

// joined are compositions and sums of sections, relations and projections, for the algebra of linear maps: chains
// of two and three, sums with like summands, sums of what each component gives after pairings.
func (p *pool) joined() (out []nativeCase) {
	s, two := p.s, size.Const(2)
	e := []size.Size{two, two}
	u, v, c := s.Var("u2", e), s.Var("v2", e), s.Var("c2", nil)
	plain := func(in [][]int, out []int, fixed ...*combinators.Node) combinators.Map {
		return s.EinMap(einsum.Plain(in, out, e), append(fixed, nil))
	}
	number := func(r *big.Rat) combinators.Map { return s.Times(s.Const(r), combinators.TensorSpace(e)) }
	maps := []combinators.Map{ // of R[2,2] to itself
		s.Times(u, combinators.TensorSpace(e)), s.Times(v, combinators.TensorSpace(e)), s.Times(c, combinators.TensorSpace(e)),
		number(big.NewRat(-1, 1)), number(big.NewRat(3, 2)), s.Scan(two, e[1:]).Map, s.ID(combinators.TensorSpace(e)).Map,
		plain([][]int{{0, 1}}, []int{1, 0}), plain([][]int{{0, 0}}, []int{0, 1}), plain([][]int{{0, 1}}, []int{0, 0}),
		plain([][]int{{0, 1}, {1, 0}}, []int{0, 1}, u), plain([][]int{nil, {0, 1}}, []int{1, 0}, s.Int(-2)),
		plain([][]int{nil, {1, 0}, nil, {0, 1}}, []int{0, 1}, s.Int(3), u, s.Int(2)), plain([][]int{nil, nil, {0, 1}}, []int{0, 1}, s.Int(3), s.Int(2)),
	}
	add := func(m combinators.Map) {
		if f, ok := p.function(m); ok {
			out = append(out, nativeCase{before: m, want: func() *model.Function { return f }})
		}
	}
	both := combinators.ProductSpace(combinators.TensorSpace(e), combinators.TensorSpace(e))
	first, second := s.Proj(both, 0).Map, s.Proj(both, 1).Map
	for i, g := range maps {
		add(g)
		for _, f := range maps {
			h := maps[(i+1)%len(maps)]
			add(s.Compose(g, f))
			add(s.Compose(g, s.Compose(f, h)))
			add(s.SumMaps(g, f))
			add(s.SumMaps(s.SumMaps(g, f), s.Compose(h, f)))
			add(s.SumMaps(s.Compose(g, f), s.Compose(h, f)))
			add(s.Compose(s.SumMaps(g, f), h))
			add(s.Compose(s.SumMaps(g, f), s.Compose(h, g)))
			add(s.Compose(s.Pair(g, f), h))
			add(s.Compose(s.Pair(g, f), s.Compose(h, f)))
			add(s.Compose(s.SumMaps(s.Compose(g, second), s.Compose(f, first)), s.Pair(h, g)))
			add(s.Compose(s.SumMaps(first, s.Compose(f, second)), s.Compose(s.Pair(h, g), h)))
			add(s.Compose(s.SumMaps(s.Compose(g, first), s.Compose(f, first)), s.Pair(h, g)))
		}
	}
	return out
}

// atoms are the element-wise functions and primitives at variables of small shapes.
func (p *pool) atoms() (out []*combinators.Node) {
	x := p.s.Var("x", []size.Size{size.Const(3)})
	y := p.s.Var("y", []size.Size{size.Const(3)})
	c := p.s.Var("C", []size.Size{size.Const(2), size.Const(2)})
	batch := p.s.Var("Z", []size.Size{size.Const(2), size.Const(3)})
	for _, at := range atom.Rows() {
		switch {
		case at == atom.Power:
			out = append(out, p.s.Power(x, big.NewRat(3, 1)), p.s.Power(x, big.NewRat(-2, 1)), p.s.Power(x, big.NewRat(1, 2)))
		case at.Class == atom.ClassElementwise && at.Arity == 1:
			out = append(out, p.s.Unary(at, x))
		case at.Class == atom.ClassElementwise:
			out = append(out, p.s.Binary(at, x, y))
		case at.Class != atom.ClassPrimitive || at == atom.Solve:
		case at == atom.Pinv || at == atom.Matfun[0]:
			out = append(out, p.s.Apply(at, atom.MatrixFunctionNamed(atom.Exp.Name), c))
		case at == atom.Matfun[atom.Directions-1] || at == atom.Matfun[atom.Directions]: // the derivatives of those below
		case at.Over == atom.OverMatrices && at.Arity > 1:
			out = append(out, p.s.Apply(at, atom.MatrixFunctionNamed(atom.Exp.Name), append([]*combinators.Node{c}, slices.Repeat([]*combinators.Node{p.s.Var("H", c.Shape())}, at.Arity-1)...)...))
		case at == atom.Eigvals || at == atom.Eigvecs || at == atom.Chol:
			out = append(out, p.s.Apply(at, 0, p.s.Add(c, p.s.Einsum("ij->ji", c))))
		case at == atom.Inv || at == atom.LogDet:
			out = append(out, p.s.Apply(at, 0, c))
		case at == atom.Minor:
			out = append(out, p.s.Minor(0, c), p.s.Minor(1, c), p.s.Minor(2, c))
		case at == atom.Prod:
			out = append(out, p.s.Prod(0, batch), p.s.Prod(1, batch), p.s.Prod(2, batch))
		case at == atom.Norm2:
			out = append(out, p.s.Norm2(batch))
		default:
			out = append(out, p.s.Apply(at, 1, batch), p.s.Apply(at, 2, batch))
		}
	}
	return out
}

// contraction draws a linear contraction: repeated, missing and summed indices, fixed operands.
func (p *pool) contraction(k int) combinators.Map {
	dims := []size.Size{size.Const(2), size.Const(3), size.Const(2), size.Const(4)}[:1+p.r.IntN(4)]
	letters := func(most int) (out []int) {
		for range p.r.IntN(most + 1) {
			out = append(out, p.r.IntN(len(dims)))
		}
		return out
	}
	in := [][]int{letters(3)}
	fixed := []*combinators.Node{nil}
	for i := range p.r.IntN(3) {
		l := letters(2)
		shape := lists.Map(l, func(v int) size.Size { return dims[v] })
		in = append(in, l)
		fixed = append(fixed, p.s.Var(fmt.Sprintf("F%d_%d", k, i), shape))
	}
	return p.s.EinMap(einsum.Plain(in, letters(3), dims), fixed)
}

// shared are pairings and sums of compositions that begin with the same maps.
func (p *pool) shared() (out []nativeCase) {
	x := p.s.Var("x", []size.Size{size.Const(2)})
	sin := p.s.OpenMap(p.s.Unary(atom.Exp, x), func(int) bool { return true })
	linear := func(n string) combinators.Map {
		a := p.s.Var(n, []size.Size{size.Const(2), size.Const(2)})
		return p.s.EinMap(einsum.Plain([][]int{{0, 1}, {1}}, []int{0}, []size.Size{size.Const(2), size.Const(2)}), []*combinators.Node{a, nil})
	}
	heads := []combinators.Map{linear("P"), linear("Q"), sin, p.s.ID(combinators.TensorSpace(x.Shape())).Map}
	tails := []combinators.Map{linear("R"), p.s.Compose(linear("R"), linear("S")), p.s.Compose(linear("R"), sin)}
	for _, tail := range tails {
		for i, f := range heads {
			g := heads[(i+1)%len(heads)]
			a, b := p.chain(f, tail), p.chain(g, tail)
			for _, m := range []combinators.Map{p.s.Pair(a, b), p.s.SumMaps(a, b), p.s.Pair(a, b, tail)} {
				h, _ := p.function(m)
				out = append(out, nativeCase{before: m, want: func() *model.Function { return h }})
			}
		}
	}
	return out
}

func (p *pool) chain(f, tail combinators.Map) combinators.Map {
	if f.Op() == combinators.MapID {
		return tail
	}
	return p.s.Compose(f, tail)
}

// function is a concrete map over the model; the variables inside it have random values.
func (p *pool) function(m combinators.Map) (*model.Function, bool) {
	dom, cod := shapesOf(m.Dom()), shapesOf(m.Cod())
	leaf := 0
	var name func(sp combinators.Space) *combinators.Value
	name = func(sp combinators.Space) *combinators.Value {
		if !sp.IsProduct() {
			leaf++
			return p.s.Value(p.s.Var(fmt.Sprintf("#%d", leaf), sp.Shape()))
		}
		parts := lists.Map(sp.Factors(), name)
		return p.s.Tuple(parts...)
	}
	arg := name(m.Dom())
	y, err := p.s.ApplyMap(m, arg)
	if err != nil {
		return nil, false
	}
	return &model.Function{Dom: dom, Cod: cod, Apply: func(v *model.Tuple) (*model.Tuple, error) {
		bound := map[string]*model.Array{}
		bindTuple(arg, v, bound)
		return p.evaluate(y, bound)
	}}, true
}

func bindTuple(x *combinators.Value, v *model.Tuple, env map[string]*model.Array) {
	if x.Node() != nil {
		env[x.Node().Name()] = &v.Array
		return
	}
	for i, part := range x.Parts() {
		bindTuple(part, v.Parts[i], env)
	}
}

func (p *pool) evaluate(y *combinators.Value, bound map[string]*model.Array) (_ *model.Tuple, err error) {
	defer must.Recover(&err)
	if y.Node() == nil {
		out := &model.Tuple{Parts: make([]*model.Tuple, len(y.Parts()))}
		for i, part := range y.Parts() {
			out.Parts[i] = must.Get(p.evaluate(part, bound))
		}
		return out, nil
	}
	for _, n := range combinators.Topo(y.Node()) {
		if n.Name() == "" || bound[n.Name()] != nil {
			continue
		}
		if p.env[n.Name()] == nil {
			a := model.NewArray(model.ShapeOf(n))
			for i := range a.Data {
				a.Data[i] = model.RandomElement(p.r)
				a.Data[i].D = 0
			}
			p.env[n.Name()] = a
		}
		bound[n.Name()] = p.env[n.Name()]
	}
	return &model.Tuple{Array: *must.Get(model.Evaluate(y.Node(), bound))}, nil
}

func shapesOf(sp combinators.Space) *model.Shapes {
	if sp.IsProduct() {
		out := &model.Shapes{Parts: make([]*model.Shapes, len(sp.Factors()))}
		for i, f := range sp.Factors() {
			out.Parts[i] = shapesOf(f)
		}
		return out
	}
	out := &model.Shapes{Shape: []int{}}
	for _, d := range sp.Shape() {
		n, _ := d.Int()
		out.Shape = append(out.Shape, int(n))
	}
	return out
}

// derivatives is D(m)(x) at a point inside the atom's domain: in the model by dual numbers, where it
// knows the atom, and by central differences in any case.
func (p *pool) derivatives(m combinators.Map) nativeCase {
	x := p.s.Var("at", m.Dom().Shape())
	before := p.s.Derivative(m, p.s.Value(x))
	f, _ := p.function(m)
	want := func() *model.Function {
		return &model.Function{Dom: f.Dom, Cod: f.Cod, Apply: func(v *model.Tuple) (*model.Tuple, error) {
			if p.env["at"] == nil {
				a := model.NewArray(model.ShapeOf(x))
				for i := range a.Data {
					a.Data[i] = model.RandomElement(p.r)
					a.Data[i].D = 0
				}
				p.env["at"] = a
			}
			moved := model.Zip(f.Dom, &model.Tuple{Array: *p.env["at"]}, v, func(a, b model.Element) model.Element { a.D = b.V; return a })
			y, err := f.Apply(moved)
			if err != nil {
				return nil, err
			}
			return model.Zip(f.Cod, y, y, func(a, _ model.Element) model.Element {
				if !a.Is(model.HasTangent) {
					return model.Element{}
				}
				return model.Element{Has: model.HasValue, V: a.D}
			}), nil
		}}
	}
	return nativeCase{before: before.Map, want: want, floats: func(after combinators.Map) *Witness {
		return p.differences(m, after, x)
	}}
}

// differencePoints is the number of points at which a derivative is compared with differences.
const differencePoints = 6

// differences compares D(m)(x) with central differences, at points of both signs away from kinks.
func (p *pool) differences(m, after combinators.Map, x *combinators.Node) *Witness {
	dx := p.s.Var("direction", x.Shape())
	y, err := p.s.ApplyMap(m, p.s.Value(x))
	if err != nil {
		return nil
	}
	t, err := p.s.ApplyMap(after, p.s.Value(dx))
	if err != nil {
		return nil
	}
	at := m.Atom()
	var vars []*combinators.Node
	for _, n := range combinators.Topo(y.Node()) {
		if n.Atom().Class == atom.ClassVariable {
			vars = append(vars, n)
		}
	}
	points := 0
	for k := 0; k < 4*differencePoints && points < differencePoints; k++ {
		env := samplePoint(at, vars, p.r, k)
		if atKink(at, vars, env) || number(y.Node(), env) == nil {
			continue
		}
		points++
		v := samplePoint(at, []*combinators.Node{dx}, p.r, k)
		want := slope(y.Node(), []*combinators.Node{x}, v, []*combinators.Node{dx}, env)
		if got := number(t.Node(), with(env, v)); !close(want, got, slopeTolerance) {
			return &Witness{Values: []Named{{"atom", at.Name}, {"x", matrix(env[x.Name()])}, {"direction", matrix(v[dx.Name()])}},
				Left: matrix(want), Right: matrix(got)}
		}
	}
	return nil
}
