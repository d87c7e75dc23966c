package frechet

import (
	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval/plan"
)

// planner plans derivatives in a mode, and compares them by what plans say that they cost.
func (f *Func) planner(mode Mode, sizes Sizes) *adjoint.Planner {
	return &adjoint.Planner{Mode: mode, Sizes: sizes, Cost: func(values []*combinators.Node) (float64, error) {
		return plan.Multiplications(values, sizes)
	}}
}
