package plan

import (
	"math"
	"math/bits"
)

// varset is a set of loop variables.
type varset [4]uint64

// maxLoops is the largest number of loop variables of one contraction.
const maxLoops = 4 * 64

func (s *varset) add(v int)     { s[v/64] |= 1 << (v % 64) }
func (s varset) has(v int) bool { return s[v/64]>>(v%64)&1 == 1 }
func (s varset) or(t varset) varset {
	return varset{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]}
}
func (s varset) and(t varset) varset {
	return varset{s[0] & t[0], s[1] & t[1], s[2] & t[2], s[3] & t[3]}
}
func (s varset) minus(t varset) varset {
	return varset{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2], s[3] &^ t[3]}
}
func (s varset) empty() bool { return s == varset{} }

// elems multiplies the sizes of the variables of s.
func (s varset) elems(size []int) float64 {
	p := 1.0
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			p *= float64(size[w*64+bits.TrailingZeros64(word)])
		}
	}
	return p
}

// count is elems as a number of entries.
func (s varset) count(size []int) int { return int(s.elems(size)) }

// A pair is a step of a contraction order: operands A and B, numbers of inputs or of earlier
// steps' results, are multiplied and summed over what nothing later needs. The result gets
// the next number.
type pair struct{ A, B int }

// exactOrder is the largest number of operands that are ordered by dynamic programming.
const exactOrder = 9

// pairOrder orders the product of operands with the given variables, keep being those of the
// output. It minimises multiplications plus the entries of intermediates, exactly for few
// operands and greedily for many.
func pairOrder(sets []varset, keep varset, size []int) []pair {
	switch {
	case len(sets) < 2:
		return nil
	case len(sets) == 2:
		return []pair{{0, 1}}
	case len(sets) <= exactOrder:
		return exactPairs(sets, keep, size)
	}
	return greedyPairs(sets, keep, size)
}

// memoryWeight is the cost of writing and reading one entry of an intermediate, in multiplications.
const memoryWeight = 4

func pairCost(a, b, result varset, size []int) float64 {
	return a.or(b).elems(size) + memoryWeight*result.elems(size)
}

// exactPairs is dynamic programming over subsets of operands.
func exactPairs(sets []varset, keep varset, size []int) []pair {
	k := len(sets)
	full := 1<<k - 1
	all := make([]varset, full+1) // the union over a subset
	for s := 1; s <= full; s++ {
		low := bits.TrailingZeros(uint(s))
		all[s] = all[s&(s-1)].or(sets[low])
	}
	result := make([]varset, full+1) // what a subset's product still needs
	for s := 1; s <= full; s++ {
		result[s] = all[s].and(keep.or(all[full^s]))
		if s&(s-1) == 0 {
			result[s] = all[s]
		}
	}
	cost := make([]float64, full+1)
	split := make([]int, full+1)
	for s := 1; s <= full; s++ {
		if s&(s-1) == 0 {
			continue
		}
		cost[s] = math.Inf(1)
		low := s & -s
		for a := (s - 1) & s; a > 0; a = (a - 1) & s {
			if a&low == 0 {
				continue // each split once
			}
			b := s ^ a
			c := cost[a] + cost[b] + pairCost(result[a], result[b], result[s], size)
			if c < cost[s] || split[s] == 0 {
				cost[s], split[s] = c, a
			}
		}
	}
	var out []pair
	number := map[int]int{}
	for i := range k {
		number[1<<i] = i
	}
	var emit func(s int) int // depth at most k
	emit = func(s int) int {
		if n, ok := number[s]; ok {
			return n
		}
		a := emit(split[s])
		b := emit(s ^ split[s])
		out = append(out, pair{a, b})
		number[s] = k + len(out) - 1
		return number[s]
	}
	emit(full)
	return out
}

// greedyPairs joins, step by step, the two operands whose product grows memory least.
func greedyPairs(sets []varset, keep varset, size []int) []pair {
	type operand struct {
		set    varset
		number int
	}
	live := make([]operand, len(sets))
	for i, s := range sets {
		live[i] = operand{s, i}
	}
	var out []pair
	for len(live) > 1 {
		// how many live operands have a variable: 0, 1, 2 or more
		var once, twice, more varset
		for _, o := range live {
			more = more.or(twice.and(o.set))
			twice = twice.or(once.and(o.set))
			once = once.or(o.set)
		}
		need := func(a, b varset) varset {
			// needed beyond the pair: kept, in three or more, or in two but not both of these
			both := a.and(b)
			outside := keep.or(more).or(twice.minus(both))
			return a.or(b).and(outside)
		}
		best, bi, bj := math.Inf(1), 0, 1
		for i := range live {
			for j := i + 1; j < len(live); j++ {
				a, b := live[i].set, live[j].set
				r := need(a, b)
				score := r.elems(size) - a.elems(size) - b.elems(size) + 1e-3*a.or(b).elems(size)
				if a.and(b).empty() {
					score += 1e-3 * a.or(b).elems(size) // outer products last among equals
				}
				if score < best {
					best, bi, bj = score, i, j
				}
			}
		}
		out = append(out, pair{live[bi].number, live[bj].number})
		live[bi] = operand{need(live[bi].set, live[bj].set), len(sets) + len(out) - 1}
		live = append(live[:bj], live[bj+1:]...)
	}
	return out
}
