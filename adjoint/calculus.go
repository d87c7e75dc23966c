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
	"frechet/rewrite"
)

// A Calculus is the rules by which derivatives and adjoints are formed: those of Theorems 4.1 and 6.5
// of Elsman et al., completed, and the algebra of closed maps. Everything that differentiates or
// transposes has one. It may be used from several goroutines.
type Calculus struct {
	own []*rewrite.ClosedRules // tried before the shipped ones

	derivative, adjoint, chain func() *rewrite.ClosedRules
	algebra, algebraChain      func() *rewrite.ClosedRules
	linear                     func() *rewrite.ClosedRules // for the last form of linear maps

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

// RuleFiles lists the rule files that the calculus and simplification use.
func RuleFiles() []RuleFile {
	return []RuleFile{
		{"combinators/rules/algebra.rules", algebra.Algebra},
		{closedRules, algebra.Closed},
		{closedChain, algebra.Chain},
		{linearRules, algebra.Linear},
		{DerivativeRules, rules.Derivative},
		{AdjointRules, rules.Adjoint},
		{ChainRules, rules.Chain},
	}
}

// Natives are the steps that the rules on closed combinators call by name.
func Natives() map[string]denote.Native {
	steps := map[string]denote.Native{}
	for _, f := range RuleFiles() {
		maps.Copy(steps, nativesOf(f.Name))
	}
	return steps
}

// nativesOf are the steps that a shipped file may call; those of the program's user may call all.
func nativesOf(file string) map[string]denote.Native {
	switch file {
	case DerivativeRules:
		return map[string]denote.Native{"derivative": rowDerivative}
	case AdjointRules:
		return map[string]denote.Native{"swap": swap, "transpose": rowTranspose}
	case closedRules:
		return map[string]denote.Native{"lift": lift, "share": share}
	case linearRules:
		return linearSteps
	}
	return nil
}

// Standard is the calculus of the shipped rules.
var Standard = sync.OnceValue(func() *Calculus {
	c := &Calculus{templates: map[string]*template{}}
	load := func(name string) func() *rewrite.ClosedRules {
		return sync.OnceValue(func() *rewrite.ClosedRules {
			for _, f := range RuleFiles() {
				if f.Name == name {
					return rewrite.MustLoadClosedRules(f.Text, nativesOf(name))
				}
			}
			panic("adjoint: no file " + name)
		})
	}
	c.derivative, c.adjoint, c.chain = load(DerivativeRules), load(AdjointRules), load(ChainRules)
	c.algebra, c.algebraChain, c.linear = load(closedRules), load(closedChain), load(linearRules)
	return c
})

// NewCalculus is the calculus of the shipped rules and of those of files: a file that has the name of
// a shipped one stands in its place; the rules of another are tried before the shipped ones. The error
// names the file and the rule that is wrong: one that cannot be read, or has sides of different types.
func NewCalculus(functions *atom.Scope, files ...RuleFile) (*Calculus, error) {
	c := &Calculus{templates: map[string]*template{}}
	std := Standard()
	c.derivative, c.adjoint, c.chain = std.derivative, std.adjoint, std.chain
	c.algebra, c.algebraChain, c.linear = std.algebra, std.algebraChain, std.linear
	shipped := map[string]*func() *rewrite.ClosedRules{DerivativeRules: &c.derivative, AdjointRules: &c.adjoint,
		ChainRules: &c.chain, closedRules: &c.algebra, closedChain: &c.algebraChain, linearRules: &c.linear}
	for _, f := range files {
		rs, err := rewrite.LoadClosedRules(f.Text, nativesOf(f.Name), functions)
		if err == nil {
			err = rs.CheckTypes()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if at := shipped[f.Name]; at != nil {
			*at = func() *rewrite.ClosedRules { return rs }
		} else {
			c.own = append(c.own, rs)
		}
	}
	return c, nil
}

// templateFirings bounds how often the rules of a calculus that is not the standard one are applied for one
// template: they need not end.
const templateFirings = 10_000

// engine applies the rules for derivatives and adjoints, and those of the algebra too where that is wanted.
func (c *Calculus) engine(whole bool, trace func(rewrite.ClosedFiring)) *rewrite.ClosedEngine {
	e := &rewrite.ClosedEngine{Trace: trace, Outer: []*rewrite.ClosedRules{c.chain()}}
	e.Rules = append(append(e.Rules, c.own...), c.derivative(), c.adjoint())
	if c != Standard() {
		e.Budget = templateFirings
	}
	if whole {
		e.Budget *= 100
		e.Rules, e.Outer = append(e.Rules, c.algebra()), append(e.Outer, c.algebraChain())
	}
	return e
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
		std := Standard()
		for _, rs := range []*rewrite.ClosedRules{std.derivative(), std.adjoint(), std.chain()} {
			if name, ok := rs.Match(f); ok {
				return &Error{fmt.Sprintf("no rule of the calculus works out %s, as %s does", shown, name)}
			}
		}
		return &Error{fmt.Sprintf("no rule of the calculus works out %s", shown)}
	}
	return nil
}
