package verify

import (
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// AddForms lets rules on values meet terms in the forms in which they stand; warn is told of those that
// are never applied.
func AddForms(rules *rewrite.Rules, warn func(r *text.Rule, why string)) (err error) {
	defer must.Recover(&err)
	for _, r := range rules.File.Rules {
		form, why := LeftForm(r)
		if form != nil {
			must.Do(rules.AddForm(r.Name, form))
		}
		for _, t := range TurnedForms(r) {
			must.Do(rules.AddForm(r.Name, t.Form, t.Turned...))
		}
		if why != "" {
			warn(r, why)
		}
	}
	return nil
}

// A system is the rules of the program with those of files, which take turns.
type system struct {
	own *rewrite.Rules // nil where all are the program's
}

// turns bounds how often the rules of files and those of the program take turns, and turnFirings the
// firings of one turn.
const (
	turns       = 16
	turnFirings = 1000
)

// newSystem has the rules on values that are not the program's.
func newSystem(values []*text.Rule) *system {
	shipped := map[string]bool{}
	for _, f := range append(Shipped(), Attributes()) {
		for _, r := range must.Get(text.ParseRules(f.Text)).Rules {
			shipped[r.Name] = true
		}
	}
	var own []string
	var functions *atom.Scope
	for _, r := range values {
		if !shipped[r.Name] {
			own = append(own, r.String())
			functions = r.Functions.Widest(functions)
		}
	}
	if own == nil {
		return &system{}
	}
	var rules *rewrite.Rules
	must.Within(func() { rules = must.Get(rewrite.LoadRules(strings.Join(own, "\n"), functions)) }, "the rules cannot be used together")
	must.Do(AddForms(rules, func(*text.Rule, string) {}))
	return &system{rules}
}

// turned are the rules of files where metavariables stand for transposes, as rules of their own.
func (y *system) turned() (out []*text.Rule) {
	if y.own == nil {
		return nil
	}
	for _, r := range y.own.File.Rules {
		for _, t := range TurnedForms(r) {
			u := *r
			u.Vars, u.Left = rewrite.Turned(r.Vars, t.Turned), t.Form
			u.Right = turn(r.Right, t.Turned)
			out = append(out, &u)
		}
	}
	return out
}

// simplify brings values to normal form. Where the turns do not end, what is reached counts.
func (y *system) simplify(s *combinators.Store, nodes ...*combinators.Node) []*combinators.Node {
	out := normal.New(s, nil).Simplify(nodes...)
	if y.own == nil {
		return out
	}
	for range turns {
		e := &rewrite.Engine{Rules: []*rewrite.Rules{y.own}, Facts: assumptions.New(), Budget: turnFirings}
		next := normal.New(s, nil).Simplify(e.Normalize(out...)...)
		if e.Exhausted || slices.Equal(next, out) {
			break
		}
		out = next
	}
	return out
}
