package verify

import (
	"fmt"
	"sort"
	"strings"

	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/internal/words"
	"frechet/rewrite/verify/model"
)

// closedRule checks a rule on closed combinators.
func closedRule(r *text.Rule) *Report {
	rep := newReport(r)
	if step := nativeStep(r); step != "" {
		return nativeRule(r, step, rep)
	}
	var instances []*typedRule
	for _, count := range counts(r) {
		for _, choice := range componentChoices(r, count) {
			t, err := typeRule(r, count, choice)
			if err != nil {
				if more := componentChoices(r, 2); count == 1 && len(more) > 0 { // two members read better than one
					if _, e := typeRule(r, 2, more[0]); e != nil {
						err = e
					}
				}
				return rep.illTyped(err)
			}
			instances = append(instances, t)
		}
	}
	rep.Typing = Typed
	tried := map[string]bool{}
	for _, t := range instances {
		for _, sizes := range t.sizes([]int{2, 3, 4, 5, 2, 3, 4, 5}, []int{2}, []int{1}, []int{3}) {
			for k := range modularTrials {
				in := t.instance(sizes, uint64(k+1), nil)
				verdict, _, _, _ := t.compare(in)
				if verdict == model.SidesDiffer {
					rep.Equality = Refuted
					rep.Witness = smallestClosed(instances)
					if w := t.numbersWitness(r); len(instances) == 1 && w != nil {
						rep.Witness = w
					}
					return rep
				}
				if verdict == model.NoSide {
					rep.Equality, rep.Reason, rep.Shapes = Assumed, assumption(r), nil
					if len(instances) == 1 {
						t.concreteDomain(rep, r)
					}
					return rep
				}
			}
			if s := describe(sizes, t.types.count); !tried[s] {
				tried[s] = true
				rep.Shapes = append(rep.Shapes, s)
			}
		}
	}
	rep.Equality, rep.Trials, rep.Degree = TestedMod, modularTrials, closedDegree(r)
	rep.prove(r, instances)
	return rep
}

// prove looks for a proof in the free model, for each number of components, and says how the rule
// changes the domain where unknown functions are not defined everywhere.
func (rep *Report) prove(r *text.Rule, instances []*typedRule) {
	exact := true
	var lost, gained string
	for _, t := range instances {
		equal, l, g, known := t.freely(r)
		if !known {
			if len(instances) == 1 && t.oneContraction(r) {
				rep.Equality, rep.Trials, rep.Degree, rep.Domain = Exact, 0, 0, Kept
			} else {
				t.concreteDomain(rep, r)
			}
			return
		}
		exact = exact && equal
		if lost == "" {
			lost = l
		}
		if gained == "" {
			gained = g
		}
	}
	if exact {
		rep.Equality, rep.Trials, rep.Degree = Exact, 0, 0
	}
	switch {
	case lost != "" && !(gained != "" && rep.Declared == Widened): // of two changes the one that is not declared
		rep.Domain, rep.DomainNote = Widened, "the left side alone needs a value of "+lost
	case gained != "":
		rep.Domain, rep.DomainNote = Narrowed, "the right side alone needs a value of "+gained
	default:
		rep.Domain = Kept
	}
}

// closedDegree bounds the degree of both sides in the entries of what is random.
func closedDegree(r *text.Rule) int {
	n := 0
	count := func(*text.Term) bool { n++; return true }
	text.Walk(r.Left, count)
	text.Walk(r.Right, count)
	return n
}

// typedRule is a rule with the types of both sides.
type typedRule struct {
	types       *closedTypes
	left, right *expr
}

// typeRule infers the left side's most general type, makes what it leaves open arbitrary, and
// checks that the right side has it.
func typeRule(r *text.Rule, count int, components map[string]int) (*typedRule, error) {
	c, err := newClosedTypes(r, count, components)
	if err != nil {
		return nil, err
	}
	onLeft := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool { onLeft[t.Name] = true; return true })
	for _, v := range r.Vars {
		if v.Type != nil && !onLeft[v.Name] {
			return nil, fmt.Errorf("%s does not occur on the left side", v.Name)
		}
	}
	l, err := c.infer(r.Left)
	if err != nil {
		return nil, fmt.Errorf("the left side: %w", err)
	}
	c.rigidify(l.dom)
	c.rigidify(l.cod)
	for _, n := range sorted(c.maps) {
		c.rigidify(c.maps[n].dom)
		c.rigidify(c.maps[n].cod)
	}
	for _, n := range sorted(c.values) {
		c.rigidify(c.values[n])
	}
	for _, n := range c.order {
		c.rigidify(c.spaces[n])
	}
	right, err := c.infer(r.Right)
	if err != nil {
		return nil, fmt.Errorf("the right side: %w", err)
	}
	if unify(l.dom, right.dom) != nil || unify(l.cod, right.cod) != nil {
		return nil, fmt.Errorf("the left side is a map %s -> %s, the right side %s -> %s", l.dom, l.cod, right.dom, right.cod)
	}
	if l.linear && !right.linear {
		return nil, fmt.Errorf("the left side is linear, the right side is not linear by construction")
	}
	return &typedRule{c, l, right}, nil
}

