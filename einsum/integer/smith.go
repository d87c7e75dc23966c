package integer

// Smith is the Smith normal form of a matrix A:
//
//	U A V = S,   |det U| = |det V| = 1,
//
// where S has the shape of A, is diagonal, and its first Rank diagonal entries are positive,
// each dividing the next.
type Smith struct {
	S, U, V *Matrix
	Rank    int
}

// SmithForm computes the Smith normal form.
//
// The pivot is an entry of least absolute value, and quotients are rounded to the nearest,
// so that entries grow little. A pivot is done once it divides all that remains: where it
// does not, the row of the entry in question is added to the pivot's row, which makes the
// pivot smaller. So every step but finitely many ends with a pivot done, and the divisors
// form a chain without a second pass. (Algorithm 1 of Urban and van der Smagt does that in
// a second pass, and as printed it does not end.)
func SmithForm(a *Matrix) *Smith {
	f := &Smith{S: a.Clone(), U: Identity(a.Rows), V: Identity(a.Cols)}
	s := f.S
	for k := 0; k < min(a.Rows, a.Cols); k++ {
		i, j, ok := s.leastEntry(k)
		if !ok {
			break
		}
		f.swap(i, j, k)
		for {
			if f.clear(k) {
				// The pivot's row and column are clear. Does it divide the rest?
				i := s.undivided(k)
				if i < 0 {
					break
				}
				s.addRow(k, New(1), i)
				f.U.addRow(k, New(1), i)
			}
			i, j := s.leastInCross(k)
			f.swap(i, j, k)
		}
		if s.At(k, k).Sign() < 0 {
			s.negateRow(k)
			f.U.negateRow(k)
		}
		f.Rank++
	}
	return f
}

// swap moves entry (i, j) to (k, k).
func (f *Smith) swap(i, j, k int) {
	f.S.swapRows(i, k)
	f.U.swapRows(i, k)
	f.S.swapCols(j, k)
	f.V.swapCols(j, k)
}

// clear subtracts multiples of the pivot's row and column from the others, and reports
// whether nothing is left in them.
func (f *Smith) clear(k int) bool {
	s := f.S
	p := s.At(k, k)
	done := true
	for i := k + 1; i < s.Rows; i++ {
		if v := s.At(i, k); !v.IsZero() {
			q := v.Round(p).Neg()
			s.addRow(i, q, k)
			f.U.addRow(i, q, k)
			done = done && s.At(i, k).IsZero()
		}
	}
	for j := k + 1; j < s.Cols; j++ {
		if v := s.At(k, j); !v.IsZero() {
			q := v.Round(p).Neg()
			s.addCol(j, q, k)
			f.V.addCol(j, q, k)
			done = done && s.At(k, j).IsZero()
		}
	}
	return done
}

// leastEntry finds a non-zero entry of least absolute value in the rows and columns from k
// on, the first of the sparsest columns, so that units take away as little as possible.
func (m *Matrix) leastEntry(k int) (int, int, bool) {
	weight := func(i, j int) int {
		w := 0
		for r := k; r < m.Rows; r++ {
			if !m.At(r, j).IsZero() {
				w++
			}
		}
		row := 0
		for c := k; c < m.Cols; c++ {
			if !m.At(i, c).IsZero() {
				row++
			}
		}
		return (w - 1) * (row - 1)
	}
	bi, bj, bw := -1, -1, 0
	var best Int
	for i := k; i < m.Rows; i++ {
		for j := k; j < m.Cols; j++ {
			v := m.At(i, j).Abs()
			if v.IsZero() {
				continue
			}
			c := -1
			if bi >= 0 {
				c = v.Cmp(best)
			}
			if c > 0 {
				continue
			}
			if w := weight(i, j); c < 0 || w < bw {
				bi, bj, bw, best = i, j, w, v
			}
		}
	}
	return bi, bj, bi >= 0
}

// leastInCross finds a non-zero entry of least absolute value in row k and column k.
func (m *Matrix) leastInCross(k int) (int, int) {
	bi, bj, best := k, k, m.At(k, k).Abs()
	for i := k + 1; i < m.Rows; i++ {
		if v := m.At(i, k).Abs(); !v.IsZero() && v.Cmp(best) < 0 {
			bi, bj, best = i, k, v
		}
	}
	for j := k + 1; j < m.Cols; j++ {
		if v := m.At(k, j).Abs(); !v.IsZero() && v.Cmp(best) < 0 {
			bi, bj, best = k, j, v
		}
	}
	return bi, bj
}

