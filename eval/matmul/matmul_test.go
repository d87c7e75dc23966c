package matmul

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func random(r *rand.Rand, rows, cols int, transposed bool) Matrix {
	m := Matrix{Rows: rows, Cols: cols, RowStride: cols + 3, ColStride: 1, Data: make([]float64, (rows+3)*(cols+3))}
	if transposed {
		m.RowStride, m.ColStride = 1, rows+3
	}
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

func (m Matrix) at(i, j int) float64 { return m.Data[i*m.RowStride+j*m.ColStride] }

func never() bool { return false }

func TestMul(t *testing.T) {
	if !Available() {
		t.Skip("no kernel for this processor")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1, 1}, {6, 8, 1}, {5, 7, 3}, {13, 17, 300}, {121, 1030, 5}, {250, 40, 257}, {0, 3, 2}, {3, 2, 0}} {
		m, n, k := s[0], s[1], s[2]
		for layout := range 4 {
			a, b, c := random(r, m, k, layout&1 == 1), random(r, k, n, layout&2 == 2), random(r, m, n, false)
			before := append([]float64(nil), c.Data...)
			Mul(c, a, b, -0.5, false, never)
			for i := range c.RowStride * m {
				row, col := i/c.RowStride, i%c.RowStride
				if col >= n {
					require.Equal(t, before[i], c.Data[i], "entries between rows are left alone")
					continue
				}
				want := 0.0
				for p := range k {
					want += -0.5 * a.at(row, p) * b.at(p, col)
				}
				require.InDelta(t, want, c.Data[i], 1e-11, "%v %d", s, layout)
			}
		}
	}
	n := 150
	a, c := random(r, n, 70, false), random(r, n, n, false)
	at := Matrix{Rows: 70, Cols: n, RowStride: 1, ColStride: a.RowStride, Data: a.Data}
	Mul(c, a, at, 1, true, never)
	for i := range n {
		for j := i; j < n; j++ {
			want := 0.0
			for p := range 70 {
				want += a.at(i, p) * a.at(j, p)
			}
			require.InDelta(t, want, c.at(i, j), 1e-11)
		}
	}
}

func TestMulSkipsNothing(t *testing.T) {
	if !Available() {
		t.Skip("no kernel for this processor")
	}
	a, b, c := Matrix{9, 9, 9, 1, make([]float64, 81)}, Matrix{9, 9, 9, 1, make([]float64, 81)}, Matrix{9, 9, 9, 1, make([]float64, 81)}
	b.Data[8*9+8] = math.Inf(1)
	Mul(c, a, b, 1, false, never)
	for i := range 9 {
		for j := range 9 {
			require.Equal(t, j == 8, math.IsNaN(c.at(i, j)))
		}
	}
}

func BenchmarkMul(b *testing.B) {
	if !Available() {
		b.Skip("no kernel for this processor")
	}
	const n = 512
	r := rand.New(rand.NewPCG(1, 2))
	x, y, z := random(r, n, n, false), random(r, n, n, false), random(r, n, n, false)
	g := func(m Matrix) blas64.General {
		return blas64.General{Rows: n, Cols: n, Stride: m.RowStride, Data: m.Data}
	}
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			Mul(z, x, y, 1, false, never)
		}
		b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
	b.Run("gonum", func(b *testing.B) {
		for b.Loop() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, g(x), g(y), 0, g(z))
		}
		b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

// Products of windows agree with the definition, at sizes around those of the slivers.
func TestIndexed(t *testing.T) {
	if !Available() {
		t.Skip("no kernel for this processor")
	}
	r := rand.New(rand.NewPCG(9, 10))
	data := make([]float64, 4000)
	for i := range data {
		data[i] = r.NormFloat64()
	}
	offsets := func(n int) []int {
		out := make([]int, n)
		step := r.IntN(3) + 1
		for i := range out {
			out[i] = i * step
			if r.IntN(4) == 0 {
				out[i] = r.IntN(1500)
			}
		}
		return out
	}
	for range 60 {
		m, n, k := r.IntN(20)+1, r.IntN(30)+1, r.IntN(600)+1
		a, b := Indexed{offsets(m), offsets(k), data}, Indexed{offsets(k), offsets(n), data}
		c := make([]float64, m*n)
		for i := range c {
			c[i] = float64(i)
		}
		AddIndexed(c, a, b)
		for i := range m {
			for j := range n {
				want := float64(i*n + j)
				for p := range k {
					want += data[a.Row[i]+a.Col[p]] * data[b.Row[p]+b.Col[j]]
				}
				if d := want - c[i*n+j]; d > 1e-9*(1+max(want, -want)) || d < -1e-9*(1+max(want, -want)) {
					t.Fatalf("%dx%dx%d: entry %d,%d is %g, not %g", m, n, k, i, j, c[i*n+j], want)
				}
			}
		}
	}
}
