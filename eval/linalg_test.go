package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func randomMatrix(r *rand.Rand, n int) []float64 {
	x := make([]float64, n*n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// randomRank returns a random n by n matrix of rank k.
func randomRank(r *rand.Rand, n, k int) []float64 {
	a, b := randomMatrix(r, n), randomMatrix(r, n)
	x := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for l := range k {
				x[i*n+j] += a[i*n+l] * b[l*n+j]
			}
		}
	}
	return x
}

// laplace expands a determinant along its first row: the definition, and exponential.
func laplace(n int, x []float64) float64 {
	if n == 0 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for j := range n {
		sum += sign * x[j] * laplace(n-1, without(n, x, 0, j))
		sign = -sign
	}
	return sum
}

func without(n int, x []float64, row, col int) []float64 {
	var sub []float64
	for i := range n {
		for j := range n {
			if i != row && j != col {
				sub = append(sub, x[i*n+j])
			}
		}
	}
	return sub
}

func identity(n int, v float64) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i*n+i] = v
	}
	return x
}

func identity3(a, b, c float64) []float64 { return []float64{a, 0, 0, 0, b, 0, 0, 0, c} }

func TestDet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 8 {
		x := randomMatrix(r, n)
		require.InDelta(t, laplace(n, x), Det(n, x), 1e-12*(1+math.Abs(laplace(n, x))), "n = %d", n)
	}
	require.Equal(t, 1.0, Det(0, nil))
	require.Equal(t, 0.0, Det(2, []float64{1, 2, 2, 4}))
	require.Equal(t, -1.0, Det(2, []float64{0, 1, 1, 0}))
	// so it does of tiny and huge entries
	require.Equal(t, math.Inf(1), Det(2, []float64{1e160, 1e160, 1e160, 2e160}))
	require.Equal(t, 0.0, Det(2, []float64{1e160, 2e160, 1e160, 2e160}))
	require.InEpsilon(t, 1e-100, Det(3, identity3(1e300, 1e-200, 1e-200)), 1e-14)
	require.InEpsilon(t, -1e150, Det(3, []float64{0, 1e200, 0, 1e200, 0, 0, 0, 0, 1e-250}), 1e-14)
	require.True(t, math.IsNaN(Det(2, []float64{math.NaN(), 1e200, 1, 1})))
	cof := make([]float64, 9)
	Minor(cof, 1, 3, identity3(1e300, 1e-200, 1e-200))
	require.InDeltaSlice(t, []float64{0, 0, 0, 0, 1, 0, 0, 0, 1}, []float64{cof[0], cof[1], cof[2], cof[3], cof[4] / 1e100, cof[5], cof[6], cof[7], cof[8] / 1e100}, 1e-14)
	// the partial products leave float64's range, the determinant does not
	x := identity(400, 1)
	for i := range 200 {
		x[i*400+i], x[(i+200)*401] = 1e-3, 1e3
	}
	require.InEpsilon(t, 1, Det(400, x), 1e-12)
}

func TestInv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 5, 40} {
		x, inv := randomMatrix(r, n), make([]float64, n*n)
		require.NoError(t, Inv(inv, n, x))
		for i := range n {
			for j := range n {
				s := 0.0
				for k := range n {
					s += x[i*n+k] * inv[k*n+j]
				}
				want := 0.0
				if i == j {
					want = 1
				}
				require.InDelta(t, want, s, 1e-10)
			}
		}
	}
	inv := make([]float64, 9)
	require.NoError(t, Inv(inv, 3, identity(3, 1e-12)))
	require.InEpsilon(t, 1e12, inv[4], 1e-15)
	require.NoError(t, Inv(inv[:4], 2, []float64{1, 2, 3, 4}))
	require.Equal(t, []float64{-2, 1, 1.5, -0.5}, inv[:4])
	// badly scaled is not singular
	require.NoError(t, Inv(inv[:4], 2, []float64{1e-200, 0, 0, 1e200}))
	require.InEpsilon(t, 1e200, inv[0], 1e-15)
	require.NoError(t, Inv(inv[:1], 1, []float64{5e-324}))
	for _, x := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, make([]float64, 9), {1, 0, 0, 0, 0, 0, 0, 0, 1}} {
		var e *SingularError
		require.ErrorAs(t, Inv(inv, 3, x), &e)
		require.Equal(t, "inv", e.Op)
	}
	require.NoError(t, Inv(inv[:4], 2, []float64{math.NaN(), 1, 1, 1}))
	require.True(t, math.IsNaN(inv[0]))
}

func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, m = 7, 3
	x, z := randomMatrix(r, n), randomMatrix(r, n)[:n*m]
	b, got := make([]float64, n*m), make([]float64, n*m)
	for i := range n {
		for j := range m {
			for k := range n {
				b[i*m+j] += x[i*n+k] * z[k*m+j]
			}
		}
	}
	require.NoError(t, Solve(got, n, m, x, b))
	require.InDeltaSlice(t, z, got, 1e-11)
	require.NoError(t, Solve(got[:2], 2, 1, []float64{1, 2, 3, 4}, []float64{5, 11}))
	require.Equal(t, []float64{1, 2}, got[:2])
	var e *SingularError
	require.ErrorAs(t, Solve(got, 2, 1, []float64{1, 1, 1, 1}, b), &e)
	require.NoError(t, Solve(nil, 0, 3, nil, nil))
}

