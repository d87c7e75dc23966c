package normal

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
)

// outerParts takes an outer product that is used more than once apart: its parts stay
// shared, and only the product of the parts, which costs more than they do, moves to the
// users. So a derivative keeps its outer factors outside (Laue et al. 3.3: compression).
// It gives the contraction of the parts that is a, nil where a is no such product.
func (z *Simplifier) outerParts(a *Node) (*einsum.Contraction, []*Node) {
	if a.Ein() == nil || len(a.Args()) < 2 || z.once(a) {
		return nil, nil
	}
	p := open(a)
	groups := p.components()
	if len(groups) < 2 {
		return nil, nil
	}
	var parts []*Node
	var in [][]int
	for i, g := range groups {
		q := &product{coef: one, vars: p.vars}
		if i == 0 {
			q.coef = p.coef
		}
		for _, k := range g {
			q.ops, q.in = append(q.ops, p.ops[k]), append(q.in, p.in[k])
			for _, v := range p.in[k] {
				if slices.Contains(p.out, v) && !slices.Contains(q.out, v) {
					q.out = append(q.out, v)
				}
			}
		}
		letters := q.out
		q.compact()
		n := z.arrange(q)
		z.uses.set(n, max(z.uses.get(n), z.uses.get(a)))
		parts, in = append(parts, n), append(in, letters)
	}
	used := make([]int, len(p.vars))
	var dims []size.Size
	for v := range used {
		used[v] = len(dims)
		if slices.Contains(p.out, v) {
			dims = append(dims, p.vars[v])
		}
	}
	for k, g := range in {
		in[k] = renamed(g, used)
	}
	return z.s.Plain(in, renamed(p.out, used), dims), parts
}

func renamed(g, to []int) []int {
	out := make([]int, len(g))
	for i, v := range g {
		out[i] = to[v]
	}
	return out
}

// components groups the operands that share variables; operands of order 0 join the
// first group. There is one group where an output variable has no operand.
func (p *product) components() [][]int {
	if p.ops == nil || p.hasFree() {
		return nil
	}
	owner := make([]int, len(p.vars))
	for v := range owner {
		owner[v] = -1
	}
	group := make([]int, len(p.ops))
	n := 0
	for k, g := range p.in {
		if len(g) == 0 {
			group[k] = -1
			continue
		}
		group[k] = n
		n++
		for _, v := range g {
			if o := owner[v]; o >= 0 && o != group[k] {
				old := group[k]
				for l := range k + 1 {
					if group[l] == old {
						group[l] = o
					}
				}
				for w := range owner {
					if owner[w] == old {
						owner[w] = o
					}
				}
			}
			owner[v] = group[k]
		}
	}
	for _, v := range p.out {
		if owner[v] < 0 {
			return nil
		}
	}
	var out [][]int
	index := map[int]int{}
	for k, g := range group {
		if g < 0 {
			continue
		}
		i, ok := index[g]
		if !ok {
			i = len(out)
			index[g] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], k)
	}
	if len(out) == 0 {
		return nil
	}
	for k, g := range group {
		if g < 0 {
			out[0] = append(out[0], k)
		}
	}
	return out
}
