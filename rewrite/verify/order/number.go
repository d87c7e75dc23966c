package order

import (
	"math/big"

	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/rewrite"
)

// A sign is a set of classes of numbers: what is known of an expression in numbers. Rules are compared once for each
// class that the conditions leave to each of their numeric metavariables.
type sign uint8

const (
	zero     sign = 1 << iota
	one           // the number 1
	positive      // above 0, but for 1
	minusOne      // the number -1
	negative      // below 0, but for -1
	anySign  sign = 1<<iota - 1
)

// representatives are numbers of each class: a condition that none of them meets excludes the class.
var representatives = map[sign][]*big.Rat{
	zero: {new(big.Rat)}, one: {big.NewRat(1, 1)}, minusOne: {big.NewRat(-1, 1)},
	positive: {big.NewRat(1, 2), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(4, 1), big.NewRat(5, 1), big.NewRat(3, 2)},
	negative: {big.NewRat(-1, 2), big.NewRat(-2, 1), big.NewRat(-3, 1), big.NewRat(-4, 1), big.NewRat(-5, 1), big.NewRat(-3, 2)},
}

func signOf(x *big.Rat) sign {
	switch c := x.Cmp(big.NewRat(1, 1)); {
	case x.Sign() == 0:
		return zero
	case c == 0:
		return one
	case x.Sign() > 0:
		return positive
	case x.Cmp(big.NewRat(-1, 1)) == 0:
		return minusOne
	}
	return negative
}

// each is the set of the classes that f gives to those in s.
func (s sign) each(f func(sign) sign) (out sign) {
	for c := zero; c <= negative; c <<= 1 {
		if s&c != 0 {
			out |= f(c)
		}
	}
	return out
}

func (s sign) opposite() sign {
	return s.each(func(c sign) sign {
		return map[sign]sign{zero: zero, one: minusOne, positive: negative, minusOne: one, negative: positive}[c]
	})
}

func (s sign) size() sign {
	return s.each(func(c sign) sign {
		return map[sign]sign{zero: zero, one: one, positive: positive, minusOne: one, negative: positive}[c]
	})
}

func (s sign) side() sign {
	return s.each(func(c sign) sign {
		return map[sign]sign{zero: zero, one: one, positive: one, minusOne: minusOne, negative: minusOne}[c]
	})
}

// times is the sign of a product. Of two numbers that are neither 0 nor 1 nor -1 it can be 1 or -1, too.
func (s sign) times(t sign) sign {
	return s.each(func(a sign) sign {
		return t.each(func(b sign) sign {
			switch {
			case a == zero || b == zero:
				return zero
			case a == one:
				return b
			case b == one:
				return a
			case a == minusOne:
				return b.opposite()
			case b == minusOne:
				return a.opposite()
			case a == b:
				return positive | one
			}
			return negative | minusOne
		})
	})
}

// sign is what is known of an expression in numbers; ok is false where t is a value.
func (r reader) sign(t *text.Term) (s sign, ok bool) {
	args := make([]sign, len(t.Args))
	for i, a := range t.Args {
		if args[i], ok = r.sign(a); !ok {
			return 0, false
		}
	}
	switch t.Op {
	case text.Num:
		return signOf(t.Rat), true
	case text.Name:
		s, ok = r.numbers[t.Name]
		return s, ok
	case text.Neg:
		return args[0].opposite(), true
	case text.Mul, text.Div:
		if t.Op == text.Mul && text.Equal(t.Args[0], t.Args[1]) {
			return args[0].size(), true
		}
		return args[0].times(args[1]), true
	case text.Add, text.Sub:
		return anySign, true
	case text.Call:
		switch t.Name {
		case atom.Abs.Name:
			return args[0].size(), true
		case atom.Sign.Name:
			return args[0].side(), true
		}
	}
	return 0, false
}

// cases are the classes of the numeric metavariables of a rule, in all combinations that its conditions allow. A factor on
// the left side is neither 0 nor 1, which no product in normal form has.
func cases(r *text.Rule) []map[string]sign {
	out := []map[string]sign{{}}
	for _, v := range r.Vars {
		if v.Type == nil || v.Type.Arrow != text.NoArrow || !v.Type.Cod.IsNumber() {
			continue
		}
		var next []map[string]sign
		for c := zero; c <= negative; c <<= 1 {
			if isFactor(v.Name, r.Left) && (c == zero || c == one) || !allows(r.When, v.Name, c) {
				continue
			}
			for _, known := range out {
				more := map[string]sign{v.Name: c}
				for n, s := range known {
					more[n] = s
				}
				next = append(next, more)
			}
		}
		out = next
	}
	return out
}

func isFactor(name string, t *text.Term) (found bool) {
	text.Walk(t, func(u *text.Term) bool {
		for _, a := range u.Args {
			found = found || u.Op == text.Mul && a.Op == text.Name && a.Name == name
		}
		return !found
	})
	return found
}

// allows: of the numbers of a class some meet each condition on name alone.
func allows(when []text.Cond, name string, class sign) bool {
	for _, c := range when {
		some, decides := false, false
		for _, x := range representatives[class] {
			holds, applies := rewrite.Decided(c, []denote.Number{{Name: name, Value: x}})
			some, decides = some || holds, decides || applies
		}
		if decides && !some {
			return false
		}
	}
	return true
}
