// Package discover finds laws that nobody has stated: equations between small terms over a signature of functions and
// contractions, as rules that [frechet/rewrite/verify] has tried. It believes nothing that it finds.
//
// Terms are enumerated by their number of nodes, of variables for metavariables. A term whose normal form was met before
// has an equation that is known. Of the others, the values at a few points are a fingerprint: terms of one fingerprint are
// guessed to be equal, and only the first of them is an operand of larger terms (Nandi et al., Rewrite rule inference using
// equality saturation, 2021). A guess that what is known proves, by normal form or by a bounded search, is dropped, as is one
// that what is found later proves; the verifier is the judge of the others, under the weakest conditions under which
// they pass.
package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/rewrite/verify"
)

// Options say over what laws are looked for.
type Options struct {
	// Over names functions, contractions and numbers, with spaces between: exp log * + inv ' 1. See [Words].
	Over string
	// Vars declares metavariables as a rule does: x y: S, A: R[n,n]. "" is two of each kind that Over has a use for.
	Vars string
	// Size is how many nodes a side may have; 0 is 5.
	Size int
	// Terms bounds how many terms are looked at; 0 is [MaxTerms].
	Terms int
	// Known are the laws that are known; nil are those of the program.
	Known *Known
	// Corpus are programs: laws are ranked by how many of their values, in normal form, they make smaller.
	Corpus []string
	// Progress, where it is not nil, is told how many terms have been looked at, now and then.
	Progress func(terms, limit int)
}

const (
	// MaxTerms bounds the terms that are looked at where no other bound is given.
	MaxTerms    = 50_000
	defaultSize = 5
	maxSize     = 12
)

// Found are the laws of a signature.
type Found struct {
	Laws  []*Law `json:"laws"`
	Terms int    `json:"terms"` // that were looked at
	// Limit says why the terms up to the size were not all looked at; "" where they were.
	Limit string `json:"limit,omitempty"`
}

// A Law is a rule that was found, with what the verifier says of it.
type Law struct {
	*text.Rule
	Report *verify.Report
	// Shortens counts the values of the corpus that it makes smaller.
	Shortens int
}

// String is a rule file: each rule below a comment with its claim.
func (f *Found) String() string {
	var b strings.Builder
	for _, l := range f.Laws {
		fmt.Fprintf(&b, "# %s", l.Report.Claim())
		if l.Shortens > 0 {
			fmt.Fprintf(&b, "; it shortens %d of the corpus", l.Shortens)
		}
		fmt.Fprintf(&b, "\n%s\n", l.Rule)
	}
	if f.Limit != "" {
		fmt.Fprintf(&b, "# incomplete: %s\n", f.Limit)
	}
	return b.String()
}

// MarshalJSON is the rule as text, and its report.
func (l *Law) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"rule": l.Rule.String(), "report": l.Report, "shortens": l.Shortens})
}

// Laws finds laws. Where ctx ends, those that have been found are returned; the error is one of the options.
func Laws(ctx context.Context, o Options) (*Found, error) {
	if o.Size = max(o.Size, 0); o.Size == 0 {
		o.Size = defaultSize
	}
	if o.Size > maxSize {
		return nil, fmt.Errorf("sides of %d nodes are asked for, at most %d are looked at", o.Size, maxSize)
	}
	if o.Terms == 0 {
		o.Terms = MaxTerms
	}
	if o.Known == nil {
		var err error
		if o.Known, err = NewKnown(rules.Algebra, rules.Laws); err != nil {
			return nil, err
		}
	}
	known := *o.Known // it learns
	o.Known = &known
	vars, err := variables(o.Vars, o.Over)
	if err != nil {
		return nil, err
	}
	ops, err := operations(o.Over, vars)
	if err != nil {
		return nil, err
	}
	e, err := newEnumeration(ctx, &o, vars, ops)
	if err != nil {
		return nil, err
	}
	e.run()
	f := &Found{Laws: e.laws, Terms: e.count, Limit: e.limit}
	values, err := valuesOf(o.Corpus)
	if err != nil {
		return nil, err
	}
	for _, l := range f.Laws {
		l.Shortens = shortens(ctx, l.Rule, values)
	}
	slices.SortStableFunc(f.Laws, func(a, b *Law) int { return b.Shortens - a.Shortens })
	return f, nil
}
