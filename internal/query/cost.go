package query

import (
	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval/plan"
	"frechet/internal/program"
)

// Planner plans derivatives in a mode, and compares them by what plans say that they cost.
func Planner(f *program.Program, mode adjoint.Mode, sizes program.Sizes) *adjoint.Planner {
	return &adjoint.Planner{Calculus: f.Calculus(), Mode: mode, Sizes: sizes, Cost: func(values []*combinators.Node) (float64, error) {
		return plan.Multiplications(values, sizes)
	}}
}
