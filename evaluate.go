package frechet

import (
	"context"

	"frechet/internal/check"
	"frechet/internal/query"
)

type (
	// A Program computes terms from values, from several goroutines at once. It is planned for the
	// shapes of the values when these come first.
	Program = query.Program
	// A CheckReport tells how derivatives compare with finite differences of what they are
	// derivatives of, and whether adjoints satisfy <L v, w> = <v, L* w>.
	CheckReport = check.Report
	// A CheckItem is one comparison.
	CheckItem = check.Item
)

// Compile prepares a term for evaluation. sizes gives numbers to size symbols that the
// values leave open; it may be nil.
func Compile(t *Term, sizes Sizes) (*Program, error) { return query.CompileAll([]*Term{t}, sizes) }

// CompileAll prepares several terms of one Func; what they share is computed once.
func CompileAll(terms []*Term, sizes Sizes) (*Program, error) { return query.CompileAll(terms, sizes) }

// RandomSizes gives numbers, from 2 on where these fit, to the size symbols that sizes has none for, so that
// no tensor of the program is empty and all accesses are in range.
func (f *Func) RandomSizes(sizes Sizes, seed uint64) Sizes {
	return check.RandomSizes(f.prog, sizes, seed)
}

// RandomEnv draws values for all parameters, at the sizes of RandomSizes: between 0.1 and 0.9, where every
// function of the table is smooth, or where that is outside the domain of the whole with other signs, and a
// heavy diagonal. Where sizes follow from no value (x[m*n]), give both the sizes and the values to Elaborate.
func (f *Func) RandomEnv(ctx context.Context, sizes Sizes, seed uint64) (Env, error) {
	return check.RandomEnv(ctx, f.prog, sizes, seed)
}
