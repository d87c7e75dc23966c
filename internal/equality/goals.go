package equality

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/rewrite/proof"
	"frechet/rewrite/search"
)

// byNormalForms compares the normal forms of the sides' difference and, where the right side is not 0, of their quotient.
func (a *attempt) byNormalForms() bool {
	l, r, s := a.left, a.right, a.q.Program.Store
	a.add(proof.KindLeft, l, r)
	a.add(proof.KindDifference, s.Sub(l, r), s.Zero(l.Shape()))
	if a.facts.Nonzero(r) {
		a.add(proof.KindQuotient, s.Mul(l, s.Recip(r)), s.Ones(l.Shape()))
	}
	for _, g := range a.goals {
		a.graph.Normal(g.A)
		a.graph.Normal(g.B)
		if a.graph.Equal(g.A, g.B) {
			return a.reached(g) || a.again(0)
		}
	}
	return false
}

func (a *attempt) add(kind proof.Kind, l, r *combinators.Node) {
	a.graph.Add(l)
	a.graph.Add(r)
	a.goals = append(a.goals, goal{Goal: search.Goal{A: l, B: r}, kind: kind})
}

// soon is how many terms are looked at before the difference is multiplied.
const soon = 300

// maxMultipliers bounds the ways in which the difference is multiplied.
const maxMultipliers = 16

// search goes on with the difference times what it is divided by: matrices and numbers whose inverses stand in the sides,
// which so are invertible.
func (a *attempt) search() (found bool, limit string) {
	if a.run(soon) {
		return true, ""
	}
	a.multiply()
	if a.run(a.limit) {
		return true, ""
	}
	if a.graph.Len() > a.limit {
		limit = fmt.Sprintf("the search has come to %d terms; --limit-search raises the limit", a.limit)
	}
	return false, limit
}

// run searches until a goal is reached, or there are so many terms.
func (a *attempt) run(terms int) bool {
	var goals []search.Goal
	for _, g := range a.goals {
		goals = append(goals, g.Goal)
	}
	i := a.graph.Run(min(terms, a.limit), goals...)
	return i >= 0 && (a.reached(a.goals[i]) || a.again(terms))
}

// again is the search from the sides as they are now.
func (a *attempt) again(terms int) bool {
	a.start()
	return a.byNormalForms() || a.run(terms)
}

// multiply adds goals: the difference times divisors is 0.
func (a *attempt) multiply() {
	s := a.q.Program.Store
	difference := a.goals[1].A
	zero := func(n *combinators.Node) *combinators.Node { return s.Zero(n.Shape()) }
	products := [][]factor{{{nil, difference, a.graph.Normal(difference)}}}
	for _, m := range a.divisors() {
		for _, q := range slices.Clone(products) {
			d := q[len(q)-1].product
			for _, p := range m.times(d) {
				if len(products) > maxMultipliers || slices.ContainsFunc(products, func(q []factor) bool { return q[len(q)-1].product == p }) {
					continue
				}
				a.add(proof.KindProduct, p, zero(p))
				made := append(slices.Clip(q), factor{m.by, p, a.graph.Spread(p, slices.Index(p.Args(), d), q[len(q)-1].sum)})
				products = append(products, made)
				a.goals[len(a.goals)-1].factors = made[1:]
			}
		}
	}
}

func (a *attempt) String() string {
	names := fmt.Sprintf("%d terms that equal the sides or their difference", a.graph.Len())
	if slices.ContainsFunc(a.goals, func(g goal) bool { return g.kind == proof.KindProduct }) {
		names += ", and that times what it is divided by"
	}
	return names
}

// A divisor is a matrix whose inverse stands in a side, or what a negative power is of.
type divisor struct {
	by     *combinators.Node
	matrix bool
}

func (a *attempt) divisors() (out []divisor) {
	for _, n := range combinators.Topo(a.left, a.right) {
		switch {
		case n.Is(atom.Inv), n.Is(atom.Solve):
			out = append(out, divisor{n.Arg(0), true})
		case n.Is(atom.Power) && n.Rat().Sign() < 0:
			out = append(out, divisor{n.Store().Power(n.Arg(0), new(big.Rat).Neg(n.Rat())), false})
		}
	}
	slices.Reverse(out) // outer ones first
	return out
}

// times are the products with d that are defined.
func (m divisor) times(d *combinators.Node) (out []*combinators.Node) {
	s, sh, order := d.Store(), m.by.Shape(), d.Order()
	if !m.matrix {
		switch {
		case len(sh) == 0:
			out = append(out, s.Mul(s.Broadcast(m.by, d.Shape()), d))
		case slices.Equal(sh, d.Shape()):
			out = append(out, s.Mul(m.by, d))
		}
		return out
	}
	if len(sh) != 2 || order > 2 {
		return nil
	}
	if order > 0 && d.Shape()[0] == sh[1] {
		out = append(out, s.Einsum([]string{"ij,j->i", "ij,jk->ik"}[order-1], m.by, d))
	}
	if order == 2 && d.Shape()[1] == sh[0] {
		out = append(out, s.Einsum("jk,ij->ik", m.by, d))
	}
	return out
}
