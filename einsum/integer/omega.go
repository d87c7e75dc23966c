package integer

import (
	"errors"
	"slices"
)

// ErrWork says that a question about inequalities was given up: elimination made too many of
// them, or the search for whole points passed its limit. Up to half a dozen variables that
// all depend on each other stay below it.
var ErrWork = errors.New("integer: too many inequalities: too many variables depend on each other")

// maxWork bounds the number of systems that one question looks at.
const maxWork = 20000

// Feasible reports whether some whole point satisfies the system. It is exact. The error is
// ErrWork.
//
// The method is Pugh's Omega test: equalities are solved by their Smith form; eliminating a
// variable loses nothing where one of two added rows has coefficient 1; elsewhere the
// elimination with a margin, (a-1)(b-1), gives points that surely exist, and what lies
// between is on finitely many planes next to a lower bound, which are tried one by one.
func (s *System) Feasible() (bool, error) {
	work := maxWork
	yes := s.feasible(&work)
	if work <= 0 && !yes {
		return false, ErrWork
	}
	return yes, nil
}

func (s *System) feasible(work *int) bool {
	for {
		if *work -= 1 + len(s.Rows)/16; *work <= 0 {
			return false
		}
		if !s.reduce() {
			return false
		}
		if len(s.Rows) == 0 {
			return true
		}
		if e := s.equality(); e != nil {
			s = s.solve(e)
			continue
		}
		if len(s.Rows) > 24 {
			s.prune(nil)
		}
		v, exact := s.choose()
		if exact {
			s, _ = s.eliminate(v)
			continue
		}
		real, _ := s.eliminate(v)
		if !real.feasible(work) {
			return false
		}
		return s.dark(v).feasible(work) || s.splinters(v, work)
	}
}

// equality finds a row whose opposite is there too.
func (s *System) equality() []Int {
	at := map[string]int{}
	var key []byte
	for i, r := range s.Rows {
		key = appendKey(key[:0], r, false)
		at[string(key)] = i
	}
	for _, r := range s.Rows {
		key = appendKey(key[:0], r, true)
		if _, ok := at[string(key)]; ok {
			return r
		}
	}
	return nil
}

// solve substitutes the whole solutions of e = 0, whose coefficients have no common
// divisor: x = V y with y[0] given, so that one variable goes.
func (s *System) solve(e []Int) *System {
	row := NewMatrix(1, s.N)
	copy(row.a, e[:s.N])
	f := SmithForm(row)
	first := f.U.At(0, 0).Mul(e[s.N]).Neg() // y[0] = U b, since the divisor is 1
	out := &System{N: s.N - 1}
	for _, r := range s.Rows {
		n := make([]Int, s.N)
		for j := range s.N {
			var c Int
			for i := range s.N {
				c = c.Add(r[i].Mul(f.V.At(i, j)))
			}
			if j == 0 {
				n[s.N-1] = r[s.N].Add(c.Mul(first))
			} else {
				n[j-1] = c
			}
		}
		out.Rows = append(out.Rows, n)
	}
	return out
}

// choose picks the variable to eliminate: one for which that is exact, with few new rows.
func (s *System) choose() (v int, exact bool) {
	v, best := -1, 0
	for i := range s.N {
		lower, upper := 0, 0
		units := [2]bool{true, true}
		for _, r := range s.Rows {
			switch r[i].Sign() {
			case 1:
				lower++
				units[0] = units[0] && r[i].IsOne()
			case -1:
				upper++
				units[1] = units[1] && r[i].Neg().IsOne()
			}
		}
		if lower+upper == 0 {
			continue
		}
		one := lower == 0 || upper == 0 || units[0] || units[1]
		growth := lower*upper - lower - upper
		if v < 0 || one && !exact || one == exact && growth < best {
			v, best, exact = i, growth, one
		}
	}
	return v, exact
}

