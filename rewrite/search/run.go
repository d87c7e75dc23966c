package search

import (
	"cmp"
	"container/heap"
	"slices"

	"frechet/combinators/atom"
	"frechet/rewrite"
	"frechet/rewrite/normal"
)

const (
	maxMatches = 64 // in which the rules of one file match one term
	maxMembers = 6  // of a class, the cheapest ones, that take the places of one another
)

// A Goal is two terms that are to be found equal.
type Goal struct{ A, B *Node }

// Normal puts the normal form of n into the graph, in the class of n, and returns it.
func (g *Graph) Normal(n *Node) *Node {
	return g.form(n, false, true) // flat forms may hide that a value is a sum of squares
}

// flat is Normal where no step waits for signs.
func (g *Graph) flat(n *Node) *Node { return g.form(n, true) }

// form is the normal form of n, after one that flattens what is shared or not, in turn.
func (g *Graph) form(n *Node, flatten ...bool) *Node {
	if m := g.normal[n]; m != nil {
		return m
	}
	var steps []normal.Step
	m := n
	for _, flat := range flatten {
		z := normal.NewBy(n.Store(), g.o.Facts, g.o.Algebra) // one that knows no terms tells of all steps
		z.Flatten = flat
		z.Trace = func(t normal.Step) { steps = append(steps, t) }
		m = z.Simplify(m)[0]
	}
	if m != n && g.add(m) {
		g.made(n, m, steps...)
	}
	g.normal[n] = m
	return m
}

// Run expands terms until a goal is reached, and returns its number. It is -1 where there are more than so many terms, or
// nothing is left to expand.
func (g *Graph) Run(terms int, goals ...Goal) (goal int) {
	for _, q := range goals {
		g.Add(q.A)
		g.Add(q.B)
	}
	g.most = terms
	reached := func() int {
		return slices.IndexFunc(goals, func(q Goal) bool { return g.Equal(q.A, q.B) })
	}
	for {
		if i := reached(); i >= 0 {
			return i
		}
		if len(g.parent) > terms || len(g.queue) == 0 {
			return -1
		}
		g.expand(heap.Pop(&g.queue).(entry).n)
		if g.o.Progress != nil {
			g.o.Progress(len(g.parent), terms)
		}
	}
}

// expand adds what equals a term by one step.
func (g *Graph) expand(n *Node) {
	g.deep = g.depth[n]
	value := n.Atom() == atom.Var || n.Atom() == atom.Const
	if !value {
		g.flat(n)
	}
	forth, back := g.o.Rules()
	for _, rs := range forth {
		g.apply(rs, n, false)
	}
	for _, rs := range back {
		g.apply(rs, n, true)
	}
	if value {
		g.upwards(n)
		return
	}
	g.deep = g.depth[n]
	if e := g.expanded(n); e != nil {
		g.flat(e)
	}
	for i, a := range n.Args() {
		for _, m := range slices.Clone(g.members[g.class(a)]) {
			if m != a {
				g.replaced(n, i, m)
			}
		}
	}
	g.upwards(n)
}

// apply adds what rules make of n at its top.
func (g *Graph) apply(rs *rewrite.Rules, n *Node, back bool) {
	left := maxMatches
	g.deep = g.depth[n] + 1
	if back {
		g.deep++
	}
	rs.Each(n, g.o.Facts, func(f rewrite.Firing) bool {
		if g.add(f.After) {
			g.made(n, f.After, normal.Step{Rule: f.Rule.Name, Before: n, After: f.After, Firing: &f})
			g.flat(f.After)
		}
		left--
		return left > 0
	})
}

// cheapest are the cheapest of some terms, as many as take the places of one another.
func (g *Graph) cheapest(all []*Node) []*Node {
	slices.SortStableFunc(all, func(a, b *Node) int { return cmp.Compare(g.cost(a), g.cost(b)) })
	return all[:min(len(all), maxMembers)]
}

// upwards puts n into the place of other terms of its class in the terms that use these.
func (g *Graph) upwards(n *Node) {
	if !slices.Contains(g.members[g.class(n)], n) {
		return
	}
	for _, p := range slices.Clone(g.uses[g.class(n)]) {
		for i, a := range p.Args() {
			if a != n && g.Equal(a, n) {
				g.replaced(p, i, n)
			}
		}
	}
}

// replaced adds p with another term for its operand i, of the same class.
func (g *Graph) replaced(p *Node, i int, n *Node) {
	if len(g.parent) > g.most {
		return
	}
	args := slices.Clone(p.Args())
	args[i] = n
	g.deep = max(g.depth[p], g.depth[n])
	if q := p.With(args); g.add(q) {
		g.alike(p, q)
	}
}

// Spread multiplies a contraction out by its operand k alone, read as sum, which is known to equal it. It puts the sum of
// the normal forms of its terms into the graph, and returns it.
func (g *Graph) Spread(n *Node, k int, sum *Node) *Node {
	with := func(a *Node) *Node {
		args := slices.Clone(n.Args())
		args[k] = a
		return n.With(args)
	}
	whole := with(sum)
	g.Add(whole)
	g.alike(n, whole)
	var spread, short *Node
	for _, a := range addends(sum) {
		term := with(a)
		g.Add(term)
		if small := g.shortest(term); short == nil {
			spread, short = term, small
		} else {
			spread, short = n.Store().Add(spread, term), n.Store().Add(short, small)
		}
	}
	g.Add(spread)
	g.Add(short)
	if spread != whole {
		g.made(whole, spread, normal.Step{Rule: normal.Distribute, Before: whole, After: spread})
	}
	g.flat(short)
	return short
}

// shortest is the normal form of n, or that of n multiplied out where that is cheaper.
func (g *Graph) shortest(n *Node) *Node {
	m := g.flat(n)
	if e := g.expanded(m); e != nil {
		if e = g.flat(e); g.cost(e) < g.cost(m) {
			return e
		}
	}
	return m
}

// expanded adds what n is when it is multiplied out; nil where it has no products of sums.
func (g *Graph) expanded(n *Node) *Node {
	e := normal.Expanded(n, true, true)
	if e == nil || !g.add(e) {
		return nil
	}
	g.made(n, e, normal.Step{Rule: normal.Distribute, Before: n, After: e})
	return e
}

// addends are those of n, n alone where it is no sum.
func addends(n *Node) (out []*Node) {
	waiting := []*Node{n}
	for len(waiting) > 0 {
		a := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if a.Is(atom.Add) {
			waiting = append(waiting, a.Args()...)
		} else {
			out = append(out, a)
		}
	}
	return out
}
