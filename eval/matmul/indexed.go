package matmul

// An Indexed matrix has its entry (i, j) at Data[Row[i]+Col[j]]: windows of a tensor, which
// overlap, are matrices of this kind.
type Indexed struct {
	Row, Col []int
	Data     []float64
}

// AddIndexed adds a*b to c, which is dense with len(a.Row) rows and len(b.Col) columns. It runs
// in this goroutine; c and the columns of b should fit the second-level cache.
func AddIndexed(c []float64, a, b Indexed) {
	m, n, k := len(a.Row), len(b.Col), len(a.Col)
	if m == 0 || n == 0 || k == 0 {
		return
	}
	out := Matrix{Rows: m, Cols: n, RowStride: n, ColStride: 1, Data: c}
	bp, ap := buffer(min(kc, k)*roundUp(n, nr)), buffer(min(kc, k)*roundUp(min(mc, m), mr))
	defer release(bp)
	defer release(ap)
	for p := 0; p < k; p += kc {
		depth := min(kc, k-p)
		for s := 0; s < n; s += nr {
			sliver8((*bp)[s*depth:(s+nr)*depth], b.Data, b.Row[p:p+depth], b.Col[s:min(s+nr, n)])
		}
		for i := 0; i < m; i += mc {
			height := min(mc, m-i)
			for s := 0; s < height; s += mr {
				sliver6((*ap)[s*depth:(s+mr)*depth], a.Data, a.Col[p:p+depth], a.Row[i+s:min(i+s+mr, m)])
			}
			block(out, i, 0, height, n, depth, *ap, *bp, false)
		}
	}
}

// sliver8 copies up to nr columns, row after row, with zeros for those that are missing.
func sliver8(dst, src []float64, rows, cols []int) {
	if len(cols) < nr {
		clear(dst)
		for r, o := range rows {
			for c, p := range cols {
				dst[r*nr+c] = src[o+p]
			}
		}
		return
	}
	c0, c1, c2, c3, c4, c5, c6, c7 := cols[0], cols[1], cols[2], cols[3], cols[4], cols[5], cols[6], cols[7]
	adjacent := true
	for c, p := range cols {
		adjacent = adjacent && p == c0+c
	}
	if adjacent {
		for r, o := range rows {
			copy(dst[r*nr:r*nr+nr], src[o+c0:o+c0+nr])
		}
		return
	}
	for r, o := range rows {
		d := dst[r*nr : r*nr+nr : r*nr+nr]
		d[0], d[1], d[2], d[3] = src[o+c0], src[o+c1], src[o+c2], src[o+c3]
		d[4], d[5], d[6], d[7] = src[o+c4], src[o+c5], src[o+c6], src[o+c7]
	}
}

// sliver6 copies up to mr rows, column after column, with zeros for those that are missing.
func sliver6(dst, src []float64, cols, rows []int) {
	if len(rows) < mr {
		clear(dst)
		for c, o := range cols {
			for r, p := range rows {
				dst[c*mr+r] = src[o+p]
			}
		}
		return
	}
	r0, r1, r2, r3, r4, r5 := rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
	for c, o := range cols {
		d := dst[c*mr : c*mr+mr : c*mr+mr]
		d[0], d[1], d[2] = src[o+r0], src[o+r1], src[o+r2]
		d[3], d[4], d[5] = src[o+r3], src[o+r4], src[o+r5]
	}
}
