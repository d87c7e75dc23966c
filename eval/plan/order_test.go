package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func setOf(vars ...int) varset {
	var s varset
	for _, v := range vars {
		s.add(v)
	}
	return s
}

// costOf follows an order and adds up what its steps cost.
func costOf(sets []varset, keep varset, size []int, pairs []pair) float64 {
	live := map[int]varset{}
	for i, s := range sets {
		live[i] = s
	}
	total := 0.0
	for i, p := range pairs {
		a, b := live[p.A], live[p.B]
		delete(live, p.A)
		delete(live, p.B)
		need := keep
		for _, s := range live {
			need = need.or(s)
		}
		r := a.or(b).and(need)
		total += pairCost(a, b, r, size)
		live[len(sets)+i] = r
	}
	return total
}

// cheapest tries all orders.
func cheapest(live []varset, keep varset, size []int) float64 {
	if len(live) == 1 {
		return 0
	}
	best := math.Inf(1)
	for i := range live {
		for j := range i {
			need := keep
			var rest []varset
			for k, s := range live {
				if k != i && k != j {
					need, rest = need.or(s), append(rest, s)
				}
			}
			r := live[i].or(live[j]).and(need)
			best = min(best, pairCost(live[i], live[j], r, size)+cheapest(append(rest, r), keep, size))
		}
	}
	return best
}

func TestExactOrderIsCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		size := []int{2, 3, 5, 7, 11, 13}
		sets := make([]varset, 2+r.IntN(4))
		for i := range sets {
			for range 1 + r.IntN(3) {
				sets[i].add(r.IntN(len(size)))
			}
		}
		var keep varset
		for range r.IntN(3) {
			keep.add(r.IntN(len(size)))
		}
		for i := range keep { // only what an operand has can be kept
			var all varset
			for _, s := range sets {
				all = all.or(s)
			}
			keep[i] &= all[i]
		}
		exact, greedy := exactPairs(sets, keep, size), greedyPairs(sets, keep, size)
		require.Len(t, exact, len(sets)-1)
		require.Len(t, greedy, len(sets)-1)
		best := cheapest(sets, keep, size)
		require.InEpsilon(t, best, costOf(sets, keep, size, exact), 1e-12)
		require.GreaterOrEqual(t, costOf(sets, keep, size, greedy), best*(1-1e-12))
	}
}

// A chain of matrices before a vector is multiplied from the vector, by either search.
func TestOrderOfChains(t *testing.T) {
	for _, n := range []int{5, 9, 40} {
		size := make([]int, n+1)
		var sets []varset
		for i := range n {
			size[i] = 50
			sets = append(sets, setOf(i, i+1))
		}
		size[n] = 50
		sets = append(sets, setOf(n))
		cost := costOf(sets, setOf(0), size, pairOrder(sets, setOf(0), size))
		require.LessOrEqual(t, cost, float64(n)*(50*50+memoryWeight*50), "%d matrices", n)
	}
}

func TestVarset(t *testing.T) {
	s := setOf(0, 63, 64, 255)
	require.True(t, s.has(0) && s.has(63) && s.has(64) && s.has(255) && !s.has(1) && !s.has(128))
	require.Equal(t, setOf(64), s.and(setOf(64, 65)))
	require.Equal(t, setOf(0, 63, 255), s.minus(setOf(64)))
	require.True(t, s.minus(s).empty())
	size := make([]int, 256)
	for i := range size {
		size[i] = 3
	}
	require.Equal(t, 81.0, s.elems(size))
}
