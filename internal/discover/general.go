package discover

import (
	"math/big"
	"slices"

	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/rewrite/verify/model"
)

// number is the name of a number in a law that holds for many.
const number = "r"

// parts are what numbers of the right side may be made of that of the left side; others stay as they are.
var parts = []string{"r", "-r", "2*r", "r/2", "1/r", "r - 1", "r + 1"}

// ranges are the conditions under which a law may hold for many numbers, the weakest first.
var ranges = [][]string{nil, {"r != 0"}, {"r > 0"}, {"r < 0"}, {"integer(r)"}, {"integer(r)", "r > 0"}, {"even(r)"}, {"odd(r)"}, {"even(r)", "r > 0"}, {"odd(r)", "r > 0"}}

// samples are the numbers that are tried first, before the verifier.
var samples = []*big.Rat{big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(-2, 1), big.NewRat(-3, 1), big.NewRat(1, 2), big.NewRat(-3, 2), big.NewRat(4, 1), big.NewRat(5, 1),
	big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(0, 1)}

// maxReadings bounds the ways in which the numbers of a right side are read.
const maxReadings = 16

// generalised is the law with a number of its left side open, where it holds for others, too: sign(power[3](x)) => sign(x) for
// all odd numbers. nil where it does not. A law that keeps the domain is preferred.
func (e *enumeration) generalised(l *Law) *Law {
	var changed *Law // that which changes the domain
	left, right := multiples(l.Left), multiples(l.Right)
	for _, v := range numbersIn(left) {
		open := replaced(left, func(r *big.Rat) *text.Term {
			if r.Cmp(v) == 0 {
				return text.NewName(number)
			}
			return nil
		})
		for _, other := range readings(right, v) {
			for _, when := range ranges {
				if !e.samplesAgree(open, other, v, when) {
					continue
				}
				r := *l.Rule
				r.Left, r.Right = open, other
				r.Vars = append(slices.Clone(r.Vars), text.Var{Name: number, Type: numbers})
				r.When = append(slices.Clone(r.When), conditions(when)...)
				f, err := text.ParseRules(r.String())
				if err != nil {
					break
				}
				out := verified(f.Rules[0], [][]string{nil})
				if out != nil && (out.Domain == "" || out.Domain == l.Domain) {
					return out
				}
				if out == nil || changed != nil {
					break
				}
				changed = out
			}
		}
	}
	return changed
}

var numbers = &text.Type{Cod: &text.Space{Name: "Q"}}

// multiples is a term with -1 .* t for -t.
func multiples(t *text.Term) *text.Term {
	if t.Op == text.Neg {
		return text.New(text.Mul, text.NewInt(-1), multiples(t.Args[0]))
	}
	out := *t
	out.Args = nil
	for _, a := range t.Args {
		out.Args = append(out.Args, multiples(a))
	}
	return &out
}

func numbersIn(t *text.Term) (all []*big.Rat) {
	text.Walk(t, func(u *text.Term) bool {
		if u.Op == text.Num && !slices.ContainsFunc(all, func(r *big.Rat) bool { return r.Cmp(u.Rat) == 0 }) {
			all = append(all, u.Rat)
		}
		return true
	})
	return all
}

// replaced is a term with others for its numbers, where by gives one.
func replaced(t *text.Term, by func(*big.Rat) *text.Term) *text.Term {
	if t.Op == text.Num {
		if u := by(t.Rat); u != nil {
			return u
		}
		return t
	}
	out := *t
	out.Args, out.Attrs = nil, nil
	for _, a := range t.Args {
		out.Args = append(out.Args, replaced(a, by))
	}
	for _, a := range t.Attrs {
		out.Attrs = append(out.Attrs, replaced(a, by))
	}
	return &out
}

// readings are the terms that a right side may be for all numbers, when it is t for v.
func readings(t *text.Term, v *big.Rat) []*text.Term {
	all := []*text.Term{t}
	for _, w := range numbersIn(t) {
		for _, p := range parts {
			of, err := text.ParseAttr(p)
			if err != nil {
				panic(err) // the table is ours
			}
			if x, err := denote.ReadNumber(of, []denote.Number{{Name: number, Value: v}}); err != nil || x.Cmp(w) != 0 {
				continue
			}
			for _, u := range slices.Clone(all) {
				if len(all) < maxReadings {
					all = append(all, replaced(u, func(r *big.Rat) *text.Term {
						if r.Cmp(w) == 0 {
							return of
						}
						return nil
					}))
				}
			}
		}
	}
	slices.Reverse(all) // what follows the number first
	return all
}

func conditions(texts []string) (all []text.Cond) {
	if len(texts) == 0 {
		return nil
	}
	src := "lemma c [x: S, r: Q] x => x when " + texts[0]
	for _, t := range texts[1:] {
		src += ", " + t
	}
	f, err := text.ParseRules(src)
	if err != nil {
		panic(err) // the table is ours
	}
	return f.Rules[0].When
}

// samplesAgree: the sides have the same values at the points, for all samples that meet the conditions, of which one is not v.
func (e *enumeration) samplesAgree(left, right *text.Term, v *big.Rat, when []string) bool {
	others := 0
	conds := conditions(when)
	for _, r := range samples {
		at := []denote.Number{{Name: number, Value: r}}
		if slices.ContainsFunc(conds, func(c text.Cond) bool { holds, _ := model.NumberCondition(c, at); return !holds }) {
			continue
		}
		env := *e.numbers
		env.Numbers = at
		a, errA := denote.ReadNode(e.store[1], left, &env)
		b, errB := denote.ReadNode(e.store[1], right, &env)
		if errA != nil || errB != nil || agreement(e.values(a), e.values(b)) < every {
			return false
		}
		if r.Cmp(v) != 0 {
			others++
		}
	}
	return others > 1
}