// undivided finds a row below k with an entry that the pivot does not divide; -1 for none.
func (m *Matrix) undivided(k int) int {
	p := m.At(k, k)
	if p.Abs().IsOne() {
		return -1
	}
	for i := k + 1; i < m.Rows; i++ {
		for j := k + 1; j < m.Cols; j++ {
			if !p.Divides(m.At(i, j)) {
				return i
			}
		}
	}
	return -1
}

// Divisor is the invariant factor i, for i < Rank.
func (f *Smith) Divisor(i int) Int { return f.S.At(i, i) }

// Kernel is the matrix K whose columns are a basis of the whole solutions of A x = 0: the
// last columns of V.
func (f *Smith) Kernel() *Matrix {
	n := f.V.Rows
	k := NewMatrix(n, n-f.Rank)
	for i := range n {
		for j := range k.Cols {
			k.Set(i, j, f.V.At(i, f.Rank+j))
		}
	}
	return k
}

// Cokernel is the matrix C, the last rows of U: A x = b has a rational solution exactly
// where C b = 0.
func (f *Smith) Cokernel() *Matrix {
	n := f.U.Rows
	c := NewMatrix(n-f.Rank, n)
	for i := range c.Rows {
		copy(c.Row(i), f.U.Row(f.Rank+i))
	}
	return c
}

// Inverse is the pseudo-inverse I = V S+ U as fractions: row i is num's row i over den[i],
// in lowest terms, den[i] > 0. A I A = A, and x = I b solves A x = b wherever a rational
// solution exists. It is whole exactly where every Divisor(i) divides entry i of U b.
func (f *Smith) Inverse() (num *Matrix, den []Int) {
	last := New(1)
	if f.Rank > 0 {
		last = f.Divisor(f.Rank - 1)
	}
	num, den = NewMatrix(f.V.Rows, f.U.Rows), make([]Int, f.V.Rows)
	for i := range num.Rows {
		g := last
		row := num.Row(i)
		for r := range f.Rank {
			addMultiple(row, f.V.At(i, r).Mul(last.Exact(f.Divisor(r))), f.U.Row(r))
		}
		for _, v := range row {
			g = g.Gcd(v)
		}
		for j := range row {
			row[j] = row[j].Exact(g)
		}
		den[i] = last.Exact(g)
	}
	return num, den
}

// Solve gives one whole solution of A x = b; ok is false where there is none: C b = 0 and
// the divisibility of U b are both needed. All solutions are x + K z for whole z.
func (f *Smith) Solve(b []Int) (x []Int, ok bool) {
	ub := f.U.Apply(b)
	y := make([]Int, f.V.Rows)
	for i, v := range ub {
		if i >= f.Rank {
			if !v.IsZero() {
				return nil, false
			}
			continue
		}
		d := f.Divisor(i)
		if !d.Divides(v) {
			return nil, false
		}
		y[i] = v.Exact(d)
	}
	return f.V.Apply(y), true
}

// HermiteForm gives the row Hermite form H = U A, |det U| = 1, and the rank: pivots are
// positive, each to the right of the one above, with zeros below and entries from 0 to the
// pivot less one above.
func HermiteForm(a *Matrix) (h, u *Matrix, rank int) {
	h, u = a.Clone(), Identity(a.Rows)
	for j := 0; j < h.Cols && rank < h.Rows; j++ {
		for {
			p := -1
			others := false
			for i := rank; i < h.Rows; i++ {
				v := h.At(i, j)
				if v.IsZero() {
					continue
				}
				others = others || p >= 0
				if p < 0 || v.CmpAbs(h.At(p, j)) < 0 {
					p = i
				}
			}
			if p < 0 {
				break
			}
			h.swapRows(p, rank)
			u.swapRows(p, rank)
			if !others {
				break
			}
			for i := rank + 1; i < h.Rows; i++ {
				if v := h.At(i, j); !v.IsZero() {
					q := v.Round(h.At(rank, j)).Neg()
					h.addRow(i, q, rank)
					u.addRow(i, q, rank)
				}
			}
		}
		p := h.At(rank, j)
		if p.IsZero() {
			continue
		}
		if p.Sign() < 0 {
			h.negateRow(rank)
			u.negateRow(rank)
			p = p.Neg()
		}
		for i := range rank {
			if q := h.At(i, j).Floor(p).Neg(); !q.IsZero() {
				h.addRow(i, q, rank)
				u.addRow(i, q, rank)
			}
		}
		rank++
	}
	return h, u, rank
}
