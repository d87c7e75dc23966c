package jacobian

import (
	"slices"

	"frechet/adjoint"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/order"
	"frechet/internal/lists"
)

// A segment is a part of a chain without a cut inside.
type segment struct {
	g        *graph
	from, to *vertex
	edges    []*edge   // by their ends, in topological order
	parts    []*series // whose sum the segment is, where it comes apart
	cost     float64   // multiplications for its entries
	how      action
	applied  map[application]float64
	program  *adjoint.LinearProgram // see block
}

type application struct {
	batch float64
	how   action
}

// An action is a way to the entries of an interval.
type action uint8

const (
	byEntries  action = iota // of one contraction
	byForward                // the last segment applied to the entries of the others
	byBackward               // the first segment's adjoint applied to those of the others
	byProduct                // of the entries of two intervals
	bySum                    // of the parallel parts of one segment, each multiplied by the others
)

// maxPaths is the largest number of paths of a segment that is summed path by path.
const maxPaths = 4

// split takes a segment apart into parallel parts: those that share no vertex inside, or
// else its few paths.
func (s *segment) split(depth int) {
	if len(s.edges) < 2 {
		return
	}
	group := map[*vertex]*vertex{} // union-find over the vertices inside
	root := func(v *vertex) *vertex {
		for group[v] != nil {
			if w := group[group[v]]; w != nil {
				group[v] = w
			}
			v = group[v]
		}
		return v
	}
	inside := func(v *vertex) bool { return v != s.from && v != s.to }
	for _, e := range s.edges {
		if inside(e.from) && inside(e.to) {
			if a, b := root(e.from), root(e.to); a != b {
				group[a] = b
			}
		}
	}
	at := map[*vertex]int{}
	var parts [][]*edge
	for _, e := range s.edges {
		v := e.to
		if !inside(v) {
			v = e.from
		}
		if !inside(v) { // straight from the one end to the other
			parts = append(parts, []*edge{e})
			continue
		}
		r := root(v)
		if _, ok := at[r]; !ok {
			at[r] = len(parts)
			parts = append(parts, nil)
		}
		parts[at[r]] = append(parts[at[r]], e)
	}
	if len(parts) == 1 {
		parts = s.paths()
	}
	if len(parts) < 2 {
		return
	}
	for _, p := range parts {
		s.parts = append(s.parts, newSeries(s.g, p, s.from, s.to, depth+1))
	}
}

// paths lists the paths of a segment, where they are few.
func (s *segment) paths() [][]*edge {
	if len(s.edges) > 64 {
		return nil
	}
	out := map[*vertex][]*edge{}
	for _, e := range s.edges {
		out[e.from] = append(out[e.from], e)
	}
	paths := [][]*edge{nil}
	for done := false; !done; {
		done = true
		var next [][]*edge
		for _, p := range paths {
			v := s.from
			if len(p) > 0 {
				v = p[len(p)-1].to
			}
			if v == s.to {
				next = append(next, p)
				continue
			}
			done = false
			next = lists.Append(next, out[v], func(e *edge) []*edge { return append(slices.Clone(p), e) })
		}
		if paths = next; len(paths) > maxPaths {
			return nil
		}
	}
	return paths
}

// plan finds the cheapest way to the entries of a segment.
func (s *segment) plan() {
	if len(s.edges) == 1 && s.edges[0].atom == nil {
		s.cost, s.how = s.edges[0].cost(s.g, byEntries, 1), byEntries
		return
	}
	s.cost, s.how = s.seeded(byBackward), byBackward
	if c := s.seeded(byForward); c < s.cost {
		s.cost, s.how = c, byForward
	}
	total := 0.0
	for _, p := range s.parts {
		total += p.cost()
	}
	if s.parts != nil && total < s.cost {
		s.cost, s.how = total, bySum
	}
}

// seeded is what it costs to apply a segment to the identity at one of its ends.
func (s *segment) seeded(how action) float64 {
	batch := s.from.entries
	if how == byBackward {
		batch = s.to.entries
	}
	total := 0.0
	for _, e := range s.edges {
		if how == byForward && e.from == s.from || how == byBackward && e.to == s.to {
			total += e.cost(s.g, byEntries, 1)
		} else {
			total += e.cost(s.g, how, batch)
		}
	}
	return total
}

// apply is what it costs to apply a segment to a batch of tangents or cotangents.
func (s *segment) apply(how action, batch float64) float64 {
	key := application{batch, how}
	if c, ok := s.applied[key]; ok {
		return c
	}
	total := 0.0
	for _, e := range s.edges {
		total += e.cost(s.g, how, batch)
	}
	s.applied[key] = total
	return total
}

// cost counts the multiplications of an edge: for its entries, or where it is applied forward
// or backward to so many tangents.
func (e *edge) cost(g *graph, how action, batch float64) float64 {
	if e.atom != nil {
		if how == byEntries {
			how, batch = byForward, e.from.entries
		}
		switch e.atom.Atom() {
		case atom.Merge, atom.Split:
			return 0
		}
		n := 1.0
		for _, a := range e.atom.Args() {
			n = max(n, g.entries(a.Shape()))
		}
		return n * batch
	}
	if _, _, plain := e.c.IsPlain(); !plain {
		n := 1.0
		for _, d := range e.c.Vars {
			n *= g.size(d)
		}
		if how == byEntries {
			return n * float64(max(0, len(e.args)-2))
		}
		return n * batch * float64(len(e.args)-1)
	}
	if len(e.args) == 1 {
		return 0 // a copy, a sum, a broadcast
	}
	key := step{e.c, e.hole, application{batch, how}}
	c, ok := g.costs[key]
	if !ok {
		c = e.multiplications(g, how, batch)
		g.costs[key] = c
	}
	return c
}

// step is what the cost of an edge depends on: long programs have few.
type step struct {
	c    *einsum.Contraction // of the store, which has each once
	hole int
	application
}

// multiplications is the cost of an edge that is a plain contraction.
func (e *edge) multiplications(g *graph, how action, batch float64) float64 {
	in, out, _ := e.c.IsPlain()
	n := order.Network{Size: make([]int, len(e.c.Vars), len(e.c.Vars)+1)}
	for v, d := range e.c.Vars {
		n.Size[v] = int(min(g.size(d), 1<<40))
	}
	for k := range e.args {
		if k != e.hole {
			n.In = append(n.In, in[k])
		}
	}
	from, to := in[e.hole], out
	if how == byBackward {
		from, to = to, from
	}
	n.Out = to
	if how == byEntries {
		n.Out = slices.Concat(to, from)
	} else {
		b := len(n.Size)
		n.Size = append(n.Size, int(min(batch, 1<<40)))
		n.In = append(n.In, slices.Concat(from, []int{b}))
		n.Out = slices.Concat(to, []int{b})
	}
	return order.Find(n).Mults
}
