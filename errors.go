package frechet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// Error is an error in what a user gave: a code for `frechet explain`, a kind for
// programs, and a place in the program's text where there is one.
type Error = syntax.Error

// Kind classifies errors.
type Kind = syntax.Kind

// ErrorKind returns the kind of an error, "" where it has none.
func ErrorKind(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return string(e.Kind)
	}
	var lim *eval.LimitError
	if errors.As(err, &lim) {
		return string(syntax.KindLimit)
	}
	return ""
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

// WithHelp replaces the help of an *Error.
func WithHelp(err error, help string) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Help = help
	return &c
}

// placeless makes an error that no place of the text can be blamed for.
func placeless(code syntax.Code, format string, args ...any) *Error {
	return &Error{Code: code, Kind: kindOf(code), Message: fmt.Sprintf(format, args...)}
}

// errorAt makes an error at a place of the program's text.
func (f *Func) errorAt(span syntax.Span, code syntax.Code, format string, args ...any) *Error {
	e := f.file.Errorf(code, span, format, args...)
	e.Kind = kindOf(code)
	return e
}

// wrap turns the errors of the packages below, which know no program text, into an
// *Error. It leaves other errors as they are.
func wrap(err error) error {
	var (
		user     *Error
		limit    *eval.LimitError
		size     *eval.SizeError
		singular *eval.SingularError
		nodes    *combinators.LimitError
		calculus *adjoint.Error
	)
	switch {
	case err == nil || errors.As(err, &user):
		return err
	case errors.As(err, &limit):
		return limitError(limit)
	case errors.As(err, &size):
		return placeless(codeValueShape, "%s", size.Error())
	case errors.As(err, &singular):
		return placeless(codeSingular, "%s", singular.Error())
	case errors.As(err, &nodes):
		return elab.LimitError(nodes)
	case errors.As(err, &calculus):
		return placeless(codeNotDiff, "%s", calculus.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return placeless(codeTime, "the time limit was reached").
			Helpf("raise it with --limit-time, or ask for less: a product with a vector in place of a whole Jacobian")
	}
	return err
}

// limitError says which limit was reached and what to do instead.
func limitError(limit *eval.LimitError) *Error {
	short := *limit
	short.Help = ""
	e := placeless(codeSize, "%s", short.Error())
	flag := "--limit-elements"
	switch {
	case strings.Contains(limit.What, "bytes"):
		flag = "--limit-memory"
	case strings.Contains(limit.What, "axes"):
		return e
	}
	if limit.Help == "" {
		return e.Helpf("%s raises the limit", flag)
	}
	return e.Helpf("%s; %s raises the limit", limit.Help, flag)
}

// Bounded runs work under the time limit and returns an error when it or ctx ends, even
// where the work is in a step that cannot be interrupted; its result is then dropped.
func Bounded(ctx context.Context, lim Limits, work func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, lim.orDefault().Time)
	defer stop()
	_, err := bounded(ctx, func() (struct{}, error) { return struct{}{}, work(ctx) })
	return wrap(err)
}

// bounded runs work that may be deep in an algebraic step, which knows no context, in a
// goroutine of its own, and returns when ctx ends, whatever the work does; its result is
// then dropped. A panic there is an error here: a goroutine has no caller to recover it.
func bounded[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer guard(&r.err)
		r.value, r.err = work()
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, context.Canceled) && ctx.Err() != nil { // the work saw the end first
			r.err = wrap(ctx.Err())
		}
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, wrap(ctx.Err())
	}
}

// guard turns panics into errors: that of a store that would outgrow its limit, and, so
// that no input can end the process, any other. Those are bugs of this package.
func guard(err *error) {
	switch p := recover().(type) {
	case nil:
		*err = wrap(*err)
	case *combinators.LimitError:
		*err = wrap(p)
	case *combinators.Stopped:
		*err = wrap(context.Canceled)
	default:
		*err = placeless(codeInternal, "internal error: %v", p).
			Helpf("this is a bug in frechet; please report it with the input")
	}
}
