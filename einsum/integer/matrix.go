package integer

import "strings"

// A Matrix of whole numbers. It may have no rows, or no columns.
type Matrix struct {
	Rows, Cols int
	a          []Int
}

// NewMatrix is the zero matrix.
func NewMatrix(rows, cols int) *Matrix {
	return &Matrix{rows, cols, make([]Int, rows*cols)}
}

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

// Identity is the unit matrix.
func Identity(n int) *Matrix {
	m := NewMatrix(n, n)
	for i := range n {
		m.Set(i, i, New(1))
	}
	return m
}

// At is the entry in row i, column j.
func (m *Matrix) At(i, j int) Int { return m.a[i*m.Cols+j] }

// Set sets an entry.
func (m *Matrix) Set(i, j int, v Int) { m.a[i*m.Cols+j] = v }

// Row is row i; the slice is the matrix's own.
func (m *Matrix) Row(i int) []Int { return m.a[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols] }

// Clone is a copy.
func (m *Matrix) Clone() *Matrix {
	c := NewMatrix(m.Rows, m.Cols)
	copy(c.a, m.a)
	return c
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

// Apply is the product m x.
func (m *Matrix) Apply(x []Int) []Int {
	out := make([]Int, m.Rows)
	for i := range out {
		out[i] = dot(m.Row(i), x)
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

func (m *Matrix) swapRows(i, k int) {
	if i == k {
		return
	}
	a, b := m.Row(i), m.Row(k)
	for j := range a {
		a[j], b[j] = b[j], a[j]
	}
}

func (m *Matrix) swapCols(j, k int) {
	if j == k {
		return
	}
	for i := range m.Rows {
		x, y := m.At(i, j), m.At(i, k)
		m.Set(i, j, y)
		m.Set(i, k, x)
	}
}

// addRow is row i += f * row k.
func (m *Matrix) addRow(i int, f Int, k int) { addMultiple(m.Row(i), f, m.Row(k)) }

// addCol is column j += f * column k.
func (m *Matrix) addCol(j int, f Int, k int) {
	for i := range m.Rows {
		if v := m.At(i, k); !v.IsZero() {
			m.Set(i, j, m.At(i, j).Add(f.Mul(v)))
		}
	}
}

func (m *Matrix) negateRow(i int) {
	r := m.Row(i)
	for j := range r {
		r[j] = r[j].Neg()
	}
}

func addMultiple(dst []Int, f Int, src []Int) {
	for j, v := range src {
		if !v.IsZero() {
			dst[j] = dst[j].Add(f.Mul(v))
		}
	}
}

func dot(a, b []Int) Int {
	var s Int
	for i, v := range a {
		if !v.IsZero() && !b[i].IsZero() {
			s = s.Add(v.Mul(b[i]))
		}
	}
	return s
}
