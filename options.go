package frechet

import (
	"fmt"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/internal/protocol"
)

// An Option adjusts how a program is parsed and what it may cost.
type Option func(*options)

type options struct {
	operations []Operation
	limits     Limits
	dims       Dims
	sizes      Sizes
	rules      *UserRules

	language string

	progress func(done, total int)
}

func newOptions(opts []Option) options {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	o.limits = o.limits.orDefault()
	return o
}

// WithLimits sets the limits; fields that are zero keep their defaults.
func WithLimits(l Limits) Option { return func(o *options) { o.limits = l } }

// WithDims gives the sizes of the axes of variables, by name. They must agree with what
// the program declares. With it, or with WithSizes, the program's terms have sizes in
// numbers, and all of them must be determined.
func WithDims(d Dims) Option { return func(o *options) { o.dims = d } }

// WithSizes gives numbers to size symbols.
func WithSizes(s Sizes) Option { return func(o *options) { o.sizes = s } }

// WithOperations names operations that will be asked for beside those of the program, so
// that their directions, which the program may not use, get the sizes of their variables.
func WithOperations(ops ...Operation) Option { return func(o *options) { o.operations = ops } }

// WithRules has values simplified by rules of the user's own, too: see [CheckRules].
func WithRules(r *UserRules) Option { return func(o *options) { o.rules = r } }

// WithProgress has f called between the steps of an evaluation, with how many of them are
// done.
func WithProgress(f func(done, total int)) Option { return func(o *options) { o.progress = f } }

// WithLanguage says in which language the program is: one of Languages. "auto", the default, tells
// the Einstein language and index notation apart; combinator notation must be asked for.
func WithLanguage(name string) Option { return func(o *options) { o.language = name } }

// Languages lists the names of the languages.
func Languages() []string { return slices.Clone(protocol.Languages) }

// Mode says in which direction a Jacobian is formed.
type Mode = adjoint.Mode

// The modes: Planned multiplies a derivative out by segments, or takes the cheaper of the two
// others. Sizes without a number count as large and equal.
const (
	Planned = adjoint.Planned
	Reverse = adjoint.Reverse
	Forward = adjoint.Forward
)

var modeNames = []string{"planned", "reverse", "forward"}

// Modes lists the names of the modes.
func Modes() []string { return slices.Clone(modeNames) }

// ParseMode finds a mode by its name.
func ParseMode(name string) (Mode, error) {
	switch name {
	case "planned":
		return Planned, nil
	case "reverse":
		return Reverse, nil
	case "forward":
		return Forward, nil
	}
	return 0, fmt.Errorf("unknown mode %q; known are %s", name, strings.Join(modeNames, ", "))
}

// Formats lists the notations that terms print in: "text" is matrix notation where all
// of a term has one, else the Einstein language, and index notation for programs that are
// written in it and for terms that have no other; "dot" is a graph for Graphviz.
func Formats() []string {
	return slices.Clone(protocol.Formats)
}
