package adjoint

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"frechet/adjoint/rules"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	algebra "frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/rewrite"
)

// A Calculus is the rules by which derivatives and adjoints are formed: those of Theorems 4.1 and 6.5
// of Elsman et al., completed, and the algebra of closed maps. Everything that differentiates or
// transposes has one. It may be used from several goroutines.
type Calculus struct {
	own   []*rewrite.ClosedRules                 // tried before the shipped ones
	files map[string]func() *rewrite.ClosedRules // by the names of the shipped files
	users map[string]bool                        // the names of the user's rules, on whose use [rewrite.UsedIn] tells

	mu        sync.Mutex
	templates map[string]*template
	laws      [lawCount]struct {
		once sync.Once
		law
		err error
	}
}

// RuleFile is a rule file: its name and its text.
type RuleFile struct{ Name, Text string }

// The rule files of the calculus.
const (
	DerivativeRules = "adjoint/rules/derivative.rules"
	AdjointRules    = "adjoint/rules/adjoint.rules"
	ChainRules      = "adjoint/rules/chain.rules"
	closedRules     = "combinators/rules/closed.rules"
	closedChain     = "combinators/rules/chain.rules"
	linearRules     = "combinators/rules/linear.rules"
)

// onValues is the number of files, the first ones of those shipped, that have rules on values.
const onValues = 2

// shipped are the rule files that the calculus and simplification use, and the native steps that their rules call.
var shipped = []struct {
	RuleFile
	steps map[string]denote.Native
}{
	{RuleFile{"combinators/rules/algebra.rules", algebra.Algebra}, nil},
	{RuleFile{"combinators/rules/spectral.rules", algebra.Spectral}, nil},
	{RuleFile{closedRules, algebra.Closed}, map[string]denote.Native{"lift": lift, "share": share}},
	{RuleFile{closedChain, algebra.Chain}, nil},
	{RuleFile{linearRules, algebra.Linear}, linearSteps},
	{RuleFile{DerivativeRules, rules.Derivative}, map[string]denote.Native{"derivative": rowDerivative}},
	{RuleFile{AdjointRules, rules.Adjoint}, map[string]denote.Native{"swap": swap, "transpose": rowTranspose}},
	{RuleFile{ChainRules, rules.Chain}, nil},
}

// RuleFiles lists the shipped rule files.
func RuleFiles() (files []RuleFile) {
	files = lists.Append(files, shipped, func(f struct {
		RuleFile
		steps map[string]denote.Native
	}) RuleFile {
		return f.RuleFile
	})
	return files
}

// Natives are the steps that the rules on closed combinators call by name.
func Natives() map[string]denote.Native {
	steps := map[string]denote.Native{}
	for _, f := range shipped {
		maps.Copy(steps, f.steps)
	}
	return steps
}

// Standard is the calculus of the shipped rules.
var Standard = sync.OnceValue(func() *Calculus {
	c := &Calculus{templates: map[string]*template{}, files: map[string]func() *rewrite.ClosedRules{}}
	for _, f := range shipped[onValues:] {
		c.files[f.Name] = sync.OnceValue(func() *rewrite.ClosedRules { return rewrite.MustLoadClosedRules(f.Text, f.steps) })
	}
	return c
})

// rules are those of a file.
func (c *Calculus) rules(file string) *rewrite.ClosedRules { return c.files[file]() }

// NewCalculus is the calculus of the shipped rules and of those of files: a file that has the name of
// a shipped one stands in its place; the rules of another are tried before the shipped ones. The error
// names the file and the rule that is wrong: one that cannot be read, or has sides of different types.
func NewCalculus(functions *atom.Scope, files ...RuleFile) (*Calculus, error) {
	c := &Calculus{templates: map[string]*template{}, users: map[string]bool{}, files: maps.Clone(Standard().files)}
	for _, f := range files {
		steps, own := map[string]denote.Native(nil), true
		for _, known := range shipped[onValues:] {
			if known.Name == f.Name {
				steps, own = known.steps, false
			}
		}
		rs, err := rewrite.LoadClosedRules(f.Text, steps, functions)
		if err == nil {
			err = rs.CheckTypes()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, r := range rs.File.Rules {
			c.users[r.Name] = true
		}
		if own {
			c.own = append(c.own, rs)
		} else {
			c.files[f.Name] = func() *rewrite.ClosedRules { return rs }
		}
	}
	return c, nil
}

// templateFirings bounds how often the rules of a calculus that is not the standard one are applied for one
// template: they need not end.
const templateFirings = 10_000

// engine applies the rules for derivatives and adjoints, and those of the algebra too where that is wanted.
func (c *Calculus) engine(whole bool, trace func(rewrite.ClosedFiring)) *rewrite.ClosedEngine {
	if len(c.users) > 0 {
		trace = c.noting(trace)
	}
	e := &rewrite.ClosedEngine{Trace: trace, Outer: []*rewrite.ClosedRules{c.rules(ChainRules)}}
	e.Rules = append(append(e.Rules, c.own...), c.rules(DerivativeRules), c.rules(AdjointRules))
	if c != Standard() {
		e.Budget = templateFirings
	}
	if whole {
		e.Budget *= 100
		e.Rules, e.Outer = append(e.Rules, c.rules(closedRules)), append(e.Outer, c.rules(closedChain))
	}
	return e
}

// noting is trace, told of each rule, that notes those of the user.
func (c *Calculus) noting(trace func(rewrite.ClosedFiring)) func(rewrite.ClosedFiring) {
	return func(f rewrite.ClosedFiring) {
		if c.users[f.Rule.Name] {
			rewrite.UsedIn(f.Before.Store()).Add(f.Rule.Name)
		}
		if trace != nil {
			trace(f)
		}
	}
}

// failed ends work in which a derivative cannot be formed.
type failed struct{ error }

// Must is v; an error ends the work on which [Recover] is deferred.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(failed{err})
	}
	return v
}

// Recover is deferred where work ends of which [Must] may have found an error: it becomes *err.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
	case failed:
		*err = p.error
	default:
		panic(p)
	}
}

// normalize is the normal form of m that e finds.
func normalize(e *rewrite.ClosedEngine, m combinators.Map) (combinators.Map, error) {
	out, err := e.Normalize(m)
	var known *Error
	if err != nil && !errors.As(err, &known) {
		err = &Error{err.Error()}
	}
	return out, err
}

// missing says what stands in the way of working m out: the innermost derivative or adjoint in it that no
// rule replaces, other than those of unknown maps, and the shipped rule that would.
func (c *Calculus) missing(m combinators.Map) error {
	for _, f := range combinators.TopoMaps(m) {
		if f.Op() != combinators.MapDerivative && f.Op() != combinators.MapAdjoint || f.Maps()[0].Op() == combinators.MapUnknown {
			continue
		}
		shown := strings.ReplaceAll(text.PrintClosed(f, false), "\n", " ")
		for _, file := range []string{DerivativeRules, AdjointRules, ChainRules} {
			if name, ok := Standard().rules(file).Match(f); ok {
				return &Error{fmt.Sprintf("no rule of the calculus works out %s, as %s does", shown, name)}
			}
		}
		return &Error{fmt.Sprintf("no rule of the calculus works out %s", shown)}
	}
	return nil
}
