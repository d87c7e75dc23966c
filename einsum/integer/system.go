package integer

import (
	"slices"
	"strconv"

	"frechet/internal/lists"
)

// A System is a conjunction of linear inequalities in N variables over the whole numbers:
//
//	r[0]*x[0] + ... + r[N-1]*x[N-1] + r[N] >= 0   for every row r
//
// Parameters, such as sizes and the indices of an element, are variables that are not
// eliminated: a right-hand side that is affine in symbols has a column for each of them.
type System struct {
	N    int
	Rows [][]Int
}

// Clone is a copy that shares rows; rows are never changed.
func (s *System) Clone() *System { return &System{s.N, slices.Clone(s.Rows)} }

// AtLeast adds the inequality r >= 0.
func (s *System) AtLeast(r []Int) { s.Rows = append(s.Rows, r) }

// Zero adds the equality r = 0 as two inequalities.
func (s *System) Zero(r []Int) {
	s.AtLeast(r)
	s.AtLeast(negated(r))
}

// Not is the row that holds where r >= 0 does not: -r - 1 >= 0.
func Not(r []Int) []Int {
	out := negated(r)
	out[len(out)-1] = out[len(out)-1].Add(New(-1))
	return out
}

func negated(r []Int) []Int {
	return lists.Map(r, Int.Neg)
}

// constant reports whether a row has no variable.
func constant(r []Int) bool {
	return !slices.ContainsFunc(r[:len(r)-1], func(v Int) bool { return !v.IsZero() })
}

// tighten divides a row by the greatest common divisor g of its coefficients. Its constant
// is rounded down, which loses no whole point: a x is a multiple of g.
func tighten(r []Int) []Int {
	var g Int
	for _, v := range r[:len(r)-1] {
		g = g.Gcd(v)
		if g.IsOne() {
			return r
		}
	}
	if g.IsZero() {
		return r
	}
	return lists.Map(r, func(v Int) Int { return v.Floor(g) })
}

// reduce tightens the rows and keeps one of each direction, the strictest; rows without
// variables that hold are dropped. It reports false where one does not hold, or where two
// opposite rows contradict each other: then the system has no whole point.
func (s *System) reduce() bool {
	at := make(map[string]int, len(s.Rows))
	kept := s.Rows[:0:0]
	var key []byte
	for _, r := range s.Rows {
		r = tighten(r)
		if constant(r) {
			if r[s.N].Sign() < 0 {
				return false
			}
			continue
		}
		key = appendKey(key[:0], r[:s.N], false)
		if i, ok := at[string(key)]; ok {
			if r[s.N].Cmp(kept[i][s.N]) < 0 {
				kept[i] = r
			}
			continue
		}
		at[string(key)] = len(kept)
		kept = append(kept, r)
	}
	s.Rows = kept
	for _, r := range kept {
		key = appendKey(key[:0], r[:s.N], true)
		if i, ok := at[string(key)]; ok && kept[i][s.N].Add(r[s.N]).Sign() < 0 {
			return false
		}
	}
	return true
}

func appendKey(b []byte, r []Int, negate bool) []byte {
	for _, v := range r {
		if negate {
			v = v.Neg()
		}
		if n, ok := v.Int64(); ok {
			b = strconv.AppendInt(b, n, 10)
		} else {
			b = append(b, v.String()...)
		}
		b = append(b, ' ')
	}
	return b
}

// eliminate is one step of Fourier and Motzkin: the rows without variable v, and the sum of
// every row that bounds it from below with every row that bounds it from above. Over the
// rational numbers the result is the projection exactly. exact reports that it is also the
// projection of the whole points: of any two rows that were added, one has coefficient 1.
func (s *System) eliminate(v int) (out *System, exact bool) {
	out, exact = &System{N: s.N}, true
	var lower, upper [][]Int
	for _, r := range s.Rows {
		switch r[v].Sign() {
		case 0:
			out.Rows = append(out.Rows, r)
		case 1:
			lower = append(lower, r)
		default:
			upper = append(upper, r)
		}
	}
	for _, l := range lower {
		for _, u := range upper {
			a, b := l[v], u[v].Neg()
			exact = exact && (a.IsOne() || b.IsOne())
			g := a.Gcd(b)
			sum := make([]Int, len(l))
			addMultiple(sum, b.Exact(g), l)
			addMultiple(sum, a.Exact(g), u)
			out.Rows = append(out.Rows, sum)
		}
	}
	return out, exact
}

