package atom

import (
	"math"
	"strconv"
	"strings"
)

// Interval is an interval of numbers, as it is written: (0, inf), [-pi/2, pi/2]. The zero value is none.
type Interval struct {
	Low, High         float64
	openLow, openHigh bool
	stated            bool
}

var bounds = map[string]float64{"-inf": math.Inf(-1), "inf": math.Inf(1), "pi": math.Pi, "pi/2": math.Pi / 2, "-pi/2": -math.Pi / 2, "-pi": -math.Pi}

// in reads an interval of the table.
func in(s string) Interval {
	bound := func(s string) float64 {
		if b, ok := bounds[s]; ok {
			return b
		}
		b, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic(err)
		}
		return b
	}
	low, high, _ := strings.Cut(s[1:len(s)-1], ", ")
	return Interval{bound(low), bound(high), s[0] == '(', s[len(s)-1] == ')', true}
}

// Bounded: not every number is in the interval.
func (i Interval) Bounded() bool { return !math.IsInf(i.Low, -1) || !math.IsInf(i.High, 1) }

// Has reports whether x is in the interval.
func (i Interval) Has(x float64) bool {
	return i.stated && (x > i.Low || x == i.Low && !i.openLow) && (x < i.High || x == i.High && !i.openHigh)
}

// Misses reports whether x is an open end of the interval, which rounding reaches.
func (i Interval) Misses(x float64) bool {
	return x == i.Low && i.openLow && !math.IsInf(x, 0) || x == i.High && i.openHigh && !math.IsInf(x, 0)
}

// Signs are what is known of the signs of all entries of a value: that none is 0 or below, none below, none 0.
type Signs struct{ Positive, Nonneg, Nonzero bool }

// Signs are those of the numbers in the interval.
func (i Interval) Signs() Signs {
	above := i.stated && (i.Low > 0 || i.Low == 0 && i.openLow)
	return Signs{above, i.stated && i.Low >= 0, i.stated && !i.Has(0)}
}

// holds: every number of the sign is in the interval.
func (i Interval) holds(s Signs) bool {
	switch {
	case s.Positive:
		return i.Low <= 0 && math.IsInf(i.High, 1)
	case s.Nonneg:
		return (i.Low < 0 || i.Low == 0 && !i.openLow) && math.IsInf(i.High, 1)
	}
	return !i.Bounded()
}

// Defined reports whether the function has a value wherever its first operand has one of the sign x.
func (r *Row) Defined(x Signs) bool {
	return r.Where == "" && (r.Class != ClassElementwise || r.Domain.holds(x))
}

// Signs are what is known of the values of the operation on one operand, where this has the sign x: by its range; by the sign
// of x where the entries are those of x, or f increases and f(0) = 0; and by its zeros.
func (r *Row) Signs(x Signs) Signs {
	if r.Picks {
		return x
	}
	s := r.Range.Signs()
	s.Nonneg = s.Nonneg || x.Nonneg && r.risesFrom0
	s.Nonzero = s.Nonzero || r.vanishesAt0 && x.Nonzero || r.vanishesBelow && x.Positive
	s.Positive = s.Positive || s.Nonneg && s.Nonzero
	return s
}

// Operand is what is known of the sign of the operand of a function where its value is not 0.
func (r *Row) Operand() Signs {
	return Signs{Positive: r.vanishesBelow, Nonneg: r.vanishesBelow, Nonzero: r.vanishesAt0 || r.vanishesBelow}
}

// derive sets what follows from other columns.
func (r *Row) derive() {
	r.vanishesAt0 = r.Zeros == in("[0, 0]")
	r.vanishesBelow = r.Zeros == in("(-inf, 0]")
	r.risesFrom0 = r.Increasing && (r.vanishesAt0 || r.vanishesBelow)
}
