package model

import (
	"math/big"
	"slices"

	"frechet/combinators/denote"
	"frechet/combinators/text"
)

// NumberCondition decides a condition that is on numbers; applies is false for one on values.
func NumberCondition(w text.Cond, numbers []denote.Number) (holds, applies bool) {
	if w.Rel != "" {
		a, errA := denote.ReadNumber(w.Args[0], numbers)
		b, errB := denote.ReadNumber(w.Args[1], numbers)
		if errA != nil || errB != nil {
			return false, !onOthers(w, numbers)
		}
		return w.Holds(a.Cmp(b)) != w.Not, true
	}
	call := w.Args[0]
	if len(call.Args) != 1 {
		return false, false
	}
	r, err := denote.ReadNumber(call.Args[0], numbers)
	if err != nil {
		return false, false
	}
	var ok bool
	switch call.Name {
	case "integer":
		ok = r.IsInt()
	case "even":
		ok = r.IsInt() && r.Num().Bit(0) == 0
	case "odd":
		ok = r.IsInt() && r.Num().Bit(0) == 1
	case "positive":
		ok = r.Sign() > 0
	case "nonneg":
		ok = r.Sign() >= 0
	case "nonzero":
		ok = r.Sign() != 0
	case "notone":
		ok = r.Cmp(big.NewRat(1, 1)) != 0
	case "const":
		ok = true
	}
	return ok != w.Not, true
}

// onOthers: a comparison has names in it that are none of the numbers: sizes.
func onOthers(w text.Cond, numbers []denote.Number) (found bool) {
	for _, a := range w.Args {
		text.Walk(a, func(t *text.Term) bool {
			found = found || t.Op == text.Name && !slices.ContainsFunc(numbers, func(n denote.Number) bool { return n.Name == t.Name })
			return true
		})
	}
	return found
}
