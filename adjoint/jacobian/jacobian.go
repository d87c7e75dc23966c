// Package jacobian forms the entries of derivatives: it applies a linear block, or its adjoint, to the
// identity, or multiplies it out by a plan.
package jacobian

import (
	"slices"

	"frechet/adjoint"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Node is a value of package combinators.
type Node = combinators.Node

// Mode is the direction in which a Jacobian is formed.
type Mode uint8

const (
	// Planned multiplies the linear map out by segments; see Planner.
	Planned Mode = iota
	// Reverse applies the adjoint to the identity on the outputs.
	Reverse
	// Forward applies the derivative to the identity on the arguments.
	Forward
)

// Of is the derivative of y with respect to each of wrt as a value: its axes are
// those of y, then those of the variable. It is zero where the variable does not occur.
// Planned takes the direction with the smaller seed for each variable.
func Of(c *adjoint.Calculus, y *Node, wrt []*Node, mode Mode) (out []*Node, err error) {
	defer adjoint.Recover(&err)
	return entries(blockOf(c, y, wrt), directions(y, wrt, mode)), nil
}

// blockOf is the derivative of y by wrt.
func blockOf(c *adjoint.Calculus, y *Node, wrt []*Node) *adjoint.LinearProgram {
	return adjoint.Must(c.D(&combinators.Block{Store: y.Store(), Params: wrt, Outs: []*Node{y}}, wrt))
}

// directions says for which variables a Jacobian is found in reverse mode.
func directions(y *Node, wrt []*Node, mode Mode) []bool {
	return lists.Map(wrt, func(x *Node) bool { return mode == Reverse || mode == Planned && !smaller(x.Shape(), y.Shape()) })
}

// entries gives the entries of a map of one output, for each input: the axes of the output,
// then those of the input. Inputs of reverse are found in one sweep with a cotangent for each
// entry of the output, the others in a sweep with a tangent for each entry of theirs.
func entries(l *adjoint.LinearProgram, reverse []bool) []*Node {
	s, shape := l.Store(), l.OutShapes[0]
	out := make([]*Node, len(l.In))
	if slices.Contains(reverse, true) {
		for i, g := range adjoint.Must(l.Pull([]*Node{s.Eye(shape)}, shape)) {
			if reverse[i] && g != nil {
				out[i] = structured.Rotate(g, l.In[i].Order())
			}
		}
	}
	for i, dx := range l.In {
		if reverse[i] {
			continue
		}
		seeds := make([]*Node, len(l.In))
		seeds[i] = s.Eye(dx.Shape())
		out[i] = l.Push(seeds, dx.Shape())[0]
	}
	for i, dx := range l.In {
		if out[i] == nil {
			out[i] = s.Zero(slices.Concat(shape, dx.Shape()))
		}
	}
	return out
}

// smaller reports whether R[a] has provably fewer entries than R[b]: by number where
// both are numbers, else by order, where an axis of size m*n counts as two.
func smaller(a, b []size.Size) bool {
	na, okA := count(a)
	nb, okB := count(b)
	if okA && okB {
		return na < nb
	}
	return degree(a) < degree(b)
}

// degree is the number of axes of a shape once merged ones are taken apart.
func degree(shape []size.Size) int {
	n := 0
	for _, d := range shape {
		k := 1
		for _, m := range d.Monomials() {
			k = max(k, len(m.Symbols))
		}
		n += k
	}
	return n
}

func count(shape []size.Size) (int64, bool) {
	p := size.Const(1)
	for _, d := range shape {
		p = p.Mul(d)
	}
	return p.Int()
}
