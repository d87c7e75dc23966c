package jacobian

import (
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// maxEdgeOperands bounds how many coefficients an edge collects.
const maxEdgeOperands = 10

// reduce merges and eliminates until nothing changes. Each step removes an edge, and only
// touches the vertices beside it.
func (g *graph) reduce() {
	queue := slices.Clone(g.vertex)
	waiting := lists.Make(len(g.vertex), func(i int) bool { return true })
	wake := func(v *vertex) {
		if !waiting[v.at] && !v.dead {
			waiting[v.at] = true
			queue = append(queue, v)
		}
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		waiting[v.at] = false
		if v.dead {
			continue
		}
		if g.mergeInto(v) {
			wake(v)
			for _, e := range v.in {
				wake(e.from)
			}
		}
		if v == g.source() || v == g.sink() {
			continue
		}
		if len(v.out) == 0 || len(v.in) == 0 {
			continue
		}
		before := slices.Concat(v.in, v.out)
		if g.eliminate(v) {
			for _, e := range before {
				wake(e.from)
				wake(e.to)
			}
		}
	}
	g.vertex = slices.DeleteFunc(g.vertex, func(v *vertex) bool { return v.dead })
	for i, v := range g.vertex {
		v.at = i
	}
}

// eliminate multiplies the edges through v together where it has one edge in and one out, or
// where its only edge on one side is diagonal. A vertex that is smaller than both of its
// neighbours stays: it is where a chain is best cut.
func (g *graph) eliminate(v *vertex) bool {
	var side []*edge // the one edge that goes into every product
	switch {
	case len(v.in) == 1 && len(v.out) == 1:
		a, b := v.in[0], v.out[0]
		if v.entries < a.from.entries && v.entries < b.to.entries {
			return false
		}
	case len(v.in) == 1 && v.in[0].diagonal():
		side = v.in
	case len(v.out) == 1 && v.out[0].diagonal():
		side = v.out
	default:
		return false
	}
	for _, e := range v.in {
		for _, f := range v.out {
			if e.atom != nil || f.atom != nil || len(e.args)+len(f.args) > maxEdgeOperands+2 {
				return false
			}
		}
	}
	if side != nil && len(side[0].args) > 2 {
		// The coefficient goes into several products: it is one value.
		side[0].collect(g.s)
	}
	in, out := slices.Clone(v.in), slices.Clone(v.out)
	var through []*edge
	for _, e := range in {
		through = lists.Append(through, out, func(f *edge) *edge { return g.compose(e, f) })
	}
	for _, e := range slices.Concat(in, out) {
		e.unlink()
	}
	for _, e := range through {
		e.link()
	}
	v.dead = true
	return true
}

func (g *graph) compose(e, f *edge) *edge {
	return &edge{
		from: e.from, to: f.to, c: g.s.Fuse(f.c, f.hole, e.c), hole: f.hole + e.hole,
		args: slices.Concat(f.args[:f.hole], e.args, f.args[f.hole+1:]),
	}
}

// collect multiplies the coefficients of a diagonal edge into one value along the axes of
// the hole that they have.
func (e *edge) collect(s *combinators.Store) {
	in, out, _ := e.c.IsPlain()
	h, ks := in[e.hole], e.coefficients()
	along := e.variables(ks)
	v := e.coefficient(s, ks, along)
	e.c, e.hole, e.args = s.Plain([][]int{h, along}, out, e.c.Vars), 0, []*Node{nil, v}
}

// variables lists the variables of the operands ks, in increasing order.
func (e *edge) variables(ks []int) []int {
	in, _, _ := e.c.IsPlain()
	var vs []int
	for _, k := range ks {
		vs = append(vs, in[k]...)
	}
	slices.Sort(vs)
	return slices.Compact(vs)
}

// coefficients lists the operands other than the hole.
func (e *edge) coefficients() []int {
	var ks []int
	for k := range e.args {
		if k != e.hole {
			ks = append(ks, k)
		}
	}
	return ks
}

// coefficient is the product of the operands ks, as a value along the variables to; it is 1
// for none. An operand must have no other variables.
func (e *edge) coefficient(s *combinators.Store, ks []int, to []int) *Node {
	in, _, _ := e.c.IsPlain()
	var args []*Node
	var groups [][]int
	for _, k := range ks {
		args, groups = append(args, e.args[k]), append(groups, in[k])
	}
	if len(args) == 0 {
		args, groups = []*Node{s.Int(1)}, [][]int{nil}
	}
	letters, out, dims := einsum.Restrict(groups, to, e.c.Vars)
	return s.Contract(letters, out, dims, args...)
}

// maxParallel bounds how many different edges between two vertices are compared.
const maxParallel = 8

// mergeInto adds up parallel edges into v that differ in their coefficient only.
func (g *graph) mergeInto(v *vertex) bool {
	if len(v.in) < 2 {
		return false
	}
	merged := false
	kept := map[*vertex][]*edge{}
next:
	for _, f := range slices.Clone(v.in) {
		for i, e := range kept[f.from] {
			if m := g.merge(e, f); m != nil {
				e.unlink()
				f.unlink()
				m.link()
				kept[f.from][i] = m
				merged, g.merged = true, true
				continue next
			}
		}
		if len(kept[f.from]) < maxParallel {
			kept[f.from] = append(kept[f.from], f)
		}
	}
	return merged
}

// merge is the sum of two edges with one pattern of hole and output and, beside operands that
// both have, coefficients along the same axes, which are no larger than an operand:
//
//	u[i] B[i,j] dx[j] + v[i] B[i,j] dx[j] = (u + v)[i] B[i,j] dx[j]
//
// It is nil where there is no such edge. Where u or v may be infinite and lose against a zero of dx, so
// does their sum: evaluation takes sums and products of guarded values for guarded.
func (g *graph) merge(e, f *edge) *edge {
	ein, eout, ok := e.letters()
	fin, fout, okF := f.letters()
	if !ok || !okF {
		return nil
	}
	m := newMatching(e, f)
	if !m.equal(fin[f.hole], ein[e.hole]) || !m.equal(fout, eout) {
		return nil
	}
	// Operands that both have, along the same variables.
	mine, theirs := e.coefficients(), f.coefficients()
	var common []int
	for again := true; again; {
		again = false
		for i, k := range theirs {
			j := slices.IndexFunc(mine, func(j int) bool { return e.args[j] == f.args[k] && m.extend(fin[k], ein[j]) })
			if j < 0 {
				continue
			}
			common = append(common, mine[j])
			mine, theirs = slices.Delete(mine, j, j+1), slices.Delete(theirs, i, i+1)
			again = true
			break
		}
	}
	array := func(a *combinators.Node) bool { return a.Attributes().Has(atom.Index) }
	if slices.ContainsFunc(mine, func(k int) bool { return array(e.args[k]) }) || slices.ContainsFunc(theirs, func(k int) bool { return array(f.args[k]) }) {
		return nil // x[i] - x[j] takes no sum of matrices
	}
	// The rest has no variables of its own, and the same ones in both edges.
	left, right := e.variables(mine), []int{}
	for _, v := range f.variables(theirs) {
		w, ok := m.to[v]
		if !ok {
			return nil
		}
		right = append(right, w)
	}
	slices.Sort(right)
	shared := slices.Concat(ein[e.hole], eout, e.variables(common))
	for v := range e.c.Vars {
		if !slices.Contains(shared, v) {
			return nil
		}
	}
	if len(m.to) != len(f.c.Vars) || len(mine) > 0 && len(theirs) > 0 && !slices.Equal(left, right) {
		return nil
	}
	along, largest := left, 1.0
	if len(mine) == 0 {
		along = right
	}
	for _, a := range slices.Concat(e.args, f.args) {
		if a != nil {
			largest = max(largest, g.entries(a.Shape()))
		}
	}
	dims := lists.Map(along, func(v int) size.Size { return e.c.Vars[v] })
	if g.entries(dims) > largest {
		return nil
	}
	back := make([]int, len(along)) // the same axes in f
	for v, w := range m.to {
		if i := slices.Index(along, w); i >= 0 {
			back[i] = v
		}
	}
	sum := g.s.Add(e.coefficient(g.s, mine, along), f.coefficient(g.s, theirs, back))
	in, args := [][]int{ein[e.hole], along}, []*Node{nil, sum}
	for _, k := range common {
		in, args = append(in, ein[k]), append(args, e.args[k])
	}
	return &edge{from: e.from, to: e.to, c: g.s.Plain(in, eout, e.c.Vars), args: args}
}

func (g *graph) entries(shape []size.Size) float64 {
	n := 1.0
	for _, d := range shape {
		n *= g.size(d)
	}
	return n
}

// A matching maps variables of one contraction to those of another, one to one and of the
// same size.
type matching struct {
	e, f     *edge
	to, from map[int]int
}

func newMatching(e, f *edge) *matching {
	return &matching{e, f, map[int]int{}, map[int]int{}}
}

// equal maps the variables a of f to the variables b of e.
func (m *matching) equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		w, mapped := m.to[v]
		_, taken := m.from[b[i]]
		switch {
		case mapped && w == b[i]:
		case mapped || taken || m.f.c.Vars[v] != m.e.c.Vars[b[i]]:
			return false
		default:
			m.to[v], m.from[b[i]] = b[i], v
		}
	}
	return true
}

// extend is equal for an operand that has a variable which is mapped, or none at all; where
// it does not fit, nothing is mapped.
func (m *matching) extend(a, b []int) bool {
	if len(a) > 0 && !slices.ContainsFunc(a, func(v int) bool { _, ok := m.to[v]; return ok }) {
		return false
	}
	to, from := maps.Clone(m.to), maps.Clone(m.from)
	if m.equal(a, b) {
		return true
	}
	m.to, m.from = to, from
	return false
}
