package unparse

import (
	"math/bits"

	"frechet/internal/lists"
)

// cost compares associations: the criteria of Associate, first to last.
type cost struct {
	excess int        // order of the largest intermediate beyond the largest operand
	steps  [8]float64 // products over 7 or more, 6, ..., 0 letters, shared ones by parts
	nodes  float64
	loose  int // how far inside factors of order 0 stand, and matrices off the left
}

func (c cost) less(d cost) bool {
	const eps = 1e-9
	if c.excess != d.excess {
		return c.excess < d.excess
	}
	for i := range c.steps[:6] {
		if diff := c.steps[i] - d.steps[i]; diff < -eps || diff > eps {
			return diff < 0
		}
	}
	if diff := c.nodes - d.nodes; diff < -eps || diff > eps {
		return diff < 0
	}
	for i := 6; i < 8; i++ {
		if diff := c.steps[i] - d.steps[i]; diff < -eps || diff > eps {
			return diff < 0
		}
	}
	return c.loose < d.loose
}

func (c cost) plus(d cost) cost {
	c.excess = max(c.excess, d.excess)
	for i := range c.steps {
		c.steps[i] += d.steps[i]
	}
	c.nodes += d.nodes
	c.loose += d.loose
	return c
}

// plan is the best association of a set of operands.
type plan struct {
	cost  cost
	left  uint // one side of the last product; 0 for a single operand or a known product
	kept  uint64
	key   string
	order []int
	known *product
}

// search finds the best association by dynamic programming over sets of operands.
func (a *associator) search(p *problem, vals []value) value {
	n := len(vals)
	full := uint(1)<<n - 1
	plans := make([]plan, full+1)
	floor, tensors := 0, 0
	for k, v := range vals {
		floor = max(floor, len(v.letters))
		if len(v.letters) > 0 {
			tensors++
		}
		plans[1<<k].kept = p.kept(1 << k)
		if reciprocal(v.node) {
			plans[1<<k].cost.nodes = 2 // 1/x, unless it divides another factor
		}
	}
	for mask := uint(1); mask <= full; mask++ {
		if bits.OnesCount(mask) < 2 {
			continue
		}
		pl := &plans[mask]
		pl.kept = p.kept(mask)
		pl.key, pl.order = p.key(mask, pl.kept)
		if k := a.known[pl.key]; k != nil && pl.key != "" && k.node != p.node {
			pl.known = k
			continue
		}
		share := 1.0
		if f := a.often[pl.key]; f > 1 && mask != full {
			share = float64(f)
		}
		excess := 0
		if mask != full {
			excess = max(0, bits.OnesCount64(pl.kept)-floor)
		}
		first := true
		for left := (mask - 1) & mask; left > 0; left = (left - 1) & mask {
			right := mask &^ left
			if left < right {
				continue
			}
			a.work++
			c := plans[left].cost.plus(plans[right].cost).plus(a.step(p, vals, plans, left, right, tensors))
			c.excess = max(c.excess, excess)
			for i := range c.steps {
				c.steps[i] /= share
			}
			c.nodes /= share
			if first || c.less(pl.cost) {
				pl.cost, pl.left, first = c, left, false
			}
		}
	}
	return a.build(p, vals, plans, full)
}

// step is the cost of the product of two sets of operands itself.
func (a *associator) step(p *problem, vals []value, plans []plan, left, right uint, tensors int) cost {
	var c cost
	l, r := plans[left].kept, plans[right].kept
	letters := min(7, bits.OnesCount64(letterSet(vals, plans, left)|letterSet(vals, plans, right)))
	c.steps[7-letters] = 1
	c.nodes = 1
	if divides(vals, plans, left, right) || divides(vals, plans, right, left) {
		c.nodes = -1
	}
	nl, nr := 0, 0
	for k, v := range vals {
		if len(v.letters) > 0 {
			if left&(1<<k) != 0 {
				nl++
			} else if right&(1<<k) != 0 {
				nr++
			}
		}
	}
	switch {
	case (l == 0) != (r == 0):
		c.loose = (tensors - nl - nr) * 4
	default:
		// Among equal costs (A*B)*C: the first operand joins first, the last one last.
		mask := left | right
		low, high := mask&-mask, uint(1)<<(bits.Len(mask)-1)
		switch {
		case bits.OnesCount(right) > 1 && bits.OnesCount(left) > 1:
			c.loose = 3
		case bits.OnesCount(mask) == 2 || left == high || right == high:
		case left == low || right == low:
			c.loose = 2
		default:
			c.loose = 1
		}
	}
	return c
}

// letterSet are the letters of a factor: all of an operand's, the kept ones of a product.
func letterSet(vals []value, plans []plan, mask uint) uint64 {
	if bits.OnesCount(mask) == 1 {
		return setOf(vals[bits.TrailingZeros(mask)].letters)
	}
	return plans[mask].kept
}

// divides reports whether den is one reciprocal by which num can be divided: both have
// the same axes, or one has order 0.
func divides(vals []value, plans []plan, num, den uint) bool {
	if bits.OnesCount(den) != 1 {
		return false
	}
	v := vals[bits.TrailingZeros(den)]
	if !reciprocal(v.node) {
		return false
	}
	d := setOf(v.letters)
	if d != plans[den].kept || bits.OnesCount64(d) != len(v.letters) {
		return false
	}
	if len(v.letters) == 0 {
		return true
	}
	if bits.OnesCount(num) == 1 {
		w := vals[bits.TrailingZeros(num)].letters
		if len(w) == 0 {
			return true
		}
		if len(w) != len(v.letters) {
			return false
		}
		for i := range w {
			if w[i] != v.letters[i] {
				return false
			}
		}
		return true
	}
	return plans[num].kept == 0 || plans[num].kept == d
}

// build makes the nodes of a plan. The recursion is as deep as a contraction has
// operands, at most maxSubsets.
func (a *associator) build(p *problem, vals []value, plans []plan, mask uint) value {
	if bits.OnesCount(mask) == 1 {
		return vals[bits.TrailingZeros(mask)]
	}
	pl := &plans[mask]
	full := len(plans)-1 == int(mask)
	if k := pl.known; k != nil {
		n := k.built
		if n == nil {
			n = a.node(k.node) // its operands are among those of p
		}
		letters := lists.Map(k.axes, func(at int) int { return pl.order[at] })
		return value{n, letters}
	}
	left := a.build(p, vals, plans, pl.left)
	right := a.build(p, vals, plans, mask&^pl.left)
	var out []int
	if full {
		out = p.last()
	}
	v := a.pair(p, left, right, pl.kept, out)
	if pl.key != "" && (!full || p.plain()) {
		if a.known[pl.key] == nil {
			a.known[pl.key] = &product{built: v.node, axes: positions(v.letters, pl.order)}
		}
	}
	return v
}
