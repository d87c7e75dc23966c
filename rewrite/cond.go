package rewrite

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/text"
)

// Conditions is the closed vocabulary of side conditions, with what each says. A rule can be
// checked without running anything else. A condition that cannot be shown does not hold.
var Conditions = map[string]string{
	"const":    "const(x): every entry of x is one known number",
	"order0":   "order0(x): x is a scalar",
	"square":   "square(x): the last two axes of x have one size",
	"positive": "positive(x): every entry of x is above 0, where the program is defined",
	"nonneg":   "nonneg(x): no entry of x is below 0, where the program is defined",
	"nonzero":  "nonzero(x): no entry of x is 0, where the program is defined",
	"notone":   "notone(x): x is not the number 1, nor filled with it",
	"same":     "same(x, y): x and y are the same term",
	"integer":  "integer(c): c is a whole number",
	"even":     "even(c): c is a whole number, and even",
	"odd":      "odd(c): c is a whole number, and odd",
	"unit":     "unit(n): the size n is the number 1",
}

// condition is compiled: it asks the bindings.
type condition func(m *matcher) bool

func (c *compiler) condition(t text.Cond) (condition, error) {
	f, err := c.positiveCondition(t)
	if err != nil || !t.Not {
		return f, err
	}
	return func(m *matcher) bool { return !f(m) }, nil
}

func (c *compiler) positiveCondition(t text.Cond) (condition, error) {
	if t.Rel != "" {
		return c.comparison(t)
	}
	call := t.Args[0]
	if Conditions[call.Name] == "" {
		return nil, fmt.Errorf("there is no condition %s", call.Name)
	}
	arity := 1
	if call.Name == "same" {
		arity = 2
	}
	if len(call.Args) != arity {
		return nil, fmt.Errorf("%s: the condition has %d arguments", call, arity)
	}
	if call.Name == "unit" {
		s, ok := c.sizes[call.Args[0].Name]
		if !ok {
			return nil, fmt.Errorf("%s: not a size", call)
		}
		return func(m *matcher) bool { n, ok := m.sizes[s].Int(); return ok && n == 1 }, nil
	}
	if v := c.vars[call.Args[0].Name]; v != nil && call.Args[0].Op == text.Name && !v.number {
		test := onValues[call.Name]
		if test == nil {
			return nil, fmt.Errorf("%s: the condition is on numbers", call)
		}
		if arity == 1 {
			return func(m *matcher) bool { return test(m.facts, m.values[v.slot]) }, nil
		}
		w := c.vars[call.Args[1].Name]
		if w == nil || w.number {
			return nil, fmt.Errorf("%s: the condition is on values", call)
		}
		return func(m *matcher) bool { return m.values[v.slot] == m.values[w.slot] }, nil
	}
	test := onNumbers[call.Name]
	if test == nil {
		return nil, fmt.Errorf("%s: the condition is on values", call)
	}
	e, err := c.arith(call.Args[0])
	if err != nil {
		return nil, err
	}
	return func(m *matcher) bool { r := e(m); return r != nil && test(r) }, nil
}

func (c *compiler) comparison(t text.Cond) (condition, error) {
	l, err := c.arith(t.Args[0])
	if err != nil {
		return nil, err
	}
	r, err := c.arith(t.Args[1])
	if err != nil {
		return nil, err
	}
	holds := map[string]func(int) bool{
		"=": func(s int) bool { return s == 0 }, "!=": func(s int) bool { return s != 0 },
		"<": func(s int) bool { return s < 0 }, "<=": func(s int) bool { return s <= 0 },
		">": func(s int) bool { return s > 0 }, ">=": func(s int) bool { return s >= 0 },
	}[t.Rel]
	return func(m *matcher) bool {
		a, b := l(m), r(m)
		return a != nil && b != nil && holds(a.Cmp(b))
	}, nil
}

// arith compiles an expression in the rule's numbers; its value is nil where it divides by zero.
func (c *compiler) arith(t *text.Term) (func(m *matcher) *big.Rat, error) {
	switch t.Op {
	case text.Num:
		return func(*matcher) *big.Rat { return t.Rat }, nil
	case text.Name:
		v := c.vars[t.Name]
		if v == nil || !v.number {
			return nil, fmt.Errorf("%s is no number", t)
		}
		return func(m *matcher) *big.Rat { return m.numbers[v.slot] }, nil
	}
	args := make([]func(m *matcher) *big.Rat, len(t.Args))
	for i, a := range t.Args {
		f, err := c.arith(a)
		if err != nil {
			return nil, err
		}
		args[i] = f
	}
	op := map[text.Op]func(a, b *big.Rat) *big.Rat{
		text.Add: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) },
		text.Sub: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) },
		text.Mul: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) },
		text.Div: func(a, b *big.Rat) *big.Rat {
			if b.Sign() == 0 {
				return nil
			}
			return new(big.Rat).Quo(a, b)
		},
		text.Neg: func(a, _ *big.Rat) *big.Rat { return new(big.Rat).Neg(a) },
	}[t.Op]
	if op == nil {
		return nil, fmt.Errorf("%s is no number", t)
	}
	return func(m *matcher) *big.Rat {
		a := args[0](m)
		b := a
		if len(args) > 1 {
			b = args[1](m)
		}
		if a == nil || b == nil {
			return nil
		}
		return op(a, b)
	}, nil
}

var onNumbers = map[string]func(*big.Rat) bool{
	"integer":  func(r *big.Rat) bool { return r.IsInt() },
	"even":     func(r *big.Rat) bool { return r.IsInt() && r.Num().Bit(0) == 0 },
	"odd":      func(r *big.Rat) bool { return r.IsInt() && r.Num().Bit(0) == 1 },
	"positive": func(r *big.Rat) bool { return r.Sign() > 0 },
	"nonneg":   func(r *big.Rat) bool { return r.Sign() >= 0 },
	"nonzero":  func(r *big.Rat) bool { return r.Sign() != 0 },
	"notone":   func(r *big.Rat) bool { return r.Cmp(one) != 0 },
	"const":    func(*big.Rat) bool { return true },
}

var onValues = map[string]func(*Facts, *combinators.Node) bool{
	"const":  func(_ *Facts, n *combinators.Node) bool { _, ok := Filled(n); return ok },
	"order0": func(_ *Facts, n *combinators.Node) bool { return n.Order() == 0 },
	"square": func(_ *Facts, n *combinators.Node) bool {
		s := n.Shape()
		return len(s) >= 2 && s[len(s)-1] == s[len(s)-2]
	},
	"positive": (*Facts).Positive,
	"nonneg":   (*Facts).Nonneg,
	"nonzero":  (*Facts).Nonzero,
	"notone":   func(_ *Facts, n *combinators.Node) bool { r, ok := Filled(n); return !ok || r.Cmp(one) != 0 },
	"same":     func(*Facts, *combinators.Node) bool { return true },
}
