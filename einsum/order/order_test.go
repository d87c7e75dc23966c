package order

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet/internal/processor"
)

// random is a network of k operands over a few variables: some in many operands, some in one,
// some repeated, some in the result alone.
func random(r *rand.Rand, k int) Network {
	n := Network{In: make([][]int, k)}
	vars := 1 + r.IntN(k+3)
	for range vars {
		n.Size = append(n.Size, 1+r.IntN(9))
	}
	for i := range n.In {
		for range r.IntN(4) {
			n.In[i] = append(n.In[i], r.IntN(vars))
		}
	}
	kept := 0.2
	if r.IntN(3) == 0 {
		kept = 0.8 // output-heavy
	}
	for v := range vars {
		if r.Float64() < kept {
			n.Out = append(n.Out, v)
		}
	}
	return n
}

// multiplications follows an order by the definition: it keeps lists of variables, and sums
// what nothing later needs.
func multiplications(n Network, pairs []Pair) float64 {
	type entry struct {
		vars map[int]bool
		used bool
	}
	var all []entry
	for _, g := range n.In {
		e := entry{vars: map[int]bool{}}
		for _, v := range g {
			e.vars[v] = true
		}
		all = append(all, e)
	}
	needed := func(v int, but ...int) bool {
		if slices.Contains(n.Out, v) {
			return true
		}
		for i, e := range all {
			if !e.used && !slices.Contains(but, i) && e.vars[v] {
				return true
			}
		}
		return false
	}
	for i := range n.In {
		for v := range all[i].vars {
			if !needed(v, i) {
				delete(all[i].vars, v)
			}
		}
	}
	total := 0.0
	for _, p := range pairs {
		points, e := 1.0, entry{vars: map[int]bool{}}
		for v := range n.Size {
			if all[p.A].vars[v] || all[p.B].vars[v] {
				points *= float64(n.Size[v])
				if needed(v, p.A, p.B) {
					e.vars[v] = true
				}
			}
		}
		total += points
		all[p.A].used, all[p.B].used = true, true
		all = append(all, e)
	}
	return total
}

// bruteForce tries every tree.
func bruteForce(n Network) float64 {
	best := math.Inf(1)
	var try func(live []int, pairs []Pair)
	try = func(live []int, pairs []Pair) {
		if len(live) == 1 {
			best = min(best, multiplications(n, pairs))
			return
		}
		for i := range live {
			for j := range i {
				// a step commutes with the one before unless it uses its result: try one order
				if len(pairs) > 0 {
					last := len(n.In) + len(pairs) - 1
					if live[i] != last && live[j] != last && live[i] < max(pairs[len(pairs)-1].A, pairs[len(pairs)-1].B) {
						continue
					}
				}
				rest := slices.DeleteFunc(slices.Clone(live), func(v int) bool { return v == live[i] || v == live[j] })
				try(append(rest, len(n.In)+len(pairs)), append(slices.Clone(pairs), Pair{live[j], live[i]}))
			}
		}
	}
	live := make([]int, len(n.In))
	for i := range live {
		live[i] = i
	}
	try(live, nil)
	return best
}

// valid checks that every operand and result is used once.
func valid(t *testing.T, n Network, o Order) {
	t.Helper()
	require.Len(t, o.Pairs, max(0, len(n.In)-1))
	used := map[int]bool{}
	for i, p := range o.Pairs {
		for _, v := range []int{p.A, p.B} {
			require.Less(t, v, len(n.In)+i)
			require.False(t, used[v])
			used[v] = true
		}
	}
	require.Equal(t, multiplications(n, o.Pairs), o.Mults)
	total, entries := 0.0, 0.0
	for _, s := range n.Steps(o.Pairs) {
		total += n.points(s.Loop)
		entries += n.points(s.Out)
	}
	require.Equal(t, o.Mults, total)
	require.Equal(t, o.Entries, entries)
}

func TestExactAgainstAllTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		k := 2 + i%5
		if i%20 == 0 {
			k = 7
		}
		n := random(r, k)
		o := Find(n)
		valid(t, n, o)
		require.True(t, o.Exact)
		require.Equal(t, bruteForce(n), o.Mults, "%v", n)
	}
}

// topDown is dynamic programming in another form: from the whole network down, with lists
// of variables.
func topDown(n Network) float64 {
	k := len(n.In)
	memo := map[int]float64{}
	has := func(s, v int) bool {
		for i, g := range n.In {
			if s>>i&1 == 1 && slices.Contains(g, v) {
				return true
			}
		}
		return false
	}
	free := map[int][]int{} // the variables of a subset's product
	vars := func(s int) []int {
		if g, ok := free[s]; ok {
			return g
		}
		var g []int
		for v := range n.Size {
			if has(s, v) && (slices.Contains(n.Out, v) || has((1<<k-1)&^s, v)) {
				g = append(g, v)
			}
		}
		free[s] = g
		return g
	}
	var least func(s int) float64
	least = func(s int) float64 {
		if s&(s-1) == 0 {
			return 0
		}
		if c, ok := memo[s]; ok {
			return c
		}
		best := math.Inf(1)
		for a := (s - 1) & s; a > s^a; a = (a - 1) & s {
			before := least(a) + least(s^a)
			if before >= best {
				continue
			}
			points := 1.0
			for _, v := range vars(a) {
				points *= float64(n.Size[v])
			}
			for _, v := range vars(s ^ a) {
				if !slices.Contains(vars(a), v) {
					points *= float64(n.Size[v])
				}
			}
			best = min(best, before+points)
		}
		memo[s] = best
		return best
	}
	return least(1<<k - 1)
}

func TestExactAgainstTopDown(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		n := random(r, 8+i%5)
		o := Find(n)
		valid(t, n, o)
		require.Equal(t, topDown(n), o.Mults, "%v", n)
	}
}

// large networks of k operands
func large(r *rand.Rand, kind string, k int) Network {
	n := Network{In: make([][]int, k)}
	edge := func(size int, ends ...int) {
		for _, e := range ends {
			n.In[e] = append(n.In[e], len(n.Size))
		}
		n.Size = append(n.Size, size)
	}
	size := func() int { return 2 + r.IntN(8) }
	switch kind {
	case "random":
		for i := 1; i < k; i++ {
			edge(size(), i, r.IntN(i))
		}
		for range k / 2 {
			if a, b := r.IntN(k), r.IntN(k); a != b {
				edge(size(), a, b)
			}
		}
		for range k / 8 {
			edge(size(), r.IntN(k), r.IntN(k), r.IntN(k))
		}
		for range 3 {
			n.Out = append(n.Out, r.IntN(len(n.Size)))
		}
	case "tree":
		for i := 1; i < k; i++ {
			edge(size(), i, r.IntN(i))
		}
		for i := range 3 {
			n.Out = append(n.Out, len(n.Size))
			edge(size(), i*k/3)
		}
	case "grid":
		w := int(math.Sqrt(float64(k)))
		for i := range k {
			if i%w+1 < w && i+1 < k {
				edge(2+r.IntN(3), i, i+1)
			}
			if i+w < k {
				edge(2+r.IntN(3), i, i+w)
			}
		}
	case "states": // the inner product of two matrix-product states
		h := k / 2
		for i := range h {
			edge(2+r.IntN(3), i, h+i)
			if i+1 < h {
				edge(4+r.IntN(20), i, i+1)
				edge(4+r.IntN(20), h+i, h+i+1)
			}
		}
	}
	return n
}

