package plan

import (
	"math/bits"

	"frechet/einsum/order"
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

// list has the variables of s in increasing order.
func (s varset) list() []int {
	var out []int
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			out = append(out, w*64+bits.TrailingZeros64(word))
		}
	}
	return out
}

// count is elems as a number of entries.
func (s varset) count(size []int) int { return int(s.elems(size)) }

// pairOrder orders the product of operands with the given variables, keep being those of the
// output: the fewest multiplications, then the fewest entries written.
func pairOrder(sets []varset, keep varset, size []int) []order.Pair {
	switch len(sets) {
	case 0, 1:
		return nil
	case 2:
		return []order.Pair{{A: 0, B: 1}}
	}
	n := order.Network{In: make([][]int, len(sets)), Out: keep.list(), Size: size}
	for i, s := range sets {
		n.In[i] = s.list()
	}
	return order.Find(n).Pairs
}
