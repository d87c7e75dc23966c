package integer

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet/internal/processor"
)

func row(v ...int64) []Int {
	out := make([]Int, len(v))
	for i, n := range v {
		out[i] = New(n)
	}
	return out
}

// box adds lo <= x_v <= hi.
func (s *System) box(v int, lo, hi int64) {
	a, b := make([]Int, s.N+1), make([]Int, s.N+1)
	a[v], a[s.N] = New(1), New(-lo)
	b[v], b[s.N] = New(-1), New(hi)
	s.AtLeast(a)
	s.AtLeast(b)
}

// randomSystem has a box from -4 to 5 at most and a few rows with coefficients to bound.
func randomSystem(r *rand.Rand, n int, bound int64) *System {
	s := &System{N: n}
	for v := range n {
		lo := r.Int64N(6) - 4
		s.box(v, lo, lo+r.Int64N(7)-1) // empty now and then
	}
	for range r.IntN(5) {
		q := make([]Int, n+1)
		for i := range q {
			q[i] = New(r.Int64N(2*bound+1) - bound)
		}
		if r.IntN(4) == 0 {
			s.Zero(q)
		} else {
			s.AtLeast(q)
		}
	}
	return s
}

// points lists the whole points with coordinates from -5 to 6 by trying all of them.
func (s *System) points() map[string]bool {
	out := map[string]bool{}
	x := make([]Int, s.N)
	var visit func(v int)
	visit = func(v int) {
		if v == s.N {
			for _, r := range s.Rows {
				if Value(r, x).Sign() < 0 {
					return
				}
			}
			out[fmt.Sprint(texts(x))] = true
			return
		}
		for i := int64(-5); i <= 6; i++ {
			x[v] = New(i)
			visit(v + 1)
		}
	}
	visit(0)
	return out
}

