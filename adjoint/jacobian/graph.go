package jacobian

import (
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A graph is a linear map from one tangent to one output as a graph of linear steps: the
// edges of a linear block that lie on paths from the one to the other. The map is the sum over
// all paths of the product of their edges.
//
// It is reduced before a plan is made: parallel edges that differ in a coefficient only are
// one edge, and a vertex is eliminated where its edges can be multiplied through without
// their number growing. So the graph only ever shrinks, and what is left of chains, of
// element-wise forks, and of products is a single contraction.
type graph struct {
	s      *combinators.Store
	rules  *adjoint.Calculus
	size   func(size.Size) float64
	vertex []*vertex        // in topological order; the first is the source, the last the sink
	steps  int              // vertices before anything was reduced
	merged bool             // some parallel edges were
	whole  bool             // no steps are joined, and no sums taken apart
	parts  []*Node          // entries of the parts of sums, and of their factors, as they were built
	sums   int              // how many sums the entries that are being built are in
	costs  map[step]float64 // of edges, see cost
}

// A vertex is a value that is linear in the tangent.
type vertex struct {
	node    *Node // of the linear block
	shape   []size.Size
	entries float64
	in, out []*edge
	at      int  // place in the topological order
	dead    bool // eliminated
}

// An edge is one linear step. It is a contraction with args as operands except for the hole,
// or else a linear atom that is no contraction, which stops fusion.
type edge struct {
	from, to *vertex
	c        *einsum.Contraction
	hole     int
	args     []*Node // args[hole] is nil
	atom     *Node   // linear in its argument hole; nil for contractions
}

// newGraph finds the steps between the tangent dx and the output y of a linear block; it is
// nil where y does not depend on dx.
func newGraph(rules *adjoint.Calculus, y, dx *Node, number func(size.Size) float64) *graph {
	order := combinators.Topo(y)
	dep := combinators.Dependents(order, []*Node{dx})
	if !dep.Get(y) {
		return nil
	}
	g := &graph{s: y.Store(), rules: rules, size: number, costs: map[step]float64{}}
	at := map[*Node]*vertex{}
	for _, n := range order {
		if !dep.Get(n) {
			continue
		}
		v := &vertex{node: n, shape: n.Shape(), entries: 1, at: len(g.vertex)}
		for _, d := range n.Shape() {
			v.entries *= number(d)
		}
		at[n] = v
		g.vertex = append(g.vertex, v)
		for k, a := range n.Args() {
			if dep.Get(a) {
				e := newEdge(n, k)
				e.from, e.to = at[a], v
				e.link()
			}
		}
	}
	g.steps = len(g.vertex)
	return g
}

// newEdge is the step n in its argument k.
func newEdge(n *Node, k int) *edge {
	switch n.Atom().Class {
	case atom.ClassSum:
		all := einsum.UpTo(n.Order())
		return &edge{c: n.Store().Plain([][]int{all}, all, n.Shape()), args: []*Node{nil}}
	case atom.ClassContraction:
		args := slices.Clone(n.Args())
		args[k] = nil
		return &edge{c: n.Ein(), hole: k, args: args}
	}
	return &edge{atom: n, hole: k}
}

func (g *graph) source() *vertex { return g.vertex[0] }
func (g *graph) sink() *vertex   { return g.vertex[len(g.vertex)-1] }

func (e *edge) link() {
	e.from.out = append(e.from.out, e)
	e.to.in = append(e.to.in, e)
}

func (e *edge) unlink() {
	drop := func(es []*edge) []*edge {
		i := slices.Index(es, e)
		return slices.Delete(es, i, i+1)
	}
	e.from.out, e.to.in = drop(e.from.out), drop(e.to.in)
}

// of is the step at v.
func (e *edge) of(v *Node) *Node {
	args := e.args
	if e.atom != nil {
		args = e.atom.Args()
	}
	args = slices.Clone(args)
	args[e.hole] = v
	if e.atom != nil {
		return e.atom.With(args)
	}
	return v.Store().Ein(e.c, args...)
}

// letters gives the index variables of the hole, of the output, and of the operands; ok is
// false where the edge is no plain contraction.
func (e *edge) letters() (in [][]int, out []int, ok bool) {
	if e.atom != nil {
		return nil, nil, false
	}
	return e.c.IsPlain()
}

// diagonal reports whether the edge multiplies every entry by a coefficient, and permutes the
// axes: out[p(i)] = c[i] * in[i].
func (e *edge) diagonal() bool {
	in, out, ok := e.letters()
	if !ok || len(out) != len(in[e.hole]) || len(e.c.Vars) != len(out) || !einsum.Distinct(out) {
		return false
	}
	return einsum.Distinct(in[e.hole]) // and so a permutation of out, as there are no other variables
}
