package frechet

import (
	"slices"

	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/protocol"
)

// An Option adjusts how a program is parsed and what it may cost.
type Option func(*program.Options)

func newOptions(opts []Option) program.Options {
	var o program.Options
	for _, opt := range opts {
		opt(&o)
	}
	o.Limits = fault.Filled(o.Limits)
	return o
}

// WithLimits sets the limits; fields that are zero keep their defaults.
func WithLimits(l Limits) Option { return func(o *program.Options) { o.Limits = l } }

// WithDims gives the sizes of the axes of variables, by name. They must agree with what
// the program declares. With it, or with WithSizes, the program's terms have sizes in
// numbers, and all of them must be determined.
func WithDims(d Dims) Option { return func(o *program.Options) { o.Dims = d } }

// WithSizes gives numbers to size symbols.
func WithSizes(s Sizes) Option { return func(o *program.Options) { o.Sizes = s } }

// WithOperations names operations that will be asked for beside those of the program, so
// that their directions, which the program may not use, get the sizes of their variables.
func WithOperations(ops ...Operation) Option { return func(o *program.Options) { o.Operations = ops } }

// WithRules has values simplified and differentiated by rules of the user's own, too: see [CheckRules].
func WithRules(r *UserRules) Option { return func(o *program.Options) { o.Rules = r } }

// A Function computes a declared function in numbers: see [WithFunctions].
type Function = eval.Function

// Entrywise is the element-wise function of a function of one number.
func Entrywise(f func(x float64) float64) Function { return eval.Entrywise(f) }

// WithFunctions gives the functions that a program declares, `primitive h : R -> R`, in numbers, by name; derivatives
// have names of their own: h', and l'1, l'2 of several arguments. Without it formulas have them, and an evaluation is
// an error that names the first one that it needs.
func WithFunctions(fs map[string]Function) Option {
	return func(o *program.Options) { o.Functions = fs }
}

// WithSingle has numbers computed in single precision, IEEE 754 binary32: each sum, product and function is rounded to it.
func WithSingle() Option { return func(o *program.Options) { o.Single = true } }

// WithProgress has f called between the steps of an evaluation, with how many of them are
// done.
func WithProgress(f func(done, total int)) Option { return func(o *program.Options) { o.Progress = f } }

// WithScalar has a formula that declares nothing read as one whose value is a number, where it can be: what
// a gradient needs.
func WithScalar() Option { return func(o *program.Options) { o.Scalar = true } }

// WithLanguage says in which language the program is: one of Languages. "auto", the default, tells
// the Einstein language and index notation apart; combinator notation must be asked for.
func WithLanguage(name string) Option { return func(o *program.Options) { o.Language = name } }

// Languages lists the names of the languages.
func Languages() []string { return slices.Clone(protocol.Languages) }

// Formats lists the notations that terms print in: "text" is matrix notation where all
// of a term has one, else the Einstein language, and index notation for programs that are
// written in it and for terms that have no other; "dot" is a graph for Graphviz, "tree" the term as JSON.
func Formats() []string {
	return slices.Clone(protocol.Formats)
}