func TestGreedyQuality(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []string{"random", "tree", "grid", "states"} {
		for _, k := range []int{20, 34, 50, 60} {
			if testing.Short() && k > 34 {
				continue
			}
			n := large(r, kind, k)
			o := Find(n)
			valid(t, n, o)
			g, ok := newGraph(n)
			require.True(t, ok)
			best := math.Inf(1)
			for range 1000 {
				best = min(best, g.cost(g.greedy(randomChoice(r))).mults)
			}
			require.LessOrEqual(t, o.Mults, 1.1*best, "%s of %d", kind, k)
			t.Logf("%-7s %d: %.3g multiplications, %.3f of the best of 1000 greedy runs", kind, k, o.Mults, o.Mults/best)
			again := Find(n)
			require.Equal(t, o, again)
		}
	}
}

func TestEdgeCases(t *testing.T) {
	for _, n := range map[string]Network{
		"nothing":            {},
		"one operand":        {In: [][]int{{0}}, Size: []int{3}},
		"scalars":            {In: [][]int{{}, {}, {}}},
		"no common index":    {In: [][]int{{0}, {1}, {2}, {3}}, Out: []int{0, 1, 2, 3}, Size: []int{2, 3, 4, 5}},
		"empty axis":         {In: [][]int{{0}, {0, 1}, {1}}, Size: []int{0, 3}},
		"diagonal":           {In: [][]int{{0, 0}, {0, 1}, {1, 1}}, Out: []int{0}, Size: []int{4, 3}},
		"broadcast":          {In: [][]int{{0}, {0}, {0}}, Out: []int{0, 1}, Size: []int{4, 3}},
		"hyperedge":          {In: [][]int{{0}, {0}, {0}, {0}}, Size: []int{4}},
		"beyond the largest": {In: [][]int{{0, 1}, {1, 2}, {2, 0}}, Size: []int{1 << 60, 1 << 60, 1 << 60}},
	} {
		o := Find(n)
		valid(t, n, o)
	}
	wide := Network{In: make([][]int, 3)}
	for v := range 300 {
		wide.Size = append(wide.Size, 2)
		wide.In[v%2] = append(wide.In[v%2], v)
		wide.In[2] = append(wide.In[2], v)
	}
	_, ok := newGraph(wide) // two classes
	require.True(t, ok)
	many := Network{In: make([][]int, 30)}
	for a := range 30 {
		for b := range a {
			many.In[a], many.In[b] = append(many.In[a], len(many.Size)), append(many.In[b], len(many.Size))
			many.Size = append(many.Size, 2)
		}
	}
	_, ok = newGraph(many)
	require.False(t, ok)
	valid(t, many, Find(many))
}

func TestChain(t *testing.T) {
	// A (10x100) B (100x5) C (5x50): (A B) C, 7500 multiplications
	n := Network{In: [][]int{{0, 1}, {1, 2}, {2, 3}}, Out: []int{0, 3}, Size: []int{10, 100, 5, 50}}
	o := Find(n)
	require.Equal(t, 7500.0, o.Mults)
	require.Equal(t, []Step{{Pair{0, 1}, []int{0, 1, 2}, []int{0, 2}}, {Pair{3, 2}, []int{0, 2, 3}, []int{0, 3}}}, n.Steps(o.Pairs))
}

func BenchmarkFind(b *testing.B) {
	for _, k := range []int{5, 8, 10, 12, 20, 50} {
		for _, kind := range []string{"random", "tree", "grid", "states"} {
			b.Run(fmt.Sprintf("%s/%d", kind, k), func(b *testing.B) {
				n := large(rand.New(rand.NewPCG(7, 8)), kind, k)
				for b.Loop() {
					Find(n)
				}
			})
		}
	}
}

// Products of very many operands have an order in a time that is nearly quadratic in their number.
func TestManyOperands(t *testing.T) {
	begin := processor.Time()
	n := Network{In: slices.Repeat([][]int{{0}}, 600), Out: []int{0}, Size: []int{10}}
	require.Len(t, Find(n).Pairs, 599)
	require.Less(t, processor.Time()-begin, 20*time.Second)
}
