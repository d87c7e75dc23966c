package unparse

import "slices"

// kept are the letters of the operands in mask that the rest or the output needs.
func (p *problem) kept(mask uint) uint64 {
	inside, outside := uint64(0), p.core
	for k, o := range p.ops {
		if mask&(1<<k) != 0 {
			inside |= o.set
		} else {
			outside |= o.set
		}
	}
	return inside & outside
}

// key identifies the product of the operands in mask up to the order of the operands,
// the names of the letters and the order of the output axes; order has the kept letters
// in their canonical order. There is no key for products with too many equal operands.
func (p *problem) key(mask uint, kept uint64) (key string, order []int) {
	var ops []int
	for k := range p.ops {
		if mask&(1<<k) != 0 {
			ops = append(ops, k)
		}
	}
	id := func(k int) int {
		if o := p.ops[k]; o.orig != nil {
			return o.orig.ID()
		}
		return p.ops[k].built.ID()
	}
	slices.SortStableFunc(ops, func(x, y int) int { return id(x) - id(y) })
	orders := 1
	for i := 1; i < len(ops); i++ {
		run := 1
		for j := i - 1; j >= 0 && id(ops[j]) == id(ops[i]); j-- {
			run++
		}
		orders *= run
	}
	if orders > 24 {
		return "", nil
	}
	var try func(at int)
	try = func(at int) {
		if at == len(ops) {
			if k, o := p.spell(ops, kept, id); key == "" || k < key {
				key, order = k, o
			}
			return
		}
		for i := at; i < len(ops) && id(ops[i]) == id(ops[at]); i++ {
			ops[at], ops[i] = ops[i], ops[at]
			try(at + 1)
			ops[at], ops[i] = ops[i], ops[at]
		}
	}
	try(0)
	return key, order
}

func (p *problem) spell(ops []int, kept uint64, id func(int) int) (string, []int) {
	number := [maxLetters]int8{}
	var order []int
	next := int8(0)
	b := make([]byte, 0, 48)
	var keep []byte
	for _, k := range ops {
		v := id(k)
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(len(p.ops[k].letters)))
		for _, l := range p.ops[k].letters {
			if number[l] == 0 {
				next++
				number[l] = next
				if kept&(1<<l) != 0 {
					order = append(order, l)
					keep = append(keep, byte(next))
				}
			}
			b = append(b, byte(number[l]))
		}
	}
	return string(append(append(b, '>'), keep...)), order
}
