// Package order finds the order in which a product of tensors is multiplied out, two
// operands at a time.
//
// A network is the product of operands along index variables, summed over those that the
// result does not have:
//
//	out[O] = sum over the other variables of in1[I1] * ... * inn[In]
//
// A step multiplies two operands, or results of earlier steps, and sums over every variable
// that neither the result nor another operand has. It costs one multiplication for every
// point of the variables of the two. What one operand alone sums over is summed before the
// first step, which costs none. A variable may stand in any number of operands (a hyperedge),
// several times in one (its diagonal), in the result only (a broadcast), or in an operand and
// the result only (an axis that is carried along).
//
// The order that Find gives has the fewest multiplications, and among those the fewest
// numbers written: exactly, by dynamic programming over subsets, for up to MaxExact operands; of
// chains of matrices, with vectors on their diagonals, by dynamic programming over intervals;
// beyond, it is the best of several greedy runs and of orders along sequences of neighbours, each
// improved by exact search on parts of its tree; of a network with more than MaxClasses variables,
// the better of two greedy runs. It depends on nothing but the network.
//
// The package knows index lists and sizes, and no operands.
package order

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A Network is a product of operands, in index lists. Variables are numbers from 0.
type Network struct {
	In   [][]int // the variables of every operand
	Out  []int   // the variables of the result
	Size []int   // by variable
}

// A Pair is a step: it multiplies A and B, which are numbers of operands, or of results of
// earlier steps, counted on from the operands.
type Pair struct{ A, B int }

// An Order says how a network is multiplied out. A network of one operand or none has no steps.
type Order struct {
	Pairs   []Pair
	Mults   float64 // multiplications of all steps
	Entries float64 // numbers that all steps write
	Exact   bool    // no order has fewer multiplications
}

// MaxExact is the largest number of operands for which the order is exact. The search takes
// time 3^n, and memory 2^n times 80 bytes.
const MaxExact = 12

// MaxClasses is the largest number of variables, where those count once that the same
// operands have, that are searched.
const MaxClasses = 64 * words

// Find gives the order with the fewest multiplications.
func Find(n Network) Order { return find(n, false) }

func find(n Network, few bool) Order {
	k := len(n.In)
	if k < 2 {
		return Order{Exact: true}
	}
	if k == 2 { // by far the most frequent
		return n.order([]Pair{{0, 1}}, true)
	}
	if k > smallChain {
		if pairs, ok := n.matrices(); ok {
			return n.order(pairs, true)
		}
	}
	g, ok := newGraph(n)
	if !ok {
		return n.long()
	}
	var t *tree
	chains := false
	if k > MaxExact {
		t, chains = g.chain()
	}
	if k > MaxExact {
		t = g.search(t, few || chains)
	} else {
		t = g.greedy(greedyChoice{alpha: 1})
		if e, ok := g.exact(g.ops, g.keep, g.cost(t)); ok {
			t = e.tree(upTo(k))
		}
	}
	c := g.cost(t)
	return Order{t.pairs(), c.mults, c.entries, k <= MaxExact}
}

// order is the order of pairs.
func (n Network) order(pairs []Pair, exact bool) Order {
	c := cost{}
	for _, s := range n.Steps(pairs) {
		c = c.plus(cost{n.points(s.Loop), n.points(s.Out)})
	}
	return Order{pairs, c.mults, c.entries, exact}
}

// A Step is a pair with what it does: the variables it runs over, and those of its result.
type Step struct {
	Pair
	Loop, Out []int
}

// Steps lists the steps of an order with their variables, in increasing order.
func (n Network) Steps(pairs []Pair) []Step {
	holders := make([]int, len(n.Size)) // how many operands that are left, or the result, have a variable
	for _, v := range unique(n.Out) {
		holders[v]++
	}
	live := make([][]int, len(n.In), len(n.In)+len(pairs))
	for i, g := range n.In {
		live[i] = unique(g)
		for _, v := range live[i] {
			holders[v]++
		}
	}
	for i, g := range live { // what one operand alone has is summed
		live[i] = slices.DeleteFunc(g, func(v int) bool { return holders[v] == 1 })
	}
	steps := make([]Step, len(pairs))
	for i, p := range pairs {
		loop := unique(slices.Concat(live[p.A], live[p.B]))
		for _, g := range [][]int{live[p.A], live[p.B]} {
			for _, v := range g {
				holders[v]--
			}
		}
		out := slices.DeleteFunc(slices.Clone(loop), func(v int) bool { return holders[v] == 0 })
		for _, v := range out {
			holders[v]++
		}
		live = append(live, out)
		steps[i] = Step{p, loop, out}
	}
	return steps
}

