package adjoint

import (
	"cmp"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/rewrite/normal"
)

// Pullback applies the adjoint of the derivative of outs with respect to wrt to the
// cotangents, one of the shape of each output, in one reverse sweep. The results have
// the shapes of wrt; where a variable does not occur, the result is a zero tensor.
func (c *Calculus) Pullback(outs, wrt, cotangents []*Node) (back []*Node, err error) {
	defer Recover(&err)
	s := outs[0].Store()
	back = Must(Must(c.D(&combinators.Block{Store: s, Params: wrt, Outs: outs}, wrt)).Pull(cotangents, nil))
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
	return c.Pullback([]*Node{y}, wrt, []*Node{y.Store().Int(1)})
}

// splitWide makes binary trees of contractions with more than three operands that
// depend on wrt: the product rule on n of them would give n terms of n operands. Which operands
// come together does not depend on the order in which they were built. told, where it is not nil, is
// told of each. The nodes that the outputs reach come first, arguments first.
func splitWide(outs, wrt []*Node, told func(normal.Step)) (reached, split []*Node) {
	order, wide := combinators.Topo(outs...), func(n *Node) bool { return len(n.Args()) > 3 && n.Ein() != nil }
	if !slices.ContainsFunc(order, wide) {
		return order, outs
	}
	dep := combinators.Dependents(order, wrt)
	if !slices.ContainsFunc(order, func(n *Node) bool { return wide(n) && dep.Get(n) }) {
		return order, outs
	}
	z, heights := normal.New(outs[0].Store(), nil), heightsOf(outs)
	split = combinators.Rebuild(outs, func(n *Node, args []*Node) *Node {
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
		tree := combinators.Binarize(n.Store(), c, sorted)
		if told != nil {
			told(normal.Step{Rule: normal.Fuse, Before: n.With(args), After: tree})
		}
		return tree
	})
	return combinators.Topo(split...), split
}

// labels number operands by their heights, the names of variables, and their structure. Operands of
// little height come first, as if the program had been built from its variables upwards.
func labels(args []*Node, z *normal.Simplifier, heights *combinators.ByNode[int32]) []int {
	structure := z.Labels(args)
	sorted := lists.Make(len(args), func(k int) int { return k })
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
