package order

import (
	"math"
	"math/bits"
)

// subsets is the result of the dynamic program: for each set of operands, which part of it is
// the first operand of its last step.
type subsets struct {
	operands int
	split    []uint16
	cost     cost
}

// exact is dynamic programming over subsets of operands: the best order of a subset is the
// best split of it into two, each in its best order. Only orders that are better than bound,
// or as good, are looked at; ok is false where there is none. keep are the variables that are
// needed afterwards.
func (g *graph) exact(ops []set, keep set, bound cost) (e subsets, ok bool) {
	k := len(ops)
	full := 1<<k - 1
	all := make([]set, full+1) // the union over a subset
	for s := 1; s <= full; s++ {
		all[s] = all[s&(s-1)].or(ops[bits.TrailingZeros(uint(s))])
	}
	result := make([]set, full+1) // what a subset's product still needs
	entries := make([]float64, full+1)
	best := make([]cost, full+1)
	e = subsets{operands: k, split: make([]uint16, full+1)}
	for s := 1; s <= full; s++ {
		result[s] = all[s].and(keep.or(all[full^s]))
		entries[s] = g.size.of(result[s])
		if s&(s-1) == 0 {
			continue
		}
		found := cost{math.Inf(1), math.Inf(1)}
		limit := bound.mults
		low := s & -s
		for a := (s - 1) & s; a > 0; a = (a - 1) & s {
			if a&low == 0 {
				continue // each split once
			}
			b := s ^ a
			before := best[a].plus(best[b])
			if before.mults+entries[s] > limit { // a step costs at least what it writes
				continue
			}
			c := before.plus(cost{g.size.of(result[a].or(result[b])), entries[s]})
			if c.less(found) && c.mults <= limit {
				found, e.split[s] = c, uint16(a)
				limit = c.mults
			}
		}
		best[s] = found
	}
	e.cost = best[full]
	return e, e.split[full] != 0
}

// tree gives the order as a tree over the leaves with the given numbers.
func (e subsets) tree(leaves []int) *tree {
	t := &tree{leaves: len(leaves)}
	t.root = e.build(1<<e.operands-1, leaves, func(a, b int) int {
		t.kids = append(t.kids, [2]int{a, b})
		return len(leaves) + len(t.kids) - 1
	})
	return t
}

// build makes the nodes of a subset's order, from the leaves up. Its depth is at most the
// number of operands.
func (e subsets) build(s int, leaves []int, join func(a, b int) int) int {
	if s&(s-1) == 0 {
		return leaves[bits.TrailingZeros(uint(s))]
	}
	a := e.build(int(e.split[s]), leaves, join)
	b := e.build(s^int(e.split[s]), leaves, join)
	return join(a, b)
}