// Summed lists the variables that an operand sums before the first step: no other operand
// has them, nor has the result.
func (n Network) Summed(operand int) []int {
	return slices.DeleteFunc(unique(n.In[operand]), func(v int) bool {
		for k, g := range n.In {
			if k != operand && slices.Contains(g, v) {
				return true
			}
		}
		return slices.Contains(n.Out, v)
	})
}

func (n Network) points(vars []int) float64 {
	return pointsOf(vars, func(v int) int { return n.Size[v] })
}

// pointsOf is the number of points of variables, at most the largest finite number.
func pointsOf(vars []int, size func(v int) int) float64 {
	p := 1.0
	for _, v := range vars {
		p = min(p*float64(size(v)), math.MaxFloat64)
	}
	return p
}

func unique(g []int) []int {
	g = slices.Clone(g)
	slices.Sort(g)
	return slices.Compact(g)
}

// cost orders orders: multiplications first, then the numbers written.
type cost struct{ mults, entries float64 }

func (c cost) plus(d cost) cost { return cost{c.mults + d.mults, c.entries + d.entries} }

func (c cost) less(d cost) bool {
	return c.mults < d.mults || c.mults == d.mults && c.entries < d.entries
}

// A graph is a network ready for the search: variables that the same operands have are one
// class, and operands are sets of classes.
type graph struct {
	ops  []set
	keep set // the classes of the result
	size volumes
}

// newGraph makes the sets; ok is false where they have no room for all variables. What an operand
// alone has is left out, and so is what has size 1.
func newGraph(n Network) (g *graph, ok bool) {
	holders := make([][]int, len(n.Size)) // the operands that have a variable, then -1 for the result
	for k, g := range n.In {
		for _, v := range g {
			if h := holders[v]; len(h) == 0 || h[len(h)-1] != k {
				holders[v] = append(h, k)
			}
		}
	}
	for _, v := range n.Out {
		if h := holders[v]; len(h) > 0 && h[len(h)-1] != -1 {
			holders[v] = append(h, -1)
		}
	}
	g = &graph{ops: make([]set, len(n.In))}
	class := map[string]int{}
	var sizes []float64
	var key []byte
	for v, h := range holders {
		if len(h) < 2 || n.Size[v] == 1 {
			continue
		}
		key = key[:0]
		for _, k := range h {
			key = binary.AppendUvarint(key, uint64(k+1))
		}
		c, ok := class[string(key)]
		if ok {
			sizes[c] = min(sizes[c]*float64(n.Size[v]), math.MaxFloat64)
			continue
		}
		c = len(sizes)
		if c == MaxClasses {
			return nil, false
		}
		class[string(key)] = c
		sizes = append(sizes, float64(n.Size[v]))
		for _, k := range h {
			if k < 0 {
				g.keep.add(c)
			} else {
				g.ops[k].add(c)
			}
		}
	}
	g.size = newVolumes(sizes)
	return g, true
}

// words bounds the classes of a set.
const words = 4

// set is a set of classes of variables.
type set [words]uint64

func (s *set) add(c int) { s[c/64] |= 1 << (c % 64) }

func (s set) or(t set) set    { return set{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]} }
func (s set) and(t set) set   { return set{s[0] & t[0], s[1] & t[1], s[2] & t[2], s[3] & t[3]} }
func (s set) minus(t set) set { return set{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2], s[3] &^ t[3]} }
func (s set) empty() bool     { return s == set{} }

func (s set) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// volumes has products of sizes: the product over a set is that of a table entry for each
// eight classes.
type volumes [][256]float64

func newVolumes(sizes []float64) volumes {
	z := make(volumes, (len(sizes)+7)/8)
	for i := range z {
		z[i][0] = 1
		for s := 1; s < 256; s++ {
			low := 0
			for s>>low&1 == 0 {
				low++
			}
			z[i][s] = z[i][s&(s-1)]
			if c := 8*i + low; c < len(sizes) {
				z[i][s] = min(z[i][s]*sizes[c], math.MaxFloat64)
			}
		}
	}
	return z
}

// of is the number of points of a set, at most the largest finite number.
func (z volumes) of(s set) float64 {
	p := 1.0
	for i := range z {
		p *= z[i][byte(s[i/8]>>(i%8*8))]
	}
	if p <= math.MaxFloat64 {
		return p
	}
	for i := range z { // infinite, or not a number: infinite times 0
		if z[i][byte(s[i/8]>>(i%8*8))] == 0 {
			return 0
		}
	}
	return math.MaxFloat64
}
