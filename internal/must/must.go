// Package must ends a computation at its first error. Functions below an entry return values alone; what goes wrong
// in them is thrown by [Get], [Do], [Hold] or panic(Errorf(..)), and the entry, which defers [Recover], returns it.
// So a reader of terms or a checker is written without an error beside each result. Other panics pass through.
package must

import "fmt"

// Thrown is an error that may be thrown as it is.
type Thrown interface {
	error
	Thrown()
}

// A Failure is how any other error is thrown.
type Failure struct{ err error }

// Error is a failure by an error.
func Error(err error) Failure { return Failure{err} }

// Errorf is a failure with a message.
func Errorf(format string, args ...any) Failure { return Failure{fmt.Errorf(format, args...)} }

// Do ends with the error, if there is one.
func Do(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

// Get is v, without an error beside it.
func Get[T any](v T, err error) T {
	Do(err)
	return v
}

// Get2 is Get for two values.
func Get2[T, U any](v T, w U, err error) (T, U) {
	Do(err)
	return v, w
}

// Hold ends with a message where what must hold does not.
func Hold(ok bool, format string, args ...any) {
	if !ok {
		panic(Errorf(format, args...))
	}
}

// Recover is deferred at an entry: it makes what is thrown the entry's error.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
	case Failure:
		*err = p.err
	case Thrown:
		*err = p
	default:
		panic(p)
	}
}

// Try is the error with which f ends, nil where it ends without.
func Try(f func()) (err error) {
	defer Recover(&err)
	f()
	return nil
}

// Within is f, with what a failure in it is about before its message: "the left side: no value".
func Within(f func(), format string, args ...any) {
	if err := Try(f); err != nil {
		panic(Errorf("%s: %w", fmt.Sprintf(format, args...), err))
	}
}
