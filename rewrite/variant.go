package rewrite

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// A Variant is a rule on values where metavariables with defaults are numbers. Its left side has them neither as
// factors nor as exponents, addends or operands: r .* x with r = 1 is x.
type Variant struct {
	Rule  *text.Rule
	Given []denote.Number // the metavariables that the rule no longer has
}

// Variants are the forms in which the left side of a rule meets terms: as it is written, and without the parts that
// the defaults of its metavariables leave out. Where both r and -r are coefficients, either can be the one that is 1.
// A variant that the conditions on numbers exclude is none.
func Variants(r *text.Rule) []Variant {
	out := []Variant{{Rule: r}}
	for _, v := range r.Vars {
		if v.Default == nil {
			continue
		}
		values := []*big.Rat{v.Default}
		if occursIn(text.New(text.Neg, text.NewName(v.Name)), r.Left) {
			values = append(values, new(big.Rat).Neg(v.Default))
		}
		for _, w := range slices.Clone(out) {
			for _, x := range values {
				if u, ok := w.with(v.Name, x); ok {
					out = append(out, u)
				}
			}
		}
	}
	return out
}

// occursIn reports whether the term part stands in t.
func occursIn(part, t *text.Term) (found bool) {
	text.Walk(t, func(u *text.Term) bool {
		found = found || text.Equal(u, part)
		return !found
	})
	return found
}

// with puts a number for a metavariable; ok is false where a condition excludes it.
func (w Variant) with(name string, x *big.Rat) (out Variant, ok bool) {
	r := *w.Rule
	by := map[string]*text.Term{name: text.NewNum(x)}
	r.Vars = slices.DeleteFunc(slices.Clone(r.Vars), func(v text.Var) bool { return v.Name == name })
	r.Left, r.Right = reduced(text.Substitute(r.Left, by)), text.Substitute(r.Right, by)
	r.When = nil
	for _, c := range w.Rule.When {
		args := lists.Map(c.Args, func(a *text.Term) *text.Term { return text.Substitute(a, by) })
		c.Args = args
		holds, known := Decided(c, nil)
		switch {
		case !known:
			r.When = append(r.When, c)
		case !holds:
			return out, false
		}
	}
	return Variant{&r, append(slices.Clone(w.Given), denote.Number{Name: name, Value: x})}, true
}

// Decided says whether a condition on numbers holds; known is false where it is on others than those given.
func Decided(c text.Cond, numbers []denote.Number) (holds, known bool) {
	args := c.Args
	if c.Rel == "" {
		args = c.Args[0].Args
	}
	var at []*big.Rat
	for _, a := range args {
		x, err := denote.ReadNumber(a, numbers)
		if err != nil {
			return false, false
		}
		at = append(at, x)
	}
	if c.Rel != "" {
		return c.Holds(at[0].Cmp(at[1])) != c.Not, true
	}
	for _, w := range Conditions() {
		if w.Name == c.Args[0].Name && w.number != nil {
			return w.number(at[0]) != c.Not, true
		}
	}
	return false, false
}

// reduced is t without factors and exponents 1, and without addends 0.
func reduced(t *text.Term) *text.Term {
	u := *t
	u.Args = make([]*text.Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = reduced(a)
	}
	is := func(i int, k int64) bool { return isNumber(u.Args[i], k) }
	switch u.Op {
	case text.Neg:
		return text.NewNeg(u.Args[0])
	case text.Add, text.Mul:
		neutral := map[text.Op]int64{text.Add: 0, text.Mul: 1}[u.Op]
		if is(0, neutral) {
			return u.Args[1]
		}
		if is(1, neutral) {
			return u.Args[0]
		}
	case text.Call:
		if u.Name == atom.Power.Name && len(u.Attrs) == 1 && isNumber(u.Attrs[0], 1) {
			return u.Args[0]
		}
	case text.Ein:
		x := *t.Index
		x.In = nil
		var args []*text.Term
		for i, a := range u.Args {
			if !is(i, 1) {
				args, x.In = append(args, a), append(x.In, t.Index.In[i])
			}
		}
		if len(args) > 0 {
			u.Index, u.Args = &x, args
		}
	}
	return &u
}

// isNumber reports whether t is the number k of no given shape.
func isNumber(t *text.Term, k int64) bool {
	return t.Op == text.Num && len(t.Attrs) == 0 && t.Rat.Cmp(big.NewRat(k, 1)) == 0
}

// compileVariants compiles a rule, once for each form in which its left side meets terms.
func compileVariants(t *text.Rule) (out []*rule, err error) {
	defer must.Recover(&err)
	for _, v := range t.Vars {
		if v.Default == nil {
			continue
		}
		by := map[string]*text.Term{v.Name: text.NewNum(v.Default)}
		there := text.Substitute(t.Left, by)
		if all := operations(there); v.Type == nil || operations(reduced(there)) == all {
			return nil, wrongAt(v.Pos, v.Name, "the default is 1 of a factor, an exponent or an operand of a contraction, and 0 of an addend",
				"nothing on the left side can be left out where %s is %s", v.Name, v.Default.RatString())
		}
	}
	for _, w := range Variants(t) {
		if w.Rule.Left.Op == text.Name && t.Left.Op != text.Name {
			return nil, wrong(t.Left, "a rule replaces a function, a sum or a product", "the %s side is no operation where defaults are left out", sideRead(t))
		}
		r := compileRule(w.Rule)
		r.Rule, r.right, r.given = t, w.Rule.Right, w.Given
		out = append(out, r)
	}
	return out, nil
}

// operations counts the operands of operations in t.
func operations(t *text.Term) (n int) {
	text.Walk(t, func(u *text.Term) bool {
		n += len(u.Args)
		return true
	})
	return n
}
