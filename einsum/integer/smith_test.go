package integer

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkSmith asserts everything that defines the Smith normal form.
func checkSmith(t *testing.T, a *Matrix) *Smith {
	t.Helper()
	f := SmithForm(a)
	require.Equal(t, [2]int{a.Rows, a.Cols}, [2]int{f.S.Rows, f.S.Cols})
	require.True(t, f.U.Mul(a).Mul(f.V).Equal(f.S), "U A V = S for %v", a)
	require.True(t, f.U.Det().Abs().IsOne(), "|det U| = 1 for %v", a)
	require.True(t, f.V.Det().Abs().IsOne(), "|det V| = 1 for %v", a)
	for i := range f.S.Rows {
		for j := range f.S.Cols {
			switch v := f.S.At(i, j); {
			case i != j || i >= f.Rank:
				require.True(t, v.IsZero(), "S is diagonal for %v", a)
			default:
				require.Positive(t, v.Sign(), "divisors of %v", a)
				if i > 0 {
					require.True(t, f.Divisor(i-1).Divides(v), "divisors %v of %v", f.S, a)
				}
			}
		}
	}
	require.True(t, a.Mul(f.Kernel()).IsZero(), "A K = 0 for %v", a)
	require.True(t, f.Cokernel().Mul(a).IsZero(), "C A = 0 for %v", a)
	return f
}

// randomMatrix has entries up to bound; some matrices are sparse, some of low rank, some
// multiples of a number.
func randomMatrix(r *rand.Rand, rows, cols int, bound int64) *Matrix {
	entry := func() Int { return New(r.Int64N(2*bound+1) - bound) }
	m := NewMatrix(rows, cols)
	switch r.IntN(4) {
	case 0, 1:
		for i := range m.a {
			m.a[i] = entry()
		}
	case 2:
		for i := range m.a {
			if r.IntN(3) == 0 {
				m.a[i] = New(r.Int64N(9) - 4).Mul(New(2))
			}
		}
	default:
		k := r.IntN(min(rows, cols) + 1)
		x, y := NewMatrix(rows, k), NewMatrix(k, cols)
		for i := range x.a {
			x.a[i] = New(r.Int64N(200) - 100)
		}
		for i := range y.a {
			y.a[i] = New(r.Int64N(200) - 100)
		}
		m = x.Mul(y)
	}
	return m
}

