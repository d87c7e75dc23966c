package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// A lawForm is a law that has been checked, as values: of an operation of the variables points, of which
// those at the positions open depend on something, the derivative at the variables inputs, or, of
// each open operand, the cotangent that comes of the one in inputs.
type lawForm struct {
	adjoint   bool
	operation *Node
	points    []*Node
	open      []int
	inputs    []*Node
	outs      []*Node
}

// law checks a law. The unknown maps in it are any maps: for fj of k of them stands the projection to component
// j of the values that it gives, which has for its derivative that of the operand, and for its adjoint the injection.
func (k *checker) law(l *Law, at StepError) *lawForm {
	k.calculated(Line{Map: &l.Start}, l.Steps, Line{Map: &l.End}, false, at)
	f := &lawForm{points: l.Points}
	at.checked(0, "", func() { k.form(f, l) })
	return f
}

func (k *checker) form(f *lawForm, l *Law) {
	start, after := l.Start, (*Map)(nil)
	if start.Op() == combinators.MapCompose && start.Maps()[1].Op() == combinators.MapUnknown {
		after, start = &start.Maps()[1], start.Maps()[0]
	}
	f.adjoint = start.Op() == combinators.MapAdjoint
	must.Hold(f.adjoint || start.Op() == combinators.MapDerivative && after == nil, "it begins with no derivative and no adjoint")
	of := start.Maps()[0]
	before, x := k.unknown(f, of)
	must.Hold(f.adjoint || start.Value() == x, "the derivative is taken at another point than the operands")
	f.operation = must.Get(k.s.ApplyMap(of, x)).Node()
	must.Hold(f.operation != nil && len(f.operation.Args()) == len(f.points), "it is of no operation of its operands")
	end := l.End
	for j, g := range before {
		if f.adjoint {
			linear, _ := g.Linear()
			end = combinators.ReplaceMap(end, k.s.Adjoint(linear).Map, k.s.Inj(g.Dom(), j).Map)
		} else {
			end = combinators.ReplaceMap(end, k.s.Derivative(g, x).Map, k.s.Proj(g.Dom(), j).Map)
		}
	}
	k.at(f, of, end, after)
}

// unknown are the maps before the operation of a law, in the order of its operands, and the value that they
// are components of.
func (k *checker) unknown(f *lawForm, of Map) (before []Map, x *Value) {
	byPoint := map[*Node]Map{}
	for _, m := range combinators.TopoMaps(of) {
		if m.Op() != combinators.MapUnknown {
			continue
		}
		p := m.Value().Node()
		if _, twice := byPoint[p]; twice || !slices.Contains(f.points, p) || !m.Dom().Equal(of.Dom()) {
			panic(must.Errorf("an unknown map gives no operand of its own"))
		}
		byPoint[p] = m
	}
	var parts []*Value
	var spaces []combinators.Space
	for i, p := range f.points {
		must.Hold(p.Name() != "" && p.Attributes() == 0 && !slices.Contains(f.points[:i], p), "its operands are not different variables, of which nothing is known")
		if m, ok := byPoint[p]; ok {
			f.open = append(f.open, i)
			before, parts = append(before, m), append(parts, m.Value())
			spaces = append(spaces, m.Cod())
			if _, linear := m.Linear(); f.adjoint && !linear {
				panic(must.Errorf("an unknown map that is transposed is not linear"))
			}
		}
	}
	must.Hold(len(before) != 0 && of.Dom().Equal(combinators.ProductSpace(spaces...)), "its space is not that of its operands")
	return before, k.s.Tuple(parts...)
}

