// Package matmul multiplies matrices with packed panels and a micro-kernel in registers, in
// the manner of Goto and van de Geijn (Anatomy of high-performance matrix multiplication, 2008):
// a block of A that fits the second-level cache and a panel of B are copied into the order in
// which a kernel of 6 by 8 entries reads them.
//
// Unlike BLAS it skips nothing: 0*NaN and 0*Inf are NaN.
package matmul

import (
	"runtime"
	"sync"
)

// A Matrix has Rows by Cols entries: entry (i, j) is Data[i*RowStride+j*ColStride].
type Matrix struct {
	Rows, Cols           int
	RowStride, ColStride int
	Data                 []float64
}

const (
	mr, nr = 6, 8    // the kernel's rows and columns
	kc     = 256     // depth of a panel: a sliver of B is 16 KiB
	mc     = 20 * mr // rows of a block of A: 240 KiB
	nc     = 1024    // columns of a panel of B: 2 MiB
)

// Available reports whether this processor has a kernel. Without one, Mul is not to be called.
func Available() bool { return available }

// Mul sets c, whose columns are adjacent, to alpha*a*b. With upper set, c is square and only
// its entries on and above the diagonal are defined afterwards. stop is asked between blocks
// whether to give up.
func Mul(c, a, b Matrix, alpha float64, upper bool, stop func() bool) {
	m, n, k := c.Rows, c.Cols, a.Cols
	for i := range m {
		clear(c.Data[i*c.RowStride : i*c.RowStride+n])
	}
	if m == 0 || n == 0 || k == 0 {
		return
	}
	workers := 1
	if float64(m)*float64(n)*float64(k) > 1<<18 {
		workers = min(runtime.GOMAXPROCS(0), (m+mr-1)/mr)
	}
	// rows of a block: smaller where the blocks would not feed all workers
	rows := min(mc, roundUp((m+workers-1)/workers, mr))
	bp := buffer(min(kc, k) * roundUp(min(nc, n), nr))
	defer release(bp)
	for j := 0; j < n; j += nc {
		cols := min(nc, n-j)
		for p := 0; p < k; p += kc {
			depth := min(kc, k-p)
			packB(*bp, b, p, j, depth, cols)
			blocks := (m + rows - 1) / rows
			run := func(first, step int) {
				ap := buffer(depth * roundUp(min(rows, m), mr))
				defer release(ap)
				for t := first; t < blocks; t += step {
					i := t * rows
					if upper && i > j+cols-1 {
						return // below the diagonal from here on
					}
					if stop() {
						return
					}
					height := min(rows, m-i)
					packA(*ap, a, i, p, height, depth, alpha)
					block(c, i, j, height, cols, depth, *ap, *bp, upper)
				}
			}
			if workers == 1 {
				run(0, 1)
				continue
			}
			var wg sync.WaitGroup
			for w := 1; w < workers; w++ {
				wg.Go(func() { run(w, workers) })
			}
			run(0, workers)
			wg.Wait()
		}
	}
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

var buffers = sync.Pool{New: func() any { return new([]float64) }}

func buffer(n int) *[]float64 {
	b := buffers.Get().(*[]float64)
	if cap(*b) < n {
		*b = make([]float64, n)
	}
	*b = (*b)[:n]
	return b
}

func release(b *[]float64) { buffers.Put(b) }

// packB copies rows p.. and columns j.. of b into slivers of nr columns, row after row; the
// last sliver is filled up with zeros.
func packB(dst []float64, b Matrix, p, j, depth, cols int) {
	for s := 0; s < cols; s += nr {
		width := min(nr, cols-s)
		src := b.Data[p*b.RowStride+(j+s)*b.ColStride:]
		out := dst[s*depth : s*depth+depth*nr]
		switch {
		case width < nr:
			for r := range depth {
				row := out[r*nr : r*nr+nr]
				clear(row)
				for c := range width {
					row[c] = src[r*b.RowStride+c*b.ColStride]
				}
			}
		case b.ColStride == 1:
			for r := range depth {
				copy(out[r*nr:r*nr+nr], src[r*b.RowStride:r*b.RowStride+nr])
			}
		default:
			for c := range nr {
				for r, at := 0, c*b.ColStride; r < depth; r, at = r+1, at+b.RowStride {
					out[r*nr+c] = src[at]
				}
			}
		}
	}
}

// packA copies alpha times rows i.. and columns p.. of a into slivers of mr rows, column after
// column; the last sliver is filled up with zeros.
func packA(dst []float64, a Matrix, i, p, height, depth int, alpha float64) {
	for s := 0; s < height; s += mr {
		width := min(mr, height-s)
		src := a.Data[(i+s)*a.RowStride+p*a.ColStride:]
		out := dst[s*depth : s*depth+depth*mr]
		if width < mr {
			clear(out)
		}
		if a.RowStride == 1 {
			for c := range depth {
				for r, v := range src[c*a.ColStride : c*a.ColStride+width] {
					out[c*mr+r] = alpha * v
				}
			}
			continue
		}
		for r := range width {
			for c, at := 0, r*a.RowStride; c < depth; c, at = c+1, at+a.ColStride {
				out[c*mr+r] = alpha * src[at]
			}
		}
	}
}

// block adds the product of a packed block and a packed panel to c.
func block(c Matrix, i, j, height, cols, depth int, ap, bp []float64, upper bool) {
	var edge [mr * nr]float64
	for s := 0; s < cols; s += nr {
		width := min(nr, cols-s)
		for r := 0; r < height; r += mr {
			if upper && i+r > j+s+width-1 {
				break
			}
			rows := min(mr, height-r)
			at := (i+r)*c.RowStride + j + s
			if rows == mr && width == nr {
				kernel(depth, &ap[r*depth], &bp[s*depth], &c.Data[at], c.RowStride)
				continue
			}
			clear(edge[:])
			kernel(depth, &ap[r*depth], &bp[s*depth], &edge[0], nr)
			for y := range rows {
				for x, v := range edge[y*nr : y*nr+width] {
					c.Data[at+y*c.RowStride+x] += v
				}
			}
		}
	}
}
