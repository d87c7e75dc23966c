package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind classifies errors for programs that read them: the batch protocol's
// "kind".
type Kind string

// The kinds of error. Every code has one; several codes may share it.
const (
	KindLexical              Kind = "lexical"
	KindSyntax               Kind = "syntax"
	KindReservedName         Kind = "reserved-name"
	KindDuplicateDeclaration Kind = "duplicate-declaration"
	KindUndeclaredVariable   Kind = "undeclared-variable"
	KindUndeclaredArgument   Kind = "undeclared-argument"
	KindOrderMismatch        Kind = "order-mismatch"
	KindIndexCount           Kind = "index-count-mismatch"
	KindUnknownOutputIndex   Kind = "unknown-output-index"
	KindExponentNotScalar    Kind = "exponent-not-scalar"
	KindMatrixFunctionOrder  Kind = "matrix-function-order"
	KindDimensionMismatch    Kind = "dimension-mismatch"
	KindUndetermined         Kind = "undetermined-dimension"
	KindUnboundIndex         Kind = "unbound-index"
	KindDuplicateIndex       Kind = "duplicate-index"
	KindShadowedIndex        Kind = "shadowed-index"
	KindNonAffineIndex       Kind = "non-affine-index"
	KindOutOfRange           Kind = "out-of-range"
	KindUnknownFunction      Kind = "unknown-function"
	KindMissingShape         Kind = "missing-shape"
	KindMissingValue         Kind = "missing-value"
	KindSingular             Kind = "singular"
	KindNotDifferentiable    Kind = "not-differentiable"
	KindLimit                Kind = "limit"
	KindRequest              Kind = "request"
)

// Code names one error in the table of [Codes]: a letter for the stage (S
// notation, N names, T types and sizes, L limits) and a number.
type Code string

// Error is an error in what a user wrote. Span holds byte offsets; Line and
// Column count characters from 1 (0 where the error has no place in a text).
type Error struct {
	Code    Code
	Kind    Kind
	Span    Span
	Line    int
	Column  int
	Message string
	Notes   []Note
	Help    string
	Warning bool // something that is no error: it is shown as a warning
}

// Note points at a second place that explains an error.
type Note struct {
	Span Span
	Text string
}

// Error gives place, code and message on one line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("error[%s]: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%d:%d: error[%s]: %s", e.Line, e.Column, e.Code, e.Message)
}

// Errorf makes an error of the given code at a place in the file's text.
func (f *File) Errorf(code Code, span Span, format string, args ...any) *Error {
	return newError(f.Src, code, span, format, args...)
}

// NewError makes an error that has no place in a text.
func NewError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Kind: code.Kind(), Message: clip(fmt.Sprintf(format, args...))}
}

// clip shortens a text that quotes a name of a million letters.
func clip(s string) string {
	if len(s) <= 400 {
		return s
	}
	cut := 380
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

func newError(src string, code Code, span Span, format string, args ...any) *Error {
	e := &Error{Code: code, Kind: code.Kind(), Span: span, Message: clip(fmt.Sprintf(format, args...))}
	e.Line, e.Column = Position(src, span.Start)
	return e
}

// Note adds a second place and returns e.
func (e *Error) Note(span Span, format string, args ...any) *Error {
	e.Notes = append(e.Notes, Note{span, clip(fmt.Sprintf(format, args...))})
	return e
}

// Helpf sets the help and returns e.
func (e *Error) Helpf(format string, args ...any) *Error {
	e.Help = clip(fmt.Sprintf(format, args...))
	return e
}

// Position gives line and column of a byte offset, both counted in characters
// from 1.
func Position(src string, offset int) (line, column int) {
	before := src[:min(max(offset, 0), len(src))]
	line = strings.Count(before, "\n") + 1
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	before = strings.TrimPrefix(before, "\ufeff")
	return line, utf8.RuneCountInString(before) + 1
}

// Offset is the byte offset of a line and column, both counted in characters from 1; it is no further
// than the end of the line.
func Offset(src string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	for ; column > 1 && at < len(src) && src[at] != '\n'; column-- {
		_, n := utf8.DecodeRuneInString(src[at:])
		at += n
	}
	return at
}

// EmptyArrays is the help where the sizes of an array without entries do not show: [] has one axis.
const EmptyArrays = `an array without entries is written with its shape: {"shape": [0,3], "data": []}`
