package eval

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"frechet/eval/matmul"
	"frechet/eval/plan"
)

// panelWork bounds the multiplications of one BLAS call, so that a run can be cancelled.
const panelWork = 1 << 31

// useKernel is false where the processor has no kernel, and in tests of what then happens.
var useKernel = matmul.Available()

// gemm runs a batch of matrix products: out = coef A B.
func (r *running) gemm(g *plan.Gemm, a, b, out []float64, coef float64) error {
	alpha := coef
	if coef == 0 || math.IsNaN(coef) || math.IsInf(coef, 0) {
		alpha = 1 // BLAS skips the product where alpha is 0
	}
	// BLAS's Gemm skips zeros, which would lose 0*NaN and 0*Inf, so without a kernel of our own
	// operands with such entries take plain loops
	plain := !g.Vector && !useKernel && (!Finite(a) || !Finite(b))
	one := func(ao, bo, co int) {
		a, b, c := a[ao:], b[bo:], out[co:]
		switch {
		case g.Vector:
			gemv(g, a, b, c, alpha)
		case plain:
			plainGemm(g, a, b, c, alpha)
		case useKernel:
			r.kernelGemm(g, a, b, c, alpha)
		default:
			r.panels(g, a, b, c, alpha)
		}
	}
	count := 1
	for _, s := range g.Batch {
		count *= s
	}
	switch each := float64(g.M) * float64(g.N) * float64(g.K); {
	case count == 1:
		one(g.A.Base, g.B.Base, g.C.Base)
	case each > parallelWork: // each is run in parallel itself
		r.batch(g, 0, count, one)
	default:
		parallel(count, 1, each*float64(count), func(_, lo, hi int) { r.batch(g, lo, hi, one) })
	}
	if alpha != coef {
		for i := range out {
			out[i] *= coef
		}
	}
	return r.ctx.Err()
}

// batch runs products lo to hi-1 of a batch.
func (r *running) batch(g *plan.Gemm, lo, hi int, one func(ao, bo, co int)) {
	for t := lo; t < hi && r.ctx.Err() == nil; t++ {
		ao, bo, co := g.A.Base, g.B.Base, g.C.Base
		for l, rest := len(g.Batch)-1, t; l >= 0; l-- {
			i := rest % g.Batch[l]
			rest /= g.Batch[l]
			ao, bo, co = ao+i*g.A.Stride[l], bo+i*g.B.Stride[l], co+i*g.C.Stride[l]
		}
		one(ao, bo, co)
	}
}

// kernelGemm multiplies by the packed kernel.
func (r *running) kernelGemm(g *plan.Gemm, a, b, c []float64, alpha float64) {
	strided := func(rows, cols, ld int, trans bool, data []float64) matmul.Matrix {
		if trans {
			return matmul.Matrix{Rows: rows, Cols: cols, RowStride: 1, ColStride: ld, Data: data}
		}
		return matmul.Matrix{Rows: rows, Cols: cols, RowStride: ld, ColStride: 1, Data: data}
	}
	matmul.Mul(strided(g.M, g.N, g.LDC, false, c), strided(g.M, g.K, g.LDA, g.TransA, a), strided(g.K, g.N, g.LDB, g.TransB, b),
		alpha, g.Symmetric, func() bool { return r.ctx.Err() != nil })
	if g.Symmetric {
		mirror(c, g.M, g.LDC)
	}
}

func transpose(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

// stored is a matrix as it lies: rows and columns exchanged where it is transposed.
func stored(rows, cols, ld int, trans bool, data []float64) blas64.General {
	if trans {
		rows, cols = cols, rows
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: ld, Data: data}
}

// panels multiplies in panels of rows. gonum runs one product on all processors. Of a
// symmetric product only the blocks on and right of the diagonal are computed.
func (r *running) panels(g *plan.Gemm, a, b, c []float64, alpha float64) {
	rows := g.M
	if per := g.N * g.K; per > 0 && rows > panelWork/per {
		rows = max(64, panelWork/per)
	}
	if g.Symmetric {
		rows = min(rows, max(64, (g.M+7)/8))
	}
	for lo := 0; lo < g.M; lo += rows {
		if r.ctx.Err() != nil {
			return
		}
		m := min(rows, g.M-lo)
		col := 0
		if g.Symmetric {
			col = lo
		}
		ao, bo := lo*g.LDA, col
		if g.TransA {
			ao = lo
		}
		if g.TransB {
			bo = col * g.LDB
		}
		blas64.Gemm(transpose(g.TransA), transpose(g.TransB), alpha,
			stored(m, g.K, g.LDA, g.TransA, a[ao:]), stored(g.K, g.N-col, g.LDB, g.TransB, b[bo:]),
			0, blas64.General{Rows: m, Cols: g.N - col, Stride: g.LDC, Data: c[lo*g.LDC+col:]})
	}
	if g.Symmetric {
		mirror(c, g.M, g.LDC)
	}
}

// mirror copies the upper triangle to the lower one, tile by tile.
func mirror(c []float64, n, ld int) {
	const tile = 32
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(n, i0+tile); i++ {
				for j := j0; j < min(i, j0+tile); j++ {
					c[i*ld+j] = c[j*ld+i]
				}
			}
		}
	}
}

// gemv multiplies a matrix by a vector, large ones in parallel over the result.
func gemv(g *plan.Gemm, a, x, y []float64, alpha float64) {
	rows := func(_, lo, hi int) {
		if hi <= lo {
			return
		}
		ao := lo * g.LDA
		if g.TransA {
			ao = lo
		}
		blas64.Gemv(transpose(g.TransA), alpha, stored(hi-lo, g.K, g.LDA, g.TransA, a[ao:]),
			blas64.Vector{N: g.K, Inc: g.IncX, Data: x}, 0, blas64.Vector{N: hi - lo, Inc: g.IncY, Data: y[lo*g.IncY:]})
	}
	parallel(g.M, 8, float64(g.M)*float64(g.K)/2, rows)
}

// plainGemm follows the definition, skipping nothing.
func plainGemm(g *plan.Gemm, a, b, c []float64, alpha float64) {
	ai, ak := g.LDA, 1
	if g.TransA {
		ai, ak = 1, g.LDA
	}
	bk, bj, ci := g.LDB, 1, g.LDC
	switch {
	case g.Vector:
		bk, bj, ci = g.IncX, 1, g.IncY
	case g.TransB:
		bk, bj = 1, g.LDB
	}
	for i := range g.M {
		row := c[i*ci : i*ci+g.N]
		clear(row)
		for k := range g.K {
			inner1(row, 0, 1, b, k*bk, bj, g.N, alpha*a[i*ai+k*ak])
		}
	}
}
