package einsum

import (
	"cmp"
	"slices"
)

// maxLeaves bounds the orders that search tries. Operands that refinement does not tell apart can
// as a rule be exchanged, and then all orders give one form: products of more than a few operands
// that are connected alike, and yet differ, have no unique form.
const maxLeaves = 64

// search gives the order of the operands, sorted by label in perm, that has the least key, by
// individualisation and refinement (McKay, Practical graph isomorphism, 1981): operands that have
// one colour are made different one by one, and all are coloured anew.
func (c *Contraction) search(perm, labels []int) (*Contraction, []int) {
	var best *Contraction
	var bestPerm []int
	leaves := 0
	var visit func(colours []uint64)
	visit = func(colours []uint64) {
		colours = c.refine(colours)
		order := slices.Clone(perm)
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(labels[a]-labels[b], cmp.Compare(colours[a], colours[b]))
		})
		for i := 1; i < len(order); i++ {
			if colours[order[i-1]] != colours[order[i]] {
				continue
			}
			for j := i - 1; j < len(order) && colours[order[j]] == colours[order[i-1]] && leaves < maxLeaves; j++ {
				apart := slices.Clone(colours)
				apart[order[j]] = Mix(colours[order[j]], 1)
				visit(apart)
			}
			return
		}
		leaves++
		if d := c.Permute(order); best == nil || d.Key() < best.Key() {
			best, bestPerm = d, order
		}
	}
	colours := make([]uint64, len(labels))
	for k, l := range labels {
		colours[k] = Mix(uint64(l), 2)
	}
	visit(colours)
	return best, bestPerm
}

// refine gives operands of different colours, or that are connected to others differently,
// different colours, which depend on nothing else.
func (c *Contraction) refine(colours []uint64) []uint64 {
	z := c.colouring()
	classes := func(colours []uint64) int {
		sorted := slices.Clone(colours)
		slices.Sort(sorted)
		return len(slices.Compact(sorted))
	}
	for before := 0; ; {
		for i, a := range c.Out.Index {
			z.tell(a, Mix(3, uint64(i)))
		}
		z.conditions(c.Eq, 4)
		z.conditions(c.Ge, 5)
		out := make([]uint64, len(colours))
		for k, acc := range c.In {
			out[k] = z.access(acc, colours[k])
		}
		z.settle()
		colours = out
		n := classes(colours) + classes(z.vars)
		if n == before {
			return colours
		}
		before = n
	}
}
