// Package fault has the errors that users meet: their codes and kinds, the limits on what an input may
// cost, and the border at which panics and errors of the packages below become such errors.
package fault

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

// KindOf returns the kind of an error, "" where it has none.
func KindOf(err error) string {
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

// New makes an error that no place of the text can be blamed for.
func New(code syntax.Code, format string, args ...any) *Error {
	return &Error{Code: code, Kind: kind(code), Message: fmt.Sprintf(format, args...)}
}

// At makes an error at a place of a program's text.
func At(file *syntax.File, span syntax.Span, code syntax.Code, format string, args ...any) *Error {
	e := file.Errorf(code, span, format, args...)
	e.Kind = kind(code)
	return e
}

// Wrap turns the errors of the packages below, which know no program text, into an
// *Error. It leaves other errors as they are.
func Wrap(err error) error {
	var (
		user     *Error
		limit    *eval.LimitError
		size     *eval.SizeError
		singular *eval.SingularError
		unknown  *eval.UnknownError
		unsolved *eval.UnsolvedError
		nodes    *combinators.LimitError
		calculus *adjoint.Error
	)
	switch {
	case err == nil || errors.As(err, &user):
		return err
	case errors.As(err, &limit):
		return limitError(limit)
	case errors.As(err, &size):
		return New(ValueShape, "%s", size.Error())
	case errors.As(err, &singular):
		return New(Singular, "%s", singular.Error())
	case errors.As(err, &unsolved):
		return New(Unsolved, "%s", unsolved.Error()).Helpf("another start may have a value, or other data: %s(x = x0)", unsolved.Op)
	case errors.As(err, &unknown):
		return New(NoNumbers, "%s", unknown.Error()).Helpf(Numbers, unknown.Name)
	case errors.As(err, &nodes):
		return elab.LimitError(nodes)
	case errors.As(err, &calculus):
		return New(NotDiff, "%s", calculus.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return New(Time, "the time limit was reached").
			Helpf("raise it with --limit-time, or ask for less: a product with a vector in place of a whole Jacobian")
	}
	return err
}

// Numbers says how a declared function gets numbers.
const Numbers = "ask for a formula, or give %s in a Go program: frechet.WithFunctions"

// limitError says which limit was reached and what to do instead.
func limitError(limit *eval.LimitError) *Error {
	short := *limit
	short.Help = ""
	e := New(Size, "%s", short.Error())
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

// Within runs work that may be deep in an algebraic step, which knows no context, in a
// goroutine of its own, and returns when ctx ends, whatever the work does; its result is
// then dropped. A panic there is an error here: a goroutine has no caller to recover it.
func Within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer Guard(&r.err)
		r.value, r.err = work()
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, context.Canceled) && ctx.Err() != nil { // the work saw the end first
			r.err = Wrap(ctx.Err())
		}
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, Wrap(ctx.Err())
	}
}

// Guard turns panics into errors: that of a store that would outgrow its limit, and, so
// that no input can end the process, any other. Those are bugs of this package.
func Guard(err *error) {
	switch p := recover().(type) {
	case nil:
		*err = Wrap(*err)
	case *combinators.LimitError:
		*err = Wrap(p)
	case *combinators.Stopped:
		*err = Wrap(context.Canceled)
	default:
		*err = New(Internal, "internal error: %v", p).
			Helpf("this is a bug in frechet; please report it with the input")
	}
}
