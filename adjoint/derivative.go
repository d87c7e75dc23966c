package adjoint

import (
	"cmp"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/normal"
)

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

// Pullback applies the adjoint of the derivative of outs with respect to wrt to the
// cotangents, one of the shape of each output, in one reverse sweep. The results have
// the shapes of wrt; where a variable does not occur, the result is a zero tensor.
func (c *Calculus) Pullback(outs, wrt, cotangents []*Node) ([]*Node, error) {
	s := outs[0].Store()
	l, err := c.D(&combinators.Block{Store: s, Params: wrt, Outs: outs}, wrt)
	if err != nil {
		return nil, err
	}
	back, err := l.pull(cotangents, nil)
	if err != nil {
		return nil, err
	}
	for i, g := range back {
		if g == nil {
			back[i] = s.Zero(wrt[i].Shape())
		}
	}
	return back, nil
}

// Gradient is the pullback of 1 for an order-0 output: one value of the shape of each
// variable.
func (c *Calculus) Gradient(y *Node, wrt []*Node) ([]*Node, error) {
	if y.Order() != 0 {
		return c.Jacobian(y, wrt, Reverse)
	}
	return c.Pullback([]*Node{y}, wrt, []*Node{y.Store().Int(1)})
}

// Jacobian is the derivative of y with respect to each of wrt as a value: its axes are
// those of y, then those of the variable. It is zero where the variable does not occur.
// Planned takes the direction with the smaller seed for each variable.
func (c *Calculus) Jacobian(y *Node, wrt []*Node, mode Mode) ([]*Node, error) {
	l, err := c.D(&combinators.Block{Store: y.Store(), Params: wrt, Outs: []*Node{y}}, wrt)
	if err != nil {
		return nil, err
	}
	return l.entries(directions(y, wrt, mode))
}

// directions says for which variables a Jacobian is found in reverse mode.
func directions(y *Node, wrt []*Node, mode Mode) []bool {
	reverse := make([]bool, len(wrt))
	for i, x := range wrt {
		reverse[i] = mode == Reverse || mode == Planned && !smaller(x.Shape(), y.Shape())
	}
	return reverse
}

// entries gives the entries of a map of one output, for each input: the axes of the output,
// then those of the input. Inputs of reverse are found in one sweep with a cotangent for each
// entry of the output, the others in a sweep with a tangent for each entry of theirs.
func (l *LinearProgram) entries(reverse []bool) ([]*Node, error) {
	s, shape := l.store, l.OutShapes[0]
	out := make([]*Node, len(l.In))
	if slices.Contains(reverse, true) {
		back, err := l.pull([]*Node{s.Eye(shape)}, shape)
		if err != nil {
			return nil, err
		}
		for i, g := range back {
			if reverse[i] && g != nil {
				out[i] = rotate(g, l.In[i].Order())
			}
		}
	}
	for i, dx := range l.In {
		if reverse[i] {
			continue
		}
		seeds := make([]*Node, len(l.In))
		seeds[i] = s.Eye(dx.Shape())
		out[i] = l.push(seeds, dx.Shape())[0]
	}
	for i, dx := range l.In {
		if out[i] == nil {
			out[i] = s.Zero(slices.Concat(shape, dx.Shape()))
		}
	}
	return out, nil
}

// rotate moves the first k axes of a behind the others.
func rotate(a *Node, k int) *Node {
	n := a.Order()
	if k == 0 || k == n {
		return a
	}
	in, out := make([]int, n), make([]int, 0, n)
	for i := range in {
		in[i] = i
	}
	out = append(append(out, in[k:]...), in[:k]...)
	return a.Store().Contract([][]int{in}, out, a.Shape(), a)
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

// splitWide makes binary trees of contractions with more than three operands that
// depend on wrt: the product rule on n of them would give n terms of n operands. Which operands
// come together does not depend on the order in which they were built.
func splitWide(outs, wrt []*Node) []*Node {
	wide := slices.DeleteFunc(combinators.Topo(outs...), func(n *Node) bool { return len(n.Args()) <= 3 || n.Ein() == nil })
	if len(wide) == 0 {
		return outs
	}
	dep := combinators.Dependents(outs, wrt)
	if !slices.ContainsFunc(wide, dep.Get) {
		return outs
	}
	z, heights := normal.New(outs[0].Store(), nil), heightsOf(outs)
	return combinators.Rebuild(outs, func(n *Node, args []*Node) *Node {
		if n.Ein() == nil || !dep.Get(n) {
			return n.With(args)
		}
		k := 0
		for _, a := range n.Args() {
			if dep.Get(a) {
				k++
			}
		}
		if k <= 3 {
			return n.With(args)
		}
		c, perm := n.Ein().Canon(labels(n.Args(), z, heights))
		sorted := make([]*Node, len(args))
		for i, k := range perm {
			sorted[i] = args[k]
		}
		return combinators.Binarize(n.Store(), c, sorted)
	})
}

// labels number operands by their heights, the names of variables, and their structure. Operands of
// little height come first, as if the program had been built from its variables upwards.
func labels(args []*Node, z *normal.Simplifier, heights *combinators.ByNode[int32]) []int {
	structure := z.Labels(args)
	sorted := make([]int, len(args))
	for k := range args {
		sorted[k] = k
	}
	compare := func(a, b int) int {
		return cmp.Or(cmp.Compare(heights.Get(args[a]), heights.Get(args[b])),
			cmp.Compare(args[a].Name(), args[b].Name()), cmp.Compare(structure[a], structure[b]))
	}
	slices.SortFunc(sorted, compare)
	labels := make([]int, len(args))
	for i, k := range sorted {
		if labels[k] = i; i > 0 && compare(sorted[i-1], k) == 0 {
			labels[k] = labels[sorted[i-1]]
		}
	}
	return labels
}

// heightsOf gives every node that outs reach the length of the longest way down from it. A sum of
// sums is as high as one sum of all terms.
func heightsOf(outs []*Node) *combinators.ByNode[int32] {
	heights := &combinators.ByNode[int32]{}
	for _, n := range combinators.Topo(outs...) {
		h := int32(0)
		for _, a := range n.Args() {
			step := int32(1)
			if n.Is(atom.Add) && a.Is(atom.Add) {
				step = 0
			}
			h = max(h, heights.Get(a)+step)
		}
		*heights.At(n) = h
	}
	return heights
}
