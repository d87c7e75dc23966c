package eval

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"frechet/eval/matmul"
	"frechet/eval/plan"
)

// tileEntries bounds a block, so that a block of each operand and of the result fit the
// second-level cache together.
const tileEntries = 1 << 15

// maxTileParts is the largest result of which goroutines that share a sum get a copy each.
const maxTileParts = 1 << 16

// tile runs a product over windows: see plan.Tile. Goroutines take different columns, or
// different parts of the sum with results of their own where there are few columns. The
// result is zero before.
func (r *running) tile(t *plan.Tile, a, b, out []float64, coef float64) error {
	j := &tiler{r: r, t: t, a: a, b: b, coef: coef, blas: !useKernel && Finite(a) && Finite(b)}
	j.m, j.n, j.k = product1(t.M), product1(t.N), product1(t.K)
	j.nb = min(j.n, max(8, tileEntries/max(j.m, min(j.k, 256))))
	j.kb = min(j.k, max(8, tileEntries/max(j.m, j.nb)))
	batch := product1(t.Batch)
	work := float64(batch) * float64(j.m) * float64(j.n) * float64(j.k)
	align := max(t.Together, 1)
	if align < j.nb {
		align *= j.nb / align
	}
	if t.Free && batch >= maxParts() {
		parallel(batch, 1, work, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				j.columns(out, i, 0, j.n, 0, j.k)
			}
		})
		return r.ctx.Err()
	}
	work /= float64(batch)
	for i := range batch {
		if j.n < 2*align && j.k > 4*j.kb && len(out) <= maxTileParts {
			j.shareSum(out, i, work)
			continue
		}
		parallel(j.n, align, work, func(_, lo, hi int) { j.columns(out, i, lo, hi, 0, j.k) })
	}
	return r.ctx.Err()
}

// shareSum gives every goroutine a part of the sum.
func (j *tiler) shareSum(out []float64, batch int, work float64) {
	private := make([][]float64, maxParts())
	parallel(j.k, j.kb, work, func(part, lo, hi int) {
		if lo >= hi {
			return
		}
		private[part] = make([]float64, len(out))
		j.columns(private[part], batch, 0, j.n, lo, hi)
	})
	for _, p := range private {
		for i, v := range p {
			out[i] += v
		}
	}
}

func product1(sizes []int) int {
	p := 1
	for _, n := range sizes {
		p *= n
	}
	return p
}

// offset is the walk of the point number i of loops.
func offset(stride, size []int, i int) int {
	o := 0
	for l := len(size) - 1; l >= 0; l-- {
		o += i % size[l] * stride[l]
		i /= size[l]
	}
	return o
}

// A tiler has what one product needs.
type tiler struct {
	r       *running
	t       *plan.Tile
	a, b    []float64
	coef    float64
	blas    bool // no kernel of our own, and no NaNs or infinities, which BLAS may lose
	m, n, k int
	nb, kb  int // columns, and terms of the sum, of a block
}

// A tileSpace is the memory of one goroutine.
type tileSpace struct {
	runs                []stretch
	a, b, c             []float64
	rows, cols, target  []int // offsets in B, and of the columns in C
	rowsA, colsA, rowsC []int
}

var tileSpaces = sync.Pool{New: func() any { return new(tileSpace) }}

// offsets lists base plus the walks of the points lo to hi of loops.
func offsets(dst []int, base int, stride, size []int, lo, hi int) []int {
	dst = dst[:0]
	last := len(size) - 1
	for i := lo; i < hi; {
		// the innermost loop in one go
		o, s, n := base+offset(stride, size, i), stride[last], size[last]
		for range min(n-i%n, hi-i) {
			dst = append(dst, o)
			o += s
			i++
		}
	}
	return dst
}

