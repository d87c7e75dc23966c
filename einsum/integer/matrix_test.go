package integer

import "strings"

// What only tests need of matrices.

// FromRows is the matrix with these rows, all of the length cols.
func FromRows(cols int, rows ...[]int64) *Matrix {
	m := NewMatrix(len(rows), cols)
	for i, r := range rows {
		for j, v := range r {
			m.Set(i, j, New(v))
		}
	}
	return m
}

// Mul is the product m b.
func (m *Matrix) Mul(b *Matrix) *Matrix {
	out := NewMatrix(m.Rows, b.Cols)
	for i := range m.Rows {
		for k := range m.Cols {
			f := m.At(i, k)
			if f.IsZero() {
				continue
			}
			addMultiple(out.Row(i), f, b.Row(k))
		}
	}
	return out
}

// Transpose is the transposed matrix.
func (m *Matrix) Transpose() *Matrix {
	t := NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j := range m.Cols {
			t.Set(j, i, m.At(i, j))
		}
	}
	return t
}

// Equal reports whether two matrices have the same shape and entries.
func (m *Matrix) Equal(b *Matrix) bool {
	if m.Rows != b.Rows || m.Cols != b.Cols {
		return false
	}
	for i := range m.a {
		if m.a[i].Cmp(b.a[i]) != 0 {
			return false
		}
	}
	return true
}

// IsZero reports whether all entries are 0.
func (m *Matrix) IsZero() bool {
	for _, v := range m.a {
		if !v.IsZero() {
			return false
		}
	}
	return true
}

// Det is the determinant of a square matrix, by Bareiss's elimination: all divisions are
// exact. The determinant of the matrix without rows is 1.
func (m *Matrix) Det() Int {
	c := m.Clone()
	sign, prev := 1, New(1)
	for k := range c.Rows {
		p := k
		for p < c.Rows && c.At(p, k).IsZero() {
			p++
		}
		if p == c.Rows {
			return Int{}
		}
		if p != k {
			c.swapRows(p, k)
			sign = -sign
		}
		for i := k + 1; i < c.Rows; i++ {
			for j := k + 1; j < c.Cols; j++ {
				v := c.At(i, j).Mul(c.At(k, k)).Sub(c.At(i, k).Mul(c.At(k, j)))
				c.Set(i, j, v.Exact(prev))
			}
		}
		prev = c.At(k, k)
	}
	if sign < 0 {
		return prev.Neg()
	}
	return prev
}

// String prints rows in brackets.
func (m *Matrix) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range m.Rows {
		if i > 0 {
			b.WriteString("; ")
		}
		for j := range m.Cols {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(m.At(i, j).String())
		}
	}
	b.WriteByte(']')
	return b.String()
}
