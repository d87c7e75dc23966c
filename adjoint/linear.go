// Package adjoint differentiates blocks and takes adjoints of linear blocks.
//
// For a function f : V -> W and a point x, the derivative D(f)(x) : V -o W is the linear
// map that takes a tangent dx to the change of f at x to first order ("-o" is a linear
// map). It is represented by a linear block: outputs that are linear in the tangents,
// with coefficients that are values over x. The adjoint L* : W -o V of a linear map is
// the one with <L v, w> = <v, L* w> for all v and w.
//
// For f(x) = b .* sin(<a, x>), the block of D(f)(x) is
//
//	dx |-> b * (cos(<a, x>) * <a, dx>)
//
// each step a contraction with one operand that depends on dx; the adjoint is the
// reversal of the steps, each transposed:
//
//	w |-> a * (cos(<a, x>) * <b, w>)
//
// The gradient of a scalar function is its adjoint applied to 1, a Jacobian is the map
// applied to the identity, forward or reverse. What a step becomes, the rules of a [Calculus] say,
// by a template for each operation; the walk visits every node once, so a derivative has at most a
// constant factor more nodes and edges than its source.
package adjoint

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/normal"
)

// Node is a value of package combinators.
type Node = combinators.Node

// Error says that a derivative cannot be formed, and which atom lacks what.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// LinearProgram is a linear block: Outs are values that are linear in the tangents In, jointly.
type LinearProgram struct {
	calculus *Calculus
	store    *combinators.Store
	In       []*Node // variables
	Outs     []*Node // nil where the map is zero
	// OutShapes has the shapes of the outputs, those of zero maps too.
	OutShapes [][]size.Size

	tangents combinators.Images // of the values of the block that was differentiated
	record   *Record            // nil where nobody listens
}

// D is the derivative of the block b at its own parameters with respect to wrt, in the
// tangents d<name>, by the rules for each node. By a variable whose values are a subspace it is that of the function
// on the subspace: see [Restrict].
func (c *Calculus) D(b *combinators.Block, wrt []*Node) (*LinearProgram, error) {
	var tangents []*Node
	tangents = lists.Append(tangents, wrt, func(x *Node) *Node { return b.Store.Fresh("d"+x.Name(), x.Shape()) })
	return c.Recorded(b, wrt, tangents, nil)
}

// walk forms the tangents of the outputs in those of wrt, which l has.
func (l *LinearProgram) walk(b *combinators.Block, wrt []*Node) {
	s, c, of := b.Store, l.calculus, ofVariables
	if len(wrt) == 1 {
		of = ofVariable
	}
	counts := c.law(of)
	isVariable := combinators.ByNode[bool]{}
	for i, x := range wrt {
		l.tangents.Set(x, times(s, counts[0], l.In[i]))
		isVariable.Set(x, true)
	}
	var told func(normal.Step)
	if l.record != nil {
		told = l.record.Value
	}
	order, outs := splitWide(normal.Narrow(told, b.Outs...), wrt, told)
	if parts := Restrict(outs, wrt, told); !slices.Equal(parts, outs) {
		order, outs = combinators.Topo(parts...), parts
	}
	ts, f := c.of(s), &frame{s: s}
	if l.record != nil {
		l.record.Outs = outs
	}
	for _, n := range order {
		if isVariable.Get(n) {
			continue
		}
		if t := ts.differential(f, n, l); t != nil {
			l.tangents.Set(n, t)
		}
	}
	counts = []int{1}
	if len(outs) > 1 {
		counts = c.law(ofOutputs)
	}
	for i, y := range outs {
		t := l.tangents.Get(y)
		if t == nil {
			c.law(ofConstant)
		}
		l.Outs = append(l.Outs, times(s, counts[min(i, len(counts)-1)], t))
		l.OutShapes = append(l.OutShapes, b.Outs[i].Shape())
	}
}