// at has the values of a law: its last map at variables.
func (k *checker) at(f *lawForm, of, end Map, after *Map) {
	for _, m := range combinators.TopoMaps(end) {
		must.Hold(m.Op() != combinators.MapUnknown || after != nil && m == *after, "an unknown map is left in what it ends with")
	}
	spaces := []combinators.Space{of.Cod()}
	if !f.adjoint {
		spaces = of.Dom().Factors()
	}
	var parts []*Value
	for _, sp := range spaces {
		v := k.variable(sp)
		f.inputs, parts = append(f.inputs, v), append(parts, k.s.Value(v))
	}
	v := parts[0]
	switch {
	case !f.adjoint:
		v = k.s.Tuple(parts...)
	case after != nil:
		// any linear map from numbers: that which takes 1 to the cotangent
		w := f.inputs[0]
		all := einsum.UpTo(w.Order())
		scale := k.s.EinMap(einsum.Plain([][]int{nil, all}, all, w.Shape()), []*Node{nil, w})
		must.Hold(after.Dom().Equal(scale.Dom()) && after.Cod().Equal(scale.Cod()), "the map before the adjoint is not from numbers to its space")
		end, v = combinators.ReplaceMap(end, *after, scale), k.s.Value(k.s.Int(1))
	}
	f.outs = must.Get(k.s.ApplyMap(end, v)).Leaves()
}

// instance is the law at the operands of n and at inputs: the tangent of n, or cotangents of its open
// operands.
func (k *checker) instance(f *lawForm, n *Node, open []int, adjoint bool, inputs []*Node) []*Node {
	must.Hold(f.adjoint == adjoint && slices.Equal(f.open, open) && len(f.points) == len(n.Args()), "the law is not one of the operands that depend on what is differentiated")
	image := map[*Node]*Node{}
	for i, p := range f.points {
		image[p] = n.Arg(i)
	}
	for i, v := range f.inputs {
		must.Hold(slices.Equal(v.Shape(), inputs[i].Shape()), "the law is one of other spaces")
		image[v] = inputs[i]
	}
	for i, p := range f.points {
		must.Hold(slices.Equal(p.Shape(), n.Arg(i).Shape()), "the law is one of other spaces")
	}
	must.Hold(k.instantiated(f.operation, image) == n, "the law is one of another operation")
	return lists.Map(f.outs, func(o *Node) *Node { return k.instantiated(o, image) })
}

// instantiated is t, which is not deep, with its variables replaced.
func (k *checker) instantiated(t *Node, image map[*Node]*Node) *Node {
	if n, ok := image[t]; ok {
		return n
	}
	k.work.add(1)
	args := lists.Map(t.Args(), func(a *combinators.Node) *Node { return k.instantiated(a, image) })
	image[t] = t.With(args)
	return image[t]
}

// stepsOf are the steps of a walk by their values.
func (k *checker) stepsOf(p *Part) map[*Node]WalkStep {
	steps := map[*Node]WalkStep{}
	for _, w := range p.Walk {
		if _, twice := steps[w.Node]; twice {
			panic(must.Errorf("the walk comes to a value twice"))
		}
		must.Hold(w.Law >= 0 && w.Law < len(k.laws), "there is no law %d", w.Law)
		steps[w.Node] = w
	}
	return steps
}