func TestLogDet(t *testing.T) {
	require.InEpsilon(t, 200*math.Log(1e-3), LogDet(200, identity(200, 1e-3)), 1e-14)
	require.InEpsilon(t, 200*math.Log(1e3), LogDet(200, identity(200, 1e3)), 1e-14)
	require.Equal(t, 0.0, LogDet(0, nil))
	require.True(t, math.IsNaN(LogDet(2, []float64{0, 1, 1, 0})), "det = -1")
	require.True(t, math.IsNaN(LogDet(2, []float64{1, 1, 1, 1})), "det = 0")
	require.InDelta(t, 0, LogDet(2, []float64{-1, 0, 0, -1}), 0, "det = 1")
}

// minorByDefinition removes rows and columns one after the other: each is counted in what remains.
func minorByDefinition(n int, x []float64, rows, cols []int) float64 {
	sign, m := 1.0, n
	for t := range rows {
		r, c := rows[t], cols[t]
		for s := range t {
			if rows[s] == rows[t] || cols[s] == cols[t] {
				return 0
			}
			if rows[s] < rows[t] {
				r--
			}
			if cols[s] < cols[t] {
				c--
			}
		}
		if (r+c)%2 == 1 {
			sign = -sign
		}
		x, m = without(m, x, r, c), m-1
	}
	return sign * laplace(m, x)
}

func TestMinor(t *testing.T) { bothWays(t, testMinor) }

func testMinor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 7 {
		for k := range min(4, n+2) {
			if n > 5 && k > 2 {
				continue
			}
			for rank := range n + 1 { // singular matrices of every rank
				x := randomRank(r, n, rank)
				size := 1
				for range 2 * k {
					size *= n
				}
				got := make([]float64, size)
				Minor(got, k, n, x)
				rows, cols := make([]int, k), make([]int, k)
				for o := range got {
					at := o
					for s := k - 1; s >= 0; s-- {
						cols[s], at = at%n, at/n
						rows[s], at = at%n, at/n
					}
					want := minorByDefinition(n, x, rows, cols)
					require.InDelta(t, want, got[o], 1e-12*(1+math.Abs(want)), "n=%d k=%d rank=%d rows=%v cols=%v", n, k, rank, rows, cols)
				}
			}
		}
	}
	// more derivatives than the determinant has: 0
	got := []float64{7}
	Minor(got, 2, 1, []float64{3})
	require.Equal(t, 0.0, got[0])
}

// The cofactors of a matrix of rank n-1 are an outer product of the kernels; of rank n-2, zero.
func TestMinorLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 60
	a := randomMatrix(r, n)
	for i := range a {
		a[i] /= 4 // keeps the determinant in a comfortable range
	}
	x := append([]float64(nil), a...)
	copy(x[(n-1)*n:], x[:n]) // the last row repeats the first: rank n-1
	cof := make([]float64, n*n)
	Minor(cof, 1, n, x)
	for _, at := range [][2]int{{0, 0}, {0, 17}, {n - 1, 3}, {5, 5}} {
		i, j := at[0], at[1]
		want := Det(n-1, without(n, x, i, j))
		if (i+j)%2 == 1 {
			want = -want
		}
		if i != 0 && i != n-1 {
			want = 0 // both equal rows remain
		}
		scale := math.Abs(cof[0])
		require.InDelta(t, want, cof[i*n+j], 1e-10*scale)
	}
	Minor(cof, 1, n, a) // the regular one takes the short way
	want := Det(n-1, without(n, a, 2, 9))
	require.InEpsilon(t, -want, cof[2*n+9], 1e-9)
	copy(x[(n-2)*n:], x[:n])
	Minor(cof, 1, n, x)
	for _, v := range cof {
		require.InDelta(t, 0, v, 1e-10*math.Abs(want))
	}
}

func TestMinorOverflow(t *testing.T) {
	const n = 200
	cof := make([]float64, n*n)
	Minor(cof, 1, n, identity(n, 10)) // 10^199 is a float64, though 10^200 * 10^199 is not
	require.InEpsilon(t, 1e199, cof[0], 1e-10)
	require.Equal(t, 0.0, cof[1])
}

func TestTensorErrors(t *testing.T) {
	_, err := Of([]int{2, 3}, make([]float64, 5))
	require.EqualError(t, err, "shape [2,3] has 6 entries, but 5 are given")
	_, err = Elements([]int{1e9, 1e9, 1e9}, 1<<30)
	var limit *LimitError
	require.True(t, errors.As(err, &limit))
	require.Equal(t, 1e27, limit.Need)
	n, err := Elements([]int{1e9, 1e9, 1e9, 0}, 1<<30)
	require.NoError(t, err)
	require.Equal(t, 0, n)
	_, err = Elements(make([]int, 65), 1<<30)
	require.ErrorAs(t, err, &limit)
	_, err = Elements([]int{-1}, 1<<30)
	var size *SizeError
	require.ErrorAs(t, err, &size)
}

func BenchmarkCofactors200(b *testing.B) {
	x := randomRank(rand.New(rand.NewPCG(1, 1)), 200, 199)
	dst := make([]float64, 200*200)
	for b.Loop() {
		Minor(dst, 1, 200, x)
	}
}
