package order

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"

	"frechet/internal/lists"
)

// A greedyChoice says how a greedy run chooses its next step: the pair with the least
//
//	entries(result) - alpha * (entries(a) + entries(b))
//
// on a logarithmic scale, disturbed by temperature times noise.
type greedyChoice struct {
	alpha, temperature float64
	noise              *rand.Rand // nil for none
}

// The number of runs, how many of them are improved, the number of leaves of the parts of a tree
// that are ordered exactly, and how often all are.
const (
	greedyRuns = 96
	improved   = 3
	fewRuns    = 4
	partLeaves = 8
	maxSweeps  = 6
	manyLeaves = 256     // of more than so many operands there are few runs
	maxPairs   = 1 << 20 // that a run chooses among at first: each operand is paired with those nearest to it
)

// search is the order for many operands: of several greedy runs the best are improved, and the
// best of these is taken. chain, which may be nil, is looked at beside them; few runs are enough
// where it is good, or where many products are ordered.
func (g *graph) search(chain *tree, few bool) *tree {
	type candidate struct {
		t *tree
		c cost
	}
	var found []candidate
	add := func(t *tree) { found = append(found, candidate{t, g.cost(t)}) }
	if chain != nil {
		add(chain)
	}
	add(g.greedy(greedyChoice{alpha: 1}))
	noise := rand.New(rand.NewPCG(uint64(len(g.ops)), 1))
	runs, improved := greedyRuns, improved
	if few || len(g.ops) > manyLeaves {
		runs, improved = fewRuns, 1
	}
	for range runs - 1 {
		add(g.greedy(randomChoice(noise)))
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		switch {
		case a.c.less(b.c):
			return -1
		case b.c.less(a.c):
			return 1
		}
		return 0
	})
	var best *tree
	var least cost
	for i, f := range found[:improved] {
		c := g.improve(f.t)
		if i == 0 || c.less(least) {
			best, least = f.t, c
		}
	}
	return best
}

// randomChoice draws the parameters of a run: half of the runs differ in noise alone.
func randomChoice(noise *rand.Rand) greedyChoice {
	c := greedyChoice{alpha: 1, temperature: math.Pow(10, -2+2*noise.Float64()), noise: noise}
	if noise.IntN(2) == 0 {
		c.alpha = 2 * noise.Float64()
	}
	return c
}

// greedy joins pair after pair. Pairs that share a variable come first; where there are
// none, or only such as are too large for a number, the smallest two are joined.
func (g *graph) greedy(choice greedyChoice) *tree {
	k := len(g.ops)
	t := &tree{leaves: k, root: k + k - 2}
	type operand struct {
		set  set
		size float64
		gone bool
	}
	all := make([]operand, k, 2*k)
	for i, s := range g.ops {
		all[i] = operand{set: s, size: g.size.of(s)}
	}
	var shared sharing
	var pairs pairHeap
	window := max(maxPairs/k, 8)
	considered := 0
	consider := func(i, j int) {
		a, b := all[i], all[j]
		if a.set.and(b.set).empty() {
			return
		}
		n := g.size.of(shared.result(a.set, b.set)) - choice.alpha*(a.size+b.size)
		score := math.Copysign(math.Log1p(math.Abs(n)), n)
		if choice.noise != nil {
			score -= choice.temperature * gumbel(choice.noise)
		}
		if !(score < math.Inf(1)) {
			return
		}
		considered++
		heap.Push(&pairs, pair{i, j, score, considered})
	}
	count := func() {
		shared = sharing{kept: g.keep}
		for _, o := range all {
			if !o.gone {
				shared.add(o.set)
			}
		}
	}
	count()
	for i := range all {
		for j := max(0, i-window); j < i; j++ {
			consider(i, j)
		}
	}
	for len(t.kids) < k-1 {
		best := pair{a: -1, b: -1}
		for len(pairs) > 0 && best.a < 0 {
			if p := heap.Pop(&pairs).(pair); !all[p.a].gone && !all[p.b].gone {
				best = p
			}
		}
		if best.a < 0 { // the two smallest
			for i, o := range all {
				switch {
				case o.gone:
				case best.a < 0 || o.size < all[best.a].size:
					best.a, best.b = i, best.a
				case best.b < 0 || o.size < all[best.b].size:
					best.b = i
				}
			}
		}
		a, b := &all[best.a], &all[best.b]
		r := shared.result(a.set, b.set)
		a.gone, b.gone = true, true
		t.kids = append(t.kids, [2]int{best.a, best.b})
		all = append(all, operand{set: r, size: g.size.of(r)})
		count()
		from, near := len(all)-1, 0
		for ; from > 0 && near < window; from-- {
			if !all[from-1].gone {
				near++
			}
		}
		for i := from; i < len(all)-1; i++ {
			if !all[i].gone {
				consider(i, len(all)-1)
			}
		}
	}
	return t
}

