package frechet

import (
	"context"
	"errors"

	"frechet/internal/fault"
)

type (
	// Error is an error in what a user gave: a code for `frechet explain`, a kind for
	// programs, and a place in the program's text where there is one.
	Error = fault.Error
	// Kind classifies errors.
	Kind = fault.Kind
	// Code documents an error code.
	Code = fault.Code
	// Limits bound what an input may cost. Reaching one is an error of kind "limit". A field that
	// is zero means its default.
	Limits = fault.Limits
	// A Limit describes one field of Limits: flags, help and documents read the table of them.
	Limit = fault.Limit
)

// ErrorKind returns the kind of an error, "" where it has none.
func ErrorKind(err error) string { return fault.KindOf(err) }

// WithHelp replaces the help of an *Error.
func WithHelp(err error, help string) error { return fault.WithHelp(err, help) }

// ErrorCodes lists all error codes in order.
func ErrorCodes() []Code { return fault.Codes() }

// ExplainCode finds an error code.
func ExplainCode(code string) (Code, bool) { return fault.Explain(code) }

// LimitTable lists all limits, with their defaults.
func LimitTable() []Limit { return fault.LimitTable() }

// DefaultLimits returns the documented defaults.
func DefaultLimits() Limits { return fault.DefaultLimits() }

// FormatBytes writes a number of bytes for people: 64MB, 8GB, 1.5kB.
func FormatBytes(n int64) string { return fault.FormatBytes(n) }

// Bounded runs work under the time limit and returns an error when it or ctx ends, even
// where the work is in a step that cannot be interrupted; its result is then dropped.
func Bounded(ctx context.Context, lim Limits, work func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, fault.Filled(lim).Time)
	defer stop()
	_, err := fault.Within(ctx, func() (struct{}, error) { return struct{}{}, work(ctx) })
	return fault.Wrap(err)
}

// FormatError renders an error for people: for an *Error the lines of the program with
// the places marked, and the help; for a *RuleError those of the rule file.
func FormatError(err error, filename, src string, color bool) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Render(filename, src, color)
	}
	var r *RuleError
	if errors.As(err, &r) {
		return r.Render(color)
	}
	if color {
		return "\x1b[1;31merror\x1b[0m: " + err.Error() + "\n"
	}
	return "error: " + err.Error() + "\n"
}
