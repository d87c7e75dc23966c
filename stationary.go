package frechet

import (
	"context"

	"frechet/internal/stationary"
)

// A StationarySolution is where the gradient by one variable is 0, as a formula.
type StationarySolution = stationary.Solution

// Stationary solves gradient = 0 for each of the variables given the others, or for all of them together: where the gradient is affine
// in the variable, or is once it is multiplied by it. Without variables it solves for those that the program names. What is not
// affine is an error that says so.
func (f *Func) Stationary(ctx context.Context, together bool, wrt ...string) ([]StationarySolution, error) {
	return stationary.Find(ctx, f.prog, wrt, together)
}

// CheckStationary compares the gradients at solutions of f with 0, at the values of env.
func (f *Func) CheckStationary(ctx context.Context, found []StationarySolution, together bool, env Env) (*CheckReport, error) {
	return stationary.Check(ctx, f.prog, found, together, env)
}
