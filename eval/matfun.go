package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"frechet/combinators/atom"
)

// spectral runs a function of matrices by eigenvalues, singular values or factors over the leading axes; k is the attribute.
func spectral(at *atom.Row, k int, args []*Tensor, out *Tensor) error {
	s := args[0].Shape
	rows, cols := s[len(s)-2], s[len(s)-1]
	batch := 1
	for _, d := range s[:len(s)-2] {
		batch *= d
	}
	if len(out.Data) == 0 {
		return nil
	}
	part := func(t *Tensor, b int) []float64 {
		each := len(t.Data) / batch
		return t.Data[b*each : (b+1)*each]
	}
	for b := range batch {
		x, dst := part(args[0], b), part(out, b)
		if !Finite(x) {
			fillNaN(dst)
			continue
		}
		var err error
		switch at {
		case atom.Eigvals:
			l, _, ok := eigen(x, cols)
			if copy(dst, l); !ok {
				fillNaN(dst)
			}
		case atom.Eigvecs:
			_, v, ok := eigen(x, cols)
			if copy(dst, v); !ok {
				fillNaN(dst)
			}
		case atom.Chol:
			err = chol(dst, x, cols)
		case atom.Pinv:
			pinv(dst, x, rows, cols)
		default:
			var directions [][]float64
			for _, h := range args[1:] {
				directions = append(directions, part(h, b))
			}
			err = matfun(atom.MatrixFunction(k), cols, x, directions, dst)
		}
		if s, ok := err.(*SingularError); ok {
			s.Batch = b
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// symmetricPart is (x + x')/2, and how far x is from it.
func symmetricPart(x []float64, n int) (s []float64, off, top float64) {
	s = make([]float64, n*n)
	for i := range n {
		for j := range n {
			s[i*n+j] = x[i*n+j]/2 + x[j*n+i]/2
			off, top = max(off, math.Abs(x[i*n+j]-x[j*n+i])), max(top, math.Abs(x[i*n+j]))
		}
	}
	return s, off, top
}

// eigen has the eigenvalues l of the symmetric part of x in ascending order and eigenvectors, the columns of v, each with a
// positive entry where it is largest.
func eigen(x []float64, n int) (l, v []float64, ok bool) {
	v, _, _ = symmetricPart(x, n)
	l = make([]float64, n)
	work := make([]float64, max(1, 8*n))
	ok = lapack64.Syev(lapack.EVCompute, blas64.Symmetric{N: n, Stride: n, Data: v, Uplo: blas.Upper}, l, work, len(work))
	for j := range n {
		top := 0
		for i := range n {
			if math.Abs(v[i*n+j]) > math.Abs(v[top*n+j]) {
				top = i
			}
		}
		if v[top*n+j] < 0 {
			for i := range n {
				v[i*n+j] = -v[i*n+j]
			}
		}
	}
	return l, v, ok
}

// Eigenvalues are those of the symmetric part of an n by n matrix in ascending order, nil where there are none.
func Eigenvalues(x []float64, n int) []float64 {
	if n == 0 || !Finite(x) {
		return nil
	}
	if l, _, ok := eigen(x, n); ok {
		return l
	}
	return nil
}

// chol sets dst to the lower triangle L with L L' the symmetric part of x.
func chol(dst, x []float64, n int) error {
	s, _, _ := symmetricPart(x, n)
	if _, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: s, Uplo: blas.Lower}); !ok {
		return &SingularError{Op: "chol", What: "is not positive definite"}
	}
	for i := range n {
		clear(s[i*n+i+1 : (i+1)*n])
	}
	copy(dst, s)
	return nil
}

// pinv sets dst to V diag(1/s) U' over the singular values that are not 0 to working precision.
func pinv(dst, x []float64, m, n int) {
	k := min(m, n)
	general := func(rows, cols int, data []float64) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
	}
	s, u, vt := make([]float64, k), make([]float64, m*k), make([]float64, k*n)
	work := make([]float64, 1)
	a := general(m, n, slices.Clone(x))
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, a, general(m, k, u), general(k, n, vt), s, work, -1)
	work = make([]float64, int(work[0]))
	if !lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, a, general(m, k, u), general(k, n, vt), s, work, len(work)) {
		fillNaN(dst)
		return
	}
	clear(dst)
	for r := range k {
		if s[r] <= float64(max(m, n))*epsilon*s[0] {
			break
		}
		for j := range n {
			for i := range m {
				dst[j*m+i] += vt[r*n+j] / s[r] * u[i*k+r]
			}
		}
	}
}