// differential is the tangent of n, given those of its operands; nil is zero.
func (ts *templates) differential(f *frame, n *Node, l *LinearProgram) *Node {
	var open openings
	var room [3]*Node
	tangents := room[:0]
	for k, a := range n.Args() {
		da := l.tangents.Get(a)
		if da == nil {
			continue
		}
		open, tangents = open.with(k), append(tangents, da)
	}
	if len(tangents) == 0 {
		return nil
	}
	t := ts.at(n, open, forward)
	f.start(t, n.Args(), tangents...)
	var sum terms
	for _, p := range t.parts {
		sum.add(f.part(p))
	}
	dn := sum.total(ts.s, plainly)
	if l.record != nil {
		l.record.Step(WalkStep{n, slices.Clone(tangents), dn, ts.c, open, forward})
	}
	return dn
}

// terms is a sum in the making; equal terms are counted, so that D(x*x) is 2*x*dx.
type terms struct {
	first counted // most sums have one term
	rest  []counted
}

type counted struct {
	node  *Node
	count int64
}

func (t *terms) add(n *Node) {
	switch {
	case t.first.node == nil:
		t.first = counted{n, 1}
		return
	case t.first.node == n:
		t.first.count++
		return
	}
	for i := range t.rest[:min(len(t.rest), 15)] {
		if t.rest[i].node == n {
			t.rest[i].count++
			return
		}
	}
	t.rest = append(t.rest, counted{n, 1})
}

func (t *terms) empty() bool { return t.first.node == nil }

func (c counted) value(s *combinators.Store) *Node {
	if c.count == 1 {
		return c.node
	}
	return s.Scale(s.Int(c.count), c.node)
}

// plainly adds two values.
var plainly = []int{1, 1}

