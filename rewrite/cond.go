package rewrite

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/rewrite/assumptions"
)

// A Condition is a predicate that may stand behind "when".
type Condition struct {
	Name string
	Args string // as it is written: x, y for values, c for a number, n for a size
	Says string
	// what decides it, of a value or of a number; nil where it is not on such
	value  func(*assumptions.Facts, *combinators.Node) bool
	number func(*big.Rat) bool
}

// On lists what the condition can be asked of.
func (c Condition) On() (out []string) {
	if c.value != nil {
		out = append(out, "values")
	}
	if c.number != nil {
		out = append(out, "numbers")
	}
	if out == nil {
		out = []string{"sizes"}
	}
	return out
}

// Conditions is the closed vocabulary of side conditions. A rule can be checked without running
// anything else. A condition that cannot be shown does not hold.
func Conditions() []Condition {
	table := []Condition{
		{"const", "x", "every entry is one known number",
			func(_ *assumptions.Facts, n *combinators.Node) bool { _, ok := n.Filled(); return ok },
			func(*big.Rat) bool { return true }},
		{"order0", "x", "it is a scalar",
			func(_ *assumptions.Facts, n *combinators.Node) bool { return n.Order() == 0 }, nil},
		{"square", "x", "its last two axes have one size",
			func(_ *assumptions.Facts, n *combinators.Node) bool {
				s := n.Shape()
				return len(s) >= 2 && s[len(s)-1] == s[len(s)-2]
			}, nil},
		{"positive", "x", "every entry is above 0, where the program is defined",
			(*assumptions.Facts).Positive, func(r *big.Rat) bool { return r.Sign() > 0 }},
		{"nonneg", "x", "no entry is below 0, where the program is defined",
			(*assumptions.Facts).Nonneg, func(r *big.Rat) bool { return r.Sign() >= 0 }},
		{"nonzero", "x", "no entry is 0, where the program is defined",
			(*assumptions.Facts).Nonzero, func(r *big.Rat) bool { return r.Sign() != 0 }},
		{"defined", "x", "every entry is a number, where the program is defined, whatever numbers its variables are",
			(*assumptions.Facts).Defined, nil},
		{"invertible", "x", "the matrices of its last two axes have an inverse, where the program is defined",
			(*assumptions.Facts).Invertible, nil},
		{"notone", "x", "it is not the number 1, nor filled with it",
			func(_ *assumptions.Facts, n *combinators.Node) bool {
				r, ok := n.Filled()
				return !ok || r.Cmp(one) != 0
			},
			func(r *big.Rat) bool { return r.Cmp(one) != 0 }},
		{"unguarded", "x", "no function in the term has a guard of a derivative, by which an exact 0 wins, where it may be infinite",
			func(*assumptions.Facts, *combinators.Node) bool { return true }, nil}, // the matcher knows of guards
		{"same", "x, y", "both are the same term",
			func(*assumptions.Facts, *combinators.Node) bool { return true }, nil},
		{"integer", "c", "it is a whole number", nil, func(r *big.Rat) bool { return r.IsInt() }},
		{"even", "c", "it is a whole number, and even", nil, func(r *big.Rat) bool { return r.IsInt() && r.Num().Bit(0) == 0 }},
		{"odd", "c", "it is a whole number, and odd", nil, func(r *big.Rat) bool { return r.IsInt() && r.Num().Bit(0) == 1 }},
		{"unit", "n", "the size is the number 1", nil, nil},
	}
	for _, r := range atom.AttributeRows {
		if !slices.ContainsFunc(table, func(c Condition) bool { return c.Name == r.Cond }) {
			table = append(table, Condition{r.Cond, "x", "it is " + r.Name + ": " + r.Says,
				func(f *assumptions.Facts, n *combinators.Node) bool { return f.Has(atom.AttributeOf(r.Cond), n) }, nil})
		}
	}
	return table
}

// ofDeclared reports whether a condition is shown of a factor of a product only where that is a variable with attributes.
func ofDeclared(condition string) bool {
	return atom.AttributeOf(condition)&^(atom.Positive|atom.Nonneg|atom.Invertible|atom.Definite|atom.Symmetric) != 0
}

