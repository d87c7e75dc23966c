package eval

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// The matrix functions below work on one n by n matrix in row-major order; batchMatrices
// runs them over leading axes.

// A scaled number is m * 2^e. Products of many factors are kept scaled, so that a
// determinant neither overflows nor underflows before its last factor is known.
type scaled struct {
	m float64
	e int
}

func one() scaled { return scaled{1, 0} }

func (s scaled) times(f float64) scaled {
	m, e := math.Frexp(s.m * f)
	return scaled{m, s.e + e}
}

func (s scaled) float() float64 { return math.Ldexp(s.m, s.e) }

// lu is an LU factorisation with partial pivoting, P A = L U.
type lu struct {
	n   int
	a   blas64.General
	piv []int
}

func newLU(n int, x []float64) *lu {
	f := &lu{n: n, a: blas64.General{Rows: n, Cols: n, Stride: max(1, n), Data: make([]float64, n*n)}, piv: make([]int, n)}
	copy(f.a.Data, x)
	if n > 0 {
		lapack64.Getrf(f.a, f.piv)
	}
	return f
}

// sign is the sign of the permutation.
func (f *lu) sign() float64 {
	s := 1.0
	for i, p := range f.piv {
		if i != p {
			s = -s
		}
	}
	return s
}

func (f *lu) det() scaled {
	d := one().times(f.sign())
	for i := range f.n {
		d = d.times(f.a.Data[i*f.n+i])
	}
	return d
}

// singular reports whether a pivot is exactly zero.
func (f *lu) singular() bool {
	for i := range f.n {
		if f.a.Data[i*f.n+i] == 0 {
			return true
		}
	}
	return false
}

// equilibrate scales rows and then columns of x to largest entries near 1, by powers of two,
// so that it rounds nothing: result[i,j] = r[i] x[i,j] c[j]. A condition number of the result
// does not depend on the units of rows and columns. ok is false where a row or column is zero
// or not finite.
func equilibrate(n int, x []float64) (y, r, c []float64, ok bool) {
	y = append([]float64(nil), x[:n*n]...)
	r, c = make([]float64, n), make([]float64, n)
	ok = true
	scale := func(m float64) float64 {
		if m == 0 || math.IsInf(m, 0) || math.IsNaN(m) {
			ok = false
			return 1
		}
		_, e := math.Frexp(m)
		return math.Ldexp(1, min(-e, 1023)) // -e can reach 1074, for the smallest subnormals
	}
	for i := range n {
		m := 0.0
		for _, v := range y[i*n : i*n+n] {
			m = math.Max(m, math.Abs(v)) // NaN stays NaN
		}
		r[i] = scale(m)
		for j := range n {
			y[i*n+j] *= r[i]
		}
	}
	for j := range n {
		m := 0.0
		for i := range n {
			m = math.Max(m, math.Abs(y[i*n+j]))
		}
		c[j] = scale(m)
		for i := range n {
			y[i*n+j] *= c[j]
		}
	}
	return y, r, c, ok
}

// rcond estimates the reciprocal condition number, in the 1-norm, of the matrix that f factorises.
func (f *lu) rcond(x []float64) float64 {
	if f.n == 0 {
		return 1
	}
	norm := 0.0
	for j := range f.n {
		s := 0.0
		for i := range f.n {
			s += math.Abs(x[i*f.n+j])
		}
		norm = math.Max(norm, s)
	}
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return math.NaN()
	}
	return lapack64.Gecon(lapackOneNorm, f.a, norm, make([]float64, 4*f.n), make([]int, f.n))
}

// workingPrecision is the reciprocal condition below which a matrix counts as singular: no
// digit of its inverse would be right.
const workingPrecision = 1.1e-16

// factorise equilibrates x, y = R x C with R and C diagonal, and factorises y. err is a *SingularError where x is singular to
// working precision; finite is false where x has entries that are not finite.
func factorise(op string, n int, x []float64) (f *lu, y, r, c []float64, rcond float64, finite bool, err error) {
	for _, v := range x[:n*n] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, nil, nil, 0, false, nil
		}
	}
	y, r, c, ok := equilibrate(n, x)
	if !ok {
		return nil, nil, nil, nil, 0, true, &SingularError{Op: op}
	}
	f = newLU(n, y)
	if f.singular() {
		return nil, nil, nil, nil, 0, true, &SingularError{Op: op}
	}
	rcond = f.rcond(y)
	if rcond < workingPrecision {
		return nil, nil, nil, nil, rcond, true, &SingularError{Op: op, RCond: rcond}
	}
	return f, y, r, c, rcond, true, nil
}

func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = math.NaN()
	}
}

// Inv sets dst to the inverse of the n by n matrix x. The error is a *SingularError where x
// is singular, exactly or to working precision whatever the units of its rows and columns.
// A matrix with entries that are not finite has an inverse of NaN.
func Inv(dst []float64, n int, x []float64) error {
	f, y, r, c, _, finite, err := factorise("inv", n, x)
	switch {
	case err != nil:
		return err
	case !finite:
		fillNaN(dst)
		return nil
	}
	// x = R^-1 y C^-1, so x^-1 = C y^-1 R
	f.inverse(dst)
	if n <= refined {
		refineInverse(dst, n, y)
	}
	for i := range n {
		for j := range n {
			dst[i*n+j] = dst[i*n+j] * c[i] * r[j]
		}
	}
	return nil
}