// matfun sets dst to the derivative of f at the n by n matrix x along the directions: f(x) itself where there are none.
func matfun(f atom.Function, n int, x []float64, directions [][]float64, dst []float64) error {
	s, off, top := symmetricPart(x, n)
	if off > float64(n)*epsilon*top {
		return blockwise(f, n, x, directions, dst)
	}
	l, v, ok := eigen(s, n)
	if !ok {
		fillNaN(dst)
		return nil
	}
	for i := range l {
		if (f.Power != nil || f.Row.Kink != "") && math.Abs(l[i]) <= float64(n)*epsilon*max(-l[0], l[n-1]) {
			l[i] = 0 // to working precision
		}
		if f.Power == nil && !f.Row.Domain.Has(l[i]) || f.Power != nil && !f.Power.IsInt() && l[i] < 0 {
			return &SingularError{Op: named(f), What: fmt.Sprintf("has the eigenvalue %.6g, at which %s has no value", l[i], f.Name)}
		}
	}
	d, k := newDivided(f, l), len(directions)
	if k == 0 {
		eye := make([]float64, n*n)
		for i := range n {
			eye[i*n+i] = d.at([]int{i})
		}
		copy(dst, between(v, eye, n, false))
		return nil
	}
	each(n, directions, dst, func(hs [][]float64) []float64 {
		for i, h := range hs {
			hs[i] = between(v, h, n, true)
		}
		out, idx := make([]float64, n*n), make([]int, k+1)
		orders, _ := permutations(k)
		for _, order := range orders {
			d.paths(out, hs, order, idx, 0, 1)
		}
		return between(v, out, n, false)
	})
	return nil
}

// paths adds f[l_i, .., l_j] H_ia H_ab .. H_zj to out_ij, with the directions in an order, for all paths that go on after the
// first steps, whose product is p.
func (d *divided) paths(out []float64, hs [][]float64, order, idx []int, steps int, p float64) {
	n := len(d.l)
	if steps == len(idx) {
		out[idx[0]*n+idx[steps-1]] += p * d.at(idx)
		return
	}
	for i := range n {
		q := p
		if steps > 0 {
			q *= hs[order[steps-1]][idx[steps-1]*n+i]
		}
		if idx[steps] = i; q != 0 {
			d.paths(out, hs, order, idx, steps+1, q)
		}
	}
}

// each calls of for each choice of entries along the further axes of the directions, and puts the matrices that it gives in their places.
func each(n int, directions [][]float64, dst []float64, of func(hs [][]float64) []float64) {
	count := len(dst) / (n * n)
	for e := range count {
		hs := make([][]float64, len(directions))
		for i, d := range directions {
			width := len(d) / (n * n)
			hs[i] = make([]float64, n*n)
			for j := range hs[i] {
				hs[i][j] = d[j*width+e/(count/width)]
			}
		}
		for j, y := range of(hs) {
			dst[j*count+e] = y
		}
	}
}

// between is v h v', or v' h v where turned.
func between(v, h []float64, n int, turned bool) []float64 {
	a, b := blas.NoTrans, blas.Trans
	if turned {
		a, b = b, a
	}
	square := func(x []float64) blas64.General { return blas64.General{Rows: n, Cols: n, Stride: n, Data: x} }
	p, out := make([]float64, n*n), make([]float64, n*n)
	blas64.Gemm(a, blas.NoTrans, 1, square(v), square(h), 0, square(p))
	blas64.Gemm(blas.NoTrans, b, 1, square(p), square(v), 0, square(out))
	return out
}

// named is the function of matrices that a program calls.
func named(f atom.Function) string { return cmp.Or(f.OfMatrices(), atom.Matfun[0].Name) }

// blockwise is matfun where x is not symmetric: f of the block matrix that has x on its diagonal, and above it each direction once for
// each choice of the others, has the derivative in its last block above the diagonal.
func blockwise(f atom.Function, n int, x []float64, directions [][]float64, dst []float64) error {
	k := len(directions)
	size := n << k
	var err error
	each(n, directions, dst, func(hs [][]float64) []float64 {
		a, scale := mat.NewDense(size, size, nil), 1.0
		put := func(r, c int, h []float64, by float64) {
			for i := range n {
				for j := range n {
					a.Set(r*n+i, c*n+j, h[i*n+j]/by)
				}
			}
		}
		for b := range 1 << k {
			put(b, b, x, 1)
		}
		for i, h := range hs {
			by := 0.0
			for _, v := range h {
				by = max(by, math.Abs(v))
			}
			if by == 0 || !Finite(h) {
				scale *= by
				continue
			}
			for b := range 1 << k {
				if b>>i&1 == 0 {
					put(b, b|1<<i, h, by)
				}
			}
			scale *= by
		}
		y, failed := ofGeneral(f, a)
		if err = failed; err != nil {
			return nil
		}
		out := make([]float64, n*n)
		for i := range out {
			out[i] = scale * y.At(i/n, size-n+i%n)
		}
		return out
	})
	return err
}

