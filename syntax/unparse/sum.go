package unparse

import (
	"slices"

	"frechet/combinators"
)

// sum flattens a sum through the sums that it alone uses.
func (w *writer) sum(n *combinators.Node) *term {
	var plus, minus []*term
	var ofPlus, ofMinus []*combinators.Node
	stack := []*combinators.Node{n}
	var addends []*combinators.Node
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.Is("add") && (m == n || w.of[m] == nil) {
			stack = append(stack, m.Arg(1), m.Arg(0))
			continue
		}
		addends = append(addends, m)
	}
	for _, m := range addends {
		t := w.of[m]
		if t.op == opNeg || (t.op == opNum || t.op == opFill) && t.rat.Sign() < 0 {
			minus, ofMinus = append(minus, w.neg(t)), append(ofMinus, m)
		} else {
			plus, ofPlus = append(plus, t), append(ofPlus, m)
		}
	}
	plus, minus = w.counted(plus, ofPlus), w.counted(minus, ofMinus)
	for _, ts := range [][]*term{plus, minus} {
		slices.SortStableFunc(ts, func(a, b *term) int { return rank(a) - rank(b) })
	}
	all := append(slices.Clone(plus), minus...)
	shape := n.Shape()
	// An addend of order 0 broadcasts, but one of the full order must be left. Broadcasts
	// stay where all addends are.
	full := slices.ContainsFunc(all, func(t *term) bool { return w.scalarOf(t) == nil })
	for i, t := range all {
		if s := w.scalarOf(t); s != nil && (full || i > 0) {
			all[i] = s
		}
	}
	// The first addend with a minus sign starts the text where there is no other.
	acc := all[0]
	if len(plus) == 0 {
		acc = w.neg(acc)
	}
	for i, t := range all[1:] {
		kind := opAdd
		if i+1 >= len(plus) {
			kind = opSub
		}
		sh := shape
		if acc.order() == 0 && t.order() == 0 {
			sh = nil
		}
		acc = w.intern(term{op: kind, args: []*term{acc, t}, shape: sh})
	}
	return acc
}

// counted writes terms of different values once, as a multiple: a symmetric matrix and its transpose. What
// a sum adds to itself stays as it is.
func (w *writer) counted(terms []*term, of []*combinators.Node) (out []*term) {
	for i, t := range terms {
		first := slices.Index(terms, t)
		same := func(k int) bool { return terms[k] == t && of[k] != of[first] && t.op != opNum && t.op != opFill }
		if first < i && same(i) {
			continue
		}
		n := 1
		for k := i + 1; k < len(terms) && first == i; k++ {
			if same(k) {
				n++
			}
		}
		if n > 1 {
			t = w.times(w.int(int64(n)), t)
		}
		out = append(out, t)
	}
	return out
}

// rank orders addends: A*x + b, x + 1.
func rank(t *term) int {
	switch t.op {
	case opNum, opFill, opSize, opPi:
		return 2
	case opProd:
		if len(t.args) == 2 && slices.ContainsFunc(t.in[0], func(v int) bool { return !slices.Contains(t.out, v) }) {
			return 0 // a product that sums
		}
	}
	return 1
}
