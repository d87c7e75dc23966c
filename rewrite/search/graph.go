package search

import (
	"container/heap"
	"slices"

	"frechet/combinators"
	"frechet/internal/lists"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// Node is a value.
type Node = combinators.Node

// growth is how much costlier than the terms at the start a term may be.
const growth = 40

// Options of a graph.
type Options struct {
	Facts *assumptions.Facts // what holds where the terms have values; nil is what their form says
	// Rules are applied from left to right, and those of back, which are [rewrite.Reversed], too. They are asked for when a
	// term is expanded.
	Rules func() (forth, back []*rewrite.Rules)
	// Algebra brings terms to normal form; nil is the program's own.
	Algebra *rewrite.Rules
	// Cost orders terms: the cheapest are expanded first. It is nil for [Size].
	Cost func(*Node) int
	// Progress, where it is not nil, is told how many terms there are, now and then.
	Progress func(terms, limit int)
}

// A Graph is terms in classes of equal ones.
type Graph struct {
	o       Options
	normal  map[*Node]*Node // the normal forms that are known
	parent  map[*Node]*Node
	members map[*Node][]*Node // the cheapest of each class, by the term that stands for it
	uses    map[*Node][]*Node // terms with an operand in the class
	canon   map[*Node]*Node   // a term for each with operands that stand for their classes
	edges   map[*Node][]edge  // the forest of what made classes one
	queue   queue
	costs   map[*Node]int
	depth   map[*Node]int // how many steps of the search led to a term
	deep    int           // that of the terms that are being added
	ceiling int           // the cost of the costliest terms that are looked at
	most    int           // terms
}

// An edge says why two terms are equal: by steps from one to the other, or since their operands are.
type edge struct {
	to    *Node
	steps []normal.Step // from the term at which the edge is kept, where forth; else towards it
	forth bool
	parts [][2]*Node // operands that are equal, of both terms
}

// New makes a graph without terms.
func New(o Options) *Graph {
	if o.Cost == nil {
		o.Cost = Size
	}
	if o.Facts == nil {
		o.Facts = assumptions.New()
	}
	if o.Rules == nil {
		o.Rules = func() (forth, back []*rewrite.Rules) { return nil, nil }
	}
	return &Graph{o: o, normal: map[*Node]*Node{}, parent: map[*Node]*Node{}, members: map[*Node][]*Node{},
		uses: map[*Node][]*Node{}, canon: map[*Node]*Node{}, edges: map[*Node][]edge{}, costs: map[*Node]int{}, depth: map[*Node]int{}}
}

// Size counts the operands of a term and of all its parts, each part once.
func Size(n *Node) (size int) {
	for _, m := range combinators.Topo(n) {
		size += 1 + len(m.Args())
	}
	return size
}

func (g *Graph) cost(n *Node) int {
	c, ok := g.costs[n]
	if !ok {
		c = g.o.Cost(n)
		g.costs[n] = c
	}
	return c
}

// Add puts a term and its parts into the graph, to be expanded.
func (g *Graph) Add(n *Node) {
	g.ceiling = max(g.ceiling, g.cost(n)+growth)
	g.add(n)
}

// add is false where the term is too costly.
func (g *Graph) add(n *Node) bool {
	if g.parent[n] != nil {
		return true
	}
	if g.cost(n) > g.ceiling {
		return false
	}
	for _, m := range combinators.Topo(n) {
		if g.parent[m] != nil {
			continue
		}
		g.parent[m], g.members[m] = m, []*Node{m}
		for i, a := range m.Args() {
			if r := g.class(a); !slices.Contains(m.Args()[:i], a) {
				g.uses[r] = append(g.uses[r], m)
			}
		}
		g.depth[m] = g.deep
		heap.Push(&g.queue, entry{m, g.cost(m) + stepCost*g.deep, len(g.parent)})
		g.congruent(m)
	}
	return true
}

// class is the term that stands for the class of n.
func (g *Graph) class(n *Node) *Node {
	for g.parent[n] != n {
		g.parent[n] = g.parent[g.parent[n]]
		n = g.parent[n]
	}
	return n
}

// Equal reports whether two terms of the graph are in one class.
func (g *Graph) Equal(a, b *Node) bool { return g.class(a) == g.class(b) }

// made makes the classes of a and b one, by steps from a to b.
func (g *Graph) made(a, b *Node, steps ...normal.Step) {
	if !g.Equal(a, b) {
		g.union(edge{to: b, steps: steps, forth: true}, edge{to: a, steps: steps})
	}
}

// alike makes the classes of two terms of one operation one, whose operands are in the same classes.
func (g *Graph) alike(a, b *Node) {
	if g.Equal(a, b) || len(a.Args()) != len(b.Args()) {
		return
	}
	left := slices.Clone(b.Args()) // the store has put operands in an order of its own
	var there, back [][2]*Node
	pair := func(x *Node, equal func(y *Node) bool) bool {
		k := slices.IndexFunc(left, func(y *Node) bool { return y != nil && equal(y) })
		if k < 0 {
			return false
		}
		if y := left[k]; x != y {
			there, back = append(there, [2]*Node{x, y}), append(back, [2]*Node{y, x})
		}
		left[k] = nil
		return true
	}
	for _, x := range a.Args() {
		if !pair(x, func(y *Node) bool { return x == y }) && !pair(x, func(y *Node) bool { return g.Equal(x, y) }) {
			return // the constructor has made something else of the operands
		}
	}
	g.union(edge{to: b, forth: true, parts: there}, edge{to: a, parts: back})
}

// union makes the classes of two terms one, with an edge from each to the other.
func (g *Graph) union(there, back edge) {
	a, b := back.to, there.to
	ra, rb := g.class(a), g.class(b)
	g.edges[a], g.edges[b] = append(g.edges[a], there), append(g.edges[b], back)
	if len(g.uses[ra]) > len(g.uses[rb]) {
		ra, rb = rb, ra
	}
	g.parent[ra] = rb
	g.members[rb] = g.cheapest(append(g.members[rb], g.members[ra]...))
	used := g.uses[ra]
	g.uses[rb] = append(g.uses[rb], used...)
	delete(g.members, ra)
	delete(g.uses, ra)
	for _, p := range used {
		g.congruent(p)
	}
}

// congruent makes p equal to a term of its operation whose operands are in the same classes.
func (g *Graph) congruent(p *Node) {
	if len(p.Args()) == 0 {
		return
	}
	args := lists.Map(p.Args(), g.class)
	c := p.With(args)
	if q := g.canon[c]; q != nil {
		g.alike(p, q)
		return
	}
	g.canon[c] = p
}

// stepCost is what a step of the search adds to the cost of the terms to which it leads.
const stepCost = 3

// A queue has the terms that wait to be expanded, the cheapest first, and of equally cheap ones the first that came.
type queue []entry

type entry struct {
	n          *Node
	cost, come int
}

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].come < q[j].come
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(entry)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

// Len counts the terms.
func (g *Graph) Len() int { return len(g.parent) }
