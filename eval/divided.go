package eval

import (
	"math"
	"slices"

	"frechet/combinators/atom"
)

// divided has the divided differences f[a, .., z] of a function at the eigenvalues l of a symmetric matrix, in ascending order.
//
// Where the points are near to one another, as far as the Taylor series of f at one of them has converged, they are its sum
// (the complete homogeneous symmetric polynomials of the distances, weighted by the coefficients): nothing is subtracted, and
// at equal points it is the derivative. Elsewhere they are quotients of differences, which loses no more digits than that radius says.
type divided struct {
	f      atom.Function
	l      []float64
	jets   []jet // at each point, nil where it is not yet known
	tables [][]float64
}

// seriesTerms is the number of terms of a Taylor series that is tried.
const seriesTerms = 28

// maxTable bounds the divided differences of one order that are kept.
const maxTable = 1 << 22

func newDivided(f atom.Function, l []float64) *divided {
	return &divided{f: f, l: l, jets: make([]jet, len(l)), tables: make([][]float64, atom.Directions+1)}
}

// at is the difference at the points with the numbers of idx, in any order.
func (d *divided) at(idx []int) float64 {
	var room [atom.Directions + 1]int
	p := room[:copy(room[:], idx)]
	slices.Sort(p)
	return d.sorted(p)
}

func (d *divided) sorted(p []int) float64 {
	k, n := len(p)-1, len(d.l)
	place, count := 0, 1
	for _, i := range p {
		place, count = place*n+i, min(count*n, maxTable+1)
	}
	if count > maxTable {
		return d.find(p)
	}
	if d.tables[k] == nil {
		d.tables[k] = slices.Repeat([]float64{math.Inf(-1)}, count) // no number found yet
	}
	if v := d.tables[k][place]; !math.IsInf(v, -1) {
		return v
	}
	v := d.find(p)
	d.tables[k][place] = v
	return v
}

func (d *divided) find(p []int) float64 {
	k := len(p) - 1
	low, high := d.l[p[0]], d.l[p[k]]
	if k == 0 || low == high {
		return d.jet(p[0])[k]
	}
	if v, ok := d.series(p, low, high); ok {
		return v
	}
	return (d.sorted(p[1:]) - d.sorted(p[:k])) / (high - low)
}

func (d *divided) jet(i int) jet {
	if d.jets[i] == nil {
		u := make(jet, seriesTerms+atom.Directions)
		u[0], u[1] = d.l[i], 1
		d.jets[i] = (&jets{map[jetKey]jet{}}).of(d.f, u)
	}
	return d.jets[i]
}

// series is the difference by the Taylor series at the middle one of the points; ok is false where that has not converged.
func (d *divided) series(p []int, low, high float64) (sum float64, ok bool) {
	k := len(p) - 1
	c := d.l[p[(k+1)/2]]
	if high-low > max(1, math.Abs(c))/2 || kinked(d.f, low, high) {
		return 0, false
	}
	h := [seriesTerms]float64{1} // the complete homogeneous symmetric polynomials of the distances
	for _, i := range p {
		for m := 1; m < seriesTerms; m++ {
			h[m] += (d.l[i] - c) * h[m-1]
		}
	}
	of, size, tail := d.jet(p[(k+1)/2]), 0.0, 0.0
	for m := seriesTerms - 1; m >= 0; m-- {
		v := of[m+k] * h[m]
		sum += v
		size += math.Abs(v)
		if m >= seriesTerms-4 {
			tail += math.Abs(v)
		}
	}
	return sum, tail <= 1e-17*size // not where one is NaN
}

// kinked reports whether f has a kink between the two points.
func kinked(f atom.Function, low, high float64) bool {
	at := f.Row
	if f.Power != nil {
		return !f.Power.IsInt() && low <= 0
	}
	if at.Kink == "" {
		return false
	}
	x := at.KinkNear(low)
	if x < low {
		x = at.KinkNear(high)
	}
	return low <= x && x <= high
}