// Project eliminates the first n variables: a whole point of the others satisfies out where it
// is part of one of s. exact reports that out says no less; where it does not, or where
// inequalities become too many, out is not to be used.
func (s *System) Project(n int) (out *System, exact bool) {
	out = s.Clone()
	for v := range n {
		if !out.reduce() {
			return out, false
		}
		if out, exact = out.eliminate(v); !exact || len(out.Rows) > maxProjected {
			return out, false
		}
	}
	return out, true
}

// maxProjected bounds the rows of a projection.
const maxProjected = 400

// A Bound says Den*x_v >= -Row or Den*x_v <= Row without its column v: see Loop.
type Bound struct {
	Row []Int // affine in the variables before v; column v is 0
	Den Int   // at least 1
}

// A Loop bounds one variable by those before it:
//
//	max(ceil(Row/Den) for Lower) <= x <= min(floor(Row/Den) for Upper)
//
// Row is affine in the parameters and outer variables.
type Loop struct{ Lower, Upper []Bound }

// Loops eliminates the variables from k on, the last first, and gives the loops that visit
// exactly the whole points of the system, the outermost first, for given values of the first
// k variables; guard has the system's rows that hold none of the loops' variables. Where
// guard fails there is no point; where it holds, a range may still be empty. What else
// elimination says of the first k variables alone follows from no range being empty, and
// is not repeated in guard.
//
// Rows that the others and context imply are dropped; context has rows in the first k
// variables that are known to hold, and may be nil. Empty reports that no point satisfies
// the system whatever the parameters; not every system without points is recognised. The error
// is ErrWork.
func (s *System) Loops(k int, context *System) (loops []Loop, guard [][]Int, empty bool, err error) {
	cur := s.Clone()
	loops = make([]Loop, s.N-k)
	own := &System{N: s.N}
	for _, r := range s.Rows {
		if !slices.ContainsFunc(r[k:s.N], func(v Int) bool { return !v.IsZero() }) {
			own.AtLeast(r)
		}
	}
	if !own.reduce() {
		return nil, nil, true, nil
	}
	own.prune(context)
	for v := s.N - 1; v >= k-1; v-- {
		if !cur.reduce() {
			return nil, nil, true, nil
		}
		if v < k {
			break
		}
		if len(cur.Rows) > maxRows {
			return nil, nil, false, ErrWork
		}
		cur.prune(context)
		l := &loops[v-k]
		for _, r := range cur.Rows {
			switch b := r[v]; b.Sign() {
			case 1: // b x + rest >= 0, so x >= -rest/b
				row := negated(r)
				row[v] = Int{}
				l.Lower = append(l.Lower, Bound{row, b})
			case -1:
				row := slices.Clone(r)
				row[v] = Int{}
				l.Upper = append(l.Upper, Bound{row, b.Neg()})
			}
		}
		cur, _ = cur.eliminate(v)
	}
	return loops, own.Rows, false, nil
}

// maxRows bounds the inequalities of one step of elimination.
const maxRows = 1000

// Value is the row at a point: r[0]*x[0] + ... + r[n].
func Value(r, x []Int) Int {
	return dot(r[:len(r)-1], x).Add(r[len(r)-1])
}

// Range is the loop's range at the values x of the outer variables; it may be empty, hi < lo.
// ok is false where the loop has no bound on one side.
func (l *Loop) Range(x []Int) (lo, hi Int, ok bool) {
	if len(l.Lower) == 0 || len(l.Upper) == 0 {
		return lo, hi, false
	}
	for i, b := range l.Lower {
		v := Value(b.Row, x).Ceil(b.Den)
		if i == 0 || v.Cmp(lo) > 0 {
			lo = v
		}
	}
	for i, b := range l.Upper {
		v := Value(b.Row, x).Floor(b.Den)
		if i == 0 || v.Cmp(hi) < 0 {
			hi = v
		}
	}
	return lo, hi, true
}
