// Package reading chooses between forms of a value that differ in how common factors are taken out of its sums: the one that
// is shortest to read. The normal form takes out the largest common factor first, and never multiplies out; so it may end with
//
//	(A'*diag(u) - A'*u*u')*A    where    A'*(diag(u) - u*u')*A
//
// is shorter. Here the value is multiplied out, and the ways to take factors out again are compared, within limits. What comes
// out equals what went in as a polynomial of its parts: it is one step of a derivation, by distributivity.
package reading

import (
	"cmp"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/syntax/unparse"
)

// Node is a value.
type Node = combinators.Node

const (
	maxOrder    = 4   // of a value that is looked at
	maxLength   = 100 // operands in a value that is looked at
	maxTerms    = 8   // of a value that is multiplied out
	maxCompared = 64  // terms of a difference
	maxTried    = 10  // forms that are written and counted
	maxDivisors = 4   // of a sum, by which it is written over one fraction bar

	maxSteps = 1_000_000 // choices of an operand, on the way to all forms of a value
	perSum   = 200       // steps that a sum takes beside these
)

// Shortest is the cheapest form of n that is found: n itself where none is cheaper. It holds where source is defined, of which n is
// a derivative. No part of it is of a higher order than the parts of n.
func Shortest(source []*Node, n *Node) *Node {
	if n.Order() > maxOrder || length(n) > maxLength {
		return n
	}
	facts := assumptions.New()
	facts.Assume(source...)
	from := joined(n, facts)
	if from == nil || from == n && !slices.ContainsFunc(combinators.Topo(n), func(m *Node) bool { return m.Is(atom.Add) }) {
		return n
	}
	given, err := costOf(n)
	if err != nil {
		return n
	}
	best, least, most := n, given, order(n)
	seen, limit := []*Node{n}, 0
	if n.Order() > 2 {
		limit = -1 // fewer nodes
	}
	candidates := append(forms(from, facts), from)
	whole := len(candidates)
	for _, q := range divisors(from) {
		m := normal.SimplifyWithin(source, over(from, q))[0]
		candidates = append(candidates, m)
		if m = joined(m, facts); m != nil && length(m) <= maxLength {
			candidates = append(candidates, forms(m, facts)...)
		}
	}
	for i, m := range candidates {
		if m = normal.SimplifyWithin(source, m)[0]; slices.Contains(seen, m) {
			continue
		}
		seen = append(seen, m)
		if order(m) > most {
			continue
		}
		if c, err := costOf(m); err == nil && c.nodes-given.nodes <= limit+max(0, given.high-c.high) &&
			(c.all() < least.all() || i >= whole && c.all() == least.all() && c.bars < least.bars) {
			best, least = m, c
		}
	}
	return best
}

// Same reports whether a and b are equal when they are multiplied out, and factors cancel that source says are not 0, but for what
// they are at a zero. It is false where that takes many steps.
func Same(source []*Node, a, b *Node) bool {
	facts := assumptions.New()
	facts.Assume(source...)
	n := a.Store().Sub(a, b)
	if length(n) > 2*maxLength {
		return false
	}
	n = combinators.Rebuild([]*Node{n}, func(m *Node, args []*Node) *Node { return m.With(args).WithGuard(combinators.GuardNone) })[0]
	k := keep(n, keepFractions)
	f := &factoring{store: n.Store(), facts: facts, kept: k, most: maxCompared}
	terms, ok := f.monomials(k.named)
	return ok && len(f.alike(terms)) == 0
}

// A cost is what a form costs its reader.
type cost struct {
	nodes int // of its text but for numbers, in the notation of results and in the Einstein language
	axes  int // of products and, three times, of sums: diag(u .* (1 - u))*A is cheaper than diag(u)*(A - diag(u)*A)
	high  int // axes of intermediates beyond those of a matrix, of the result and of variables

	bars int // of fractions, which count where all else is equal and one was cleared
}

func (c cost) all() int { return c.nodes + c.axes + 4*c.high }

