package combinators

import (
	"math/bits"
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
)

// Binarize is the contraction c of args as a tree of contractions of two operands,
// equal to it in value. Pairs are taken so that the next intermediate has the least
// order. A contraction that is not plain stays as it is.
func Binarize(s *Store, c *einsum.Contraction, args []*Node) *Node {
	in, out, ok := c.IsPlain()
	if !ok || len(args) <= 2 {
		return s.Ein(c, args...)
	}
	groups := append([][]int(nil), in...)
	nodes := append([]*Node(nil), args...)
	words := (len(c.Vars) + 63) / 64
	sets := make([]varSet, len(groups)) // the variables of groups
	for k, g := range groups {
		sets[k] = varsOf(g, words)
	}
	var several, more varSet // variables that stand in two groups or more, with the output, and in three
	for len(nodes) > 2 {
		several, more = varsOf(nil, words), varsOf(nil, words)
		once := varsOf(out, words)
		for _, set := range sets {
			for w, x := range set {
				more[w] |= several[w] & x
				several[w] |= once[w] & x
				once[w] |= x
			}
		}
		// A pair keeps the variables that something else uses.
		kept := func(a, b varSet, w int) uint64 { return (a[w]^b[w])&several[w] | a[w]&b[w]&more[w] }
		bi, bj, best := 0, 1, -1
		window := min(len(nodes), 24) // bounds the search in very wide products
		for i := range window {
			for j := i + 1; j < window; j++ {
				k := 0
				for w := range words {
					k += bits.OnesCount64(kept(sets[i], sets[j], w))
				}
				if best < 0 || k < best {
					bi, bj, best = i, j, k
				}
			}
		}
		set := varsOf(nil, words)
		for w := range set {
			set[w] = kept(sets[bi], sets[bj], w)
		}
		mid := make([]int, 0, best)
		for _, g := range [2][]int{groups[bi], groups[bj]} {
			for _, v := range g {
				if set.has(v) && !slices.Contains(mid, v) {
					mid = append(mid, v)
				}
			}
		}
		rin, rout, dims := einsum.Restrict([][]int{groups[bi], groups[bj]}, mid, c.Vars)
		nodes[bi], groups[bi], sets[bi] = s.Contract(rin, rout, dims, nodes[bi], nodes[bj]), mid, set
		nodes = slices.Delete(nodes, bj, bj+1)
		groups = slices.Delete(groups, bj, bj+1)
		sets = slices.Delete(sets, bj, bj+1)
	}
	// Variables that nothing uses multiply at the last step, where all sizes are known.
	rin, rout, dims := einsum.Restrict(groups, out, c.Vars)
	return s.Contract(rin, rout, append(dims, unusedVars(in, out, c.Vars)...), nodes...)
}

// varSet is a set of variables.
type varSet []uint64

func varsOf(g []int, words int) varSet {
	set := make(varSet, words)
	for _, v := range g {
		set[v/64] |= 1 << (v % 64)
	}
	return set
}

func (s varSet) has(v int) bool { return s[v/64]>>(v%64)&1 != 0 }

func unusedVars(in [][]int, out []int, vars []size.Size) []size.Size {
	used := make([]bool, len(vars))
	for _, g := range append(append([][]int(nil), in...), out) {
		for _, v := range g {
			used[v] = true
		}
	}
	var free []size.Size
	for v, u := range used {
		if !u {
			free = append(free, vars[v])
		}
	}
	return free
}