// ofGeneral is f of a matrix that is not symmetric.
func ofGeneral(f atom.Function, a *mat.Dense) (y *mat.Dense, err error) {
	y = new(mat.Dense)
	switch {
	case f.Row == atom.Exp:
		y.Exp(a)
		return y, nil
	case f.Row == atom.Log:
		return logm(a)
	case f.OfMatrices() != "":
		return sqrtm(a, "sqrtm")
	}
	return nil, &SingularError{Op: named(f), What: "is not symmetric, and is to be for this function"}
}

// sqrtm is the root whose eigenvalues have positive real parts, by the iteration of Denman and Beavers with a factor that
// makes |det x| 1 (Higham, Functions of Matrices, 6.3).
func sqrtm(a *mat.Dense, op string) (*mat.Dense, error) {
	const most = 100
	n, _ := a.Dims()
	x, y := mat.DenseCopyOf(a), mat.NewDense(n, n, nil)
	for i := range n {
		y.Set(i, i, 1)
	}
	last := math.Inf(1)
	for range most {
		var nx, ny mat.Dense
		xi, ok := inverse(x)
		yi, also := inverse(y)
		if !ok || !also {
			break
		}
		mu := 1.0
		if logx, _ := mat.LogDet(x); last > 1e-2 {
			logy, _ := mat.LogDet(y)
			mu = math.Exp(-(logx + logy) / float64(2*n))
		}
		nx.Scale(mu/2, x)
		yi.Scale(1/mu/2, yi)
		nx.Add(&nx, yi)
		ny.Scale(mu/2, y)
		xi.Scale(1/mu/2, xi)
		ny.Add(&ny, xi)
		x.Sub(&nx, x)
		change := x.Norm(1) / nx.Norm(1)
		if x, y = &nx, &ny; change <= 4*float64(n)*epsilon || change >= last && change < 1e-12 {
			ny.Mul(x, x)
			if ny.Sub(&ny, a); ny.Norm(1) > 1e-6*(a.Norm(1)+math.Pow(x.Norm(1), 2)) { // there is no root
				break
			}
			return x, nil
		} else if math.IsNaN(change) {
			break
		}
		last = change
	}
	return nil, &SingularError{Op: op, What: "has an eigenvalue that is 0 or negative, or nearly so"}
}

// inverse is that of x; ok is false where a pivot is 0.
func inverse(x *mat.Dense) (y *mat.Dense, ok bool) {
	y = new(mat.Dense)
	err := y.Inverse(x)
	cond, ill := err.(mat.Condition)
	return y, err == nil || ill && !math.IsInf(float64(cond), 1)
}

// logm is the logarithm, by roots until the matrix is near 1 and the integral of x/(1 + t x), t from 0 to 1, by Gauss's rule, which is Padé's
// approximation (Higham, Functions of Matrices, 11.4).
func logm(a *mat.Dense) (*mat.Dense, error) {
	const most, near, points = 100, 0.25, 8
	n, _ := a.Dims()
	x, scale := mat.DenseCopyOf(a), 1.0
	for range most {
		var d mat.Dense
		d.CloneFrom(x)
		for i := range n {
			d.Set(i, i, d.At(i, i)-1)
		}
		if d.Norm(1) <= near {
			t, w := make([]float64, points), make([]float64, points)
			quad.Legendre{}.FixedLocations(t, w, 0, 1)
			sum := mat.NewDense(n, n, nil)
			for i := range points {
				var m, y mat.Dense
				m.Scale(t[i], &d)
				for j := range n {
					m.Set(j, j, m.At(j, j)+1)
				}
				if err := y.Solve(&m, &d); err != nil {
					return nil, err
				}
				y.Scale(w[i]*scale, &y)
				sum.Add(sum, &y)
			}
			return sum, nil
		}
		root, err := sqrtm(x, "logm")
		if err != nil {
			return nil, err
		}
		x, scale = root, 2*scale
	}
	return nil, &SingularError{Op: "logm", What: "has roots that do not come near the identity"}
}
