package frechet

import (
	"context"

	"frechet/internal/definite"
	"frechet/internal/equality"
	"frechet/internal/fault"
)

type (
	// A DefiniteVerdict says whether a Hessian is positive semidefinite wherever the program is defined: that it was proved, by an
	// equality with a form that is not negative, whose certificate [Replay] checks; that it was refuted, with a point; or that it was not
	// decided.
	DefiniteVerdict = definite.Verdict
	// A DefiniteLaw is a step of the argument: a sum of convex functions, a composition with an affine map, a square.
	DefiniteLaw = definite.Law
)

// Definite decides whether the Hessian of the program's one expression, a scalar, by all of the variables together is positive
// semidefinite, and so whether it is convex in them where it has no kink. Without variables they are those that the program names,
// or all.
func (f *Func) Definite(ctx context.Context, wrt ...string) (*DefiniteVerdict, error) {
	return fault.Within(ctx, func() (*DefiniteVerdict, error) { return definite.Decide(ctx, f.prog, wrt, equality.Options{}) })
}
