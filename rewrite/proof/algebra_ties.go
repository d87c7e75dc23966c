package proof

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
)

// maxTies is how many orders of equal operands the store tries: a contraction with more of them has
// no one form there.
const maxTies = 24

// first is the first product of those met that differ from n in the names of variables and the order
// of operands alone, or in the variables that indices and conditions are forms of.
func (z *algebra) first(n *Node) *Node {
	if n.Ein() == nil {
		return n
	}
	_, _, plain := n.Ein().IsPlain()
	same, key := z.renamed, uint64(0)
	switch {
	case !plain:
		same = z.reindexed
		for _, a := range n.Args() {
			key = einsum.Mix(key, uint64(a.ID()))
		}
	case tied(n.Args()):
		labels := make([]uint64, len(n.Args()))
		for k, a := range n.Args() {
			labels[k] = uint64(a.ID())
		}
		key = n.Ein().Invariant(labels)
	default:
		return n
	}
	for _, m := range z.tied[key] {
		if m == n || same(m, n) {
			return m
		}
	}
	if z.tied == nil {
		z.tied = map[uint64][]*Node{}
	}
	z.tied[key] = append(z.tied[key], n)
	return n
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

// renamed reports whether the contractions a and b of the same operands are one, up to the names of
// variables and the order of operands.
func (z *algebra) renamed(a, b *Node) bool {
	x, outX, okX := a.Ein().IsPlain()
	y, outY, okY := b.Ein().IsPlain()
	vars := len(a.Ein().Vars)
	if !okX || !okY || !slices.Equal(a.Args(), b.Args()) || len(outX) != len(outY) || !sameSizes(a.Ein().Vars, b.Ein().Vars) {
		return false
	}
	to, from := slices.Repeat([]int{-1}, vars), slices.Repeat([]int{-1}, vars)
	var bound []int // variables of a, in the order in which they were named
	bind := func(vs, ws []int) bool {
		for i, v := range vs {
			switch w := ws[i]; {
			case to[v] == w:
			case to[v] >= 0 || from[w] >= 0 || a.Ein().Vars[v] != b.Ein().Vars[w]:
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
			if taken[l] || a.Args()[k] != b.Args()[l] {
				continue
			}
			if tries++; tries > maxRenamings {
				return false
			}
			z.work.add(1 + len(x[k]))
			mark := len(bound)
			taken[l] = true
			if bind(x[k], y[l]) && match(k+1) {
				return true
			}
			taken[l] = false
			for _, v := range bound[mark:] {
				from[to[v]], to[v] = -1, -1
			}
			bound = bound[:mark]
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
