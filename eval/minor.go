package eval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"frechet/eval/matmul"
)

const lapackOneNorm = lapack.MaxColumnSum

// Minor sets dst to the k-th derivative of the determinant at the n by n matrix x, a tensor
// of order 2k with axes r1,c1,...,rk,ck:
//
//	minor_0 = det,   minor_k[r1,c1,...,rk,ck] = d minor_{k-1}[r1,...,ck-1] / d x[rk,ck]
//
// Its entry is 0 if a row or a column repeats; else the determinant of x without those rows
// and columns, with sign (-1)^(sum r + sum c) times the signs of the permutations that sort
// r and c. In particular minor_1 holds the cofactors and minor_k = 0 for k > n. No inverse is
// involved, so it is right at singular matrices of every rank.
func Minor(dst []float64, k, n int, x []float64) {
	switch {
	case k == 0:
		dst[0] = Det(n, x)
		return
	case k > n:
		clear(dst)
		return
	}
	sets := subsets(n, k)
	m := len(sets)
	var c []float64 // c[a,b]: signed determinant without the rows sets[a] and the columns sets[b]
	if k == 1 {
		c = dst // the subsets are the indices themselves
	} else {
		c = make([]float64, m*m)
	}
	if n-k <= 3 {
		directMinors(c, sets, n, x)
	} else {
		compoundMinors(c, sets, n, x)
	}
	if k > 1 {
		spreadMinors(dst, c, sets, k, n)
	}
}

// subsets lists the k-element subsets of 0..n-1 in lexicographic order, each sorted.
func subsets(n, k int) [][]int {
	var out [][]int
	s := make([]int, k)
	for i := range s {
		s[i] = i
	}
	for {
		out = append(out, slices.Clone(s))
		i := k - 1
		for i >= 0 && s[i] == n-k+i {
			i--
		}
		if i < 0 {
			return out
		}
		s[i]++
		for j := i + 1; j < k; j++ {
			s[j] = s[j-1] + 1
		}
	}
}

func parity(s []int) float64 {
	sum := 0
	for _, v := range s {
		sum += v
	}
	if sum%2 == 1 {
		return -1
	}
	return 1
}

// directMinors takes each determinant by itself; the matrices that remain have size at most 3.
func directMinors(c []float64, sets [][]int, n int, x []float64) {
	m, k := len(sets), len(sets[0])
	rest := make([][]int, m)
	for a, s := range sets {
		for i := range n {
			if !slices.Contains(s, i) {
				rest[a] = append(rest[a], i)
			}
		}
	}
	sub := make([]float64, (n-k)*(n-k))
	for a, rows := range rest {
		for b, cols := range rest {
			t := 0
			for _, i := range rows {
				for _, j := range cols {
					sub[t] = x[i*n+j]
					t++
				}
			}
			c[a*m+b] = parity(sets[a]) * parity(sets[b]) * Det(n-k, sub)
		}
	}
}

// compoundMinors uses x = U S V'. Complementary minors are multiplicative (Cauchy-Binet), and
// those of an orthogonal U are det(U) times its k-minors, so that
//
//	c = det(U) det(V) C_k(U) diag(product of the singular values outside a subset) C_k(V)'
//
// with C_k the k-th compound matrix. For k = 1 this is U diag(prod of the others) V': order
// n^3, and every product is of non-negative numbers, so nothing cancels at singular x. A
// matrix whose condition is good takes the shorter way cof = det(x) (x^-1)'.
func compoundMinors(c []float64, sets [][]int, n int, x []float64) {
	m, k := len(sets), len(sets[0])
	if k == 1 && goodCofactors(c, n, x) {
		return
	}
	u, s, vt, ok := svd(n, x)
	if !ok {
		fillNaN(c)
		return
	}
	sign := one().times(newLU(n, u).sgnDet() * newLU(n, vt).sgnDet())
	// products over the complement of a subset, none by division
	cu, cv := compound(u, sets, n, false), compound(vt, sets, n, true)
	for b, set := range sets {
		p, t := sign, 0
		for j, v := range s {
			if t < k && set[t] == j {
				t++
				continue
			}
			p = p.times(v)
		}
		f := p.float()
		for a := range m {
			cu[a*m+b] *= f
		}
	}
	timesTransposed(c, m, cu, cv)
}