// dark eliminates v with the margin that makes room for a whole number.
func (s *System) dark(v int) *System {
	out := &System{N: s.N}
	for _, r := range s.Rows {
		if r[v].IsZero() {
			out.Rows = append(out.Rows, r)
		}
	}
	for _, l := range s.Rows {
		for _, u := range s.Rows {
			if l[v].Sign() <= 0 || u[v].Sign() >= 0 {
				continue
			}
			a, b := l[v], u[v].Neg()
			sum := make([]Int, len(l))
			addMultiple(sum, b, l)
			addMultiple(sum, a, u)
			one := New(1)
			sum[s.N] = sum[s.N].Sub(a.Sub(one).Mul(b.Sub(one)))
			out.Rows = append(out.Rows, sum)
		}
	}
	return out
}

// splinters tries the planes next to the lower bounds of v: with b the largest upper
// coefficient, every point that the margin misses has l = i for some lower row l with
// coefficient a and 0 <= i <= (ab - a - b)/b.
func (s *System) splinters(v int, work *int) bool {
	b := New(1)
	for _, u := range s.Rows {
		if u[v].Sign() < 0 {
			b = b.Max(u[v].Neg())
		}
	}
	for _, l := range s.Rows {
		if l[v].Sign() <= 0 {
			continue
		}
		a := l[v]
		last := a.Mul(b).Sub(a).Sub(b).Floor(b)
		for i := New(0); i.Cmp(last) <= 0; i = i.Add(New(1)) {
			plane := s.Clone()
			e := slices.Clone(l)
			e[s.N] = e[s.N].Sub(i)
			plane.Zero(e)
			if plane.feasible(work) {
				return true
			}
			if *work <= 0 {
				return false
			}
		}
	}
	return false
}

// ErrUnbounded says that a form has no least or no greatest value.
var ErrUnbounded = errors.New("integer: the form is not bounded")

// Range gives the least and the greatest value of the form r over the whole points of the
// system; empty reports that there are none. It is exact. The errors are ErrWork and
// ErrUnbounded.
func (s *System) Range(r []Int) (lo, hi Int, empty bool, err error) {
	yes, err := s.Feasible()
	if err != nil || !yes {
		return lo, hi, !yes && err == nil, err
	}
	// The form is variable 0 of a system; eliminating the others bounds it.
	wide := &System{N: s.N + 1}
	for _, q := range s.Rows {
		wide.AtLeast(append([]Int{{}}, q...))
	}
	wide.Zero(append([]Int{New(-1)}, r...))
	loops, _, void, err := wide.Loops(0, nil)
	if void || err != nil {
		return lo, hi, void, err
	}
	low, high, ok := loops[0].Range(make([]Int, s.N+1))
	if !ok {
		return lo, hi, false, ErrUnbounded
	}
	if lo, err = s.least(r, low, high); err != nil {
		return lo, hi, false, err
	}
	hi, err = s.least(negated(r), high.Neg(), lo.Neg())
	return lo, hi.Neg(), false, err
}

// least is the least value of r, which is from low to high.
func (s *System) least(r []Int, low, high Int) (Int, error) {
	for low.Cmp(high) < 0 {
		// The bound itself is nearly always taken.
		mid := low
		t := s.Clone()
		q := negated(r)
		q[s.N] = q[s.N].Add(mid)
		t.AtLeast(q) // r <= mid
		yes, err := t.Feasible()
		if err != nil {
			return low, err
		}
		if yes {
			return low, nil
		}
		low = low.Add(New(1))
		mid = low.Add(high).Floor(New(2))
		t = s.Clone()
		q = negated(r)
		q[s.N] = q[s.N].Add(mid)
		t.AtLeast(q)
		if yes, err = t.Feasible(); err != nil {
			return low, err
		}
		if yes {
			high = mid
		} else {
			low = mid.Add(New(1))
		}
	}
	return low, nil
}

// Point gives a whole point of the system, the first in lexicographic order; ok is false
// where there is none. The errors are those of Range.
func (s *System) Point() (x []Int, ok bool, err error) {
	t := s.Clone()
	for i := range s.N {
		form := make([]Int, s.N+1)
		form[i] = New(1)
		lo, _, empty, err := t.Range(form)
		if err != nil || empty {
			return nil, false, err
		}
		form[s.N] = lo.Neg()
		t.Zero(form)
		x = append(x, lo)
	}
	if s.N == 0 {
		yes, err := s.Feasible()
		return nil, yes, err
	}
	return x, true, nil
}