func TestSmithOnRandomMatrices(t *testing.T) {
	count := 10000
	if testing.Short() {
		count = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	bounds := []int64{3, 10, 1000, 1000000}
	for range count {
		a := randomMatrix(r, r.IntN(8)+1, r.IntN(8)+1, bounds[r.IntN(len(bounds))])
		f := checkSmith(t, a)
		// Every right-hand side A x is solved, and I gives a solution of the same.
		x := make([]Int, a.Cols)
		for i := range x {
			x[i] = New(r.Int64N(21) - 10)
		}
		b := a.Apply(x)
		y, ok := f.Solve(b)
		require.True(t, ok)
		require.Equal(t, texts(b), texts(a.Apply(y)))
		num, den := f.Inverse()
		for i, v := range num.Apply(b) {
			require.Equal(t, y[i].Mul(den[i]).String(), v.String(), "I b = V S+ U b")
		}
	}
}

func texts(v []Int) []string {
	out := make([]string, len(v))
	for i := range v {
		out[i] = v[i].String()
	}
	return out
}

// The first divisor is the gcd of the entries, the product of the first k that of the
// k x k minors: the divisors are unique, so this is all that there is to check.
func TestSmithKnown(t *testing.T) {
	for _, c := range []struct {
		a    *Matrix
		want []int64
	}{
		// Divisibility needs more than a diagonal.
		{FromRows(3, []int64{2, 0, 68}, []int64{0, 4, 36}, []int64{0, 0, 97}), []int64{1, 2, 388}},
		{FromRows(2, []int64{2, 0}, []int64{0, 3}), []int64{1, 6}},
		{FromRows(2, []int64{6, 0}, []int64{0, 4}), []int64{2, 12}},
		{FromRows(3, []int64{2, 4, 4}, []int64{-6, 6, 12}, []int64{10, -4, -16}), []int64{2, 6, 12}},
		// Shapes and ranks.
		{NewMatrix(2, 3), nil},
		{FromRows(3, []int64{6, 4, 0}), []int64{2}},
		{FromRows(1, []int64{-3}), []int64{3}},
		{FromRows(1, []int64{6}, []int64{4}, []int64{0}), []int64{2}},
		{FromRows(2, []int64{0, 0}, []int64{5, 10}, []int64{0, 0}), []int64{5}},
		{NewMatrix(3, 0), nil},
		{NewMatrix(0, 3), nil},
		{NewMatrix(0, 0), nil},
		// Row and column of one matrix are both far from done when the pivot is a unit.
		{FromRows(3, []int64{1, 1000000, 999983}, []int64{999979, 1, 7}, []int64{3, 5, 1}), nil},
	} {
		f := checkSmith(t, c.a)
		if c.want == nil {
			continue
		}
		require.Len(t, c.want, f.Rank, "%v", c.a)
		for i, d := range c.want {
			require.Equal(t, New(d), f.Divisor(i), "%v", c.a)
		}
	}
	require.Equal(t, 3, SmithForm(NewMatrix(2, 3)).Kernel().Cols)
	require.Equal(t, 3, SmithForm(NewMatrix(3, 0)).Cokernel().Rows)
	_, ok := SmithForm(FromRows(2, []int64{6, 4})).Solve([]Int{New(3)})
	require.False(t, ok, "6x + 4y = 3 has no whole solution")
}

// Sparse 16 x 16 matrices of multiples of 4, whose transformations grow without care.
func TestSmithOfSparseMultiples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	worst := New(0)
	for range 60 {
		a := NewMatrix(16, 16)
		for i := range a.a {
			if r.IntN(10) >= 7 {
				a.a[i] = New(4 * (r.Int64N(9) - 4))
			}
		}
		if r.IntN(2) == 0 { // of lower rank
			copy(a.Row(3), a.Row(5))
			copy(a.Row(9), a.Row(5))
		}
		f := checkSmith(t, a)
		small := 0
		for _, m := range []*Matrix{f.U, f.V} {
			for _, v := range m.a {
				worst = worst.Max(v.Abs())
				if v.Abs().Cmp(New(1e15)) < 0 {
					small++
				}
			}
		}
		require.Greater(t, small, 400, "most entries of U and V stay small")
	}
	t.Logf("largest entry of U and V: %v", worst)
}

// Matrices that make entries grow: Hilbert-like ones, consecutive Fibonacci numbers, entries at
// the edge of 64 bits, products of large unimodular matrices.
func TestSmithOfAdversarialMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	fibonacci := func() int64 {
		a, b := int64(1), int64(1)
		for range r.IntN(80) {
			a, b = b, a+b
		}
		return a
	}
	for range 200 {
		n, m := r.IntN(8)+1, r.IntN(8)+1
		a, b, c := NewMatrix(n, m), NewMatrix(n, m), NewMatrix(n, m)
		for i := range n {
			for j := range m {
				a.Set(i, j, New(fibonacci()))
				b.Set(i, j, New(math.MaxInt64-r.Int64N(3)))
				c.Set(i, j, New(5354228880).Exact(New(int64(i+j+1)))) // lcm(1..24) / (i+j+1), rounded
			}
		}
		u, v := Identity(n), Identity(m)
		for range 12 {
			if i, j := r.IntN(n), r.IntN(n); i != j {
				u.addRow(i, New(r.Int64N(200)-100), j)
			}
			if i, j := r.IntN(m), r.IntN(m); i != j {
				v.addRow(i, New(r.Int64N(200)-100), j)
			}
		}
		d := NewMatrix(n, m)
		want := New(1)
		for i := range min(n, m) {
			want = want.Mul(New(r.Int64N(4) + 1))
			d.Set(i, i, want)
		}
		checkSmith(t, a)
		checkSmith(t, b)
		checkSmith(t, c)
		f := checkSmith(t, u.Mul(d).Mul(v))
		require.True(t, f.S.Equal(d), "the divisors are those of %v: %v", d, f.S)
	}
}

