package integer

import "frechet/internal/lists"

// A Matrix of whole numbers. It may have no rows, or no columns.
type Matrix struct {
	Rows, Cols int
	a          []Int
}

// NewMatrix is the zero matrix.
func NewMatrix(rows, cols int) *Matrix {
	return &Matrix{rows, cols, make([]Int, rows*cols)}
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

// Apply is the product m x.
func (m *Matrix) Apply(x []Int) []Int {
	return lists.Make(m.Rows, func(i int) Int { return dot(m.Row(i), x) })
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
