package optimize

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// errSearch is the error of a line search that found no step.
var errSearch = errors.New("no step along the direction lowers the value")

// search is a line search for the weak Wolfe conditions by bisection (Lewis and Overton,
// Nonsmooth optimization via quasi-Newton methods, 2013):
//
//	f(t) <= f(0) + c1 t f'(0)    and    f'(t) >= c2 f'(0)
//
// It assumes no smoothness. Near a minimum the difference of two values drowns in
// rounding long before the gradient does; there the first condition is replaced by
//
//	f'(t) <= (2 c1 - 1) f'(0),   which is the same for a quadratic
//
// (Hager and Zhang, A new conjugate gradient method, 2005).
type search struct {
	f0, g0      float64
	lo, hi, t   float64
	trials      int
	evaluations optimize.Operation
}

const (
	decrease  = 1e-4  // c1
	curvature = 0.9   // c2
	rounding  = 1e-11 // relative differences of values below it are noise
	maxTrials = 60
)

// Init starts a search along a direction of slope g < 0.
func (s *search) Init(f, g, step float64) optimize.Operation {
	*s = search{f0: f, g0: g, hi: math.Inf(1), t: step}
	s.evaluations = optimize.FuncEvaluation | optimize.GradEvaluation
	return s.evaluations
}

// Iterate takes the value and the slope at the last trial, and gives the next.
func (s *search) Iterate(f, g float64) (optimize.Operation, float64, error) {
	enough := f <= s.f0+decrease*s.t*s.g0
	if math.Abs(f-s.f0) <= rounding*math.Abs(s.f0) && g <= (2*decrease-1)*s.g0 {
		enough = true
	}
	switch {
	case math.IsInf(f, -1):
		return optimize.MajorIteration, s.t, nil
	case !enough || math.IsNaN(g):
		s.hi = s.t
	case g < curvature*s.g0:
		s.lo = s.t
	default:
		return optimize.MajorIteration, s.t, nil
	}
	next := 2 * s.lo
	if !math.IsInf(s.hi, 1) {
		next = (s.lo + s.hi) / 2
	}
	if s.trials++; s.trials > maxTrials || next == s.t || next == 0 || math.IsInf(next, 1) {
		if s.lo == s.t { // lower, if not where the slope is small
			return optimize.MajorIteration, s.t, nil
		}
		return optimize.NoOperation, s.t, errSearch
	}
	s.t = next
	return s.evaluations, s.t, nil
}