// The loops visit every whole point of a random system once and nothing else, for all
// values of the parameters; guards hold wherever there is a point.
func TestLoopsEnumerate(t *testing.T) {
	count := 3000
	if testing.Short() {
		count = 300
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range count {
		s := randomSystem(r, r.IntN(4)+1, 5)
		k := r.IntN(s.N + 1)
		want := s.points()
		loops, guard, empty, err := s.Loops(k, nil)
		require.NoError(t, err)
		if empty {
			require.Empty(t, want)
			continue
		}
		got := map[string]bool{}
		x := make([]Int, s.N)
		var visit func(v int)
		visit = func(v int) {
			if v == k {
				for _, g := range guard {
					if Value(g, x).Sign() < 0 {
						return
					}
				}
			}
			if v == s.N {
				p := fmt.Sprint(texts(x))
				require.False(t, got[p], "visited twice")
				got[p] = true
				return
			}
			lo, hi := New(-5), New(6)
			if v >= k {
				var ok bool
				lo, hi, ok = loops[v-k].Range(x)
				require.True(t, ok)
			}
			for i := lo; i.Cmp(hi) <= 0; i = i.Add(New(1)) {
				x[v] = i
				visit(v + 1)
			}
			x[v] = Int{}
		}
		visit(0)
		require.Equal(t, want, got, "system %v, %d parameters", s.Rows, k)
	}
}

func TestFeasibleAndRange(t *testing.T) {
	count := 2000
	if testing.Short() {
		count = 200
	}
	r := rand.New(rand.NewPCG(9, 10))
	empty := 0
	for range count {
		s := randomSystem(r, r.IntN(3)+1, 9)
		points := s.points()
		yes, err := s.Feasible()
		require.NoError(t, err)
		require.Equal(t, len(points) > 0, yes, "%v", s.Rows)
		if !yes {
			empty++
		}
		form := make([]Int, s.N+1)
		for i := range form {
			form[i] = New(r.Int64N(13) - 6)
		}
		lo, hi, none, err := s.Range(form)
		require.NoError(t, err)
		require.Equal(t, !yes, none)
		if none {
			continue
		}
		x, ok, err := s.Point()
		require.NoError(t, err)
		require.True(t, ok && points[fmt.Sprint(texts(x))])
		var least, most Int
		first := true
		y := make([]Int, s.N)
		for p := range points {
			scan := []any{}
			values := make([]int64, s.N)
			for i := range values {
				scan = append(scan, &values[i])
			}
			_, err := fmt.Sscan(p[1:len(p)-1], scan...)
			require.NoError(t, err)
			for i, v := range values {
				y[i] = New(v)
			}
			v := Value(form, y)
			if first || v.Cmp(least) < 0 {
				least = v
			}
			if first || v.Cmp(most) > 0 {
				most = v
			}
			first = false
		}
		require.Equal(t, []string{least.String(), most.String()}, []string{lo.String(), hi.String()}, "%v over %v", form, s.Rows)
	}
	t.Logf("%d of %d systems were empty", empty, count)
}

// Between two parallel planes there are rational points but no whole ones.
func TestWholePointsOnly(t *testing.T) {
	s := &System{N: 2}
	s.AtLeast(row(3, -6, -1)) // 1 <= 3x - 6y <= 2
	s.AtLeast(row(-3, 6, 2))
	yes, err := s.Feasible()
	require.NoError(t, err)
	require.False(t, yes)
	// Pugh's example: 27 <= 11x + 13y <= 45, -10 <= 7x - 9y <= 4 has no whole point.
	s = &System{N: 2}
	s.AtLeast(row(11, 13, -27))
	s.AtLeast(row(-11, -13, 45))
	s.AtLeast(row(7, -9, 10))
	s.AtLeast(row(-7, 9, 4))
	yes, err = s.Feasible()
	require.NoError(t, err)
	require.False(t, yes)
	// A wide range and a thin set.
	s = &System{N: 2}
	s.box(0, 0, 1e12)
	s.box(1, 0, 1e12)
	s.Zero(row(2, -4, -1))
	yes, err = s.Feasible()
	require.NoError(t, err)
	require.False(t, yes)
}

// A kernel of dimension 6 with boxes, the shape of the derivative of
//
//	y[i,j] = sum over 6 indices of w[..] x[i+2a+3b+5c, j+7d+11e+13f]
//
// in x: pruning keeps every step below a few hundred rows.
func TestEliminationStaysSmall(t *testing.T) {
	// Variables: the parameters p, q, then a, b, c, d, e, f; i and j are solved for.
	s := &System{N: 8}
	for v := 2; v < 8; v++ {
		s.box(v, 0, 2)
	}
	bounds := func(coef []int64, hi int64) {
		s.AtLeast(row(append(coef, 0)...))
		neg := make([]int64, 0, 9)
		for _, c := range coef {
			neg = append(neg, -c)
		}
		s.AtLeast(row(append(neg, hi)...))
	}
	bounds([]int64{1, 0, -2, -3, -5, 0, 0, 0}, 5) // 0 <= i = p - 2a - 3b - 5c <= 5
	bounds([]int64{0, 1, 0, 0, 0, -7, -11, -13}, 6)
	start := processor.Time()
	loops, guard, empty, err := s.Loops(2, nil)
	require.NoError(t, err)
	require.False(t, empty)
	require.Less(t, processor.Time()-start, time.Second)
	rows := len(guard)
	for _, l := range loops {
		rows += len(l.Lower) + len(l.Upper)
	}
	t.Logf("%d bounds in %v", rows, processor.Time()-start)
	require.Less(t, rows, 60)
}

func FuzzFeasible(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &System{N: 2}
		s.box(0, -5, 6)
		s.box(1, -5, 6)
		for len(data) >= 3 && len(s.Rows) < 12 {
			s.AtLeast(row(int64(int8(data[0]))%16, int64(int8(data[1]))%16, int64(int8(data[2]))))
			data = data[3:]
		}
		yes, err := s.Feasible()
		require.NoError(t, err)
		require.Equal(t, len(s.points()) > 0, yes)
	})
}
