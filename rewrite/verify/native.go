package verify

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/rewrite"
)

func ratInt(n int) *big.Rat { return big.NewRat(int64(n), 1) }

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
	p := &pool{s: combinators.NewStore(), r: rand.New(rand.NewPCG(5, 6)), env: map[string]*array{}}
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
			data := make([]element, got.dom.count())
			for i := range data {
				data[i] = randomElement(p.r)
			}
			arg := tupleOf(got.dom, data)
			a, errA := c.want().apply(arg)
			b, errB := got.apply(arg)
			if errA != nil || errB != nil {
				continue
			}
			x, y := a.entries(), b.entries()
			for i := range x {
				equal, ok := agree(x[i], y[i])
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
	defer combinators.RecoverTypeError(&err)
	return rules.Fire(m)
}

// pool draws concrete maps for the native steps.
type pool struct {
	s   *combinators.Store
	r   *rand.Rand
	env map[string]*array // the variables inside maps
}

// A nativeCase is a map at which a rule may fire, with what it means.
type nativeCase struct {
	before combinators.Map
	want   func() *function
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
				want: func() *function { return copowerFunction(f, 3, power(f.dom, 3), power(f.cod, 3)) }})
		}
		if l, ok := m.Linear(); ok {
			f, _ := p.function(m)
			out = append(out, nativeCase{before: p.s.Adjoint(l).Map, want: func() *function { return adjointFunction(f) }})
		}
		if m.Op() == combinators.MapAtom {
			out = append(out, p.derivatives(m))
		}
	}
	return append(out, p.shared()...)
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
		case at.Class != atom.ClassPrimitive || at.Name == "solve":
		case at.Name == "inv" || at.Name == "logdet":
			out = append(out, p.s.Apply(at, 0, c))
		case at.Name == "minor":
			out = append(out, p.s.Minor(0, c), p.s.Minor(1, c), p.s.Minor(2, c))
		case at.Name == "norm2":
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
		shape := make([]size.Size, len(l))
		for j, v := range l {
			shape[j] = dims[v]
		}
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
				out = append(out, nativeCase{before: m, want: func() *function { return h }})
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
func (p *pool) function(m combinators.Map) (*function, bool) {
	dom, cod := shapesOf(m.Dom()), shapesOf(m.Cod())
	leaf := 0
	var name func(sp combinators.Space) *combinators.Value
	name = func(sp combinators.Space) *combinators.Value {
		if !sp.IsProduct() {
			leaf++
			return p.s.Value(p.s.Var(fmt.Sprintf("#%d", leaf), sp.Shape()))
		}
		parts := make([]*combinators.Value, len(sp.Factors()))
		for i, f := range sp.Factors() {
			parts[i] = name(f)
		}
		return p.s.Tuple(parts...)
	}
	arg := name(m.Dom())
	y, err := p.s.ApplyMap(m, arg)
	if err != nil {
		return nil, false
	}
	return &function{dom, cod, func(v *tuple) (*tuple, error) {
		bound := map[string]*array{}
		bindTuple(arg, v, bound)
		return p.evaluate(y, bound)
	}}, true
}

func bindTuple(x *combinators.Value, v *tuple, env map[string]*array) {
	if x.Node() != nil {
		env[x.Node().Name()] = &v.array
		return
	}
	for i, part := range x.Parts() {
		bindTuple(part, v.parts[i], env)
	}
}

func (p *pool) evaluate(y *combinators.Value, bound map[string]*array) (*tuple, error) {
	if y.Node() == nil {
		out := &tuple{parts: make([]*tuple, len(y.Parts()))}
		for i, part := range y.Parts() {
			v, err := p.evaluate(part, bound)
			if err != nil {
				return nil, err
			}
			out.parts[i] = v
		}
		return out, nil
	}
	for _, n := range combinators.Topo(y.Node()) {
		if n.Name() == "" || bound[n.Name()] != nil {
			continue
		}
		if p.env[n.Name()] == nil {
			a := newArray(shapeOf(n))
			for i := range a.data {
				a.data[i] = randomElement(p.r)
				a.data[i].d = 0
			}
			p.env[n.Name()] = a
		}
		bound[n.Name()] = p.env[n.Name()]
	}
	a, err := evaluate(y.Node(), bound)
	if err != nil {
		return nil, err
	}
	return &tuple{array: *a}, nil
}

func shapesOf(sp combinators.Space) *shapes {
	if sp.IsProduct() {
		out := &shapes{parts: make([]*shapes, len(sp.Factors()))}
		for i, f := range sp.Factors() {
			out.parts[i] = shapesOf(f)
		}
		return out
	}
	out := &shapes{shape: []int{}}
	for _, d := range sp.Shape() {
		n, _ := d.Int()
		out.shape = append(out.shape, int(n))
	}
	return out
}

// derivatives is D(m)(x) at a point inside the atom's domain: in the model by dual numbers, where it
// knows the atom, and by central differences in any case.
func (p *pool) derivatives(m combinators.Map) nativeCase {
	x := p.s.Var("at", m.Dom().Shape())
	before := p.s.Derivative(m, p.s.Value(x))
	f, _ := p.function(m)
	want := func() *function {
		return &function{f.dom, f.cod, func(v *tuple) (*tuple, error) {
			if p.env["at"] == nil {
				a := newArray(shapeOf(x))
				for i := range a.data {
					a.data[i] = randomElement(p.r)
					a.data[i].d = 0
				}
				p.env["at"] = a
			}
			moved := zip(f.dom, &tuple{array: *p.env["at"]}, v, func(a, b element) element { a.d = b.v; return a })
			y, err := f.apply(moved)
			if err != nil {
				return nil, err
			}
			return zip(f.cod, y, y, func(a, _ element) element {
				if !a.is(hasTangent) {
					return element{}
				}
				return element{has: hasValue, v: a.d}
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
