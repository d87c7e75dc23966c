package discover

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/text"
	"frechet/rewrite"
	"frechet/rewrite/verify"
	"frechet/rewrite/verify/order"
)

// settle decides on the guesses of a size: those of most metavariables first, of which others are instances.
func (e *enumeration) settle() {
	slices.SortStableFunc(e.guesses, func(a, b guess) int {
		return len(e.names(b.large.term, b.small.term)) - len(e.names(a.large.term, a.small.term))
	})
	for _, g := range e.guesses {
		if e.stopped() {
			break
		}
		e.decide(g)
	}
	e.guesses = nil
	e.renew()
}

// decide drops a guess that is known, or wrong, and makes a law of another one.
func (e *enumeration) decide(g guess) {
	r := e.rule(g.large.term, g.small.term)
	if r == nil || e.tried[r.String()] {
		return
	}
	e.tried[r.String()] = true
	when := e.conditions(r, g.kind)
	if e.follows(r) || g.kind != every && e.follows(with(r, when[len(when)-1])) {
		return
	}
	l := verified(r, when)
	if l == nil {
		return
	}
	e.tried[l.Rule.String()] = true
	if general := e.generalised(l); general != nil {
		l = general
	}
	l.Rule = named(l.Rule, len(e.laws))
	l.Report.Name, l.Report.Line, l.Report.Statement = l.Name, 0, l.Rule.String()
	e.laws = append(e.laws, l)
	e.learn()
}

// stepNodes bounds the left sides of laws that are kept for the proofs of larger ones.
const stepNodes = 3

// follows reports whether what is known proves a rule. What took a search is kept: it is a step of the proofs of larger ones.
func (e *enumeration) follows(r *text.Rule) bool {
	by := e.known.proof(e.ctx, r)
	if by == bySearch && nodes(r.Left) <= stepNodes {
		step := *r
		step.Name, step.Lemma, step.Domain = fmt.Sprintf("step-%d", len(e.steps)), true, verify.Widened
		e.steps = append(e.steps, &step)
		e.learn()
	}
	return by != unproved
}

func (e *enumeration) learn() {
	var found []*text.Rule
	for _, l := range e.laws {
		found = append(found, l.Rule)
	}
	if err := e.known.learn(found, e.steps); err != nil {
		panic(err) // each was read before
	}
}

// minimise drops laws that the others prove, the last ones first.
func (e *enumeration) minimise() {
	for i := len(e.laws) - 1; i >= 0; i-- {
		law, all := e.laws[i], e.laws
		e.laws = slices.Delete(slices.Clone(all), i, i+1)
		e.learn()
		e.laws = all
		if e.known.Proves(e.ctx, law.Rule) {
			e.laws = slices.Delete(slices.Clone(all), i, i+1)
		}
	}
}

