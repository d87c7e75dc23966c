package proof

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
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
func (k *checker) law(l *Law, wrong func(step int, rule string, err error) error) (*lawForm, error) {
	if err := k.calculated(Line{Map: &l.Start}, l.Steps, Line{Map: &l.End}, false, wrong); err != nil {
		return nil, err
	}
	f := &lawForm{points: l.Points}
	if err := k.form(f, l); err != nil {
		return nil, wrong(0, "", err)
	}
	return f, nil
}

func (k *checker) form(f *lawForm, l *Law) error {
	start, after := l.Start, (*Map)(nil)
	if start.Op() == combinators.MapCompose && start.Maps()[1].Op() == combinators.MapUnknown {
		after, start = &start.Maps()[1], start.Maps()[0]
	}
	f.adjoint = start.Op() == combinators.MapAdjoint
	if !f.adjoint && (start.Op() != combinators.MapDerivative || after != nil) {
		return fmt.Errorf("it begins with no derivative and no adjoint")
	}
	of := start.Maps()[0]
	before, x, err := k.unknown(f, of)
	if err != nil {
		return err
	}
	if !f.adjoint && start.Value() != x {
		return fmt.Errorf("the derivative is taken at another point than the operands")
	}
	y, err := k.s.ApplyMap(of, x)
	if err != nil {
		return err
	}
	if f.operation = y.Node(); f.operation == nil || len(f.operation.Args()) != len(f.points) {
		return fmt.Errorf("it is of no operation of its operands")
	}
	end := l.End
	for j, g := range before {
		if f.adjoint {
			linear, _ := g.Linear()
			end = combinators.ReplaceMap(end, k.s.Adjoint(linear).Map, k.s.Inj(g.Dom(), j).Map)
		} else {
			end = combinators.ReplaceMap(end, k.s.Derivative(g, x).Map, k.s.Proj(g.Dom(), j).Map)
		}
	}
	return k.at(f, of, end, after)
}

// unknown are the maps before the operation of a law, in the order of its operands, and the value that they
// are components of.
func (k *checker) unknown(f *lawForm, of Map) (before []Map, x *Value, err error) {
	byPoint := map[*Node]Map{}
	for _, m := range combinators.TopoMaps(of) {
		if m.Op() != combinators.MapUnknown {
			continue
		}
		p := m.Value().Node()
		if _, twice := byPoint[p]; twice || !slices.Contains(f.points, p) || !m.Dom().Equal(of.Dom()) {
			return nil, nil, fmt.Errorf("an unknown map gives no operand of its own")
		}
		byPoint[p] = m
	}
	var parts []*Value
	var spaces []combinators.Space
	for i, p := range f.points {
		if p.Name() == "" || p.Attributes() != 0 || slices.Contains(f.points[:i], p) {
			return nil, nil, fmt.Errorf("its operands are not different variables, of which nothing is known")
		}
		if m, ok := byPoint[p]; ok {
			f.open = append(f.open, i)
			before, parts = append(before, m), append(parts, m.Value())
			spaces = append(spaces, m.Cod())
			if _, linear := m.Linear(); f.adjoint && !linear {
				return nil, nil, fmt.Errorf("an unknown map that is transposed is not linear")
			}
		}
	}
	if len(before) == 0 || !of.Dom().Equal(combinators.ProductSpace(spaces...)) {
		return nil, nil, fmt.Errorf("its space is not that of its operands")
	}
	return before, k.s.Tuple(parts...), nil
}

// at has the values of a law: its last map at variables.
func (k *checker) at(f *lawForm, of, end Map, after *Map) error {
	for _, m := range combinators.TopoMaps(end) {
		if m.Op() == combinators.MapUnknown && (after == nil || m != *after) {
			return fmt.Errorf("an unknown map is left in what it ends with")
		}
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
		if !after.Dom().Equal(scale.Dom()) || !after.Cod().Equal(scale.Cod()) {
			return fmt.Errorf("the map before the adjoint is not from numbers to its space")
		}
		end, v = combinators.ReplaceMap(end, *after, scale), k.s.Value(k.s.Int(1))
	}
	y, err := k.s.ApplyMap(end, v)
	if err != nil {
		return err
	}
	f.outs = y.Leaves()
	return nil
}

// instance is the law at the operands of n and at inputs: the tangent of n, or cotangents of its open
// operands.
func (k *checker) instance(f *lawForm, n *Node, open []int, adjoint bool, inputs []*Node) ([]*Node, error) {
	if f.adjoint != adjoint || !slices.Equal(f.open, open) || len(f.points) != len(n.Args()) {
		return nil, fmt.Errorf("the law is not one of the operands that depend on what is differentiated")
	}
	image := map[*Node]*Node{}
	for i, p := range f.points {
		image[p] = n.Arg(i)
	}
	for i, v := range f.inputs {
		if !slices.Equal(v.Shape(), inputs[i].Shape()) {
			return nil, fmt.Errorf("the law is one of other spaces")
		}
		image[v] = inputs[i]
	}
	for i, p := range f.points {
		if !slices.Equal(p.Shape(), n.Arg(i).Shape()) {
			return nil, fmt.Errorf("the law is one of other spaces")
		}
	}
	if k.instantiated(f.operation, image) != n {
		return nil, fmt.Errorf("the law is one of another operation")
	}
	outs := make([]*Node, len(f.outs))
	for i, o := range f.outs {
		outs[i] = k.instantiated(o, image)
	}
	return outs, nil
}

