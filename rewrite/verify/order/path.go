package order

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/rewrite"
)

// Precedence orders the symbols of terms, greatest first, by the column of the table of operations, for the recursive path ordering by which
// rules decrease: s > t where an argument of s is at least t, or where the head of s is greater and
// s is greater than every argument of t, or where the heads are equal and the arguments of s are
// greater: as multisets for sums and contractions, from left to right for all others. The order is
// well founded whatever the precedence. It is on terms as rules write them: normal forms of sums and
// products are taken between two applications, and a budget bounds both together.
var Precedence = func() (names []string) {
	rows := atom.Rows()
	slices.SortStableFunc(rows, func(a, b *atom.Row) int { return a.Precedence - b.Precedence })
	for _, r := range rows {
		if r.Precedence > 0 {
			names = append(names, r.Name)
		}
	}
	return names
}()

// term is a text term as the ordering sees it.
type term struct {
	head     string
	exponent string     // of a power
	level    [2]float64 // of a power: the denominator, and the size, of its exponent, as far as known
	variable bool
	one      bool // the number 1, which is no factor
	args     []*term
}

// rank is the place of the head in the precedence. Powers are above each other by the denominator
// and then by the size of their exponents; unknown exponents, as r and -r, are at one place.
func (t *term) rank() []float64 {
	i := slices.Index(Precedence, t.head)
	if i < 0 {
		i = len(Precedence)
		if k := slices.Index(numberHeads, t.head); k > 0 {
			return []float64{float64(-i) + float64(k)/4, 0, 0}
		}
	}
	return []float64{float64(-i), t.level[0], t.level[1]}
}

// Numbers are below all functions: negative ones above -1, and that above all others.
var numberHeads = []string{"number", "-1", "negative"}

// number is the term of a number of which s is known: as low as it may be on the left side, as high on the right one.
func (r reader) number(s sign) *term {
	t := &term{one: s == one}
	for i, set := range []sign{zero | one | positive, minusOne, negative} {
		if s&set != 0 {
			if t.head = numberHeads[i]; r.left {
				break
			}
		}
	}
	return t
}

// reader reads the terms of a rule.
type reader struct {
	vars    map[string]bool // its metavariables: of values, or of others
	numbers map[string]sign // of its numeric metavariables
	when    []text.Cond
	left    bool // of the left side
}

// term writes differences, negations and quotients out as the sums and products that they are.
func (r reader) term(t *text.Term, let map[string]*term) *term {
	args := func(head string, ts ...*text.Term) *term {
		u := &term{head: head}
		for _, a := range ts {
			u.args = append(u.args, r.term(a, let))
		}
		return u
	}
	if x, ok := r.sign(t); ok {
		return r.number(x)
	}
	switch t.Op {
	case text.Name:
		if v := let[t.Name]; v != nil {
			return v
		}
		return &term{head: t.Name, variable: r.vars[t.Name]}
	case text.Let:
		inner := map[string]*term{}
		for n, v := range let {
			inner[n] = v
		}
		for i, n := range t.Names {
			inner[n] = r.term(t.Args[i], inner)
		}
		return r.term(t.Args[len(t.Args)-1], inner)
	case text.Neg:
		return r.product(args(atom.Ein.Name, text.NewInt(-1), t.Args[0]))
	case text.Sub:
		return args(atom.Add.Name, t.Args[0], text.NewNeg(t.Args[1]))
	case text.Add:
		return args(atom.Add.Name, t.Args...)
	case text.Mul:
		return r.product(args(atom.Ein.Name, t.Args...))
	case text.Div:
		return r.product(args(atom.Ein.Name, t.Args[0], &text.Term{Op: text.Call, Name: atom.Power.Name, Attrs: []*text.Term{text.NewInt(-1)}, Args: t.Args[1:]}))
	case text.Ein:
		return args(atom.Ein.Name, t.Args...)
	case text.Call:
		u := args(t.Name, t.Args...)
		if t.Name == atom.Power.Name && len(t.Attrs) == 1 {
			u.exponent = t.Attrs[0].String()
			u.level = r.level(t.Attrs[0])
			return u
		}
		for _, a := range t.Attrs {
			u.args = append(u.args, r.term(a, let))
		}
		return u
	}
	return args(fmt.Sprint("op ", t.Op), t.Args...)
}

// product is a product of factors, of which none is the number 1.
func (r reader) product(t *term) *term {
	t.args = slices.DeleteFunc(t.args, func(a *term) bool { return a.one })
	if len(t.args) == 1 {
		return t.args[0]
	}
	return t
}

// level is the denominator and the size of an exponent. Of a multiple of a metavariable of which a condition says that it
// is whole, even or odd, or that a multiple of it is, it has the denominator alone, and of others nothing.
func (r reader) level(exponent *text.Term) (level [2]float64) {
	if c, err := denote.ReadNumber(exponent, nil); err == nil {
		level[0], _ = new(big.Float).SetInt(c.Denom()).Float64()
		level[1], _ = new(big.Rat).Abs(c).Float64()
		return level
	}
	name, c := multiple(exponent)
	for _, w := range r.when {
		if w.Rel != "" || w.Not || name == "" {
			continue
		}
		of, d := multiple(w.Args[0].Args[0])
		if of != name || d.Sign() == 0 {
			continue
		}
		q := new(big.Rat).Quo(c, d) // the exponent is q times a whole number
		switch w.Args[0].Name {
		case "even":
			q.Mul(q, big.NewRat(2, 1))
			if q.IsInt() {
				level[0] = 1
			}
		case "integer":
			if q.IsInt() {
				level[0] = 1
			}
		case "odd":
			if isPowerOfTwo(q.Denom()) {
				level[0], _ = new(big.Float).SetInt(q.Denom()).Float64()
			}
		}
	}
	return level
}

