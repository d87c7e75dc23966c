package confluence

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/rewrite/normal"
)

// Count is what was seen of a number of terms.
type Count struct {
	Terms     int
	Different int // terms that have a writing with another normal form
	Again     int // terms whose normal form is simplified further when it is simplified again
	Exhausted int // terms that spent the default budget
	Writings  int
	Failures  []Failure // the first of them, made small

	Claimed int            // terms of which every writing has a normal form that is claimed
	Broken  int            // terms with two normal forms that are claimed
	Beside  int            // terms with two normal forms of which one is claimed
	Doubted []DoubtedTerms // the others, by the reason
}

// String is a line for each kind of count.
func (c Count) String() string {
	s := fmt.Sprintf("%d terms, %d writings: %d different, %d not idempotent, %d exhausted\n", c.Terms, c.Writings, c.Different, c.Again, c.Exhausted)
	s += fmt.Sprintf("claimed: %d, of which %d with two claimed normal forms; %d others have a claimed one and another one\n", c.Claimed, c.Broken, c.Beside-c.Broken)
	for _, d := range c.Doubted {
		s += fmt.Sprintf("not claimed, %s: %d, of which %d different\n", d.Reason, d.Terms, d.Different)
	}
	return s
}

// DoubtedTerms are the terms of which a writing has a normal form that is not claimed for a reason.
type DoubtedTerms struct {
	Reason           normal.Choices
	Terms, Different int
}

// Failure is a term with two normal forms.
type Failure struct {
	Seed         uint64
	Term         *Term
	First, Other string // the normal forms, in the term language
	Pairs        []Pair // of rules, where the difference is one of their order
}

func (f Failure) String() string {
	s := fmt.Sprintf("seed %d\n%s   %s\n   %s\n", f.Seed, f.Term, f.First, f.Other)
	for _, p := range f.Pairs {
		s += fmt.Sprintf("   by the order of %s and %s\n", p.First, p.Other)
	}
	return s
}

// Options says what is counted.
type Options struct {
	Terms    int
	Seed     uint64
	Steps    int  // operations of a term, at most
	Writings int  // of each term, besides the plain one
	Plain    bool // no strides and bounds
	Redexes  bool // half of the operations are left sides of rules
	Rules    bool // the other writings are the plain one, simplified with the rules in other orders
	Show     int  // failures that are made small and kept
	Claims   bool // of these, only terms with two claimed normal forms and those that are not idempotent
}

// Run counts on random terms.
func Run(o Options) Count {
	var c Count
	for i := range o.Terms {
		seed := o.Seed + uint64(i)
		t := Draw(rand.New(rand.NewPCG(seed, 1)), o)
		r := check(t, seed, o)
		c.Terms++
		c.Writings += o.Writings
		if r.exhausted {
			c.Exhausted++
		}
		if r.again {
			c.Again++
		}
		if r.different {
			c.Different++
		}
		c.claims(r)
		if (r.again || r.broken || r.different && !o.Claims) && len(c.Failures) < o.Show {
			c.Failures = append(c.Failures, failure(t, seed, o, r))
		}
	}
	return c
}

// claims counts what is claimed of a term.
func (c *Count) claims(r result) {
	if r.broken {
		c.Broken++
	}
	if r.different && r.claimed {
		c.Beside++
	}
	if r.choices == 0 {
		c.Claimed++
	}
	for _, d := range r.choices.Each() {
		i := slices.IndexFunc(c.Doubted, func(x DoubtedTerms) bool { return x.Reason == d })
		if i < 0 {
			i, c.Doubted = len(c.Doubted), append(c.Doubted, DoubtedTerms{Reason: d})
		}
		if c.Doubted[i].Terms++; r.different {
			c.Doubted[i].Different++
		}
	}
}

type result struct {
	different, again, exhausted bool
	broken                      bool // two normal forms are claimed
	claimed                     bool // one is
	choices                     normal.Choices
	first, other                *Node
}