func TestHermite(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		a := randomMatrix(r, r.IntN(6)+1, r.IntN(6)+1, 100)
		h, u, rank := HermiteForm(a)
		require.True(t, u.Mul(a).Equal(h))
		require.True(t, u.Det().Abs().IsOne())
		require.Equal(t, SmithForm(a).Rank, rank)
		last := -1
		for i := range h.Rows {
			j := 0
			for j < h.Cols && h.At(i, j).IsZero() {
				j++
			}
			if i >= rank {
				require.Equal(t, h.Cols, j, "zero rows last")
				continue
			}
			require.Greater(t, j, last)
			last = j
			p := h.At(i, j)
			require.Positive(t, p.Sign())
			for k := range i {
				require.True(t, h.At(k, j).Sign() >= 0 && h.At(k, j).Cmp(p) < 0, "%v", h)
			}
		}
	}
}

// Every operation agrees with math/big at the edges of 64 bits.
func TestIntOperations(t *testing.T) {
	edges := []int64{0, 1, -1, 2, -2, 3, -3, 7, 1 << 31, -1 << 31, 1<<32 + 1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1}
	var values []Int
	for _, a := range edges {
		values = append(values, New(a), New(a).Mul(New(math.MaxInt64)), New(a).Mul(New(math.MinInt64)))
	}
	same := func(want *big.Int, got Int, what string, a, b Int) {
		t.Helper()
		require.Zero(t, want.Cmp(got.Big()), "%s of %v and %v: %v, want %v", what, a, b, got, want)
		require.Equal(t, want.IsInt64(), got.b == nil, "%s of %v and %v", what, a, b)
	}
	for _, a := range values {
		for _, b := range values {
			x, y := a.Big(), b.Big()
			same(new(big.Int).Add(x, y), a.Add(b), "sum", a, b)
			same(new(big.Int).Sub(x, y), a.Sub(b), "difference", a, b)
			same(new(big.Int).Mul(x, y), a.Mul(b), "product", a, b)
			same(new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y)), a.Gcd(b), "gcd", a, b)
			require.Equal(t, x.Cmp(y), a.Cmp(b))
			if y.Sign() == 0 {
				continue
			}
			floor, rest := new(big.Int).DivMod(x, y, new(big.Int)) // 0 <= rest < |y|
			if y.Sign() < 0 && rest.Sign() != 0 {
				floor.Sub(floor, big.NewInt(1)) // Euclid rounds up for negative divisors
			}
			same(floor, a.Floor(b), "floor", a, b)
			ceil := new(big.Int).Set(floor)
			if rest.Sign() != 0 {
				ceil.Add(ceil, big.NewInt(1))
			}
			same(ceil, a.Ceil(b), "ceiling", a, b)
			require.Equal(t, rest.Sign() == 0, b.Divides(a))
		}
	}
	for _, c := range [][3]int64{{-1, 2, -1}, {-3, 4, -1}, {7, -3, -3}, {-7, -3, 2}, {6, 3, 2}} {
		require.Equal(t, New(c[2]), New(c[0]).Floor(New(c[1])))
	}
	for _, c := range [][3]int64{{-3, 2, -1}, {7, -3, -2}, {-1, 2, 0}, {1, 2, 1}} {
		require.Equal(t, New(c[2]), New(c[0]).Ceil(New(c[1])))
	}
}

func FuzzSmith(f *testing.F) {
	f.Add(uint8(2), uint8(3), []byte{1, 2, 3, 4, 250, 6})
	f.Add(uint8(1), uint8(1), []byte{0})
	f.Fuzz(func(t *testing.T, rows, cols uint8, data []byte) {
		m := NewMatrix(int(rows%7), int(cols%7))
		for i := range m.a {
			if i < len(data) {
				m.a[i] = New(int64(int8(data[i])))
			}
		}
		checkSmith(t, m)
	})
}