// A pair of operands that may be joined. Of two with one score the first considered comes first.
type pair struct {
	a, b  int
	score float64
	nth   int
}

// pairHeap has the pair with the least score on top; a pair of which an operand is gone stays until it is met.
type pairHeap []pair

func (h pairHeap) Len() int      { return len(h) }
func (h pairHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h pairHeap) Less(i, j int) bool {
	return h[i].score < h[j].score || h[i].score == h[j].score && h[i].nth < h[j].nth
}
func (h *pairHeap) Push(p any) { *h = append(*h, p.(pair)) }
func (h *pairHeap) Pop() any {
	p := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return p
}

// sharing counts, variable by variable, how many operands have it: one, two or more.
type sharing struct{ kept, once, twice, more set }

func (h *sharing) add(s set) {
	h.more = h.more.or(h.twice.and(s))
	h.twice = h.twice.or(h.once.and(s))
	h.once = h.once.or(s)
}

// result is what a pair leaves: variables of the result, those that three or more have, and
// those that two have which are not both of these.
func (h *sharing) result(a, b set) set {
	return a.or(b).and(h.kept.or(h.more).or(h.twice.minus(a.and(b))))
}

// gumbel is noise under which the least of disturbed scores is drawn by Boltzmann weights.
func gumbel(r *rand.Rand) float64 { return -math.Log(r.ExpFloat64()) }

// improve orders parts of the tree exactly, as long as that makes the whole cheaper, and
// returns its cost. A part is an inner node with what is below it, cut off at partLeaves
// leaves.
func (g *graph) improve(t *tree) cost {
	l := g.label(t)
	for range maxSweeps {
		before := l.total
		var nodes []int
		t.walk(func(v int) { nodes = append(nodes, v) })
		slices.SortStableFunc(nodes, func(a, b int) int { // the costliest first
			if l.cost[b].less(l.cost[a]) {
				return -1
			}
			return 1
		})
		for _, v := range nodes {
			if g.improvePart(t, l, v) {
				l = g.label(t)
			}
		}
		if !l.total.less(before) {
			break
		}
	}
	return l.total
}

// improvePart orders the part below v exactly, and reports whether that changed the tree.
func (g *graph) improvePart(t *tree, l *labels, v int) bool {
	inner, front := []int{v}, t.kids[v-t.leaves][:]
	front = slices.Clone(front)
	old := l.cost[v]
	for len(front) < partLeaves {
		at := -1 // the costliest step of the front is opened
		for i, w := range front {
			if w >= t.leaves && (at < 0 || l.cost[front[at]].less(l.cost[w])) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		w := front[at]
		old = old.plus(l.cost[w])
		inner = append(inner, w)
		front[at] = t.kids[w-t.leaves][0]
		front = append(front, t.kids[w-t.leaves][1])
	}
	if len(front) < 3 {
		return false
	}
	sets := lists.Map(front, func(w int) set { return l.result[w] })
	e, ok := g.exact(sets, l.outside[v], old)
	if !ok || !e.cost.less(old) {
		return false
	}
	e.build(1<<e.operands-1, front, func(a, b int) int {
		w := inner[len(inner)-1] // v, the first, is the last to be made
		inner = inner[:len(inner)-1]
		t.kids[w-t.leaves] = [2]int{a, b}
		return w
	})
	return true
}
