package query

import (
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/eval/plan"
	"frechet/internal/program"
)

// Planner plans derivatives in a mode, and compares them by what plans say that they cost.
func Planner(f *program.Program, mode jacobian.Mode, sizes program.Sizes) *jacobian.Planner {
	return &jacobian.Planner{Calculus: f.Calculus(), Mode: mode, Sizes: sizes, Cost: func(values []*combinators.Node) (float64, error) {
		return plan.Multiplications(values, sizes)
	}}
}