// Shown reports whether the condition of that name is shown to hold of a value; a condition that is on no
// values is.
func Shown(condition string, f *assumptions.Facts, n *combinators.Node) bool {
	for _, c := range Conditions() {
		if c.Name == condition && c.value != nil {
			return c.value(f, n)
		}
	}
	return true
}

// unguarded reports whether the functions below n that have a guard are known to be finite.
func unguarded(f *assumptions.Facts, n *combinators.Node) bool {
	return !slices.ContainsFunc(combinators.Topo(n), func(m *combinators.Node) bool {
		return m.Guard() != combinators.GuardNone && !f.Positive(m.Arg(0)) && !(m.Is(atom.Power) && f.Nonzero(m.Arg(0)))
	})
}

// condition is compiled: it asks the bindings.
type condition func(m *matcher) bool

// condition compiles t. A condition on sizes that symbols leave open holds neither as it is nor negated.
func (c *compiler) condition(t text.Cond) condition {
	if c.onSizes(t) {
		return c.sizeComparison(t)
	}
	f := c.positiveCondition(t)
	if !t.Not {
		return f
	}
	open := c.open(t.Args[0])
	return func(m *matcher) bool { return !f(m) && !open(m) }
}

// open says whether symbols leave a condition on sizes open.
func (c *compiler) open(call *text.Term) condition {
	same := func(a, b size.Size) bool { _, known := a.Same(b); return !known }
	switch call.Name {
	case "unit":
		s := c.sizes[call.Args[0].Name]
		return func(m *matcher) bool { return same(m.sizes[s], size.Const(1)) }
	case "square":
		v := c.vars[call.Args[0].Name]
		return func(m *matcher) bool {
			sh := m.values[v.slot].Shape()
			return len(sh) >= 2 && same(sh[len(sh)-1], sh[len(sh)-2])
		}
	}
	return func(*matcher) bool { return false }
}

func (c *compiler) positiveCondition(t text.Cond) condition {
	if t.Rel != "" {
		return c.comparison(t)
	}
	call := t.Args[0]
	all := Conditions()
	i := slices.IndexFunc(all, func(w Condition) bool { return w.Name == call.Name })
	if i < 0 {
		var names []string
		names = lists.Append(names, all, func(w Condition) string { return w.Name })
		panic(wrong(call, meant(call.Name, names)+"there are the conditions "+strings.Join(names, ", ")+", and comparisons of numbers", "there is no condition %s", call.Name))
	}
	w := all[i]
	as := fmt.Sprintf("%s(%s): %s", w.Name, w.Args, w.Says)
	if arity := strings.Count(w.Args, ",") + 1; len(call.Args) != arity {
		panic(wrong(call, as, "%s: the condition has %s", call, words.Count(arity, "argument")))
	}
	arg := call.Args[0]
	if w.Name == "unit" {
		s, ok := c.sizes[arg.Name]
		if !ok {
			panic(wrong(arg, as, "%s is no size of the rule", arg))
		}
		return func(m *matcher) bool { n, ok := m.sizes[s].Int(); return ok && n == 1 }
	}
	if v := c.vars[arg.Name]; v != nil && arg.Op == text.Name && !v.number {
		return c.onValue(call, w, v, as)
	}
	if w.number == nil {
		panic(wrong(arg, as, "%s: the condition is on metavariables for values", call))
	}
	e := c.arith(call.Args[0])
	return func(m *matcher) bool { r := e(m); return r != nil && w.number(r) }
}

// notGuarded is the condition unguarded, which each rule has that widens the domain: where a guarded function has no value, the
// product has one.
func notGuarded(m *matcher) bool {
	return m.guard == combinators.GuardNone || unguarded(m.facts, m.term)
}

