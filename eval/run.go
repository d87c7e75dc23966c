package eval

import (
	"context"

	"frechet/combinators"
)

// An Option of Run and Compile.
type Option func(*options)

type options struct {
	sizes    map[string]int64
	limits   Limits
	progress func(done, total int)
}

// Limits bound an evaluation; a zero field means the default.
type Limits struct {
	MaxElements int64 // entries of one tensor; default 1<<31
	MaxBytes    int64 // memory of one evaluation; default 4 GiB
}

// WithSizes gives numbers to size symbols that the shapes of the values leave open.
func WithSizes(sizes map[string]int64) Option { return func(o *options) { o.sizes = sizes } }

// WithLimits replaces the default limits.
func WithLimits(l Limits) Option { return func(o *options) { o.limits = l } }

// WithProgress has f called between the steps of an evaluation, with the number of steps
// done and their total.
func WithProgress(f func(done, total int)) Option { return func(o *options) { o.progress = f } }

func collect(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// Run evaluates nodes with the values of env. The results share no memory with env.
//
// Sizes and limits are checked before anything is computed: the errors are *SizeError,
// *plan.MissingError and *LimitError. A *SingularError comes from the data, and the error of
// ctx from its cancellation.
func Run(ctx context.Context, nodes []*combinators.Node, env Env, opts ...Option) ([]*Tensor, error) {
	o := collect(opts)
	return Reference(ctx, nodes, env, o.sizes)
}
