package frechet

import (
	"context"

	"frechet/internal/minimize"
)

type (
	// MinimizeOptions say how to minimise. The zero value minimises by the variables that the
	// program names, by L-BFGS.
	MinimizeOptions = minimize.Options
	// A MinimizeStep tells how far a minimisation is.
	MinimizeStep = minimize.Step
	// A Minimum is where a minimisation ended.
	Minimum = minimize.Minimum
)

// MinimizeMethods lists the names of the methods: L-BFGS; Newton's method, with the Hessian
// of each variable in turn, and with the Gauss-Newton matrix in its place; steepest descent.
func MinimizeMethods() []string { return minimize.Methods() }

// Minimize finds a local minimum of the program's one expression, a scalar, by the variables of the
// options; the others have their values in env, and so do starts. Where ctx ends, the last point is
// returned beside its error.
func (f *Func) Minimize(ctx context.Context, env Env, opts MinimizeOptions) (*Minimum, error) {
	return minimize.Run(ctx, f.prog, env, opts)
}