// total is the sum as a balanced tree, nil where there are no terms or it is zero. Of two values the
// first counts as often as uses says, and so does the second.
func (t *terms) total(s *combinators.Store, uses []int) *Node {
	if t.empty() {
		return nil
	}
	if len(t.rest) == 0 {
		return t.first.value(s)
	}
	level := make([]*Node, 0, len(t.rest)+1)
	level = append(level, t.first.value(s))
	level = lists.Append(level, t.rest, func(c counted) *Node { return c.value(s) })
	for len(level) > 1 {
		next := level[:0]
		for i := 0; i+1 < len(level); i += 2 {
			next = append(next, add(s, times(s, uses[0], level[i]), times(s, uses[1], level[i+1])))
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	return level[0]
}

// Total is the sum of values as a balanced tree, equal ones counted; nil where there are none.
func Total(s *combinators.Store, values ...*Node) *Node {
	var sum terms
	for _, v := range values {
		sum.add(v)
	}
	return sum.total(s, plainly)
}

// add is the sum of two values; nil is zero.
func add(s *combinators.Store, a, b *Node) *Node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return s.Add(a, b)
}

// Linear is the linear block of outs, which are linear in the variables in, jointly.
func (c *Calculus) Linear(in, outs []*Node) *LinearProgram {
	l := &LinearProgram{calculus: c, store: in[0].Store(), In: in, Outs: outs}
	for _, y := range outs {
		l.OutShapes = append(l.OutShapes, y.Shape())
	}
	return l
}

// Store is where the values of the block are.
func (l *LinearProgram) Store() *combinators.Store { return l.store }

// Values are those of the block that was differentiated, by their tangents.
func (l *LinearProgram) Values() map[*Node]*Node {
	value := map[*Node]*Node{}
	for id := range l.store.Len() {
		v := l.store.Node(id)
		if t := l.tangents.Get(v); t != nil && value[t] == nil {
			value[t] = v
		}
	}
	return value
}

// Adjoint is the adjoint map, over one cotangent for every output.
func (l *LinearProgram) Adjoint() (*LinearProgram, error) {
	a := &LinearProgram{calculus: l.calculus, store: l.store}
	for i, shape := range l.OutShapes {
		a.In = append(a.In, l.store.Fresh(fmt.Sprintf("w%d", i+1), shape))
	}
	back, err := l.Pull(a.In, nil)
	if err != nil {
		return nil, err
	}
	a.Outs = back
	for _, dx := range l.In {
		a.OutShapes = append(a.OutShapes, dx.Shape())
	}
	return a, nil
}

// Pull applies the adjoint to cotangents, one for each output, which may carry extra
// trailing axes batch; nil is zero. The results carry the same extra axes.
func (l *LinearProgram) Pull(cotangents []*Node, batch []size.Size) (inputs []*Node, err error) {
	defer Recover(&err)
	s, c := l.store, l.calculus
	first := s.Len() // what depends on an input has a larger number
	for _, dx := range l.In {
		first = min(first, dx.ID())
	}
	order := combinators.TopoFrom(first, slices.DeleteFunc(slices.Clone(l.Outs), func(y *Node) bool { return y == nil }))
	sums, isOut := combinators.NewLater[terms](first, order), combinators.NewLater[bool](first, order)
	uses := plainly
	push := func(n, w *Node) {
		sum := sums.At(n)
		if !sum.empty() {
			uses = c.law(toUses)
		}
		sum.add(w)
	}
	for i, y := range l.Outs {
		switch {
		case y == nil:
			c.law(toConstant)
		case cotangents[i] != nil && y.ID() >= first:
			isOut.Set(y, true)
			push(y, cotangents[i])
		}
	}
	dep, result := combinators.NewLater[bool](first, order), combinators.NewLater[*Node](first, order)
	for _, dx := range l.In {
		dep.Set(dx, true)
	}
	for _, n := range order {
		if slices.ContainsFunc(n.Args(), dep.Get) {
			dep.Set(n, true)
		}
	}
	ts, f := c.of(s), &frame{s: s, batch: batch, one: s.Int(1)}
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		sum := sums.Get(n)
		if sum.empty() || !dep.Get(n) {
			continue
		}
		w := sum.total(s, uses)
		if w == nil {
			continue
		}
		if len(n.Args()) == 0 {
			result.Set(n, w)
			continue
		}
		way := inner
		if isOut.Get(n) {
			way = last
		}
		open := dependent(n, &dep)
		t := ts.at(n, open, way)
		if l.record != nil {
			l.record.Step(WalkStep{n, []*Node{w}, nil, c, open, way})
		}
		f.start(t, n.Args(), w)
		for _, p := range t.parts {
			push(n.Arg(p.operand), f.part(p))
		}
	}
	return l.gathered(&result, len(batch) > 0), nil
}

// gathered are the cotangents of the inputs, by the laws for variables and, where they have extra axes,
// that for axes.
func (l *LinearProgram) gathered(result *combinators.Later[*Node], lifted bool) []*Node {
	to := toVariables
	if len(l.In) == 1 {
		to = toVariable
	}
	count := l.calculus.law(to)[0]
	if lifted {
		count *= l.calculus.law(alongAxes)[0]
	}
	return lists.Map(l.In, func(dx *Node) *Node { return times(l.store, count, result.Get(dx)) })
}

// dependent are the operands of n that depend.
func dependent(n *Node, depends *combinators.Later[bool]) (open openings) {
	for k, a := range n.Args() {
		if depends.Get(a) {
			open = open.with(k)
		}
	}
	return open
}

// Push applies the map to tangents, one for each input, which may carry extra trailing
// axes batch; nil is zero.
func (l *LinearProgram) Push(tangents []*Node, batch []size.Size) []*Node {
	out, err := combinators.Push(l.Outs, l.In, tangents, batch)
	if err != nil {
		panic("adjoint: " + err.Error())
	}
	return out
}

// Apply is the map at the tangents, one for each input: the Jacobian-vector product.
// Zero outputs are zero tensors.
func (l *LinearProgram) Apply(tangents []*Node) []*Node {
	out := l.Push(tangents, nil)
	for i, y := range out {
		if y == nil {
			out[i] = l.store.Zero(l.OutShapes[i])
		}
	}
	return out
}