// timesTransposed sets c to a b', all of size m.
func timesTransposed(c []float64, m int, a, b []float64) {
	if useKernel {
		matmul.Mul(matmul.Matrix{Rows: m, Cols: m, RowStride: m, ColStride: 1, Data: c},
			matmul.Matrix{Rows: m, Cols: m, RowStride: m, ColStride: 1, Data: a},
			matmul.Matrix{Rows: m, Cols: m, RowStride: 1, ColStride: m, Data: b}, 1, false, func() bool { return false })
		return
	}
	g := func(d []float64) blas64.General { return blas64.General{Rows: m, Cols: m, Stride: m, Data: d} }
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, g(a), g(b), 0, g(c))
}

// goodCofactors computes the cofactors from the inverse where that loses at most four digits.
func goodCofactors(c []float64, n int, x []float64) bool {
	f, _, r, col, rcond, finite, err := factorise("minor", n, x)
	if err != nil || !finite || rcond < 1e-4 {
		return false
	}
	// x = R^-1 y C^-1: cof(x)[i,j] = det(x) (x^-1)[j,i] = det(y)/prod(r c) * c[j] y^-1[j,i] r[i]
	inv := make([]float64, n*n)
	f.inverse(inv)
	det := f.det()
	for i := range n {
		det = det.times(1 / r[i]).times(1 / col[i])
	}
	for i := range n {
		for j := range n {
			c[i*n+j] = det.times(inv[j*n+i]).times(col[j]).times(r[i]).float()
		}
	}
	return true
}

// sgnDet is the determinant of an orthogonal matrix, rounded to 1 or -1.
func (f *lu) sgnDet() float64 { return math.Copysign(1, f.det().m) }

// svd returns x = u diag(s) vt; ok is false where x is not finite or the iteration failed.
func svd(n int, x []float64) (u, s, vt []float64, ok bool) {
	for _, v := range x[:n*n] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, nil, false
		}
	}
	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: slices.Clone(x[:n*n])}
	ug := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	vg := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	s = make([]float64, n)
	work := make([]float64, 1)
	lapack64.Gesvd(lapack.SVDAll, lapack.SVDAll, a, ug, vg, s, work, -1)
	work = make([]float64, int(work[0]))
	ok = lapack64.Gesvd(lapack.SVDAll, lapack.SVDAll, a, ug, vg, s, work, len(work))
	return ug.Data, s, vg.Data, ok
}

// compound returns C_k of q, or of its transpose: the matrix of all k-minors, rows and
// columns chosen by sets.
func compound(q []float64, sets [][]int, n int, transpose bool) []float64 {
	m, k := len(sets), len(sets[0])
	out := make([]float64, m*m)
	sub := make([]float64, k*k)
	for a, rows := range sets {
		for b, cols := range sets {
			for i, r := range rows {
				for j, c := range cols {
					if transpose {
						sub[i*k+j] = q[c*n+r]
					} else {
						sub[i*k+j] = q[r*n+c]
					}
				}
			}
			out[a*m+b] = Det(k, sub)
		}
	}
	return out
}

// spreadMinors writes the value of each pair of subsets to all orders of their elements.
func spreadMinors(dst, c []float64, sets [][]int, k, n int) {
	clear(dst)
	m := len(sets)
	perms, signs := permutations(k)
	for a, rows := range sets {
		for b, cols := range sets {
			v := c[a*m+b]
			for p, pr := range perms {
				for q, qc := range perms {
					o := 0
					for t := range k {
						o = (o*n+rows[pr[t]])*n + cols[qc[t]]
					}
					dst[o] = v * signs[p] * signs[q]
				}
			}
		}
	}
}

// permutations lists the permutations of 0..k-1 with their signs.
func permutations(k int) (perms [][]int, signs []float64) {
	perms, signs = [][]int{{}}, []float64{1}
	for t := range k {
		var next [][]int
		var nextSigns []float64
		for p, perm := range perms {
			for at := range t + 1 {
				q := slices.Insert(slices.Clone(perm), at, t)
				s := signs[p]
				if (t-at)%2 == 1 {
					s = -s
				}
				next, nextSigns = append(next, q), append(nextSigns, s)
			}
		}
		perms, signs = next, nextSigns
	}
	return perms, signs
}
