package eval

import (
	"fmt"
	"math"
	"slices"

	"frechet/combinators/atom"

	"gonum.org/v1/gonum/mat"
)

// attributeTolerance is how far the values of a variable may be from what its declaration says, relative to the
// largest entry: data come of calculations.
const attributeTolerance = 1e-8

// Breach says where a tensor is not what the attributes say: "[0,1] is 2 and [1,0] is 3"; "" where it is.
func Breach(of atom.Attributes, t *Tensor) string {
	largest := 0.0
	for i, x := range t.Data {
		largest = max(largest, math.Abs(x))
		if of.Has(atom.Positive) && !(x > 0) || of.Has(atom.Binary) && x != 0 && x != 1 || of.Has(atom.Nonneg) && !(x >= 0) {
			return fmt.Sprintf("%s is %.6g", place(i, t.Shape), x)
		}
	}
	if why := linearBreach(of, t, largest*attributeTolerance); why != "" {
		return why
	}
	sum, squares := 0.0, 0.0
	for _, x := range t.Data {
		sum, squares = sum+x, squares+x*x
	}
	switch {
	case of.Has(atom.Index) && t.uneven():
		return "a row has not one 1"
	case of.Has(atom.Simplex) && math.Abs(sum-1) > attributeTolerance:
		return fmt.Sprintf("the sum is %.9g", sum)
	case of.Has(atom.Unit) && math.Abs(squares-1) > attributeTolerance:
		return fmt.Sprintf("the norm is %.9g", math.Sqrt(squares))
	}
	return matrixBreach(of, t)
}

// OutOfBound says which entry of an array is no whole number from 0 to below n: "[1] is 2.5"; "" where all are.
func OutOfBound(t *Tensor, n int64) string {
	for i, x := range t.Data {
		if x != math.Trunc(x) || !(x >= 0 && x < float64(n)) {
			return fmt.Sprintf("%s is %.6g, and they are whole numbers from 0 to %d", place(i, t.Shape), x, n-1)
		}
	}
	return ""
}

func place(i int, shape []int) string {
	s := "["
	for k, j := range Index(i, shape) {
		if k > 0 {
			s += ","
		}
		s += fmt.Sprint(j)
	}
	return s + "]"
}

// linearBreach is the entry that is furthest from that of the projection on the subspace.
func linearBreach(of atom.Attributes, t *Tensor, tolerance float64) string {
	row, ok := of.Subspace()
	if !ok {
		return ""
	}
	part := &Tensor{Shape: t.Shape, Data: append([]float64(nil), t.Data...)}
	project(atom.Attributes(0).With(row.Set), part)
	at := -1
	for i, x := range t.Data {
		if d := math.Abs(x - part.Data[i]); d > tolerance || math.IsNaN(d) {
			at, tolerance = i, d
		}
	}
	if at < 0 {
		return ""
	}
	index, turns := Index(at, t.Shape), row.Set.Turns(len(t.Shape))
	if of.Has(atom.Antisymmetric) {
		turns = atom.Symmetric.Turns(2)
	}
	for _, turn := range turns { // an entry that should be equal up to its sign
		turned := make([]int, len(turn))
		for k, from := range turn {
			turned[k] = index[from]
		}
		if j := flat(turned, t.Shape); t.Data[j] != t.Data[at] {
			return fmt.Sprintf("%s is %.6g and %s is %.6g", place(at, t.Shape), t.Data[at], place(j, t.Shape), t.Data[j])
		}
	}
	return fmt.Sprintf("%s is %.6g", place(at, t.Shape), t.Data[at])
}

func flat(index, shape []int) (i int) {
	for k, j := range index {
		i = i*shape[k] + j
	}
	return i
}

func matrixBreach(of atom.Attributes, t *Tensor) string {
	if len(t.Shape) != 2 || len(t.Data) == 0 {
		return ""
	}
	n := t.Shape[0]
	switch {
	case of.Has(atom.Definite):
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(n, append([]float64(nil), t.Data...)), false) || !(e.Values(nil)[0] > 0) {
			return fmt.Sprintf("the least eigenvalue is %.6g", e.Values(nil)[0])
		}
	case of.Has(atom.Orthogonal):
		for i := range n {
			for j := range n {
				dot, want := 0.0, 0.0
				for k := range n {
					dot += t.Data[k*n+i] * t.Data[k*n+j]
				}
				if i == j {
					want = 1
				}
				if !(math.Abs(dot-want) <= attributeTolerance) {
					return fmt.Sprintf("the product of columns %d and %d is %.6g", i, j, dot)
				}
			}
		}
	case of.Has(atom.Invertible):
		if Inv(make([]float64, n*n), n, t.Data) != nil {
			return "it is singular"
		}
	}
	return ""
}

