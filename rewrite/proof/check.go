package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
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
func Check(s *combinators.Store, d *Derivation, rules *Rules) (sum Summary, err error) {
	k, err := newChecker(s, d, rules)
	if err != nil {
		return sum, err
	}
	return k.run(d)
}

// Complete is Check for a derivation that has no facts yet: it finds those that its steps need, as
// few as possible, and puts them in.
func Complete(s *combinators.Store, d *Derivation, rules *Rules) (sum Summary, err error) {
	k, err := newChecker(s, d, rules)
	if err != nil {
		return sum, err
	}
	k.complete = true
	return k.run(d)
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
func (r *Rules) With(functions *atom.Scope, files ...Source) (*Rules, error) {
	out := &Rules{slices.Clone(r.files), maps.Clone(r.rules), maps.Clone(r.natives), maps.Clone(r.from)}
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text, functions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		sum := f.Sum()
		out.files = append(out.files, sum)
		add := func(name string) error {
			if old, ok := out.from[name]; ok {
				return fmt.Errorf("%s: %s has a rule %s, too", f.Name, old.Name, name)
			}
			out.from[name] = sum
			return nil
		}
		for _, t := range parsed.Rules {
			if err := add(t.Name); err != nil {
				return nil, err
			}
			out.rules[t.Name] = t
		}
		for _, n := range parsed.Natives {
			if err := add(n.Name); err != nil {
				return nil, err
			}
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

// newChecker looks up the files that the derivation names. The error is a *[RulesError].
func newChecker(s *combinators.Store, d *Derivation, rules *Rules) (*checker, error) {
	for _, f := range d.Rules {
		switch {
		case slices.Contains(rules.files, f):
		case slices.ContainsFunc(rules.files, func(g RuleFile) bool { return g.Name == f.Name }):
			return nil, &RulesError{fmt.Sprintf("the derivation was not made by the rules of %s as they are here", f.Name)}
		default:
			return nil, &RulesError{fmt.Sprintf("the derivation was made by rules of %s, which are not given", f.Name)}
		}
	}
	return &checker{Rules: rules, s: s, named: d.Rules, work: &work{stop: s.Stop}, seen: map[string]bool{}, symmetric: map[*Node]bool{}}, nil
}

func (k *checker) run(d *Derivation) (sum Summary, err error) {
	defer combinators.Recover(&err, func(m string) error { return &StepError{Reason: m} })
	if len(d.Parts) == 0 {
		return sum, &StepError{Reason: "there are no parts"}
	}
	for i := range d.Laws {
		f, err := k.law(&d.Laws[i], func(step int, rule string, err error) error {
			return &StepError{i + 1, step, "law", rule, err.Error()}
		})
		if err != nil {
			return sum, err
		}
		k.laws = append(k.laws, f)
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		wrong := func(step int, rule string, err error) error {
			return &StepError{i + 1, step, p.Kind, rule, err.Error()}
		}
		if err := k.start(d, i); err != nil {
			if _, ok := err.(*combinators.LimitError); ok {
				return sum, err
			}
			return sum, wrong(0, "", err)
		}
		if err := k.calculated(p.Start, p.Steps, p.End, p.Kind != KindProgram, wrong); err != nil {
			return sum, err
		}
		if p.Kind == KindLeft || p.Kind == KindRight {
			k.presume(p.End.Nodes)
		}
		k.sum.Parts++
	}
	if d.equality() {
		if err := k.concluded(d); err != nil {
			return sum, &StepError{len(d.Parts), 0, d.Parts[len(d.Parts)-1].Kind, "", err.Error()}
		}
	}
	k.sum.Terms = k.s.Len()
	return k.sum, nil
}

// calculated checks that end equals start by the steps.
func (k *checker) calculated(start Line, steps []Step, end Line, facts bool, wrong func(step int, rule string, err error) error) error {
	widens := make([]bool, len(steps))
	for j := range steps {
		s := &steps[j]
		err := fmt.Errorf("a step on maps stands among values, or one on values among maps")
		if (s.Before.Map == nil) == (start.Map == nil) {
			err = k.guarded(s, facts)
		}
		if err != nil {
			if _, ok := err.(*combinators.LimitError); ok {
				return err
			}
			return wrong(j+1, s.Rule, err)
		}
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
	if !follows {
		return wrong(0, "", fmt.Errorf("the steps do not lead to its end"))
	}
	return nil
}

// guarded checks a step; what a constructor refuses is an error of it.
func (k *checker) guarded(s *Step, facts bool) (err error) {
	defer combinators.Recover(&err, func(m string) error { return fmt.Errorf("%s", m) })
	if k.complete && s.Before.Map == nil {
		return k.completed(s, facts)
	}
	return k.step(s, facts)
}

// completed finds the facts that a step needs.
func (k *checker) completed(s *Step, facts bool) error {
	s.Facts = nil
	err := k.step(s, facts)
	if err == nil || !facts {
		return err
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
		return err
	}
	for i := 0; i < len(s.Facts); {
		all := s.Facts
		s.Facts = slices.Delete(slices.Clone(all), i, i+1)
		if k.step(s, facts) != nil {
			s.Facts = all
			i++
		}
	}
	return k.step(s, facts)
}

// step checks that After follows from Before.
func (k *checker) step(s *Step, facts bool) error {
	k.widens = false
	for _, f := range s.Facts {
		if !facts {
			return fmt.Errorf("nothing is presumed while the program is simplified")
		}
		if !k.program[f] {
			return fmt.Errorf("the program does not say that a value is %s", f.Sign)
		}
	}
	r := k.rules[s.Rule]
	if r == nil {
		step, ok := k.natives[s.Rule]
		if !ok {
			return fmt.Errorf("there is no such rule")
		}
		if err := k.names(s.Rule); err != nil {
			return err
		}
		if s.Before.Map != nil {
			return fmt.Errorf("the schema is one of values")
		}
		return k.native(step, s)
	}
	if err := k.names(s.Rule); err != nil {
		return err
	}
	if s.Back {
		var err error
		if r, err = backwards(r, &s.Subst); err != nil {
			return err
		}
	}
	if s.Before.Map != nil {
		return k.mapRule(r, s)
	}
	return k.valueRule(r, s)
}

// names says that the derivation names the file of a rule: a rule is what that file says.
func (k *checker) names(rule string) error {
	if f := k.from[rule]; !slices.Contains(k.named, f) {
		return fmt.Errorf("the rule is in %s, which the certificate does not name", f.Name)
	}
	return nil
}
