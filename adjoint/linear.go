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
// reversal of the steps, each by exchanging that operand with the output:
//
//	w |-> a * (cos(<a, x>) * <b, w>)
//
// The gradient of a scalar function is its adjoint applied to 1, a Jacobian is the map
// applied to the identity, forward or reverse. Both strata visit every node once, so a
// derivative has at most a constant factor more nodes and edges than its source.
package adjoint

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Node is a value of package combinators.
type Node = combinators.Node

// Error says that a derivative cannot be formed, and which atom lacks what.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Linear is a linear block: Outs are values that are linear in the tangents In, jointly.
type Linear struct {
	store *combinators.Store
	In    []*Node // variables
	Outs  []*Node // nil where the map is zero
	// OutShapes has the shapes of the outputs, those of zero maps too.
	OutShapes [][]size.Size

	tangents combinators.Images // of the values of the block that was differentiated
}

// D is the derivative of the block b at its own parameters with respect to wrt, in the
// tangents d<name>. It follows Theorem 4.1 of Elsman et al. node by node: the product
// rule for contractions, linearity of sums, and the rows of the atoms.
func D(b *combinators.Block, wrt []*Node) (*Linear, error) {
	s := b.Store
	l := &Linear{store: s}
	var tangent combinators.Images
	for _, x := range wrt {
		dx := s.Fresh("d"+x.Name(), x.Shape())
		l.In = append(l.In, dx)
		tangent.Set(x, dx)
	}
	outs := splitWide(b.Outs, wrt)
	for _, n := range combinators.Topo(outs...) {
		if tangent.Get(n) != nil {
			continue
		}
		t, err := differential(n, &tangent)
		if err != nil {
			return nil, err
		}
		if t != nil {
			tangent.Set(n, t)
		}
	}
	l.tangents = tangent
	for i, y := range outs {
		l.Outs = append(l.Outs, tangent.Get(y))
		l.OutShapes = append(l.OutShapes, b.Outs[i].Shape())
	}
	return l, nil
}

// differential is the tangent of n, given those of its arguments; nil is zero.
func differential(n *Node, tangent *combinators.Images) (*Node, error) {
	s := n.Store()
	dependent := false
	for _, a := range n.Args() {
		dependent = dependent || tangent.Get(a) != nil
	}
	if !dependent {
		return nil, nil
	}
	var sum terms
	for k, a := range n.Args() {
		da := tangent.Get(a)
		if da == nil {
			continue
		}
		t, err := partial(n, k, da)
		if err != nil {
			return nil, err
		}
		if t != nil {
			sum.add(t)
		}
	}
	return sum.total(s), nil
}

