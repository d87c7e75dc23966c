package verify

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/rewrite/verify/model"
)

// numberChoices are the values that numeric metavariables are tried at, those that the conditions
// on numbers allow; ok is false where none of them is allowed.
func (g *signature) numberChoices(most int) (out [][]denote.Number) {
	if len(g.numbers) == 0 {
		return [][]denote.Number{nil}
	}
	values := []*big.Rat{big.NewRat(2, 1), big.NewRat(-1, 1), big.NewRat(3, 1), big.NewRat(1, 2), big.NewRat(-2, 1),
		big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(-3, 2), big.NewRat(1, 3), big.NewRat(-3, 1)}
	if out = g.choicesOf(values, most); out == nil {
		// conditions that few numbers meet
		out = g.choicesOf([]*big.Rat{big.NewRat(3, 2), big.NewRat(5, 2), big.NewRat(4, 1), big.NewRat(6, 1), big.NewRat(9, 1),
			big.NewRat(10, 1), big.NewRat(-4, 1), big.NewRat(-5, 2), big.NewRat(-9, 1), big.NewRat(101, 10)}, most)
	}
	if out == nil {
		out = g.solvedChoices(values, most)
	}
	return slices.Concat(out, g.relatedNumbers(), g.defaults(out))
}

// defaults are choices with the default of one number, and with those of all.
func (g *signature) defaults(choices [][]denote.Number) (out [][]denote.Number) {
	if len(choices) == 0 {
		return nil
	}
	all := slices.Clone(choices[0])
	for j, v := range g.numbers {
		if v.Default != nil {
			one := slices.Clone(choices[0])
			one[j].Value, all[j].Value = v.Default, v.Default
			out = append(out, one)
		}
	}
	if out == nil {
		return nil
	}
	return slices.DeleteFunc(append(out, all), func(c []denote.Number) bool { return !g.allowed(c) })
}

// solvedChoices are near the numbers that conditions have: r = 1/7, 100 < r < 102; or one number is what
// an equation says when the others are chosen.
func (g *signature) solvedChoices(values []*big.Rat, most int) [][]denote.Number {
	var near []*big.Rat
	for _, w := range g.rule.When {
		for _, side := range w.Args {
			text.Walk(side, func(t *text.Term) bool {
				if t.Op == text.Num {
					for _, d := range []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2)} {
						near = append(near, new(big.Rat).Add(t.Rat, d))
					}
				}
				return true
			})
		}
	}
	for _, some := range [][]*big.Rat{slices.Concat(near, values), between(near)} {
		if out := g.choicesOf(some, most); out != nil {
			return out
		}
	}
	var out [][]denote.Number
	for _, w := range g.rule.When {
		if w.Rel != "=" || w.Not {
			continue
		}
		for j := range g.numbers {
			others := &signature{rule: &text.Rule{}, numbers: slices.Delete(slices.Clone(g.numbers), j, j+1)}
			for _, choice := range others.choicesOf(slices.Concat(near, values), 4*most) {
				choice = slices.Insert(slices.Clone(choice), j, denote.Number{Name: g.numbers[j].Name})
				if solve(w, choice, j) && (g.numbers[j].Type.Cod.Name == "Q" || choice[j].Value.IsInt()) && g.allowed(choice) && len(out) < most {
					out = append(out, choice)
				}
			}
		}
	}
	return out
}

// between are numbers inside of the intervals that numbers end: c > 1/3, c < 3334/10000.
func between(ends []*big.Rat) (out []*big.Rat) {
	ends = slices.Clone(ends)
	slices.SortFunc(ends, (*big.Rat).Cmp)
	for i := 1; i < len(ends); i++ {
		if width := new(big.Rat).Sub(ends[i], ends[i-1]); width.Sign() > 0 {
			for _, part := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 5)} {
				out = append(out, new(big.Rat).Add(ends[i-1], part.Mul(part, width)))
			}
		}
	}
	return out
}

