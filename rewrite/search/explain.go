package search

import (
	"slices"

	"frechet/rewrite/normal"
)

// A Proof is two calculations that meet: from one term on, and from another one on, to Meet. A step rewrites its left side
// wherever that stands, and terms whose parts are equal are equal.
type Proof struct {
	Left, Right []normal.Step
	Meet        *Node
}

// Explain is how two terms of one class are equal. Steps that were found from the right are made from there, as far as
// they are the last ones; others are read backwards.
func (g *Graph) Explain(a, b *Node) Proof {
	e := &explanation{g: g}
	at := []*Node{a} // the terms on the way,
	ends := []int{0} // how many steps lead to each,
	back := []bool{} // and whether they are all read backwards
	for _, x := range e.way(a, b) {
		e.edge(at[len(at)-1], x)
		back = append(back, !slices.ContainsFunc(e.steps[ends[len(ends)-1]:], func(r reading) bool { return !r.back }))
		at, ends = append(at, x.to), append(ends, len(e.steps))
	}
	last := len(back)
	for last > 0 && back[last-1] {
		last--
	}
	p := Proof{Meet: at[last]}
	for _, r := range e.steps[:ends[last]] {
		p.Left = append(p.Left, r.step())
	}
	for _, r := range slices.Backward(e.steps[ends[last]:]) {
		p.Right = append(p.Right, r.Step)
	}
	return p
}

// Path is the proof as one calculation: the steps of the right one are read backwards.
func (p Proof) Path() []normal.Step {
	out := slices.Clone(p.Left)
	for _, t := range slices.Backward(p.Right) {
		out = append(out, Backwards(t))
	}
	return out
}

type explanation struct {
	g     *Graph
	steps []reading
	pass  int
}

// A reading is a step as it was found, which may be read backwards.
type reading struct {
	normal.Step
	back bool
}

func (r reading) step() normal.Step {
	if r.back {
		return Backwards(r.Step)
	}
	return r.Step
}

// way is the edges from a to b.
func (e *explanation) way(a, b *Node) (way []edge) {
	from := map[*Node]edge{}
	at := map[*Node]*Node{a: a}
	queue := []*Node{a}
	for i := 0; i < len(queue) && at[b] == nil; i++ {
		for _, x := range e.g.edges[queue[i]] {
			if at[x.to] == nil {
				at[x.to], from[x.to] = queue[i], x
				queue = append(queue, x.to)
			}
		}
	}
	for n := b; n != a; n = at[n] {
		way = append(way, from[n])
	}
	slices.Reverse(way)
	return way
}

// edge adds the steps of an edge from a.
func (e *explanation) edge(a *Node, x edge) {
	for _, p := range x.parts {
		for last, y := p[0], e.way(p[0], p[1]); len(y) > 0; y = y[1:] {
			e.edge(last, y[0])
			last = y[0].to
		}
	}
	e.pass += passes
	from := len(e.steps)
	for _, t := range x.steps {
		t.Pass += e.pass
		e.steps = append(e.steps, reading{t, !x.forth})
	}
	if !x.forth {
		slices.Reverse(e.steps[from:])
	}
}

// passes is more than the passes of a normal form.
const passes = 1_000

// Backwards is a step read from its end.
func Backwards(t normal.Step) normal.Step {
	t.Before, t.After, t.Operands = t.After, t.Before, nil
	if t.Firing != nil {
		f := *t.Firing
		f.Before, f.After, f.Rule = f.After, f.Before, f.Rule.Reversed()
		t.Firing = &f
	}
	return t
}
