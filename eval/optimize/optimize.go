// Package optimize minimises functions of one flat vector, given as compiled programs for
// value, gradient and Newton step. The methods are those of gonum/optimize; what this
// package adds is a line search that works down to rounding, steps from a solver of
// systems that it knows nothing of, block by block, and a run that says why it ended.
package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// A Problem is what to minimise. Its functions are called from one goroutine at a time.
type Problem struct {
	// Evaluate gives the value at x and writes the gradient. A value that is NaN or +Inf
	// is outside the domain; an error ends the run.
	Evaluate func(x, gradient []float64) (float64, error)
	// Step writes to direction, as long as the block, the solution d of (H + tau I) d = -g,
	// with g and H the gradient and curvature of one block at x. ErrNoStep says that there
	// is none; other errors end the run. Methods of first order do not use it.
	Step func(block int, direction, x []float64, tau float64) error
	// Blocks are the lengths of the parts of x that steps are found for in turn.
	Blocks []int
}

// ErrNoStep is the error of a system that is singular, or cannot be formed.
var ErrNoStep = errors.New("the system has no solution")

// Method is a method of minimisation.
type Method int

// The methods.
const (
	LBFGS    Method = iota // limited-memory BFGS, of the last 15 steps
	Gradient               // steepest descent
	Newton                 // by Problem.Step
)

// Settings say when to stop.
type Settings struct {
	Method   Method
	Tol      float64 // on the largest entry of the gradient, relative to max(1, the smaller of |value| at the start and now)
	MaxIter  int
	Progress func(Iteration) // called after every iteration; may be nil
}

// An Iteration tells how far a run is.
type Iteration struct {
	Number   int
	Value    float64
	Gradient float64 // its largest entry
}

// Status says why a run ended.
type Status int

// Why a run ends.
const (
	Converged      Status = iota
	IterationLimit        // MaxIter is reached
	Stalled               // no step along the direction lowers the value
	Unbounded             // the value is -Inf
	Interrupted           // the context ended, or a function failed
)

// Result is the best point of a run, whatever ended it.
type Result struct {
	Iteration
	X           []float64
	Status      Status
	Evaluations int
	Regularised int // Newton steps with a multiple of the identity added
	Steepest    int // Newton steps that were replaced by the negative gradient
}

// Minimize runs a method from start. The result is nil only where the start is outside
// the domain or cannot be evaluated; beside an error it is the last point reached.
func Minimize(ctx context.Context, p Problem, start []float64, set Settings) (*Result, error) {
	r := &run{ctx: ctx, p: p, set: set, x: make([]float64, len(start)), g: make([]float64, len(start)), start: math.NaN()}
	g := make([]float64, len(start))
	f := r.value(start)
	r.gradient(g, start)
	switch {
	case r.err != nil:
		return nil, r.err
	case math.IsNaN(f) || math.IsInf(f, 1):
		return nil, fmt.Errorf("the value at the start is not finite: choose another start")
	case !allFinite(g):
		return nil, fmt.Errorf("the gradient at the start is not finite: choose another start")
	}
	res := &Result{X: append([]float64{}, start...), Status: Stalled,
		Iteration: Iteration{Value: f, Gradient: floats.Norm(g, math.Inf(1))}}
	r.res = res
	if r.Converged(&optimize.Location{X: res.X, F: f, Gradient: g}) != optimize.NotTerminated {
		res.Evaluations = r.count
		return res, nil
	}
	for {
		before := res.Number
		status, err := r.once(g)
		res.Evaluations = r.count
		switch {
		case r.err != nil:
			res.Status = Interrupted
			return res, r.err
		case status == optimize.GradientThreshold:
			res.Status = Converged
		case status == optimize.IterationLimit:
			res.Status = IterationLimit
		case status == optimize.FunctionNegativeInfinity:
			res.Status = Unbounded
		case res.Number > before && err != nil:
			continue // no step along the direction: forget what is known of the curvature, and go on from here
		default:
			res.Status = Stalled
		}
		return res, nil
	}
}

// run is a minimisation; it is the gonum Converger, which sees every iteration.
type run struct {
	ctx   context.Context
	p     Problem
	set   Settings
	res   *Result
	x, g  []float64 // the last point evaluated, and the gradient there
	f     float64
	known bool
	count int
	err   error
	first bool    // the next iteration is the start of gonum's run
	start float64 // |value| at the start
}

// once is one run of gonum from the best point.
func (r *run) once(g []float64) (optimize.Status, error) {
	r.first = true
	search := &search{}
	var method optimize.Method
	switch r.set.Method {
	case Gradient:
		method = &optimize.GradientDescent{Linesearcher: search, StepSizer: &optimize.QuadraticStepSize{}, GradStopThreshold: math.NaN()}
	case Newton:
		method = &newton{run: r, search: search}
	default:
		method = &optimize.LBFGS{Linesearcher: search, GradStopThreshold: math.NaN()}
	}
	res, err := optimize.Minimize(optimize.Problem{Func: r.value, Grad: r.gradient, Status: r.status}, r.res.X,
		&optimize.Settings{Converger: r}, method)
	if res == nil {
		return optimize.Failure, err
	}
	return res.Status, err
}

// Init makes run a Converger.
func (r *run) Init(int) {}

// Converged notes an iteration and decides whether to stop.
func (r *run) Converged(loc *optimize.Location) optimize.Status {
	if math.IsNaN(r.start) {
		r.start = math.Abs(loc.F)
	}
	if r.first {
		r.first = false
		return optimize.NotTerminated
	}
	worst := floats.Norm(loc.Gradient, math.Inf(1))
	if r.count > 1 {
		r.res.Number++
		r.res.Value, r.res.Gradient = loc.F, worst
		copy(r.res.X, loc.X)
		if r.set.Progress != nil {
			r.set.Progress(r.res.Iteration)
		}
	}
	switch {
	// the value alone is no scale: where it is not bounded below, it outgrows every gradient
	case worst <= r.set.Tol*max(1, min(r.start, math.Abs(loc.F))):
		r.res.Status = Converged
		return optimize.GradientThreshold
	case r.res.Number >= r.set.MaxIter:
		return optimize.IterationLimit
	}
	return optimize.NotTerminated
}

// status ends gonum's run at an error.
func (r *run) status() (optimize.Status, error) {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err != nil {
		return optimize.Failure, r.err
	}
	return optimize.NotTerminated, nil
}

// evaluate finds value and gradient together, once for each point: gonum asks for them
// one after the other. It runs in a goroutine of gonum's, where a panic would end the
// process.
func (r *run) evaluate(x []float64) {
	if r.known && floats.Equal(r.x, x) || r.err != nil {
		return
	}
	defer recovered(&r.err)
	copy(r.x, x)
	r.count++
	r.f, r.err = r.p.Evaluate(r.x, r.g)
	r.known = r.err == nil
	if math.IsNaN(r.f) || r.err != nil {
		r.f = math.Inf(1)
	}
}

func (r *run) value(x []float64) float64 {
	r.evaluate(x)
	return r.f
}

func (r *run) gradient(g, x []float64) {
	r.evaluate(x)
	copy(g, r.g)
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v", p)
	}
}

func allFinite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
