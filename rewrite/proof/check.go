package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/internal/must"
)

// A Source is a rule file with its text.
type Source struct{ Name, Text string }

// Sum is the entry of a certificate for the file.
func (s Source) Sum() RuleFile {
	h := sha256.Sum256([]byte(s.Text))
	return RuleFile{s.Name, hex.EncodeToString(h[:])}
}

// A StepError says which step of a derivation is wrong, and why. Steps are counted from 1 in each
// part; 0 is the part's first line.
type StepError struct {
	Part, Step int // parts are counted from 1
	Kind       Kind
	Rule       string
	Reason     string
}

func (e *StepError) Error() string {
	if e.Part == 0 {
		return e.Reason
	}
	at := fmt.Sprintf("part %d (%s)", e.Part, e.Kind)
	if e.Step > 0 {
		at += fmt.Sprintf(", step %d", e.Step)
	}
	if e.Rule != "" {
		at += " (" + e.Rule + ")"
	}
	return at + ": " + e.Reason
}

// A RulesError says that a derivation was made by other rules than those given.
type RulesError struct{ Message string }

func (e *RulesError) Error() string { return e.Message }

// A Summary says what was checked.
type Summary struct {
	Parts, Steps, Rules int // Rules counts steps by rules, the others are by native schemas
	Facts               int // what steps presume of signs
	Terms               int // in the store of the check
}

// Check checks a derivation whose terms stand in the store, by rules. The error is a *[StepError]; a
// *[RulesError] where the rules are others than those of the derivation; or a
// *[combinators.LimitError] where checking would take too long. It panics with a
// *[combinators.Stopped] soon after the store is stopped.
func Check(s *combinators.Store, d *Derivation, rules *Rules) (Summary, error) {
	return check(s, d, rules, false)
}

// Complete is Check for a derivation that has no facts yet: it finds those that its steps need, as
// few as possible, and puts them in.
func Complete(s *combinators.Store, d *Derivation, rules *Rules) (Summary, error) {
	return check(s, d, rules, true)
}

func check(s *combinators.Store, d *Derivation, rules *Rules, complete bool) (sum Summary, err error) {
	defer must.Recover(&err)
	defer combinators.Recover(&err, func(m string) error { return &StepError{Reason: m} })
	return newChecker(s, d, rules, complete).run(d), nil
}

// Rules are the rules and native schemas of files, by name.
type Rules struct {
	files   []RuleFile
	rules   map[string]*text.Rule
	natives map[string]string // the step of a schema
	from    map[string]RuleFile
}

// LoadRules reads rule files; no two rules of them have one name.
func LoadRules(files ...Source) (*Rules, error) {
	return (&Rules{rules: map[string]*text.Rule{}, natives: map[string]string{}, from: map[string]RuleFile{}}).With(nil, files...)
}

// With is the rules with those of more files, which may use the declared functions of the scope, nil for none.
func (r *Rules) With(functions *atom.Scope, files ...Source) (_ *Rules, err error) {
	defer must.Recover(&err)
	out := &Rules{slices.Clone(r.files), maps.Clone(r.rules), maps.Clone(r.natives), maps.Clone(r.from)}
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text, functions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		sum := f.Sum()
		out.files = append(out.files, sum)
		add := func(name string) {
			old, twice := out.from[name]
			must.Hold(!twice, "%s: %s has a rule %s, too", f.Name, old.Name, name)
			out.from[name] = sum
		}
		for _, t := range parsed.Rules {
			add(t.Name)
			out.rules[t.Name] = t
		}
		for _, n := range parsed.Natives {
			add(n.Name)
			out.natives[n.Name] = n.Step
		}
	}
	return out, nil
}

