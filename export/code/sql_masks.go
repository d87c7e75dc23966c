package code

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/eval/plan"
)

// Of U*V' in W .* (M - U*V') only the entries at the rows of W are read. So a value may have a mask: an argument outside of whose
// rows nobody reads it. It is computed there alone, and what it has elsewhere, if anything, means nothing.

// masks has for each instruction the number of the one that is its mask, or -1.
func (q *sqlScript) masks(needed []bool) []int {
	support := q.supports()
	mask := make([]int, len(q.list))
	const unread = -2
	for at := range mask {
		mask[at] = unread
	}
	for _, o := range q.outputs {
		mask[o] = -1
	}
	for at, i := range slices.Backward(q.list) {
		if !needed[at] {
			mask[at] = -1
			continue
		}
		for k, a := range i.Args {
			if m := q.readAt(&i, k, mask[at], support); mask[a] == unread || mask[a] == m {
				mask[a] = m
			} else {
				mask[a] = -1
			}
		}
	}
	return mask
}

// readAt is the mask of operand k as an instruction with the given mask reads it.
func (q *sqlScript) readAt(i *plan.Instruction, k, mask int, support []int) int {
	switch i.Kind {
	case plan.DoScale:
		return mask
	case plan.DoProduct, plan.DoView:
		if len(i.In[k]) < 2 || !distinct(i.In[k]) {
			return -1
		}
		for l, a := range i.Args {
			if l != k && support[a] >= 0 && slices.Equal(i.In[l], i.In[k]) {
				return support[a]
			}
		}
		if slices.Equal(i.In[k], i.Out) {
			return mask
		}
	case plan.DoApply:
		if c := i.Node.Atom().Class; c == atom.ClassElementwise || c == atom.ClassSum {
			return mask
		}
	}
	return -1
}

// supports has for each instruction the number of an argument that has a row wherever its value has one, or -1.
func (q *sqlScript) supports() []int {
	support := make([]int, len(q.list))
	for at, i := range q.list {
		support[at] = -1
		switch {
		case variable(&i) != nil:
			if len(i.Shape) > 1 {
				support[at] = at
			}
		case i.Kind == plan.DoScale:
			support[at] = support[i.Args[0]]
		case i.Kind == plan.DoProduct:
			for k, a := range i.Args {
				if support[at] < 0 && slices.Equal(i.In[k], i.Out) && distinct(i.Out) {
					support[at] = support[a]
				}
			}
		}
	}
	return support
}

// within joins the table of a mask at the indices idx, where there is one.
func (q *sqlScript) within(j *join, at int, idx []string) {
	if m := q.mask[at]; m >= 0 {
		j.tables = append(j.tables, q.table(m)+" AS mask")
		for k, col := range columns("mask", len(idx)) {
			j.where = append(j.where, col+" = "+idx[k])
		}
	}
}
