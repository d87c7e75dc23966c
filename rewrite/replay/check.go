package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
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
	return (&Rules{rules: map[string]*text.Rule{}, natives: map[string]string{}, from: map[string]RuleFile{}}).With(files...)
}

// With is the rules with those of more files.
func (r *Rules) With(files ...Source) (*Rules, error) {
	out := &Rules{slices.Clone(r.files), maps.Clone(r.rules), maps.Clone(r.natives), maps.Clone(r.from)}
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text)
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
	for _, p := range d.Parts {
		for _, s := range p.Steps {
			used[r.from[s.Rule]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(r.files), func(f RuleFile) bool { return !used[f] })
}

type checker struct {
	*Rules
	s        *combinators.Store
	named    []RuleFile    // by the derivation
	program  map[Fact]bool // what the program presumes
	work     *work
	complete bool
	seen     map[string]bool
	sum      Summary
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
	return &checker{Rules: rules, s: s, named: d.Rules, work: &work{stop: s.Stop}, seen: map[string]bool{}}, nil
}

func (k *checker) run(d *Derivation) (sum Summary, err error) {
	defer rebuilt(&err, func(m string) error { return &StepError{Reason: m} })
	if len(d.Parts) == 0 {
		return sum, &StepError{Reason: "there are no parts"}
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		wrong := func(step int, rule, format string, args ...any) error {
			return &StepError{i + 1, step, p.Kind, rule, fmt.Sprintf(format, args...)}
		}
		if err := k.start(d, i); err != nil {
			return sum, wrong(0, "", "%v", err)
		}
		line := p.Start
		for j := range p.Steps {
			s := &p.Steps[j]
			if err := k.guarded(s, p.Kind != KindProgram); err != nil {
				if _, ok := err.(*combinators.LimitError); ok {
					return sum, err
				}
				return sum, wrong(j+1, s.Rule, "%v", err)
			}
			if err := k.placed(line, s); err != nil {
				return sum, wrong(j+1, s.Rule, "%v", err)
			}
			line = s.Line
			k.sum.Steps++
			k.sum.Facts += len(s.Facts)
		}
		k.sum.Parts++
	}
	k.sum.Terms = k.s.Len()
	return k.sum, nil
}

// guarded checks a step; what a constructor refuses is an error of it.
func (k *checker) guarded(s *Step, facts bool) (err error) {
	defer rebuilt(&err, func(m string) error { return fmt.Errorf("%s", m) })
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
	return nil
}

// step checks that After follows from Before.
func (k *checker) step(s *Step, facts bool) error {
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

// placed checks that the whole line follows: what the step rewrites is replaced wherever it stands.
func (k *checker) placed(line Line, s *Step) error {
	if (line.Map == nil) != (s.Line.Map == nil) {
		return fmt.Errorf("a map became values, or values became a map")
	}
	if line.Map != nil {
		k.work.add(len(combinators.TopoMaps(*line.Map)))
		m := combinators.ReplaceMap(*line.Map, *s.Before.Map, *s.After.Map)
		switch {
		case m == *line.Map:
			return fmt.Errorf("what the step rewrites does not stand in the line before")
		case m != *s.Line.Map:
			return fmt.Errorf("the line is not the one before with the part rewritten")
		}
		return nil
	}
	k.work.add(len(combinators.Topo(line.Nodes...)))
	now := combinators.Replace(line.Nodes, s.Before.Nodes[0], s.After.Nodes[0])
	switch {
	case slices.Equal(now, line.Nodes):
		return fmt.Errorf("what the step rewrites does not stand in the line before")
	case !slices.Equal(now, s.Line.Nodes):
		return fmt.Errorf("the line is not the one before with the part rewritten")
	}
	return nil
}

// start checks that a part begins as its kind says.
func (k *checker) start(d *Derivation, i int) error {
	p := &d.Parts[i]
	fresh := map[string]bool{}
	for _, n := range p.Fresh {
		if k.seen[n.Name()] || fresh[n.Name()] {
			return fmt.Errorf("the variable %s is not fresh", n.Name())
		}
		fresh[n.Name()] = true
	}
	defer k.see(p)
	before := func(kinds ...Kind) (*Part, error) {
		for j := i - 1; j >= 0; j-- {
			if slices.Contains(kinds, d.Parts[j].Kind) {
				return &d.Parts[j], nil
			}
		}
		return nil, fmt.Errorf("it does not follow a part %s", kinds[0])
	}
	isMap := p.Kind == KindDerivative || p.Kind == KindAdjoint
	if isMap != (p.Start.Map != nil) {
		return fmt.Errorf("its first line is no map, or one where values belong")
	}
	switch p.Kind {
	case KindProgram:
		if i != 0 {
			return fmt.Errorf("it is not the first part")
		}
		k.program = presumed(p.Start.Nodes)
		return nil
	case KindDerivative:
		m := *p.Start.Map
		if m.Op() != combinators.MapDerivative {
			return fmt.Errorf("it does not begin with a derivative")
		}
		if !slices.Equal(valueNodes(m.Value()), p.Point) {
			return fmt.Errorf("the derivative is not taken at the point that the part names")
		}
		return k.first(d, i, m.Maps()[0])
	case KindDerivativeAt:
		q, err := before(KindDerivative)
		if err != nil {
			return err
		}
		return k.applied(p, *q.Last().Map, false)
	case KindAdjoint:
		m := *p.Start.Map
		if m.Op() != combinators.MapAdjoint {
			return fmt.Errorf("it does not begin with an adjoint")
		}
		if i == 0 || d.Parts[i-1].Kind == KindProgram {
			return k.first(d, i, m.Maps()[0])
		}
		q, err := before(KindDerivative)
		if err != nil {
			return err
		}
		if m.Maps()[0] != *q.Last().Map {
			return fmt.Errorf("it is not the adjoint of the derivative")
		}
		return nil
	case KindAdjointAt, KindGradient:
		q, err := before(KindAdjoint)
		if err != nil {
			return err
		}
		return k.applied(p, *q.Last().Map, p.Kind == KindGradient)
	}
	return fmt.Errorf("there is no part of this kind")
}

// first checks a part that begins with the map f of the program: at its point it is what the program
// ends with, where there is a part of that. The point's variables stand nowhere else in f: were they
// in its constants, f at the point would be the program, but f would not be the program's map.
func (k *checker) first(d *Derivation, i int, f Map) error {
	rest := d.Parts[i].Point
	v := k.filled(f.Dom(), &rest)
	if v == nil || len(rest) > 0 {
		return fmt.Errorf("its variables are not those of the map's space")
	}
	inside := combinators.Topo(mapNodes(f)...)
	k.work.add(len(inside))
	for j, n := range d.Parts[i].Point {
		if slices.Contains(d.Parts[i].Point[:j], n) {
			return fmt.Errorf("the point has the variable %s twice", n.Name())
		}
		if slices.Contains(inside, n) {
			return fmt.Errorf("the map has the variable %s of its point in a constant", n.Name())
		}
	}
	y, err := k.s.ApplyMap(f, v)
	switch {
	case err != nil && i == 0: // a derivative stands in the map, of which nothing is presumed
		return nil
	case err != nil:
		return err
	case i == 0:
		k.program = presumed(valueNodes(y))
	case i != 1 || d.Parts[0].Kind != KindProgram:
		return fmt.Errorf("it is not the first part, nor does it follow the program")
	case !slices.Equal(valueNodes(y), d.Parts[0].Last().Nodes):
		return fmt.Errorf("the map is not what the program ends with")
	}
	return nil
}

// filled is the value of a space with the next variables for its tensors, nil where they are of
// other shapes.
func (k *checker) filled(sp combinators.Space, rest *[]*Node) *Value {
	if !sp.IsProduct() {
		if len(*rest) == 0 || !slices.Equal((*rest)[0].Shape(), sp.Shape()) {
			return nil
		}
		n := (*rest)[0]
		*rest = (*rest)[1:]
		return k.s.Value(n)
	}
	parts := make([]*Value, len(sp.Factors()))
	for i, f := range sp.Factors() {
		if parts[i] = k.filled(f, rest); parts[i] == nil {
			return nil
		}
	}
	return k.s.Tuple(parts...)
}

// applied checks that a part begins with a map at its fresh variables, or at 1.
func (k *checker) applied(p *Part, m Map, one bool) error {
	var v *Value
	if one {
		v = k.s.Value(k.s.Int(1))
		if !m.Dom().Equal(v.Space()) || len(p.Fresh) > 0 {
			return fmt.Errorf("the adjoint is not that of a scalar")
		}
	} else {
		rest := p.Fresh
		if v = k.filled(m.Dom(), &rest); v == nil || len(rest) > 0 {
			return fmt.Errorf("its variables are not those of the map's space")
		}
	}
	y, err := k.s.ApplyMap(m, v)
	if err != nil {
		return err
	}
	if !slices.Equal(valueNodes(y), p.Start.Nodes) {
		return fmt.Errorf("it does not begin with the map, applied")
	}
	return nil
}

// see records the variables of a part, in all its lines.
func (k *checker) see(p *Part) {
	roots := slices.Concat(p.Fresh, p.Point)
	var maps []Map
	for _, l := range p.lines() {
		roots = append(roots, l.Nodes...)
		if l.Map != nil {
			maps = append(maps, *l.Map)
		}
	}
	nodes := combinators.Topo(append(roots, mapNodes(maps...)...)...)
	k.work.add(len(nodes))
	for _, n := range nodes {
		if n.Name() != "" {
			k.seen[n.Name()] = true
		}
	}
}

// mapNodes are the values that stand in maps: constants, points and fixed operands.
func mapNodes(tops ...Map) (out []*Node) {
	for _, m := range reached(tops) {
		if v := m.Value(); v != nil {
			out = append(out, valueNodes(v)...)
		}
		if p := m.Proto(); p != nil {
			out = append(out, slices.DeleteFunc(slices.Clone(p.Args()), func(a *Node) bool { return a == nil })...)
		}
	}
	return out
}
