package jacobian

import (
	"slices"

	"frechet/adjoint"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// build makes the entries of the chain between two cuts, as the brackets say: the axes of the
// later cut, then those of the earlier.
func (c *series) build(i, j int) *Node {
	if c.best == nil {
		return c.segments[i].build()
	}
	b := &c.best[i][j]
	switch {
	case b.entries != nil:
	case b.of != nil:
		b.entries = b.of.build(b.from, b.to)
	case j == i+1:
		b.entries = c.segments[i].build()
	default:
		b.entries = c.made(i, j, b)
	}
	return b.entries
}

// made is build of an interval of several segments.
func (c *series) made(i, j int, b *bracket) *Node {
	switch b.how {
	case byForward:
		return c.segments[j-1].push(c.build(i, j-1), c.cuts[i].shape)
	case byBackward:
		// cotangents have the axes of the segment first
		last := len(c.cuts[j].shape)
		w := c.segments[i].pull(structured.Rotate(c.build(i+1, j), last), c.cuts[j].shape)
		return structured.Rotate(w, len(c.cuts[i].shape))
	case bySum:
		return total(c.g.s, b.parts)
	}
	first, second := c.build(i, b.at), c.build(b.at, j)
	if c.g.sums > 0 {
		c.g.parts = append(c.g.parts, first, second)
	}
	x, z, y := c.cuts[i].shape, c.cuts[b.at].shape, c.cuts[j].shape
	all := einsum.UpTo(len(y) + len(z) + len(x))
	yz, zx := all[:len(y)+len(z)], all[len(y):]
	return c.g.s.Contract([][]int{yz, zx}, slices.Concat(all[:len(y)], all[len(y)+len(z):]), slices.Concat(y, z, x), second, first)
}

// build makes the entries of a segment: the axes of its end, then those of its start.
func (s *segment) build() *Node {
	switch s.how {
	case bySum:
		return total(s.g.s, s.parts)
	case byBackward:
		return structured.Rotate(s.pull(s.g.s.Eye(s.to.shape), s.to.shape), len(s.from.shape))
	}
	return s.push(s.g.s.Eye(s.from.shape), s.from.shape)
}

// total is the sum of the entries of parts.
func total(s *combinators.Store, parts []*series) *Node {
	var entries []*Node
	for _, p := range parts {
		p.g.sums++
		entries = append(entries, p.build(0, len(p.segments)))
		p.g.sums--
	}
	parts[0].g.parts = append(parts[0].g.parts, entries...)
	return adjoint.Total(s, entries...)
}

// block is the segment as a linear block in one tangent.
func (s *segment) block() *adjoint.LinearProgram {
	if s.program == nil {
		st := s.g.s
		dx := st.Fresh("d", s.from.shape)
		vals, addends := map[*vertex]*Node{s.from: dx}, map[*vertex][]*Node{}
		for _, e := range s.edges { // by their ends, so that a start is complete
			if vals[e.from] == nil {
				vals[e.from] = adjoint.Total(st, addends[e.from]...)
			}
			addends[e.to] = append(addends[e.to], e.of(vals[e.from]))
		}
		s.program = s.g.rules.Linear([]*Node{dx}, []*Node{adjoint.Total(st, addends[s.to]...)})
	}
	return s.program
}

// push applies a segment to tangents v with extra trailing axes.
func (s *segment) push(v *Node, batch []size.Size) *Node {
	return s.orZero(s.block().Push([]*Node{v}, batch)[0], s.to, batch)
}

// pull applies the adjoint of a segment to cotangents w with extra trailing axes.
func (s *segment) pull(w *Node, batch []size.Size) *Node {
	return s.orZero(adjoint.Must(s.block().Pull([]*Node{w}, batch))[0], s.from, batch)
}

func (s *segment) orZero(n *Node, at *vertex, batch []size.Size) *Node {
	if n == nil {
		return s.g.s.Zero(slices.Concat(at.shape, batch))
	}
	return n
}