// partial is the derivative of n in argument k, applied to the tangent da; nil is zero.
func partial(n *Node, k int, da *Node) (*Node, error) {
	s := n.Store()
	switch n.Atom().Class {
	case atom.ClassContraction:
		// D(u * v) = du * v + u * dv, for every operand
		var room [4]*Node
		args := append(room[:0], n.Args()...)
		args[k] = da
		return n.With(args), nil
	case atom.ClassSum:
		return da, nil
	case atom.ClassLinear:
		return n.With([]*Node{da}), nil
	case atom.ClassElementwise:
		// D(f)(x)(dx) = f'(x) .* dx
		f, err := column(n, k, nil)
		if err != nil || f == nil {
			return nil, err
		}
		return s.Mul(f, da), nil
	case atom.ClassPrimitive:
		return column(n, k, da)
	}
	return nil, &Error{fmt.Sprintf("%s has no derivative", n.Atom().Name)}
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

// total is the sum as a balanced tree, nil where there are no terms.
func (t *terms) total(s *combinators.Store) *Node {
	if t.empty() {
		return nil
	}
	if len(t.rest) == 0 {
		return t.first.value(s)
	}
	level := make([]*Node, 0, len(t.rest)+1)
	level = append(level, t.first.value(s))
	for _, c := range t.rest {
		level = append(level, c.value(s))
	}
	for len(level) > 1 {
		next := level[:0]
		for i := 0; i+1 < len(level); i += 2 {
			next = append(next, s.Add(level[i], level[i+1]))
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	return level[0]
}

// Adjoint is the adjoint map, over one cotangent for every output.
func (l *Linear) Adjoint() (*Linear, error) {
	a := &Linear{store: l.store}
	for i, shape := range l.OutShapes {
		a.In = append(a.In, l.store.Fresh(fmt.Sprintf("w%d", i+1), shape))
	}
	back, err := l.pull(a.In, nil)
	if err != nil {
		return nil, err
	}
	a.Outs = back
	for _, dx := range l.In {
		a.OutShapes = append(a.OutShapes, dx.Shape())
	}
	return a, nil
}

// pull applies the adjoint to cotangents, one for each output, which may carry extra
// trailing axes batch; nil is zero. The results carry the same extra axes.
func (l *Linear) pull(cotangents []*Node, batch []size.Size) ([]*Node, error) {
	s := l.store
	outs, seeds := []*Node{}, []*Node{}
	for i, y := range l.Outs {
		if y != nil && cotangents[i] != nil {
			outs, seeds = append(outs, y), append(seeds, cotangents[i])
		}
	}
	dep := combinators.Dependents(outs, l.In)
	var sums combinators.ByNode[terms]
	push := func(n, w *Node) { sums.At(n).add(w) }
	for i, y := range outs {
		push(y, seeds[i])
	}
	order := combinators.Topo(outs...)
	var result combinators.Images
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		sum := sums.Get(n)
		if sum.empty() || !dep.Get(n) {
			continue
		}
		w := sum.total(s)
		if len(n.Args()) == 0 {
			result.Set(n, w)
			continue
		}
		for k, a := range n.Args() {
			if !dep.Get(a) {
				continue
			}
			back, err := transpose(n, k, w, batch)
			if err != nil {
				return nil, err
			}
			push(a, back)
		}
	}
	out := make([]*Node, len(l.In))
	for i, dx := range l.In {
		out[i] = result.Get(dx)
	}
	return out, nil
}

// transpose is the adjoint of the linear step n in argument k, applied to w.
func transpose(n *Node, k int, w *Node, batch []size.Size) (*Node, error) {
	s := n.Store()
	switch n.Atom().Class {
	case atom.ClassSum:
		return w, nil // <dx + dy, w> = <dx, w> + <dy, w>
	case atom.ClassContraction:
		var room [4]*Node
		args := append(room[:0], n.Args()...)
		args[k] = w
		c := s.SwapOperand(n.Ein(), k).Lift(batch, []int{k}, true)
		if w == s.Int(1) { // the cotangent of a gradient is no factor
			c, args = s.Fuse(c, k, s.Plain(nil, nil, nil)), slices.Delete(args, k, k+1)
		}
		return s.Ein(c, args...), nil
	case atom.ClassLinear:
		// The reshapes are isometries: the adjoint is the inverse.
		if n.Is(atom.Merge) {
			shape := n.Arg(0).Shape()
			return s.Split(n.Attr(), shape[n.Attr()], shape[n.Attr()+1], w), nil
		}
		return s.Merge(n.Attr(), w), nil
	case atom.ClassPrimitive:
		if t, err := adjointColumn(n, k, w); t != nil || err != nil {
			return t, err
		}
	}
	return nil, &Error{fmt.Sprintf("%s has no adjoint in argument %d", n.Atom().Name, k+1)}
}

// Push applies the map to tangents, one for each input, which may carry extra trailing
// axes batch; nil is zero.
func (l *Linear) push(tangents []*Node, batch []size.Size) []*Node {
	s := l.store
	var val combinators.Images
	for i, dx := range l.In {
		val.Set(dx, tangents[i])
	}
	var outs []*Node
	for _, y := range l.Outs {
		if y != nil {
			outs = append(outs, y)
		}
	}
	dep := combinators.Dependents(outs, l.In)
	for _, n := range combinators.Topo(outs...) {
		if !dep.Get(n) || len(n.Args()) == 0 {
			continue
		}
		switch n.Atom().Class {
		case atom.ClassSum:
			a, b := val.Get(n.Arg(0)), val.Get(n.Arg(1))
			switch {
			case a == nil:
				val.Set(n, b)
			case b == nil:
				val.Set(n, a)
			default:
				val.Set(n, s.Add(a, b))
			}
		default:
			for k, a := range n.Args() {
				if !dep.Get(a) || val.Get(a) == nil {
					continue
				}
				args := slices.Clone(n.Args())
				args[k] = val.Get(a)
				if n.Atom().Class == atom.ClassContraction {
					val.Set(n, s.Ein(n.Ein().Lift(batch, []int{k}, true), args...))
				} else {
					// Linear atoms take trailing axes as they are.
					val.Set(n, n.With(args))
				}
			}
		}
	}
	out := make([]*Node, len(l.Outs))
	for i, y := range l.Outs {
		if y != nil {
			out[i] = val.Get(y)
		}
	}
	return out
}

// Apply is the map at the tangents, one for each input: the Jacobian-vector product.
// Zero outputs are zero tensors.
func (l *Linear) Apply(tangents []*Node) []*Node {
	out := l.push(tangents, nil)
	for i, y := range out {
		if y == nil {
			out[i] = l.store.Zero(l.OutShapes[i])
		}
	}
	return out
}
