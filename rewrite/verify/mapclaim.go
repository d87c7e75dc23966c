package verify

import (
	"frechet/combinators/text"
	"frechet/rewrite/verify/maps"
	"frechet/rewrite/verify/model"
)

// closedRule checks a rule on closed combinators.
func closedRule(r *text.Rule, functions model.Choice) *Report {
	rep := newReport(r)
	if step := nativeStep(r); step != "" {
		return nativeRule(r, step, rep)
	}
	var instances []*maps.Rule
	for _, count := range maps.Counts(r) {
		for _, choice := range maps.ComponentChoices(r, count) {
			t, err := maps.TypeRule(r, count, choice)
			if err != nil {
				if more := maps.ComponentChoices(r, 2); count == 1 && len(more) > 0 { // two members read better than one
					if _, e := maps.TypeRule(r, 2, more[0]); e != nil {
						err = e
					}
				}
				return rep.illTyped(err)
			}
			t.Types.Choice = functions
			instances = append(instances, t)
		}
	}
	rep.Typing = Typed
	tried := map[string]bool{}
	for _, t := range instances {
		for _, sizes := range t.Sizes([]int{2, 3, 4, 5, 2, 3, 4, 5}, []int{2}, []int{1}, []int{3}) {
			for k := range modularTrials {
				in := t.Instance(sizes, uint64(k+1), nil)
				verdict, _, _, _ := t.Compare(in)
				if verdict == model.SidesDiffer {
					rep.Equality = Refuted
					rep.Witness = smallestClosed(instances)
					if w := numbersWitness(t, r); len(instances) == 1 && w != nil {
						rep.Witness = w
					}
					return rep
				}
				if verdict == model.NoSide {
					rep.Equality, rep.Reason, rep.Shapes = Assumed, assumption(r), nil
					if len(instances) == 1 {
						concreteDomain(t, rep, r)
					}
					return rep
				}
			}
			if s := maps.Describe(sizes, t.Types.Count); !tried[s] {
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
func (rep *Report) prove(r *text.Rule, instances []*maps.Rule) {
	exact := true
	var lost, gained string
	for _, t := range instances {
		equal, l, g, known := t.CompareFreely(r)
		if !known {
			if len(instances) == 1 && oneContraction(t, r) {
				rep.Equality, rep.Trials, rep.Degree, rep.Domain = Exact, 0, 0, Kept
			} else {
				concreteDomain(t, rep, r)
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