// instantiated is t, which is not deep, with its variables replaced.
func (k *checker) instantiated(t *Node, image map[*Node]*Node) *Node {
	if n, ok := image[t]; ok {
		return n
	}
	k.work.add(1)
	args := make([]*Node, len(t.Args()))
	for i, a := range t.Args() {
		args[i] = k.instantiated(a, image)
	}
	image[t] = t.With(args)
	return image[t]
}

// stepsOf are the steps of a walk by their values.
func (k *checker) stepsOf(p *Part) (map[*Node]WalkStep, error) {
	steps := map[*Node]WalkStep{}
	for _, w := range p.Walk {
		if _, twice := steps[w.Node]; twice {
			return nil, fmt.Errorf("the walk comes to a value twice")
		}
		if w.Law < 0 || w.Law >= len(k.laws) {
			return nil, fmt.Errorf("there is no law %d", w.Law)
		}
		steps[w.Node] = w
	}
	return steps, nil
}

// walked checks that a part begins with the derivative of what the part before ends with, at its fresh
// variables.
func (k *checker) walked(d *Derivation, i int) error {
	p := &d.Parts[i]
	if i == 0 || d.Parts[i-1].End.Map != nil || len(p.Point) != len(p.Fresh) {
		return fmt.Errorf("it does not follow values, which are differentiated by its point")
	}
	if i > 1 && before(d, i, KindGradient) == nil && before(d, i, KindAdjointAt) == nil {
		return fmt.Errorf("a derivative of higher order does not follow an adjoint")
	}
	if by := slices.IndexFunc(d.Parts, func(q Part) bool { return len(q.Point) > 0 }); !slices.Equal(p.Point, d.Parts[by].Point) {
		return fmt.Errorf("a derivative of higher order is taken by other variables")
	}
	steps, err := k.stepsOf(p)
	if err != nil {
		return err
	}
	outs, tangent := d.Parts[i-1].End.Nodes, map[*Node]*Node{}
	for j, x := range p.Point {
		if x.Name() == "" || tangent[x] != nil || !slices.Equal(x.Shape(), p.Fresh[j].Shape()) {
			return fmt.Errorf("its fresh variables are not those of its point")
		}
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
		if !ok {
			return fmt.Errorf("the walk leaves out a value that depends on what is differentiated")
		}
		t, err := k.instance(k.laws[w.Law], n, open, false, inputs)
		if err != nil {
			return err
		}
		if err := k.adds(t, w.Gets, n); err != nil {
			return err
		}
		tangent[n] = w.Gets
	}
	for j, y := range outs {
		if j >= len(p.Start.Nodes) || p.Start.Nodes[j] != k.orZero(tangent[y], y) {
			return fmt.Errorf("it does not begin with the derivative of what is before it")
		}
	}
	for j, x := range p.Point {
		if err := k.restricted(p.Start.Nodes, x, p.Fresh[j]); err != nil {
			return err
		}
	}
	return nil
}

// walkedBack checks that a part begins with the adjoint of the derivative before it, at 1 or at its fresh
// variables.
func (k *checker) walkedBack(d *Derivation, i int) error {
	if i != 2 || d.Parts[0].Kind != KindProgram || d.Parts[1].Kind != KindDerivativeAt || len(d.Parts[1].Start.Nodes) != 1 {
		return fmt.Errorf("it does not follow the derivative of a program of one value")
	}
	p, q := &d.Parts[i], &d.Parts[1]
	steps, err := k.stepsOf(p)
	if err != nil {
		return err
	}
	y := q.Start.Nodes[0]
	w := k.s.Int(1)
	if p.Kind == KindAdjointAt {
		if len(p.Fresh) != 1 {
			return fmt.Errorf("it takes one cotangent")
		}
		w = p.Fresh[0]
	}
	if !slices.Equal(w.Shape(), y.Shape()) {
		return fmt.Errorf("the cotangent is of another space")
	}
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
			if err := k.adds(sums[n], nil, n); err != nil {
				return fmt.Errorf("the walk leaves out a value: %w", err)
			}
			continue
		}
		if err := k.adds(sums[n], step.Gets, n); err != nil {
			return err
		}
		var open []int
		for j, a := range n.Args() {
			if depends.Get(a) {
				open = append(open, j)
			}
		}
		ws, err := k.instance(k.laws[step.Law], n, open, true, []*Node{step.Gets})
		if err != nil {
			return err
		}
		for j, w := range ws {
			a := n.Arg(open[j])
			sums[a] = append(sums[a], w)
		}
	}
	for j, dx := range q.Fresh {
		if j >= len(p.Start.Nodes) || len(p.Start.Nodes) != len(q.Fresh) {
			return fmt.Errorf("it is not the adjoint at all tangents")
		}
		if err := k.adds(sums[dx], p.Start.Nodes[j], dx); err != nil {
			return fmt.Errorf("it does not begin with the adjoint: %w", err)
		}
	}
	return nil
}

// adds checks that sum, nil for zero, adds up parts, which are like n.
func (k *checker) adds(parts []*Node, sum, n *Node) error {
	want := k.s.Zero(n.Shape())
	if len(parts) > 0 {
		want = parts[0]
		for _, p := range parts[1:] {
			if !slices.Equal(p.Shape(), want.Shape()) {
				return fmt.Errorf("addends are of different spaces")
			}
			want = k.s.Add(want, p)
		}
	}
	if !k.refines(want, k.orZero(sum, n), theory{sums: true}, newSigns(nil, k.work)) {
		return fmt.Errorf("a %s has another derivative or adjoint by its law", n.Atom().Name)
	}
	return nil
}

func (k *checker) orZero(n, like *Node) *Node {
	if n == nil {
		return k.s.Zero(like.Shape())
	}
	return n
}
