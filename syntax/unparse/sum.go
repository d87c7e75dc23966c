package unparse

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// sum flattens a sum through the sums that it alone uses.
func (w *writer) sum(n *combinators.Node) *term {
	var plus, minus []*term
	var ofPlus, ofMinus []*combinators.Node
	addends := w.addends(n)
	put := func(t *term, of *combinators.Node) {
		if t.op == opNeg || (t.op == opNum || t.op == opFill) && t.rat.Sign() < 0 {
			minus, ofMinus = append(minus, w.neg(t)), append(ofMinus, of)
		} else {
			plus, ofPlus = append(plus, t), append(ofPlus, of)
		}
	}
	for _, m := range addends {
		switch {
		case w.doubled(m, addends):
			for _, a := range w.addends(m) {
				t := w.of[a]
				if u := unsignedTerm(t); u.sym {
					put(w.twice(t), a)
				} else {
					put(t, a)
					put(w.transposed(t), a)
				}
			}
		case w.doubled(transposeOf(m), addends):
		default:
			put(w.of[m], m)
		}
	}
	plus, minus = w.counted(plus, ofPlus), w.counted(minus, ofMinus)
	plus, minus = w.sideBySide(plus, minus)
	for _, ts := range [][]*term{plus, minus} {
		slices.SortStableFunc(ts, func(a, b *term) int { return rank(a) - rank(b) })
	}
	if k := slices.IndexFunc(minus, func(t *term) bool { return numbered(t) }); len(plus) == 0 && k > 0 {
		minus = append([]*term{minus[k]}, slices.Delete(slices.Clone(minus), k, k+1)...) // -2*x - y
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

// addends are those of the sum n, through the sums that it alone uses.
func (w *writer) addends(n *combinators.Node) []*combinators.Node {
	return addends(n, func(m *combinators.Node) bool { return w.of[m] == nil })
}

// addends are those of the sum n, through sums that are open.
func addends(n *combinators.Node, open func(*combinators.Node) bool) (out []*combinators.Node) {
	stack := []*combinators.Node{n}
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.Is(atom.Add) && (m == n || open(m)) {
			stack = append(stack, m.Arg(1), m.Arg(0))
			continue
		}
		out = append(out, m)
	}
	return out
}

const maxDoubled = 32 // addends among which transposes are looked for

// doubled reports whether m is a sum of a few matrices, some of them symmetric, that stands in addends with
// its transpose and nowhere else: (D - W) + (D - W)' is 2*D - W - W'.
func (w *writer) doubled(m *combinators.Node, addends []*combinators.Node) bool {
	if m == nil || !m.Is(atom.Add) || m.Order() != 2 || w.uses[m] != 2 || len(addends) > maxDoubled {
		return false
	}
	with := slices.IndexFunc(addends, func(a *combinators.Node) bool { return transposeOf(a) == m && w.uses[a] == 1 })
	if with < 0 || !slices.Contains(addends, m) {
		return false
	}
	parts := w.addends(m)
	return len(parts) <= 4 && slices.ContainsFunc(parts, func(a *combinators.Node) bool { return unsignedTerm(w.of[a]).sym })
}

// transposeOf is the matrix of which n is the transpose, nil where it is none.
func transposeOf(n *combinators.Node) *combinators.Node {
	if n.Ein() == nil || len(n.Args()) != 1 || n.Order() != 2 || n.Arg(0).Order() != 2 {
		return nil
	}
	in, out, ok := n.Ein().IsPlain()
	if !ok || !distinct(out) || in[0][0] != out[1] || in[0][1] != out[0] {
		return nil
	}
	return n.Arg(0)
}

func unsignedTerm(t *term) *term {
	if t.op == opNeg {
		return t.args[0]
	}
	return t
}

func (w *writer) transposed(t *term) *term {
	if t.op == opNeg {
		return w.neg(w.permute(t.args[0], []int{1, 0}))
	}
	return w.permute(t, []int{1, 0})
}

// twice is 2*t, its number worked out.
func (w *writer) twice(t *term) *term {
	switch {
	case t.op == opNeg:
		return w.neg(w.twice(t.args[0]))
	case t.op == opFill:
		return w.fill(new(big.Rat).Mul(big.NewRat(2, 1), t.rat), t.shape)
	case t.op == opProd && t.isScale() && t.args[0].op == opNum:
		r := new(big.Rat).Mul(big.NewRat(2, 1), t.args[0].rat)
		if r.Cmp(one) == 0 {
			return t.args[1]
		}
		return w.times(w.num(r), t.args[1])
	}
	return w.times(w.int(2), t)
}

// counted writes terms of different values once, as a multiple: a symmetric matrix and its transpose. What
// a sum adds to itself stays as it is.
func (w *writer) counted(terms []*term, of []*combinators.Node) (out []*term) {
	place, times := map[*term]int{}, map[*term]int64{}
	for i, t := range terms {
		at, met := place[t]
		if met && of[i] != of[at] && t.op != opNum && t.op != opFill {
			times[t]++
			continue
		}
		if !met {
			place[t] = i
		}
		out = append(out, t)
	}
	for k, t := range out {
		if n := times[t]; n > 0 {
			out[k], times[t] = w.times(w.int(n+1), t), 0
		}
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
