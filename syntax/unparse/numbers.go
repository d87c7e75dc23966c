package unparse

import (
	"math/big"
	"slices"

	"frechet/einsum/size"
	"frechet/syntax"
)

// Matrices of numbers are written entry by entry, and a sum of them as one.

// maxEntries bounds the numbers of a matrix that is written entry by entry.
const maxEntries = 36

// numbers are the entries of a matrix that has numbers alone, in places, and at most maxEntries; else nil.
func (t *term) numbers() (rows [][]*big.Rat) {
	if t.order() != 2 || t.op == opFill || !ofNumbers(t) {
		return nil
	}
	m, _ := t.shape[0].Int()
	n, _ := t.shape[1].Int()
	if m < 1 || n < 1 || m > maxEntries || m*n > maxEntries {
		return nil
	}
	for i := range m {
		row := make([]*big.Rat, n)
		for j := range n {
			row[j] = t.entry([]int64{i, j})
		}
		rows = append(rows, row)
	}
	return rows
}

// ofNumbers reports whether t is joined of numbers, or a multiple, a transpose or a diagonal of such.
func ofNumbers(t *term) bool {
	switch t.op {
	case opNum, opFill:
		return true
	case opJoin:
		return !slices.ContainsFunc(t.args, func(a *term) bool { return !ofNumbers(a) })
	case opProd:
		return t.order() > 0 && !slices.ContainsFunc(t.args, func(a *term) bool { return !ofNumbers(a) }) &&
			!slices.ContainsFunc(slices.Concat(t.in...), func(v int) bool { return !slices.Contains(t.out, v) })
	}
	return false
}

// entry is one entry of what is made of numbers.
func (t *term) entry(at []int64) *big.Rat {
	switch t.op {
	case opProd:
		return t.productEntry(at)
	case opJoin:
	default:
		return t.rat
	}
	axis, first := t.attr-1, int64(0)
	for _, a := range t.args {
		thick := a.order() == t.order()
		width := int64(1)
		if thick {
			width, _ = a.shape[axis].Int()
		}
		if at[axis] < first+width {
			inner := slices.Clone(at)
			if inner[axis] -= first; !thick {
				inner = slices.Delete(inner, axis, axis+1)
			}
			return a.entry(inner)
		}
		first += width
	}
	panic("unparse: an entry beside the parts")
}

func (t *term) productEntry(at []int64) *big.Rat {
	value := map[int]int64{}
	for k, v := range t.out {
		if w, ok := value[v]; ok && w != at[k] {
			return new(big.Rat)
		}
		value[v] = at[k]
	}
	x := one
	for k, a := range t.args {
		inner := make([]int64, len(t.in[k]))
		for i, v := range t.in[k] {
			inner[i] = value[v]
		}
		x = new(big.Rat).Mul(x, a.entry(inner))
	}
	return x
}

// summed are addends with the matrices of numbers among them as one.
func (w *writer) summed(plus, minus []*term) (p, m []*term) {
	var total [][]*big.Rat
	var shape []size.Size
	count := 0
	add := func(ts []*term, sign *big.Rat) (rest []*term) {
		for _, t := range ts {
			rows := t.numbers()
			if rows == nil {
				rest = append(rest, t)
				continue
			}
			count++
			shape = t.shape
			for i, r := range rows {
				if len(total) == i {
					total = append(total, slices.Repeat([]*big.Rat{new(big.Rat)}, len(r)))
				}
				for j, x := range r {
					total[i][j] = new(big.Rat).Add(total[i][j], new(big.Rat).Mul(sign, x))
				}
			}
		}
		return rest
	}
	if p, m = add(plus, one), add(minus, minusOne); count < 2 {
		return plus, minus
	}
	return append(p, w.matrix(total, shape)), m
}

// matrix is the matrix of numbers, row by row.
func (w *writer) matrix(numbers [][]*big.Rat, shape []size.Size) *term {
	var rows []*term
	for _, r := range numbers {
		var row []*term
		for _, x := range r {
			row = append(row, w.num(x))
		}
		rows = append(rows, w.intern(term{op: opJoin, attr: 1, args: row, shape: shape[1:]}))
	}
	return w.intern(term{op: opJoin, attr: 1, args: rows, shape: shape})
}

// entries writes numbers one by one where all other blocks are single entries: [2, 0, 0; 0, 0, 1].
func entries(rows [][]block) [][]block {
	var out [][]block
	count := 0
	for _, r := range rows {
		var row []block
		height, _ := r[0].height.Int()
		for _, b := range r {
			width, _ := b.width.Int()
			if b.height != r[0].height || width < 1 || height < 1 || b.fill == nil && (b.height != unit || b.width != unit) {
				return rows
			}
			if count += int(min(width*height, maxEntries+1)); count > maxEntries {
				return rows
			}
			if b.fill != nil {
				b = block{expr: syntax.Number(b.fill), height: unit, width: unit, fill: b.fill}
			}
			row = append(row, slices.Repeat([]block{b}, int(width))...)
		}
		out = append(out, slices.Repeat([][]block{row}, int(height))...)
	}
	return out
}