// counts are the numbers of components with which a rule is tried: as many as it writes, or any.
func counts(r *text.Rule) []int {
	fixed := 0
	look := func(t *text.Term) bool {
		if t.Op == text.Pair || t.Op == text.Product || t.Op == text.Copair {
			fixed = max(fixed, len(t.Args))
		}
		if head, k := text.Component(t); head != "" && k.Op == text.Num {
			fixed = max(fixed, 2, int(k.Rat.Num().Int64()))
		}
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Dom != nil {
			fixed = max(fixed, len(v.Type.Dom.Factors))
		}
	}
	if fixed > 0 {
		return []int{fixed}
	}
	several := false
	look = func(t *text.Term) bool {
		head, _ := text.Component(t)
		several = several || head != "" || t.Op == text.Family
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	if several {
		return []int{1, 2, 3}
	}
	return []int{2}
}

// componentChoices are the values of component metavariables that the conditions allow.
func componentChoices(r *text.Rule, count int) (out []map[string]int) {
	bound := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool {
		if t.Op == text.Family {
			bound[t.Names[0]] = true
		}
		return true
	})
	var free []string
	text.Walk(r.Left, func(t *text.Term) bool {
		if _, k := text.Component(t); k != nil && k.Op == text.Name && !bound[k.Name] && !contains(free, k.Name) {
			free = append(free, k.Name)
		}
		return true
	})
	total := 1
	for range free {
		total *= count
	}
	for i := range total {
		choice := map[string]int{}
		var numbers []denote.Number
		for _, n := range free {
			choice[n] = i%count + 1
			numbers = append(numbers, denote.Number{Name: n, Value: ratInt(choice[n])})
			i /= count
		}
		ok := true
		for _, w := range r.When {
			holds, applies := model.NumberCondition(w, numbers)
			ok = ok && (!applies || holds)
		}
		if ok {
			out = append(out, choice)
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

// sizes gives numbers to the rigid spaces and sizes, in turn from each list.
func (t *typedRule) sizes(lists ...[]int) (out []map[string]int) {
	for _, list := range lists {
		m := map[string]int{}
		k := 0
		next := func(n string) {
			if _, ok := m[n]; !ok {
				m[n] = list[min(k, len(list)-1)]
				k++
			}
		}
		for _, s := range t.types.rigid {
			next(s.name)
		}
		for _, n := range t.types.dimNames {
			next(n)
		}
		out = append(out, m)
	}
	return out
}

func describe(sizes map[string]int, count int) string {
	var parts []string
	for n, k := range sizes {
		parts = append(parts, fmt.Sprintf("%s=%d", n, k))
	}
	sort.Strings(parts)
	switch count {
	case 2:
	case 1:
		parts = append(parts, "1 component")
	default:
		parts = append(parts, words.Count(count, "component"))
	}
	return strings.Join(parts, ", ")
}

func (t *typedRule) instance(sizes map[string]int, seed uint64, small []uint64) *closedInstance {
	return &closedInstance{types: t.types, sizes: sizes, seed: seed, small: small, made: map[string]*model.Function{}, values: map[string]*model.Tuple{}}
}

// compare applies both sides to one argument. noSide says that nothing was decided.
func (t *typedRule) compare(in *closedInstance) (o model.Outcome, arg, l, r *model.Tuple) {
	dom := in.space(t.left.dom)
	data := make([]model.Element, dom.Count())
	for i := range data {
		data[i] = in.element("argument", uint64(i))
		if in.small == nil {
			data[i].D = in.number("tangent", uint64(i))
		}
	}
	arg = model.TupleOf(dom, data)
	l, errL := t.left.build(in).Apply(arg)
	r, errR := t.right.build(in).Apply(arg)
	switch {
	case errL != nil && errR != nil:
		return model.NoSide, arg, nil, nil
	case errL != nil:
		return model.RightOnly, arg, nil, r
	case errR != nil:
		return model.LeftOnly, arg, l, nil
	}
	x, y := l.Entries(), r.Entries()
	known := true
	for i := range x {
		equal, ok := model.Agree(x[i], y[i])
		if ok && !equal {
			return model.SidesDiffer, arg, l, r
		}
		known = known && ok
	}
	if !known {
		return model.NoSide, arg, l, r
	}
	return model.SidesEqual, arg, l, r
}
