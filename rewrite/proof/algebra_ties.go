package proof

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// maxTies is how many orders of equal operands the store tries: a contraction with more of them has
// no one form there.
const maxTies = 24

// written is a product as it was met, and its node.
type written struct {
	c    *einsum.Contraction
	args []*Node
	node *Node
}

// first is the first product of those met that differ from c of args in the names of variables and the order
// of operands alone, in the order of the axes of symmetric operands, or in the variables that indices and conditions
// are forms of.
func (z *algebra) first(c *einsum.Contraction, args []*Node) *Node {
	w := written{c, args, z.s.Ein(c, args...)}
	in, _, plain := c.IsPlain()
	same, key := z.renamed, uint64(0)
	switch {
	case !plain && w.node.Ein() == nil:
		return w.node
	case !plain:
		same, key = z.reindexed, multiset(w.node.Args())
	case slices.ContainsFunc(einsum.UpTo(len(args)), func(k int) bool { return z.eitherWay(args[k], in[k]) }):
		key = multiset(args)
	case w.node.Ein() != nil && tied(w.node.Args()):
		labels := lists.Map(args, func(a *Node) uint64 { return uint64(a.ID()) })
		key = c.Invariant(labels)
	default:
		return w.node
	}
	for _, v := range z.tied[key] {
		if v.node == w.node || same(v, w) {
			return v.node
		}
	}
	if z.tied == nil {
		z.tied = map[uint64][]written{}
	}
	z.tied[key] = append(z.tied[key], w)
	return w.node
}

// multiset is a number that values in another order have, too.
func multiset(ns []*Node) (key uint64) {
	for _, n := range ns {
		key += einsum.Mix(uint64(n.ID()), 0)
	}
	return key
}

// turns are the letters g of a symmetric tensor in all orders in which it is the same.
func turns(n *Node, g []int) (ways [][]int) {
	if len(g) == 2 {
		return [][]int{g, {g[1], g[0]}}
	}
	for _, turn := range n.Attributes().Turns(len(g)) {
		way := make([]int, len(g))
		for i, from := range turn {
			way[i] = g[from]
		}
		ways = append(ways, way)
	}
	return ways
}

// eitherWay: the axes of n, at the letters g, may be exchanged.
func (z *algebra) eitherWay(n *Node, g []int) bool {
	if len(g) > 2 && n.Attributes() != 0 {
		return z.theory.symmetric && n.Attributes().Turns(len(g)) != nil
	}
	return z.theory.symmetric && len(g) == 2 && g[0] != g[1] && z.isSymmetric(n)
}

// tied: more than maxTies orders of the operands, which are sorted, permute equal ones.
func tied(args []*Node) bool {
	count, run := 1, 1
	for k := 1; k < len(args) && count <= maxTies; k++ {
		if run++; args[k] != args[k-1] {
			run = 1
		}
		count *= run
	}
	return count > maxTies
}

// maxRenamings bounds the search for the names of variables.
const maxRenamings = 10_000

// renamed reports whether two products of the same operands are one, up to the names of variables, the order
// of operands and that of the axes of symmetric ones.
func (z *algebra) renamed(v, w written) bool {
	x, outX, okX := v.c.IsPlain()
	y, outY, okY := w.c.IsPlain()
	vars := len(v.c.Vars)
	if !okX || !okY || len(x) != len(y) || len(outX) != len(outY) || !sameSizes(v.c.Vars, w.c.Vars) {
		return false
	}
	to, from := slices.Repeat([]int{-1}, vars), slices.Repeat([]int{-1}, vars)
	var bound []int // variables of a, in the order in which they were named
	a, b := v.c, w.c
	bind := func(vs, ws []int) bool {
		for i, v := range vs {
			switch w := ws[i]; {
			case to[v] == w:
			case to[v] >= 0 || from[w] >= 0 || a.Vars[v] != b.Vars[w]:
				return false
			default:
				to[v], from[w] = w, v
				bound = append(bound, v)
			}
		}
		return true
	}
	tries := 0
	taken := make([]bool, len(y))
	var match func(k int) bool
	match = func(k int) bool {
		if k == len(x) {
			return true
		}
		for l := range y {
			if taken[l] || v.args[k] != w.args[l] {
				continue
			}
			if tries++; tries > maxRenamings {
				return false
			}
			z.work.add(1 + len(x[k]))
			ways := [][]int{y[l]}
			if z.eitherWay(w.args[l], y[l]) {
				ways = turns(w.args[l], y[l])
			}
			mark := len(bound)
			taken[l] = true
			for _, way := range ways {
				if bind(x[k], way) && match(k+1) {
					return true
				}
				for _, v := range bound[mark:] {
					from[to[v]], to[v] = -1, -1
				}
				bound = bound[:mark]
			}
			taken[l] = false
		}
		return false
	}
	return bind(outX, outY) && match(0)
}

// sameSizes reports whether a and b are the same sizes in any order.
func sameSizes(a, b []size.Size) bool {
	count := map[size.Size]int{}
	for _, d := range a {
		count[d]++
	}
	for _, d := range b {
		count[d]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
