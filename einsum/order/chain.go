package order

import (
	"cmp"
	"math"
	"slices"
)

// maxChain is the number of operands beyond which no sequence is tried: that takes cubic time.
const maxChain = 160

// smallChain is the number of operands up to which the search over all orders takes no longer.
const smallChain = 6

// chain is the better of the orders that are best along two sequences of the operands in which
// those that share variables stand near each other. It is nil where there are too many operands.
// chains says that the product is made of chains of matrices.
func (g *graph) chain() (t *tree, chains bool) {
	if len(g.ops) > maxChain {
		return nil, false
	}
	near := g.neighbours()
	breadth := walk(near, 0, false)
	end := breadth[len(breadth)-1] // an operand that is far from the first
	deep, wide := walk(near, end, true), walk(near, end, false)
	t = g.along(deep)
	if w := g.along(wide); g.cost(w).less(g.cost(t)) {
		t = w
	}
	return t, g.chained(deep)
}

// chained reports whether a sequence is made of chains of matrices, with vectors on their diagonals:
// operands have two variables at most, those that have one follow each other, and the result has
// what no two matrices have.
func (g *graph) chained(sequence []int) bool {
	var before, gone set // the variables so far, and those that are over
	var once, more set   // those that a matrix has, and several
	for _, v := range sequence {
		a := g.ops[v]
		if a.count() > 2 || !a.and(gone).empty() {
			return false
		}
		gone, before = gone.or(before.minus(a)), before.or(a)
		if a.count() == 2 {
			more, once = more.or(once.and(a)), once.or(a)
		}
	}
	return more.and(g.keep).empty()
}

// neighbours lists for every operand those that share a variable with it, those first that
// have few neighbours themselves, and few variables: vectors before matrices.
func (g *graph) neighbours() [][]int {
	near := make([][]int, len(g.ops))
	for i, a := range g.ops {
		for k, b := range g.ops {
			if i != k && !a.and(b).empty() {
				near[i] = append(near[i], k)
			}
		}
	}
	for _, ks := range near {
		slices.SortStableFunc(ks, func(a, b int) int {
			return cmp.Or(len(near[a])-len(near[b]), g.ops[a].count()-g.ops[b].count())
		})
	}
	return near
}

// walk lists all operands, from one on, in depth or in breadth; parts that share nothing
// follow each other.
func walk(near [][]int, from int, deep bool) []int {
	out := make([]int, 0, len(near))
	seen := make([]bool, len(near))
	start := func(i int) {
		queue := []int{i}
		for len(queue) > 0 {
			v := queue[0]
			if deep {
				v = queue[len(queue)-1]
				queue = queue[:len(queue)-1]
			} else {
				queue = queue[1:]
			}
			if seen[v] {
				continue
			}
			seen[v] = true
			out = append(out, v)
			next := slices.DeleteFunc(slices.Clone(near[v]), func(w int) bool { return seen[w] })
			if deep {
				slices.Reverse(next) // the first is visited first
			}
			queue = append(queue, next...)
		}
	}
	start(from)
	for i := range near {
		if !seen[i] {
			start(i)
		}
	}
	return out
}

// along is the best order each of whose steps joins two neighbouring intervals of a sequence
// of the operands, by dynamic programming: the matrix chain product, for networks.
func (g *graph) along(sequence []int) *tree {
	k := len(sequence)
	before, after := make([]set, k+1), make([]set, k+1) // unions of what stands before and after a place
	for i, v := range sequence {
		before[i+1] = before[i].or(g.ops[v])
	}
	for i := k - 1; i >= 0; i-- {
		after[i] = after[i+1].or(g.ops[sequence[i]])
	}
	type interval struct {
		result set
		cost   cost
		at     int
	}
	best := make([]interval, k*(k+1)) // of [i, j) at i*(k+1)+j
	for length := 1; length <= k; length++ {
		for i := 0; i+length <= k; i++ {
			j := i + length
			outside := g.keep.or(before[i]).or(after[j])
			if length == 1 {
				best[i*(k+1)+j].result = g.ops[sequence[i]].and(outside)
				continue
			}
			all := best[i*(k+1)+i+1].result.or(best[(i+1)*(k+1)+j].result)
			b := interval{result: all.and(outside), cost: cost{math.Inf(1), math.Inf(1)}, at: i + 1}
			for m := i + 1; m < j; m++ {
				x, y := &best[i*(k+1)+m], &best[m*(k+1)+j]
				c := x.cost.plus(y.cost)
				if !c.less(b.cost) {
					continue
				}
				c.mults += g.size.of(x.result.or(y.result))
				if c.less(b.cost) {
					b.cost, b.at = c, m
				}
			}
			b.cost.entries += g.size.of(b.result)
			best[i*(k+1)+j] = b
		}
	}
	t := &tree{leaves: k}
	var build func(i, j int) int // as deep as there are operands at most
	build = func(i, j int) int {
		if j == i+1 {
			return sequence[i]
		}
		m := best[i*(k+1)+j].at
		t.kids = append(t.kids, [2]int{build(i, m), build(m, j)})
		return k + len(t.kids) - 1
	}
	t.root = build(0, k)
	return t
}
