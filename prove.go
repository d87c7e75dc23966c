package frechet

import (
	"context"

	"frechet/internal/equality"
	"frechet/internal/fault"
)

type (
	// A Verdict says whether two values are equal wherever both are defined: that it was proved, with a derivation whose
	// certificate [Replay] checks; that it was refuted, with a point at which they differ; or that it was not decided, with
	// what was tried and the limit that was reached.
	Verdict = equality.Verdict
	// An EqualityOutcome is what was found: [EqualityProved], [EqualityRefuted] or [EqualityUndecided].
	EqualityOutcome = equality.Outcome
	// ProveOptions say how two texts are read, and how they are compared.
	ProveOptions = equality.Options
)

// The outcomes of [Prove].
const (
	EqualityProved    = equality.Proved
	EqualityRefuted   = equality.Refuted
	EqualityUndecided = equality.Undecided
)

// Prove decides whether two texts have equal values at all sizes, wherever both are defined: formulas, definitions in index
// notation, or programs with one expression each, in any of the languages. Their shapes must agree; a number stands for a
// tensor of the other's shape. It compares normal forms, of both sides, of their difference and of their quotient; then
// points, in exact arithmetic where the sides are rational functions; then it searches for a chain of rules, the program's and
// those of [WithRules], up to [Limits] Search terms. What is undecided has no error. The error is an *[Error] where a side
// cannot be read or the shapes differ, and that of ctx when it ends.
func Prove(ctx context.Context, left, right string, p ProveOptions, opts ...Option) (*Verdict, error) {
	return fault.Within(ctx, func() (*Verdict, error) { return equality.Texts(ctx, left, right, p, newOptions(opts)) })
}

// ProveText is the program of both texts with their declarations, to which the places of errors of [Prove] refer.
func ProveText(left, right, declare string) string { return equality.Joined(left, right, declare) }

// Prove decides whether the two expressions of the program are equal: see the function [Prove].
func (f *Func) Prove(ctx context.Context, p ProveOptions) (*Verdict, error) {
	return fault.Within(ctx, func() (*Verdict, error) { return equality.Expressions(ctx, f.prog, p) })
}
