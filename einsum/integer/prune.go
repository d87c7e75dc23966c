package integer

import (
	"math"
	"slices"

	"frechet/internal/lists"
)

// prune drops rows that the other rows and context imply. A row r is implied where it is a
// combination of the others with weights that are not negative (Farkas):
//
//	r = sum of w_i r_i + w,   w_i >= 0, w >= 0
//
// The weights are searched with floating point and then computed and checked exactly, so
// that a row is dropped only where that is proved; where the search fails the row stays,
// which costs time but changes no result.
func (s *System) prune(context *System) {
	if len(s.Rows) < 2 && context == nil {
		return
	}
	// Plain rows first: a row that those before imply goes at once, so that the searches are
	// short; then each row that is left is compared with the others.
	order := make([]int, len(s.Rows))
	weights := make([]int, len(s.Rows))
	for i, r := range s.Rows {
		order[i] = i
		for _, v := range r {
			if !v.IsZero() {
				weights[i] += 1 + min(4, v.bitLen())
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return weights[a] - weights[b] })
	var known [][]Int
	if context != nil {
		known = lists.Append(known, context.Rows, func(r []Int) []Int { return widen(r, s.N) })
	}
	fixed := len(known)
	var places []int
	for _, i := range order {
		if !implies(known, s.Rows[i]) {
			known = append(known, s.Rows[i])
			places = append(places, i)
		}
	}
	for k := len(known) - 1; k >= fixed; k-- {
		if others := slices.Delete(slices.Clone(known), k, k+1); implies(others, known[k]) {
			known = others
			places = slices.Delete(places, k-fixed, k-fixed+1)
		}
	}
	slices.Sort(places)
	kept := lists.Map(places, func(i int) []Int { return s.Rows[i] })
	s.Rows = kept
}

// widen gives a row over fewer variables the columns of more: they come last, before the
// constant.
func widen(r []Int, n int) []Int {
	if len(r) == n+1 {
		return r
	}
	out := make([]Int, n+1)
	copy(out, r[:len(r)-1])
	out[n] = r[len(r)-1]
	return out
}

// implies reports that rows >= 0 imply r >= 0, over the rational numbers. A true answer is
// proved; a false one proves nothing.
func implies(rows [][]Int, r []Int) bool {
	if constant(r) && r[len(r)-1].Sign() >= 0 {
		return true
	}
	basis, ok := weights(rows, r)
	if !ok {
		return false
	}
	return certify(rows, basis, r)
}

// tableau is that of the simplex method, for the sum of w_j column_j = right side, w >= 0: a row for each equation, and below
// them the cost, which is the sum of the artificial variables, to be brought to 0.
type tableau struct {
	cells     []float64
	rows      int // equations
	columns   int // and the right side behind them
	basic     []int
	tolerance float64
}

func (t *tableau) row(i int) []float64 { return t.cells[i*(t.columns+1) : (i+1)*(t.columns+1)] }

// column fills column j, scaled: elimination makes numbers of very different size.
func (t *tableau) column(j int, row []Int) {
	top := 0.0
	for i, v := range row {
		if !v.IsZero() {
			f := v.Float()
			t.row(i)[j] = f
			top = max(top, math.Abs(f))
		}
	}
	if top > 0 {
		for i := range row {
			t.row(i)[j] /= top
		}
	}
}

// start makes the artificial variables the basis; it reports false where an equation of zeros has no solution.
func (t *tableau) start() bool {
	n, cost := t.columns, t.row(t.rows)
	for i := range t.rows {
		row := t.row(i)
		scale := 0.0
		for _, v := range row[:n] {
			scale = max(scale, math.Abs(v))
		}
		if scale == 0 {
			if row[n] != 0 {
				return false
			}
			scale = 1
		}
		if row[n] < 0 {
			scale = -scale
		}
		for j := range row {
			row[j] /= scale
			cost[j] -= row[j]
		}
		t.basic[i] = n + i
	}
	return true
}

// entering is the column that lowers the cost: the steepest one at first, then the first one, which cannot cycle. It is -1
// where none does.
func (t *tableau) entering(steepest bool) int {
	in, cost := -1, t.row(t.rows)
	for j, c := range cost[:t.columns] {
		if c < -t.tolerance && (in < 0 || steepest && c < cost[in]) {
			in = j
		}
	}
	return in
}

// leaving is the row whose variable is 0 first where that of column in grows, -1 where none is.
func (t *tableau) leaving(in int) int {
	out, n := -1, t.columns
	for i := range t.rows {
		v := t.row(i)[in]
		if v <= t.tolerance {
			continue
		}
		if out < 0 {
			out = i
			continue
		}
		a, b := t.row(i)[n]/v, t.row(out)[n]/t.row(out)[in]
		if a < b-t.tolerance || a < b+t.tolerance && t.basic[i] < t.basic[out] {
			out = i
		}
	}
	return out
}

func (t *tableau) pivot(out, in int) {
	p := t.row(out)
	f := p[in]
	for j := range p {
		p[j] /= f
	}
	for i := range t.rows + 1 {
		if q := t.row(i); i != out && q[in] != 0 {
			g := q[in]
			for j := range q {
				q[j] -= g * p[j]
			}
		}
	}
	t.basic[out] = in
}

// weights solves sum of w_i r_i = r, w >= 0 with a column more for the constant's slack, by
// phase 1 of the simplex method, and gives the columns with positive weight.
func weights(rows [][]Int, r []Int) ([]int, bool) {
	d, n := len(r), len(rows)+1 // equations; columns with the slack
	t := &tableau{cells: make([]float64, (d+1)*(n+1)), rows: d, columns: n, basic: make([]int, d), tolerance: 1e-9}
	for j, row := range rows {
		t.column(j, row)
	}
	t.row(d - 1)[n-1] = 1
	t.column(n, r)
	if !t.start() {
		return nil, false
	}
	for step := range 50 + 8*(d+n) {
		in := t.entering(step < 4*d)
		if in < 0 {
			break
		}
		out := t.leaving(in)
		if out < 0 {
			return nil, false
		}
		t.pivot(out, in)
	}
	var out []int
	for i, j := range t.basic {
		v := t.row(i)[n]
		switch {
		case j >= n && v > 1e-6:
			return nil, false
		case j < n-1 && v > t.tolerance:
			out = append(out, j)
		}
	}
	return out, true
}

// certify solves sum of w_j rows[j] = r over the columns of basis, the constants aside,
// exactly, and checks the weights and the constant.
func certify(rows [][]Int, basis []int, r []Int) bool {
	d, n := len(r)-1, len(basis)
	m := NewMatrix(d, n+1)
	for j, b := range basis {
		for i := range d {
			m.Set(i, j, rows[b][i])
		}
	}
	for i := range d {
		m.Set(i, n, r[i])
	}
	// Gauss and Jordan without fractions: row i of m is scaled by positive numbers only.
	used := 0
	for j := range n {
		p := used
		for p < d && m.At(p, j).IsZero() {
			p++
		}
		if p == d {
			return false // dependent columns: a smaller basis would do, the search gave none
		}
		m.swapRows(p, used)
		if m.At(used, j).Sign() < 0 {
			m.negateRow(used)
		}
		for i := range d {
			v := m.At(i, j)
			if i == used || v.IsZero() {
				continue
			}
			row, q := m.Row(i), m.At(used, j)
			for c := range row {
				row[c] = row[c].Mul(q)
			}
			addMultiple(row, v.Neg(), m.Row(used))
			var g Int
			for _, c := range row {
				g = g.Gcd(c)
			}
			if !g.IsZero() && !g.IsOne() {
				for c := range row {
					row[c] = row[c].Exact(g)
				}
			}
		}
		used++
	}
	for i := n; i < d; i++ {
		if !m.At(i, n).IsZero() {
			return false
		}
	}
	// w_j = m[j,n]/m[j,j] >= 0, and r's constant is at least the combination's.
	num, den := Int{}, New(1)
	for j, b := range basis {
		w, q := m.At(j, n), m.At(j, j)
		if w.Sign() < 0 {
			return false
		}
		num = num.Mul(q).Add(w.Mul(rows[b][d]).Mul(den))
		den = den.Mul(q)
	}
	return r[d].Mul(den).Cmp(num) >= 0
}
