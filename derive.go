package frechet

import (
	"context"
	"slices"

	"frechet/adjoint/jacobian"
	"frechet/internal/derivation"
	"frechet/internal/program"
	"frechet/internal/query"
)

type (
	// A Term is a value: an expression over the parameters of a program, with a shape. It prints in
	// the notations of [Formats], and compiles.
	Term = query.Term
	// An Axis tells what an axis of a term runs over.
	Axis = query.Axis
	// A Query asks for derivatives. Its zero value asks for the value alone.
	Query = query.Query
	// A Reply has the value of every expression, and its derivatives of order 1, ..., Order.
	Reply = query.Reply
	// An Output is what a query finds for one expression.
	Output = query.Output
	// A Named is a result with its name in a program of several: [Reply.Joint].
	Named = query.Named
	// A Deriv is one derivative.
	Deriv = query.Deriv
	// An Operation is a product with a derivative, or a part of it, that is found without the
	// whole: jvp, vjp, hvp, diag-hessian, gauss-newton.
	Operation = program.Operation
	// A Pullback has the adjoint of the derivative, by every declared variable, at a
	// cotangent that is a variable itself.
	Pullback = query.Pullback
	// A Convention is a choice of derivative at a point where a function is not smooth.
	Convention = query.Convention
	// Met is what data meet on the way to results: [Reply.Evaluate].
	Met = query.Met
	// A Departure is a place where data leave the domain of the program as it is written.
	Departure = query.Departure
	// Mode says in which direction a Jacobian is formed.
	Mode = jacobian.Mode
)

// AnyOrder leaves the order of a derivative to the program.
const AnyOrder = query.AnyOrder

// The modes: Planned multiplies a derivative out by segments, or takes the cheaper of the two
// others. Sizes without a number count as large and equal.
const (
	Planned = jacobian.Planned
	Reverse = jacobian.Reverse
	Forward = jacobian.Forward
)

// Modes lists the names of the modes.
func Modes() []string { return slices.Clone(query.ModeNames) }

// ParseMode finds a mode by its name.
func ParseMode(name string) (Mode, error) { return query.ParseMode(name) }

// OperationKinds lists the kinds of Operation.
func OperationKinds() []string { return program.OperationKinds() }

// Conventions lists all conventions. A result without numbers names those of the functions
// that were differentiated; a result with numbers names those whose points the data met.
func Conventions() []Convention { return query.Conventions() }

// Derive answers a query. The expressions are simplified before they are differentiated,
// and every derivative afterwards.
func (f *Func) Derive(ctx context.Context, q Query) (*Reply, error) {
	return query.Derive(ctx, f.prog, q)
}

// Value is the first expression of the program as a term, in normal form.
func (f *Func) Value() *Term { return query.Value(f.prog) }

// Gradient is the gradient of the program's one scalar expression: a term of the shape
// of the variable.
func (f *Func) Gradient(wrt string) (*Term, error) {
	r, err := query.One(f.prog, Query{Wrt: []string{wrt}, Order: 1, Mode: Reverse})
	if err != nil {
		return nil, err
	}
	return r.Outputs[0].Derivs[0].Term, r.RequireScalar()
}

// Jacobian is the first derivative of the program's one expression as a tensor: the
// axes of the output, then those of the variable.
func (f *Func) Jacobian(wrt string, mode Mode) (*Term, error) {
	r, err := query.One(f.prog, Query{Wrt: []string{wrt}, Order: 1, Mode: mode})
	if err != nil {
		return nil, err
	}
	return r.Outputs[0].Derivs[0].Term, nil
}

// Hessian is the second derivative of the program's one expression.
func (f *Func) Hessian(wrt string) (*Term, error) {
	r, err := query.One(f.prog, Query{Wrt: []string{wrt}, Order: 2})
	if err != nil {
		return nil, err
	}
	return r.Outputs[0].Derivs[1].Term, nil
}

// Pullback forms the adjoint of the derivative of the program's first expression by all
// its variables, in one reverse sweep.
func (f *Func) Pullback() (*Pullback, error) { return query.Pull(f.prog) }

// Conventions names the conventions of the functions that are differentiated in the program's one
// expression: by the variables wrt, all where none is named, and in the derivatives that stand in it.
func (f *Func) Conventions(wrt ...string) ([]Convention, error) {
	return query.Differentiated(f.prog, wrt...)
}

// Domain says where the program is defined, and so where its derivatives are claimed: conditions such as "p > 0",
// which all entries meet. It is empty where the program is defined for all numbers.
func (f *Func) Domain() []string { return derivation.Domain(f.prog) }