// Attribute changes a tensor into one that has the attributes, if it has values for which they can be: random ones
// into random ones.
func Attribute(of atom.Attributes, t *Tensor) {
	if n := t.last(); of.Has(atom.Index) && n > 0 {
		for row := range slices.Chunk(t.Data, n) { // one 1, where the largest entry was
			at := slices.Index(row, slices.Max(row))
			clear(row)
			row[at] = 1
		}
	}
	for i, x := range t.Data {
		switch {
		case of.Has(atom.Binary):
			t.Data[i] = math.Round(min(1, math.Abs(x)))
		case of.Has(atom.Positive) && x == 0:
			t.Data[i] = 0.5
		case of.Has(atom.Nonneg):
			t.Data[i] = math.Abs(x)
		}
	}
	switch n := rows(t); {
	case n == 0:
	case of.Has(atom.Orthogonal):
		reflections(t, of.Has(atom.Symmetric))
	case of.Has(atom.Definite):
		squared(t)
	case of.Has(atom.Invertible):
		for i := range n { // the diagonal dominates
			sum := 1.0
			for j := range n {
				sum += math.Abs(t.Data[i*n+j])
			}
			t.Data[i*n+i] = math.Copysign(sum, t.Data[i*n+i])
		}
	}
	if row, ok := of.Subspace(); ok {
		project(atom.Attributes(0).With(row.Set), t)
	}
	sum, squares := 0.0, 0.0
	for _, x := range t.Data {
		sum, squares = sum+x, squares+x*x
	}
	for i := range t.Data {
		switch {
		case of.Has(atom.Simplex) && sum == 0:
			t.Data[i] = 1 / float64(len(t.Data))
		case of.Has(atom.Simplex):
			t.Data[i] /= sum
		case of.Has(atom.Unit) && squares == 0:
			t.Data[i] = 1 / math.Sqrt(float64(len(t.Data)))
		case of.Has(atom.Unit):
			t.Data[i] /= math.Sqrt(squares)
		}
	}
}

// uneven reports whether a row of t does not add up to 1.
func (t *Tensor) uneven() bool {
	n := t.last()
	for from := 0; from < len(t.Data); from += n {
		sum := 0.0
		for _, x := range t.Data[from : from+n] {
			sum += x
		}
		if sum != 1 {
			return true
		}
	}
	return n == 0 && len(t.Shape) > 0 && t.Shape[0] > 0
}

// last is the size of the last axis, 0 where there is none.
func (t *Tensor) last() int {
	if len(t.Shape) == 0 {
		return 0
	}
	return t.Shape[len(t.Shape)-1]
}

// rows is n of an n x n matrix, else 0.
func rows(t *Tensor) int {
	if len(t.Shape) != 2 || t.Shape[0] != t.Shape[1] {
		return 0
	}
	return t.Shape[0]
}

// squared is A*A' + 1.
func squared(t *Tensor) {
	n := rows(t)
	a := append([]float64(nil), t.Data...)
	for i := range n {
		for j := range n {
			dot := 0.0
			for k := range n {
				dot += a[i*n+k] * a[j*n+k]
			}
			if i == j {
				dot++
			}
			t.Data[i*n+j] = dot
		}
	}
}

// reflections is the product of the reflections at the rows of t; of the first one alone where it is to be symmetric.
func reflections(t *Tensor, one bool) {
	n := rows(t)
	rows := append([]float64(nil), t.Data...)
	for i := range t.Data {
		t.Data[i] = 0
		if i%(n+1) == 0 {
			t.Data[i] = 1
		}
	}
	for k := range n {
		v := rows[k*n : k*n+n]
		square := 0.0
		for _, x := range v {
			square += x * x
		}
		if square == 0 || one && k > 0 {
			continue
		}
		for i := range n {
			dot := 0.0
			for j, x := range v {
				dot += t.Data[i*n+j] * x
			}
			for j, x := range v {
				t.Data[i*n+j] -= 2 * dot / square * x
			}
		}
	}
}

// project is the orthogonal projection on a subspace.
func project(of atom.Attributes, t *Tensor) {
	if len(t.Shape) > 2 {
		mean(t, of.Turns(len(t.Shape)))
		return
	}
	n := rows(t)
	for i := range n {
		for j := range n {
			p, q := &t.Data[i*n+j], &t.Data[j*n+i]
			switch {
			case of.Has(atom.Symmetric) && i < j:
				*p = (*p + *q) / 2
				*q = *p
			case of.Has(atom.Antisymmetric) && i <= j:
				*p = (*p - *q) / 2
				*q = -*p
			}
			if of.Has(atom.Lower) && i < j || of.Has(atom.Upper) && i > j {
				*p = 0
			}
		}
	}
}

// mean is that of t over orders of its axes.
func mean(t *Tensor, turns [][]int) {
	old := slices.Clone(t.Data)
	for i := range t.Data {
		index, sum := Index(i, t.Shape), 0.0
		for _, turn := range turns {
			turned := make([]int, len(turn))
			for k, from := range turn {
				turned[k] = index[from]
			}
			sum += old[flat(turned, t.Shape)]
		}
		t.Data[i] = sum / float64(len(turns))
	}
}