// multiple reads c*r + k for a metavariable r and a whole k, of which only c matters for the denominator; name is empty
// where t is no such term.
func multiple(t *text.Term) (name string, c *big.Rat) {
	number := func(i int) *big.Rat {
		k, err := denote.ReadNumber(t.Args[i], nil)
		if err != nil {
			return nil
		}
		return k
	}
	switch t.Op {
	case text.Name:
		return t.Name, big.NewRat(1, 1)
	case text.Neg:
		name, c = multiple(t.Args[0])
		return name, new(big.Rat).Neg(c)
	case text.Mul:
		if k := number(0); k != nil {
			name, c = multiple(t.Args[1])
			return name, new(big.Rat).Mul(c, k)
		}
	case text.Div:
		if k := number(1); k != nil && k.Sign() != 0 {
			name, c = multiple(t.Args[0])
			return name, new(big.Rat).Quo(c, k)
		}
	case text.Add, text.Sub:
		if k := number(1); k != nil && k.IsInt() {
			return multiple(t.Args[0])
		}
	}
	return "", new(big.Rat)
}

func isPowerOfTwo(n *big.Int) bool { return n.TrailingZeroBits() == uint(n.BitLen()-1) }

func sameTerm(a, b *term) bool {
	return a.head == b.head && a.exponent == b.exponent && len(a.args) == len(b.args) && slices.EqualFunc(a.args, b.args, sameTerm)
}

// An ordering is the recursive path ordering, with what it has found: without, the comparison of nested
// terms takes exponential time.
type ordering map[[2]*term]bool

func (o ordering) greater(s, t *term) bool {
	pair := [2]*term{s, t}
	is, known := o[pair]
	if !known {
		is = o.compare(s, t)
		o[pair] = is
	}
	return is
}

func (o ordering) compare(s, t *term) bool {
	if s.variable {
		return false
	}
	for _, a := range s.args {
		if sameTerm(a, t) || o.greater(a, t) {
			return true
		}
	}
	if t.variable {
		return false
	}
	for _, b := range t.args {
		if !o.greater(s, b) {
			return false
		}
	}
	switch c := slices.Compare(s.rank(), t.rank()); {
	case s.head == atom.Power.Name && t.head == s.head && s.level[0] > 0 && t.level[0] == 0:
		return false // the exponent of t may be any
	case c != 0:
		return c > 0
	case s.head != t.head:
		return false
	case s.head == atom.Ein.Name || s.head == atom.Add.Name:
		return o.greaterMultiset(s.args, t.args)
	}
	for i := range s.args {
		if i >= len(t.args) {
			return true
		}
		if !sameTerm(s.args[i], t.args[i]) {
			return o.greater(s.args[i], t.args[i])
		}
	}
	return false
}

// greaterMultiset: what is common is taken out; each rest of b is below some rest of a.
func (o ordering) greaterMultiset(a, b []*term) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	for i := 0; i < len(a); {
		j := slices.IndexFunc(b, func(t *term) bool { return sameTerm(a[i], t) })
		if j < 0 {
			i++
			continue
		}
		a, b = slices.Delete(a, i, i+1), slices.Delete(b, j, j+1)
	}
	return !slices.ContainsFunc(b, func(t *term) bool { return !slices.ContainsFunc(a, func(s *term) bool { return o.greater(s, t) }) }) && len(a) > 0
}

// Orders by which rules decrease. There is one for each kind of rules: a union of rules that
// decrease by different orders need not come to an end.
const (
	PathOrdering = "the path ordering"
	Weights      = "weights"
)

// Decrease says by which order a rule's right side is below its left one: the path ordering for
// rules on values, the weights of an interpretation for those on closed terms; "" where that order
// does not show it.
func Decrease(r *text.Rule) string {
	if r.OnMaps() {
		if decreasesWeight(r) {
			return Weights
		}
		return ""
	}
	for _, w := range rewrite.Variants(r) {
		for _, numbers := range cases(w.Rule) {
			if !decreases(w.Rule, numbers) {
				return ""
			}
		}
	}
	return PathOrdering
}

// Applied are the rules of a file that simplifiers apply: no lemmas, and two-way rules in the direction in which they
// decrease, if there is one.
func Applied(f *text.File) *text.File {
	out := *f
	out.Rules = nil
	for _, r := range f.Rules {
		back := r.Reversed()
		switch {
		case r.Lemma:
		case !r.Both || Decrease(r) != "":
			out.Rules = append(out.Rules, r)
		case Decrease(back) != "":
			out.Rules = append(out.Rules, back)
		}
	}
	return &out
}

// decreases: the right side is below the left one in the path ordering, for numbers of some signs.
func decreases(r *text.Rule, numbers map[string]sign) bool {
	if r.Left.Op == text.Name && r.Right.Op == text.Num {
		return true // a value that is a number already stays as it is
	}
	vars := map[string]bool{}
	for _, v := range r.Vars {
		vars[v.Name] = v.Type != nil && !(v.Type.Arrow == text.NoArrow && v.Type.Cod.IsNumber())
	}
	side := func(t *text.Term, left bool) *term { return reader{vars, numbers, r.When, left}.term(t, nil) }
	return (ordering{}).greater(side(r.Left, true), side(r.Right, false))
}
