package optimize

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// newton is a gonum Method: Newton's method with a line search, by Problem.Step. Each
// iteration moves one block, in turn. Where a block's curvature is singular or gives no
// direction of descent, growing multiples of the identity are added to it (Levenberg);
// where none helps, the step is the negative gradient.
type newton struct {
	run    *run
	search *search
	next   int       // the block to move
	tau    []float64 // the last multiple that helped, by block

	status optimize.Status
	err    error
}

// Uses says that the gradient is needed.
func (n *newton) Uses(has optimize.Available) (optimize.Available, error) {
	if !has.Grad {
		return optimize.Available{}, optimize.ErrMissingGrad
	}
	return optimize.Available{Grad: true}, nil
}

// Init says that one point is evaluated at a time.
func (n *newton) Init(dim, tasks int) int {
	n.tau = make([]float64, len(n.run.p.Blocks))
	return 1
}

// Status is why Run ended by itself.
func (n *newton) Status() (optimize.Status, error) { return n.status, n.err }

// Run exchanges tasks with gonum until it ends the run, or no step is found.
func (n *newton) Run(operation chan<- optimize.Task, result <-chan optimize.Task, tasks []optimize.Task) {
	defer close(operation)
	ls := &optimize.LinesearchMethod{NextDirectioner: n, Linesearcher: n.search}
	task := tasks[0]
	op := optimize.FuncEvaluation | optimize.GradEvaluation
	for turn := 0; ; turn++ {
		task.Op = op
		operation <- task
		if task = <-result; task.Op == optimize.PostIteration {
			break
		}
		var err error
		switch turn {
		case 0: // the start is evaluated
			op = optimize.MajorIteration
		case 1:
			op, err = ls.Init(task.Location)
		default:
			op, err = ls.Iterate(task.Location)
		}
		if err != nil {
			n.status, n.err = optimize.Failure, err
			task.Op = optimize.MethodDone
			operation <- task
			break
		}
	}
	for range result { // gonum closes it
	}
}

// InitDirection is NextDirection: steps have no memory but the multiples tau.
func (n *newton) InitDirection(loc *optimize.Location, dir []float64) float64 {
	return n.NextDirection(loc, dir)
}

// NextDirection finds the step of the next block whose gradient is not 0.
func (n *newton) NextDirection(loc *optimize.Location, dir []float64) float64 {
	blocks := n.run.p.Blocks
	worst := floats.Norm(loc.Gradient, math.Inf(1))
	for range blocks {
		b := n.next
		n.next = (n.next + 1) % len(blocks)
		from := 0
		for _, k := range blocks[:b] {
			from += k
		}
		g, d := loc.Gradient[from:from+blocks[b]], dir[from:from+blocks[b]]
		if len(blocks) > 1 && floats.Norm(g, math.Inf(1)) <= 1e-3*worst {
			continue
		}
		clear(dir)
		n.step(b, loc.X, g, d)
		return 1
	}
	return 1 // not reached: some block has the largest entry
}

// step finds the direction of a block.
func (n *newton) step(b int, x, g, d []float64) {
	defer recovered(&n.run.err)
	least := 1e-4 * max(1, floats.Norm(g, 2)/(1+floats.Norm(x, 2)))
	tau := 0.0
	if n.tau[b] > 0 {
		tau = n.tau[b] / 10 // curvature that needed help seldom mends at once
		if tau < least {
			tau = 0
		}
	}
	for range 20 {
		err := n.run.p.Step(b, d, x, tau)
		if err != nil && !errors.Is(err, ErrNoStep) {
			n.run.err = err
			break
		}
		slope := floats.Dot(g, d)
		if err == nil && allFinite(d) && -slope > 1e-12*floats.Norm(g, 2)*floats.Norm(d, 2) {
			if n.tau[b] = tau; tau > 0 {
				n.run.res.Regularised++
			}
			return
		}
		tau = max(10*tau, least)
	}
	n.run.res.Steepest++
	floats.ScaleTo(d, -1, g)
}