// walked checks that a part begins with the derivative of what the part before ends with, at its fresh
// variables.
func (k *checker) walked(d *Derivation, i int) {
	p := &d.Parts[i]
	must.Hold(i != 0 && d.Parts[i-1].End.Map == nil && len(p.Point) == len(p.Fresh), "it does not follow values, which are differentiated by its point")
	must.Hold(i <= 1 || before(d, i, KindGradient) != nil || before(d, i, KindAdjointAt) != nil, "a derivative of higher order does not follow an adjoint")
	if by := slices.IndexFunc(d.Parts, func(q Part) bool { return len(q.Point) > 0 }); !slices.Equal(p.Point, d.Parts[by].Point) {
		panic(must.Errorf("a derivative of higher order is taken by other variables"))
	}
	steps := k.stepsOf(p)
	outs, tangent := d.Parts[i-1].End.Nodes, map[*Node]*Node{}
	for j, x := range p.Point {
		must.Hold(x.Name() != "" && tangent[x] == nil && slices.Equal(x.Shape(), p.Fresh[j].Shape()), "its fresh variables are not those of its point")
		tangent[x] = p.Fresh[j]
	}
	for _, n := range combinators.Topo(outs...) {
		k.work.add(1)
		var open []int
		var inputs []*Node
		for j, a := range n.Args() {
			if t := tangent[a]; t != nil {
				open, inputs = append(open, j), append(inputs, t)
			}
		}
		if len(open) == 0 {
			continue
		}
		w, ok := steps[n]
		must.Hold(ok, "the walk leaves out a value that depends on what is differentiated")
		k.adds(k.instance(k.laws[w.Law], n, open, false, inputs), w.Gets, n)
		tangent[n] = w.Gets
	}
	for j, y := range outs {
		must.Hold(j < len(p.Start.Nodes) && p.Start.Nodes[j] == k.orZero(tangent[y], y), "it does not begin with the derivative of what is before it")
	}
	for j, x := range p.Point {
		k.restricted(p.Start.Nodes, x, p.Fresh[j])
	}
}

// walkedBack checks that a part begins with the adjoint of the derivative before it, at 1 or at its fresh
// variables.
func (k *checker) walkedBack(d *Derivation, i int) {
	must.Hold(i == 2 && d.Parts[0].Kind == KindProgram && d.Parts[1].Kind == KindDerivativeAt && len(d.Parts[1].Start.Nodes) == 1, "it does not follow the derivative of a program of one value")
	p, q := &d.Parts[i], &d.Parts[1]
	steps := k.stepsOf(p)
	y := q.Start.Nodes[0]
	w := k.s.Int(1)
	if p.Kind == KindAdjointAt {
		must.Hold(len(p.Fresh) == 1, "it takes one cotangent")
		w = p.Fresh[0]
	}
	must.Hold(slices.Equal(w.Shape(), y.Shape()), "the cotangent is of another space")
	sums := map[*Node][]*Node{y: {w}}
	order := combinators.Topo(y)
	depends := combinators.Dependents(order, q.Fresh)
	for _, n := range slices.Backward(order) {
		k.work.add(1)
		step, ok := steps[n]
		if len(sums[n]) == 0 || len(n.Args()) == 0 || !depends.Get(n) {
			continue
		}
		if !ok {
			must.Within(func() { k.adds(sums[n], nil, n) }, "the walk leaves out a value")
			continue
		}
		k.adds(sums[n], step.Gets, n)
		var open []int
		for j, a := range n.Args() {
			if depends.Get(a) {
				open = append(open, j)
			}
		}
		for j, w := range k.instance(k.laws[step.Law], n, open, true, []*Node{step.Gets}) {
			a := n.Arg(open[j])
			sums[a] = append(sums[a], w)
		}
	}
	for j, dx := range q.Fresh {
		must.Hold(j < len(p.Start.Nodes) && len(p.Start.Nodes) == len(q.Fresh), "it is not the adjoint at all tangents")
		must.Within(func() { k.adds(sums[dx], p.Start.Nodes[j], dx) }, "it does not begin with the adjoint")
	}
}

// adds checks that sum, nil for zero, adds up parts, which are like n.
func (k *checker) adds(parts []*Node, sum, n *Node) {
	want := k.s.Zero(n.Shape())
	if len(parts) > 0 {
		want = parts[0]
		for _, p := range parts[1:] {
			must.Hold(slices.Equal(p.Shape(), want.Shape()), "addends are of different spaces")
			want = k.s.Add(want, p)
		}
	}
	if !k.refines(want, k.orZero(sum, n), theory{sums: true}, newSigns(nil, k.work)) {
		panic(must.Errorf("a %s has another derivative or adjoint by its law", n.Atom().Name))
	}
}

func (k *checker) orZero(n, like *Node) *Node {
	if n == nil {
		return k.s.Zero(like.Shape())
	}
	return n
}