func costOf(n *Node) (c cost, err error) {
	usual, axes := 2, max(2, n.Order())
	for _, m := range combinators.Topo(n) {
		if m.Atom() == atom.Var {
			usual = max(usual, m.Order())
		}
	}
	for _, m := range combinators.Topo(n) {
		if divisor(m) != nil {
			c.bars++
		}
		c.high += max(0, m.Order()-max(usual, n.Order()))
		if m.Is(atom.Add) {
			c.axes += 3 * min(m.Order(), axes)
			if slices.ContainsFunc(m.Args(), rows) {
				c.axes += 2
			}
		}
	}
	for _, m := range combinators.Topo(unparse.Associate([]*Node{n})...) {
		if m.Ein() != nil && len(m.Args()) > 1 && !slices.ContainsFunc(m.Args(), func(a *Node) bool { return a.Is(atom.Const) }) {
			c.axes += min(m.Order(), axes)
		}
	}
	for _, notation := range []unparse.Notation{unparse.Auto, unparse.Einstein} {
		nodes, err := unparse.CountOperations(notation, n)
		if err != nil {
			return c, err
		}
		c.nodes += nodes
	}
	return c, nil
}

// rows reports whether n has equal rows, but not all entries equal, as u' has in A - u'.
func rows(n *Node) bool {
	if n.Ein() == nil || n.Order() < 2 {
		return false
	}
	in, out, plain := n.Ein().IsPlain()
	has := func(v int) bool { return slices.ContainsFunc(in, func(g []int) bool { return slices.Contains(g, v) }) }
	return plain && !has(out[0]) && slices.ContainsFunc(out, has)
}

// forms are the shortest of the forms of n that are found, each once: with all sums multiplied out, and with those kept that
// stand in several places or below a fraction bar.
func forms(n *Node, facts *assumptions.Facts) (out []*Node) {
	numbers, sums := keep(n, keepNumbers), keep(n, keepSums)
	for i, k := range []*kept{numbers, sums} {
		f := &factoring{store: n.Store(), facts: facts, kept: k, known: map[string]*Node{}, most: maxTerms, left: maxSteps, order: order(n)}
		if i > 0 && len(sums.vars) == len(numbers.vars) {
			continue // nothing more is kept
		}
		terms, _ := f.monomials(k.named)
		for _, m := range f.ways(terms) {
			if m = k.back(m); !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Node) int { return cmp.Compare(length(a), length(b)) })
	return out[:min(len(out), maxTried)]
}

// length counts the operands of a value and of its parts, each part once, and axes of sums.
func length(n *Node) (size int) {
	for _, m := range combinators.Topo(n) {
		size += max(1, len(m.Args()), m.Order()-2)
		if m.Is(atom.Add) {
			size += m.Order()
		}
	}
	return size
}

// order is the highest order of what is computed.
func order(n *Node) (most int) {
	for _, m := range combinators.Topo(n) {
		if len(m.Args()) > 0 {
			most = max(most, m.Order())
		}
	}
	return most
}

// joined is n with one guard for all powers of one base, as where common factors are taken out; nil where one may be infinite: it is
// taken for 0 beside a sum that is 0, and not beside its terms.
func joined(n *Node, facts *assumptions.Facts) *Node {
	guards := map[*Node]combinators.Guard{} // by base
	for _, a := range combinators.Topo(n) {
		power := a.Is(atom.Power) && a.Rat().Sign() < 0
		if a.Guard() == combinators.GuardWeak && !(power && facts.Nonzero(a.Arg(0))) {
			return nil
		}
		if power {
			g, known := guards[a.Arg(0)]
			if !known {
				g = a.Guard()
			}
			guards[a.Arg(0)] = normal.JoinGuards(g, a.Guard())
		}
	}
	return combinators.Rebuild([]*Node{n}, func(a *Node, args []*Node) *Node {
		b := a.With(args)
		if a.Is(atom.Power) && a.Rat().Sign() < 0 {
			return b.WithGuard(guards[a.Arg(0)])
		}
		return b
	})[0]
}