// Used are the entries of a certificate for the files that have a rule of its steps.
func (r *Rules) Used(d *Derivation) []RuleFile {
	used := map[RuleFile]bool{}
	for _, steps := range d.Steps() {
		for _, s := range steps {
			used[r.from[s.Rule]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(r.files), func(f RuleFile) bool { return !used[f] })
}

// maxWork bounds the visits of terms in one check.
const maxWork = 100_000_000

type checker struct {
	*Rules
	s        *combinators.Store
	named    []RuleFile    // by the derivation
	program  map[Fact]bool // what the program presumes
	work     *work
	complete bool
	seen     map[string]bool
	laws     []*lawForm
	widens   bool // whether the step at hand does
	// matrices that are known to be symmetric by their forms, or not
	symmetric map[*Node]bool
	sum       Summary
}

// work counts visits of terms, and ends them once stop is closed.
type work struct {
	done, looked int
	stop         <-chan struct{}
}

// add counts n visits. It panics with a *[combinators.LimitError] or *[combinators.Stopped].
func (w *work) add(n int) {
	if w.done += n; w.done > maxWork {
		panic(&combinators.LimitError{What: "visits of terms to be checked", Limit: maxWork})
	}
	if w.done-w.looked < 1000 {
		return
	}
	w.looked = w.done
	select {
	case <-w.stop: // never where it is nil
		panic(&combinators.Stopped{})
	default:
	}
}

// product counts the fusion of contractions: it visits their variables and indices, and makes new
// ones, each of which takes as long as some ten visits.
func (w *work) product(cs ...*einsum.Contraction) {
	n := 1
	for _, c := range cs {
		n += len(c.Vars) + len(c.Eq) + len(c.Ge) + len(c.Out.Index)
		for _, acc := range c.In {
			n += 1 + len(acc.Index)
		}
	}
	w.add(10 * n)
}

// newChecker looks up the files that the derivation names. It fails with a *[RulesError].
func newChecker(s *combinators.Store, d *Derivation, rules *Rules, complete bool) *checker {
	for _, f := range d.Rules {
		switch {
		case slices.Contains(rules.files, f):
		case slices.ContainsFunc(rules.files, func(g RuleFile) bool { return g.Name == f.Name }):
			panic(must.Error(&RulesError{fmt.Sprintf("the derivation was not made by the rules of %s as they are here", f.Name)}))
		default:
			panic(must.Error(&RulesError{fmt.Sprintf("the derivation was made by rules of %s, which are not given", f.Name)}))
		}
	}
	return &checker{Rules: rules, s: s, named: d.Rules, work: &work{stop: s.Stop}, complete: complete, seen: map[string]bool{}, symmetric: map[*Node]bool{}}
}

func (k *checker) run(d *Derivation) Summary {
	if len(d.Parts) == 0 {
		panic(must.Error(&StepError{Reason: "there are no parts"}))
	}
	for i := range d.Laws {
		k.laws = append(k.laws, k.law(&d.Laws[i], StepError{Part: i + 1, Kind: "law"}))
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		at := StepError{Part: i + 1, Kind: p.Kind}
		at.checked(0, "", func() { k.start(d, i) })
		k.calculated(p.Start, p.Steps, p.End, p.Kind != KindProgram, at)
		if p.Kind == KindLeft || p.Kind == KindRight {
			k.presume(p.End.Nodes)
		}
		k.sum.Parts++
	}
	if d.equality() {
		StepError{Part: len(d.Parts), Kind: d.Parts[len(d.Parts)-1].Kind}.checked(0, "", func() { k.concluded(d) })
	}
	k.sum.Terms = k.s.Len()
	return k.sum
}

// checked runs a check of a step of the part. That it takes too long is said of no step.
func (e StepError) checked(step int, rule string, check func()) {
	err := must.Try(check)
	if _, ok := err.(*combinators.LimitError); err != nil && !ok {
		e.Step, e.Rule, e.Reason = step, rule, err.Error()
		err = &e
	}
	must.Do(err)
}

// calculated checks that end equals start by the steps.
func (k *checker) calculated(start Line, steps []Step, end Line, facts bool, at StepError) {
	widens := make([]bool, len(steps))
	for j := range steps {
		s := &steps[j]
		at.checked(j+1, s.Rule, func() {
			must.Hold((s.Before.Map == nil) == (start.Map == nil), "a step on maps stands among values, or one on values among maps")
			if k.complete && s.Before.Map == nil {
				k.completed(s, facts)
			} else {
				must.Do(k.step(s, facts))
			}
		})
		widens[j] = k.widens
		k.sum.Steps++
		k.sum.Facts += len(s.Facts)
	}
	follows := false
	if start.Map == nil {
		c := newClosure(k.work, start.Nodes, (*Node).Args, (*Node).With)
		for j, s := range steps {
			c.step(s.Before.Nodes[0], s.After.Nodes[0], widens[j])
		}
		follows = end.Map == nil && c.follows(start.Nodes, end.Nodes)
	} else {
		c := newClosure(k.work, []Map{*start.Map}, Map.Maps, Map.With)
		for j, s := range steps {
			c.step(*s.Before.Map, *s.After.Map, widens[j])
		}
		follows = end.Map != nil && c.follows([]Map{*start.Map}, []Map{*end.Map})
	}
	at.checked(0, "", func() { must.Hold(follows, "the steps do not lead to its end") })
}

// completed finds the facts that a step needs.
func (k *checker) completed(s *Step, facts bool) {
	s.Facts = nil
	err := k.step(s, facts)
	if err == nil {
		return
	}
	if !facts {
		panic(must.Error(err))
	}
	for _, n := range combinators.Topo(s.Before.Nodes[0], s.After.Nodes[0]) {
		for _, sign := range []Sign{Positive, Nonneg, Nonzero, Invertible} {
			if f := (Fact{sign, n}); k.program[f] {
				s.Facts = append(s.Facts, f)
			}
		}
	}
	if k.step(s, facts) != nil {
		s.Facts = nil
		panic(must.Error(err))
	}
	for i := 0; i < len(s.Facts); {
		all := s.Facts
		s.Facts = slices.Delete(slices.Clone(all), i, i+1)
		if k.step(s, facts) != nil {
			s.Facts = all
			i++
		}
	}
	must.Do(k.step(s, facts))
}

// step checks that After follows from Before; what a constructor refuses is an error of the step.
func (k *checker) step(s *Step, facts bool) (err error) {
	defer must.Recover(&err)
	defer combinators.Recover(&err, errors.New)
	k.widens = false
	for _, f := range s.Facts {
		must.Hold(facts, "nothing is presumed while the program is simplified")
		must.Hold(k.program[f], "the program does not say that a value is %s", f.Sign)
	}
	// a rule is what the file says that the derivation names
	from, ok := k.from[s.Rule]
	must.Hold(ok, "there is no such rule")
	must.Hold(slices.Contains(k.named, from), "the rule is in %s, which the certificate does not name", from.Name)
	r := k.rules[s.Rule]
	if r == nil {
		must.Hold(s.Before.Map == nil, "the schema is one of values")
		k.native(k.natives[s.Rule], s)
		return nil
	}
	if s.Back {
		r = backwards(r, &s.Subst)
	}
	if s.Before.Map != nil {
		k.mapRule(r, s)
	} else {
		k.valueRule(r, s)
	}
	return nil
}