// columns adds up the columns n0 to n1 over the terms k0 to k1, for one point of the batch.
func (j *tiler) columns(out []float64, batch, n0, n1, k0, k1 int) {
	t := j.t
	w := tileSpaces.Get().(*tileSpace)
	defer tileSpaces.Put(w)
	at := func(x plan.TileWalk) int { return x.Base + offset(x.Batch, t.Batch, batch) }
	w.rowsC = offsets(w.rowsC, at(t.C), t.C.Row, t.M, 0, j.m)
	w.rowsA = offsets(w.rowsA, at(t.A), t.A.Row, t.M, 0, j.m)
	for n := n0; n < n1; n += j.nb {
		nb := min(j.nb, n1-n)
		w.c = grown(w.c, j.m*nb)
		clear(w.c)
		w.cols = offsets(w.cols, 0, t.B.Col, t.N, n, n+nb)
		for k := k0; k < k1; k += j.kb {
			if j.r.ctx.Err() != nil {
				return
			}
			kb := min(j.kb, k1-k)
			w.rows = offsets(w.rows, at(t.B), t.B.Row, t.K, k, k+kb)
			w.colsA = offsets(w.colsA, 0, t.A.Col, t.K, k, k+kb)
			if useKernel {
				matmul.AddIndexed(w.c, matmul.Indexed{Row: w.rowsA, Col: w.colsA, Data: j.a}, matmul.Indexed{Row: w.rows, Col: w.cols, Data: j.b})
				continue
			}
			w.a = pack(w.a, j.a, w.rowsA, w.colsA)
			// B lies with the longer runs of neighbours innermost.
			across := unitRuns(w.cols) >= unitRuns(w.rows)
			if across {
				w.b = pack(w.b, j.b, w.rows, w.cols)
			} else {
				w.b = pack(w.b, j.b, w.cols, w.rows)
			}
			j.multiply(w, nb, kb, across)
		}
		w.target = offsets(w.target, 0, t.C.Col, t.N, n, n+nb)
		w.runs = runsOf(w.runs, w.target)
		unpack(out, w.c, w.rowsC, w.runs, nb, j.coef)
	}
}

// multiply adds the product of the blocks of A and B to that of the result, where the
// processor has no kernel of our own.
func (j *tiler) multiply(w *tileSpace, nb, kb int, across bool) {
	if j.blas {
		tb, b := blas.NoTrans, blas64.General{Rows: kb, Cols: nb, Stride: nb, Data: w.b}
		if !across {
			tb, b = blas.Trans, blas64.General{Rows: nb, Cols: kb, Stride: kb, Data: w.b}
		}
		blas64.Gemm(blas.NoTrans, tb, 1, blas64.General{Rows: j.m, Cols: kb, Stride: kb, Data: w.a}, b,
			1, blas64.General{Rows: j.m, Cols: nb, Stride: nb, Data: w.c})
		return
	}
	for m := range j.m {
		row := w.c[m*nb : (m+1)*nb]
		for k, v := range w.a[m*kb : (m+1)*kb] {
			if across {
				inner1(row, 0, 1, w.b, k*nb, 1, nb, v)
			} else {
				inner1(row, 0, 1, w.b, k, kb, nb, v)
			}
		}
	}
}

// unitRuns is the length of the first run of neighbours.
func unitRuns(o []int) int {
	n := 1
	for n < len(o) && o[n] == o[n-1]+1 {
		n++
	}
	return n
}

// pack copies the entries at rows[i] + cols[j] next to each other.
func pack(dst, src []float64, rows, cols []int) []float64 {
	dst = grown(dst, len(rows)*len(cols))
	at := 0
	for _, r := range rows {
		for i := 0; i < len(cols); {
			o := r + cols[i]
			n := 1
			for i+n < len(cols) && cols[i+n] == cols[i]+n {
				n++
			}
			if n < 4 {
				for range n {
					dst[at] = src[o]
					at, o = at+1, o+1
				}
			} else {
				at += copy(dst[at:at+n], src[o:o+n])
			}
			i += n
		}
	}
	return dst
}

// A stretch is a run of neighbours among columns.
type stretch struct{ at, offset, n int }

// runsOf lists the runs of neighbouring offsets.
func runsOf(dst []stretch, cols []int) []stretch {
	dst = dst[:0]
	for i := 0; i < len(cols); {
		n := 1
		for i+n < len(cols) && cols[i+n] == cols[i]+n {
			n++
		}
		dst = append(dst, stretch{i, cols[i], n})
		i += n
	}
	return dst
}

// unpack adds coef times the block of nb columns to the entries at rows[i] plus the runs'.
func unpack(dst, src []float64, rows []int, runs []stretch, nb int, coef float64) {
	for i, r := range rows {
		block := src[i*nb : (i+1)*nb]
		for _, u := range runs {
			from := block[u.at : u.at+u.n]
			to := dst[r+u.offset : r+u.offset+u.n]
			if coef == 1 {
				for k, v := range from {
					to[k] += v
				}
				continue
			}
			for k, v := range from {
				to[k] += coef * v
			}
		}
	}
}