// onValue compiles the condition w, as it says, of the metavariable v for a value.
func (c *compiler) onValue(call *text.Term, w Condition, v *metavariable, as string) condition {
	if w.value == nil {
		panic(wrong(call.Args[0], as, "%s: the condition is on numbers, and %s is a value", call, v.name))
	}
	if w.Name == "unguarded" {
		return notGuarded
	}
	if len(call.Args) == 1 {
		return func(m *matcher) bool { return w.value(m.facts, m.values[v.slot]) }
	}
	u := c.vars[call.Args[1].Name]
	if u == nil || u.number {
		panic(wrong(call.Args[1], as, "%s: the condition is on values", call))
	}
	return func(m *matcher) bool { return m.values[v.slot] == m.values[u.slot] }
}

func (c *compiler) comparison(t text.Cond) condition {
	l := c.arith(t.Args[0])
	r := c.arith(t.Args[1])
	return func(m *matcher) bool {
		a, b := l(m), r(m)
		return a != nil && b != nil && t.Holds(a.Cmp(b))
	}
}

// onSizes reports whether a comparison has sizes in it.
func (c *compiler) onSizes(t text.Cond) (found bool) {
	for _, a := range t.Args {
		text.Walk(a, func(u *text.Term) bool {
			_, is := c.sizes[u.Name]
			found = found || u.Op == text.Name && (is || c.free[u.Name])
			return t.Rel != ""
		})
	}
	return found && t.Rel != ""
}

// sizeComparison compiles a comparison of sizes. It holds neither as it is nor negated where symbols leave it open.
func (c *compiler) sizeComparison(t text.Cond) condition {
	a := c.sizeOf(t.Args[0])
	b := c.sizeOf(t.Args[1])
	return func(m *matcher) bool {
		x, okX := a(m)
		y, okY := b(m)
		if !okX || !okY {
			return false
		}
		holds, known := x.Compare(t.Rel, y)
		return known && holds != t.Not
	}
}

// sizeOf compiles an expression in sizes and whole numbers; it has no value where a number is not whole.
func (c *compiler) sizeOf(t *text.Term) func(m *matcher) (size.Size, bool) {
	if v := c.vars[t.Name]; t.Op == text.Name && (v == nil || !v.number) {
		s, ok := c.sizes[t.Name]
		switch {
		case ok:
			return func(m *matcher) (size.Size, bool) { return m.sizes[s], m.sizeSet[s] }
		case c.free[t.Name]:
			return func(*matcher) (size.Size, bool) { return size.Size{}, false }
		}
		panic(wrong(t, meant(t.Name, slices.Sorted(maps.Keys(c.sizes)))+"sizes are those of the types: [A: R[m,n]] has m and n", "%s is no size of the rule", t))
	}
	op := map[text.Op]func(a, b size.Size) size.Size{text.Add: size.Size.Add, text.Sub: size.Size.Sub, text.Mul: size.Size.Mul}[t.Op]
	if op == nil {
		e := c.arith(t)
		return func(m *matcher) (size.Size, bool) {
			x := e(m)
			if x == nil || !x.IsInt() || !x.Num().IsInt64() {
				return size.Size{}, false
			}
			return size.Const(x.Num().Int64()), true
		}
	}
	a, b := c.sizeOf(t.Args[0]), c.sizeOf(t.Args[1])
	return func(m *matcher) (size.Size, bool) {
		x, okX := a(m)
		y, okY := b(m)
		return op(x, y), okX && okY
	}
}

// arith compiles an expression in the rule's numbers; its value is nil where it divides by zero.
func (c *compiler) arith(t *text.Term) func(m *matcher) *big.Rat {
	switch t.Op {
	case text.Num:
		return func(*matcher) *big.Rat { return t.Rat }
	case text.Name:
		v := c.vars[t.Name]
		if v == nil {
			panic(wrong(t, meant(t.Name, slices.Sorted(maps.Keys(c.vars)))+"declare it: ["+t.Name+": Q] for a number, ["+t.Name+": S] for a value", "%s in the conditions is not declared", t))
		}
		if !v.number {
			panic(wrong(t, "declare it: ["+t.Name+": Q], or Z for whole numbers", "%s is no number of the rule", t))
		}
		return func(m *matcher) *big.Rat { return m.numbers[v.slot] }
	}
	args := lists.Map(t.Args, c.arith)
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
		panic(wrong(t, "", "%s is no number", t))
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
	}
}