// check simplifies a term and other writings of it.
func check(t *Term, seed uint64, o Options) (r result) {
	forms := NewForms()
	var made normal.Choices // of what was simplified last
	simplified := func(n *Node, order int) *Node {
		z := normal.NewBy(n.Store(), nil, inOrder(order))
		m := z.Simplify(n)[0]
		r.exhausted = r.exhausted || z.Exhausted()
		made = choices(z, m)
		r.choices |= made
		return m
	}
	n := simplified(t.Build(combinators.NewStore(), nil), 0)
	var claimed *Node
	if r.first = forms.Of(n); made == 0 {
		claimed = r.first
	}
	again := simplified(n, 0)
	r.other = forms.Of(again)
	if r.again = again != n; r.again {
		return r
	}
	for v := range o.Writings {
		source, order := rand.New(rand.NewPCG(seed, uint64(v)+2)), 0
		if o.Rules {
			source, order = nil, 1+(int(seed)+v)%(orders-1)
		}
		m := simplified(t.Build(combinators.NewStore(), source), order)
		f := forms.Of(m)
		if f != r.first && !r.different {
			r.different, r.other = true, f
		}
		if made == 0 {
			r.broken = r.broken || claimed != nil && claimed != f
			claimed = f
		}
	}
	r.claimed = claimed != nil
	return r
}

// shrink makes a failing term small: parts are put in the place of the whole, variables in
// the place of parts, and operands are left out, as long as it still fails.
func shrink(t *Term, fails func(*Term) bool) *Term {
	for again := true; again; {
		again = false
		for _, u := range smaller(t) {
			if fails(u) {
				t, again = u, true
				break
			}
		}
	}
	return t
}

// failure is a term that fails, made small while it fails in the same way.
func failure(t *Term, seed uint64, o Options, r result) Failure {
	o.Writings = max(o.Writings, 30)
	t = shrink(t, func(u *Term) bool {
		s := check(u, seed, o)
		ok := s.again && r.again || s.different && r.different && s.broken == r.broken
		if ok {
			r = s
		}
		return ok
	})
	f := Failure{Seed: seed, Term: t, First: show(r.first), Other: show(r.other)}
	if o.Rules && r.different {
		f.Pairs = pairs(t, ruleLines())
	}
	return f
}

func show(n *Node) string {
	if n == nil {
		return "?"
	}
	return text.Printer{}.Print(text.Value(n))
}

// smaller lists terms that are simpler than t.
func smaller(t *Term) []*Term {
	var out []*Term
	all := t.Topo()
	for _, u := range all {
		if u != t {
			out = append(out, u)
		}
	}
	for _, u := range all {
		if u.Op != Variable {
			for _, v := range all {
				if v.Op == Variable && fmt.Sprint(v.Shape) == fmt.Sprint(u.Shape) {
					out = append(out, t.replace(u, v))
				}
			}
			for _, v := range u.Args {
				if v.Op != Variable && fmt.Sprint(v.Shape) == fmt.Sprint(u.Shape) {
					out = append(out, t.replace(u, v))
				}
			}
			out = append(out, t.replace(u, &Term{Op: Variable, Name: fmt.Sprintf("v%d", len(all)), Shape: u.Shape}))
		}
		if len(u.Args) > 1 && (u.Op == Sum || u.Op == Product) {
			for k := range u.Args {
				out = append(out, t.replace(u, u.without(k)))
			}
		}
		if u.Op == Product && u.Coef.Cmp(ratio(1, 1)) != 0 {
			v := *u
			v.Coef = ratio(1, 1)
			out = append(out, t.replace(u, &v))
		}
		if u.Op == Sum {
			for k, c := range u.Coefs {
				if c.Cmp(ratio(1, 1)) != 0 {
					v := *u
					v.Coefs = append([]*big.Rat{}, u.Coefs...)
					v.Coefs[k] = ratio(1, 1)
					out = append(out, t.replace(u, &v))
				}
			}
		}
	}
	return out
}

// Allowed is how many of n random terms may have two normal forms: the share measured in
// docs/confluence.md, and three standard deviations more.
func Allowed(n int, plain bool) int {
	mean := 0.0091 * float64(n)
	if !plain {
		mean = 0.0173 * float64(n)
	}
	return int(mean + 3*math.Sqrt(mean))
}