// drawnNumbers are choices from between the numbers that conditions have, and their opposites, and choices drawn from large
// sets, which the conditions allow, at most so many: a law that holds at all small numbers may fail at others.
func (g *signature) drawnNumbers(r *rand.Rand, most int) (out [][]denote.Number) {
	ends := []*big.Rat{big.NewRat(0, 1)}
	for _, w := range g.rule.When {
		for _, side := range w.Args {
			text.Walk(side, func(t *text.Term) bool {
				if t.Op == text.Num {
					ends = append(ends, t.Rat, new(big.Rat).Neg(t.Rat))
				}
				return true
			})
		}
	}
	if inner := between(ends); len(inner) > 0 {
		out = g.choicesOf(append(inner, ends...), most/2)
	}
	for range 100 * most {
		choice := make([]denote.Number, len(g.numbers))
		for j, v := range g.numbers {
			whole, part := int64(r.IntN(81)-40), int64(1)
			if r.IntN(3) == 0 {
				whole = int64(r.IntN(2001) - 1000)
			}
			if v.Type.Cod.Name == "Q" && r.IntN(4) > 0 {
				part = int64(1 + r.IntN(24))
			}
			choice[j] = denote.Number{Name: v.Name, Value: big.NewRat(whole, part)}
		}
		if g.allowed(choice) {
			out = append(out, choice)
		}
		if len(out) == most {
			break
		}
	}
	return out
}

// solve gives choice[j] the value at which both sides of w are equal, where their difference is affine in it.
func solve(w text.Cond, choice []denote.Number, j int) bool {
	at := func(x int64) *big.Rat {
		choice[j].Value = big.NewRat(x, 1)
		a, errA := denote.ReadNumber(w.Args[0], choice)
		b, errB := denote.ReadNumber(w.Args[1], choice)
		if errA != nil || errB != nil {
			return nil
		}
		return new(big.Rat).Sub(a, b)
	}
	zero, one, two := at(0), at(1), at(2)
	if zero == nil || one == nil || two == nil {
		return false
	}
	slope := new(big.Rat).Sub(one, zero)
	if slope.Sign() == 0 || new(big.Rat).Sub(two, one).Cmp(slope) != 0 {
		return false
	}
	choice[j].Value = new(big.Rat).Neg(zero.Quo(zero, slope))
	return true
}

// relatedNumbers are choices of several numbers between which something holds that few choices have:
// equal, opposite or inverse ones, and a sum that is whole.
func (g *signature) relatedNumbers() (out [][]denote.Number) {
	if len(g.numbers) < 2 {
		return nil
	}
	for _, pair := range [][2]*big.Rat{
		{big.NewRat(1, 2), big.NewRat(1, 2)}, {big.NewRat(1, 1), big.NewRat(-1, 1)}, {big.NewRat(-1, 1), big.NewRat(2, 1)},
		{big.NewRat(2, 1), big.NewRat(1, 2)}, {big.NewRat(1, 2), big.NewRat(2, 1)}, {big.NewRat(-1, 1), big.NewRat(-1, 1)},
	} {
		choice := make([]denote.Number, len(g.numbers))
		ok := true
		for j, v := range g.numbers {
			choice[j] = denote.Number{Name: v.Name, Value: pair[j%2]}
			ok = ok && (v.Type.Cod.Name == "Q" || pair[j%2].IsInt())
		}
		if ok && g.allowed(choice) {
			out = append(out, choice)
		}
	}
	return out
}

// maxChoices bounds the choices that are looked at: conditions on many numbers may allow none.
const maxChoices = 20_000

// choicesOf are choices among values that the conditions allow, at most so many: of all, where these are
// few, and else of some that are drawn.
func (g *signature) choicesOf(values []*big.Rat, most int) (out [][]denote.Number) {
	total := 1
	for range g.numbers {
		total = min(total*len(values), maxChoices+1)
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < min(total, maxChoices) && len(out) < most; i++ {
		k := i
		if total > 4*most { // spread over the choices
			k = i * 7919 % total
		}
		choice := make([]denote.Number, len(g.numbers))
		ok := true
		for j, v := range g.numbers {
			at := k % len(values)
			if k /= len(values); total > maxChoices {
				at = draw.IntN(len(values))
			}
			choice[j] = denote.Number{Name: v.Name, Value: values[at]}
			ok = ok && (v.Type.Cod.Name == "Q" || choice[j].Value.IsInt())
		}
		if ok && g.allowed(choice) {
			out = append(out, choice)
		}
	}
	return out
}

// allowed checks the conditions that are on numbers alone.
func (g *signature) allowed(numbers []denote.Number) bool {
	for _, w := range g.rule.When {
		if ok, applies := model.NumberCondition(w, numbers); applies && !ok {
			return false
		}
	}
	return true
}