func (f *lu) inverse(dst []float64) {
	n := f.n
	if n == 0 {
		return
	}
	copy(dst, f.a.Data)
	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: dst}
	work := make([]float64, 1)
	lapack64.Getri(a, f.piv, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Getri(a, f.piv, work, len(work))
}

// Solve sets dst, n by m, to the solution of x dst = b. Errors are those of Inv.
func Solve(dst []float64, n, m int, x, b []float64) error {
	f, y, r, c, _, finite, err := factorise("solve", n, x)
	switch {
	case err != nil:
		return err
	case !finite:
		fillNaN(dst)
		return nil
	}
	if n == 0 || m == 0 {
		return nil
	}
	// x = R^-1 y C^-1, so x z = b is y (C^-1 z) = R b
	for i := range n {
		for j := range m {
			dst[i*m+j] = b[i*m+j] * r[i]
		}
	}
	f.solve(dst, m)
	if n <= refined {
		// z + y^-1 (R b - y z)
		res := make([]float64, n*m)
		for i := range n {
			for j := range m {
				res[i*m+j] = residual(b[i*m+j]*r[i], y[i*n:i*n+n], dst[j:], m)
			}
		}
		f.solve(res, m)
		for i, e := range res {
			dst[i] += e
		}
	}
	for i := range n {
		for j := range m {
			dst[i*m+j] *= c[i]
		}
	}
	return nil
}

func (f *lu) solve(b []float64, m int) {
	lapack64.Getrs(blas.NoTrans, f.a, blas64.General{Rows: f.n, Cols: m, Stride: m, Data: b}, f.piv)
}

// refined is the size up to which solutions are improved by one step with their residual,
// which makes those with short entries exact.
const refined = 32

// residual is e less the inner product of row and every stride-th entry of col, in twice the
// working precision (Ogita, Rump and Oishi, Accurate sum and dot product, 2005): it would be
// all rounding error otherwise.
func residual(e float64, row, col []float64, stride int) float64 {
	low := 0.0
	for k, v := range row {
		p := -v * col[k*stride]
		low += math.FMA(-v, col[k*stride], -p)
		t := e + p
		b := t - e
		low += (e - (t - b)) + (p - b)
		e = t
	}
	return e + low
}

// refineInverse is one step of Newton's iteration, z + z (1 - y z).
func refineInverse(z []float64, n int, y []float64) {
	res, col := make([]float64, n*n), make([]float64, n)
	for i := range n {
		for j := range n {
			e := 0.0
			if i == j {
				e = 1
			}
			res[i*n+j] = residual(e, y[i*n:i*n+n], z[j:], n)
		}
	}
	step := make([]float64, n*n)
	for i := range n {
		clear(col)
		for k := range n {
			inner1(col, 0, 1, res, k*n, 1, n, z[i*n+k])
		}
		copy(step[i*n:], col)
	}
	for i, e := range step {
		z[i] += e
	}
}

// Det returns the determinant of the n by n matrix x; the empty matrix has determinant 1.
func Det(n int, x []float64) float64 {
	switch {
	case n > 3:
		return newLU(n, x).det().float()
	case n > 1 && !moderate(x[:n*n]):
		return scaledDet(n, x)
	}
	return smallDet(n, x)
}

// moderate reports whether products of three entries are neither infinite nor rounded to 0.
func moderate(x []float64) bool {
	for _, v := range x {
		if a := math.Abs(v); a > 1e100 || a < 1e-100 && a != 0 {
			return false
		}
	}
	return true
}

// scaledDet is smallDet of the rows and columns scaled to entries near 1, and scaled back.
func scaledDet(n int, x []float64) float64 {
	y, r, c, ok := equilibrate(n, x)
	if !ok { // a row of zeros, or of no numbers
		return smallDet(n, x)
	}
	d := one().times(smallDet(n, y))
	for i := range n {
		_, e := math.Frexp(r[i])
		_, f := math.Frexp(c[i])
		d.e -= e - 1 + f - 1
	}
	return d.float()
}

// smallDet expands a determinant of size at most 3, so that whole numbers stay exact.
func smallDet(n int, x []float64) float64 {
	switch n {
	case 0:
		return 1
	case 1:
		return x[0]
	case 2:
		return x[0]*x[3] - x[1]*x[2]
	default:
		return x[0]*(x[4]*x[8]-x[5]*x[7]) - x[1]*(x[3]*x[8]-x[5]*x[6]) + x[2]*(x[3]*x[7]-x[4]*x[6])
	}
}

// LogDet returns log det x as the sum of the logarithms of LU's pivots, which neither
// overflows nor underflows; NaN where det x <= 0.
func LogDet(n int, x []float64) float64 {
	f := newLU(n, x)
	sign, sum := f.sign(), 0.0
	for i := range n {
		p := f.a.Data[i*n+i]
		if p < 0 {
			sign, p = -sign, -p
		}
		if p == 0 || math.IsNaN(p) {
			return math.NaN()
		}
		sum += math.Log(p)
	}
	if sign < 0 {
		return math.NaN()
	}
	return sum
}
