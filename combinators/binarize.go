package combinators

import (
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
	uses := make([]int, len(c.Vars)) // in how many groups and outputs a variable stands
	count := func(g []int, d int) {
		seen := map[int]bool{}
		for _, v := range g {
			if !seen[v] {
				seen[v] = true
				uses[v] += d
			}
		}
	}
	for _, g := range groups {
		count(g, 1)
	}
	count(out, 1)
	// keep lists the variables of the pair that something else uses.
	keep := func(a, b []int) []int {
		var left []int
		seen := map[int]bool{}
		both := map[int]int{}
		for _, g := range [][]int{a, b} {
			once := map[int]bool{}
			for _, v := range g {
				if !once[v] {
					once[v] = true
					both[v]++
				}
			}
		}
		for _, g := range [][]int{a, b} {
			for _, v := range g {
				if !seen[v] && uses[v] > both[v] {
					seen[v] = true
					left = append(left, v)
				}
			}
		}
		return left
	}
	for len(nodes) > 2 {
		bi, bj, best := 0, 1, -1
		window := min(len(nodes), 24) // bounds the search in very wide products
		for i := range window {
			for j := i + 1; j < window; j++ {
				if k := len(keep(groups[i], groups[j])); best < 0 || k < best {
					bi, bj, best = i, j, k
				}
			}
		}
		mid := keep(groups[bi], groups[bj])
		count(groups[bi], -1)
		count(groups[bj], -1)
		count(mid, 1)
		pair := s.Ein(restrict([][]int{groups[bi], groups[bj]}, mid, c.Vars), nodes[bi], nodes[bj])
		nodes[bi], groups[bi] = pair, mid
		nodes = append(nodes[:bj:bj], nodes[bj+1:]...)
		groups = append(groups[:bj:bj], groups[bj+1:]...)
	}
	// Variables that nothing uses multiply at the last step, where all sizes are known.
	last := restrict(groups, out, c.Vars)
	if free := unusedVars(in, out, c.Vars); len(free) > 0 {
		lin, lout, _ := last.IsPlain()
		last = einsum.Plain(lin, lout, append(append([]size.Size(nil), last.Vars...), free...))
	}
	return s.Ein(last, nodes...)
}

// restrict is the plain contraction over the variables that occur.
func restrict(in [][]int, out []int, vars []size.Size) *einsum.Contraction {
	to := map[int]int{}
	var dims []size.Size
	ren := func(g []int) []int {
		r := make([]int, len(g))
		for i, v := range g {
			w, ok := to[v]
			if !ok {
				w = len(dims)
				to[v] = w
				dims = append(dims, vars[v])
			}
			r[i] = w
		}
		return r
	}
	rin := make([][]int, len(in))
	for k, g := range in {
		rin[k] = ren(g)
	}
	return einsum.Plain(rin, ren(out), dims)
}

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