// rule is the equation of two terms as a rule, in metavariables that occur in the order of their declaration. It is read in the
// direction in which it decreases; where there is none, proofs alone use it. nil: neither side has all metavariables.
func (e *enumeration) rule(left, right *text.Term) *text.Rule {
	l, r := e.names(left), e.names(right)
	switch {
	case len(r) > len(l) && subset(l, r):
		left, right = right, left
	case !subset(r, l):
		return nil
	}
	out := e.read(left, right, "rule")
	if out == nil || order.Decrease(out) != "" {
		return out
	}
	if subset(e.names(left), e.names(right)) {
		if back := e.read(right, left, "rule"); back != nil && order.Decrease(back) != "" {
			return back
		}
	}
	return e.read(left, right, "lemma")
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// read is a rule as its text is read.
func (e *enumeration) read(left, right *text.Term, what string) *text.Rule {
	left, right = e.renamed(left, right)
	var vars []string
	for _, v := range e.vars {
		if slices.Contains(e.names(left, right), v.Name) {
			vars = append(vars, v.Name+": "+v.Type.String())
		}
	}
	f, err := text.ParseRules(fmt.Sprintf("%s found [%s] %s => %s", what, strings.Join(vars, ", "), left, right))
	if err != nil {
		return nil
	}
	if _, err := rewrite.CompileRules(f); err != nil {
		return nil
	}
	return f.Rules[0]
}

// renamed are terms in which the metavariables of a type come in the order of their declaration.
func (e *enumeration) renamed(left, right *text.Term) (*text.Term, *text.Term) {
	free := map[string][]string{} // by type
	of := map[string]string{}
	for _, v := range e.vars {
		of[v.Name] = v.Type.String()
		free[of[v.Name]] = append(free[of[v.Name]], v.Name)
	}
	by, back := map[string]*text.Term{}, map[string]*text.Term{} // by way of names that no metavariable has
	for _, side := range []*text.Term{left, right} {
		text.Walk(side, func(t *text.Term) bool {
			if typ, ok := of[t.Name]; ok && t.Op == text.Name && by[t.Name] == nil {
				by[t.Name], back["#"+t.Name] = text.NewName("#"+t.Name), text.NewName(free[typ][0])
				free[typ] = free[typ][1:]
			}
			return true
		})
	}
	turned := func(t *text.Term) *text.Term { return text.Substitute(text.Substitute(t, by), back) }
	return turned(left), turned(right)
}

// conditions are those under which a rule is tried, the weakest first.
func (e *enumeration) conditions(r *text.Rule, k kind) (all [][]string) {
	var square, entries []string
	for _, v := range r.Vars {
		if d := v.Type.Cod.Dims; len(d) >= 2 && text.Equal(d[len(d)-1], d[len(d)-2]) {
			square = append(square, v.Name)
		} else {
			entries = append(entries, v.Name)
		}
	}
	all = [][]string{nil}
	add := func(predicate string, names []string) {
		var each []string
		for _, n := range names {
			each = append(each, predicate+"("+n+")")
		}
		if len(each) > 1 {
			for _, c := range each {
				all = append(all, []string{c})
			}
		}
		if len(each) > 0 {
			all = append(all, each)
		}
	}
	add("invertible", square)
	if k != every {
		add(map[kind]string{nonzero: "nonzero", nonnegative: "nonneg", positive: "positive"}[k], entries)
	}
	return all
}

// with is a rule under further conditions.
func with(r *text.Rule, when []string) *text.Rule {
	out := *r
	out.When = slices.Clip(r.When)
	for _, c := range when {
		t, err := text.ParseAttr(c)
		if err != nil {
			panic(err) // conditions are ours
		}
		out.When = append(out.When, text.Cond{Args: []*text.Term{t}})
	}
	return &out
}

// verified is the rule under the first of the conditions under which it passes; else, where it holds wherever both sides have
// a value, with what it changes of the domain, which it does not narrow; nil where it does not hold.
func verified(r *text.Rule, when [][]string) *Law {
	var changed *Law
	for _, w := range when {
		c := with(r, w)
		rep := verify.Rule(c)
		if rep.Typing != verify.Typed {
			return nil
		}
		if rep.Equality == verify.Refuted || rep.Equality == verify.Assumed {
			continue
		}
		if rep.Passed() {
			return &Law{Rule: c, Report: rep}
		}
		if changed == nil {
			c.Domain = rep.Domain
			changed = &Law{Rule: c, Report: verify.Rule(c)}
		}
	}
	if changed == nil || !changed.Report.Passed() || changed.Domain == verify.Narrowed && changed.Right.Op == text.Name {
		return nil
	}
	if changed.Domain == verify.Narrowed { // the other way round it widens
		back := *changed.Rule.Reversed()
		back.Back, back.Lemma, back.Domain = false, true, verify.Widened
		rep := verify.Rule(&back)
		if !rep.Passed() {
			return nil
		}
		changed = &Law{Rule: &back, Report: rep}
	}
	return changed
}

// named is the rule with a name: that of what stands outermost, and a number.
func named(r *text.Rule, k int) *text.Rule {
	out := *r
	head := strings.ToLower(r.Left.Name)
	if head == "" || r.Left.Op == text.Name {
		head = map[text.Op]string{text.Add: "sum", text.Sub: "difference", text.Mul: "product", text.Neg: "negative", text.Ein: "contraction"}[r.Left.Op]
	}
	out.Name = fmt.Sprintf("found-%s-%d", head, k+1)
	out.Source = "found"
	f, err := text.ParseRules(out.String())
	if err != nil {
		panic(err)
	}
	return f.Rules[0]
}
