package adjoint

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// build makes the entries of the chain between two cuts, as the brackets say: the axes of the
// later cut, then those of the earlier.
func (c *series) build(i, j int) (*Node, error) {
	s := c.g.s
	if j == i+1 {
		return c.segments[i].build()
	}
	b := c.best[i][j]
	switch b.how {
	case byForward:
		v, err := c.build(i, j-1)
		if err != nil {
			return nil, err
		}
		return c.segments[j-1].push(v, c.cuts[i].shape), nil
	case byBackward:
		w, err := c.build(i+1, j)
		if err != nil {
			return nil, err
		}
		// cotangents have the axes of the segment first
		last := len(c.cuts[j].shape)
		w, err = c.segments[i].pull(rotate(w, last), c.cuts[j].shape)
		if err != nil {
			return nil, err
		}
		return rotate(w, len(c.cuts[i].shape)), nil
	}
	if b.how == bySum {
		return total(s, b.parts)
	}
	first, err := c.build(i, b.at)
	if err != nil {
		return nil, err
	}
	second, err := c.build(b.at, j)
	if err != nil {
		return nil, err
	}
	if c.g.sums > 0 {
		c.g.parts = append(c.g.parts, first, second)
	}
	x, z, y := c.cuts[i].shape, c.cuts[b.at].shape, c.cuts[j].shape
	all := einsum.UpTo(len(y) + len(z) + len(x))
	yz, zx := all[:len(y)+len(z)], all[len(y):]
	return s.Contract([][]int{yz, zx}, slices.Concat(all[:len(y)], all[len(y)+len(z):]), slices.Concat(y, z, x), second, first), nil
}

// build makes the entries of a segment: the axes of its end, then those of its start.
func (s *segment) build() (*Node, error) {
	switch s.how {
	case bySum:
		return total(s.g.s, s.parts)
	case byBackward:
		w, err := s.pull(s.g.s.Eye(s.to.shape), s.to.shape)
		if err != nil {
			return nil, err
		}
		return rotate(w, len(s.from.shape)), nil
	}
	return s.push(s.g.s.Eye(s.from.shape), s.from.shape), nil
}

// total is the sum of the entries of parts.
func total(s *combinators.Store, parts []*series) (*Node, error) {
	var t terms
	for _, p := range parts {
		p.g.sums++
		n, err := p.build(0, len(p.segments))
		p.g.sums--
		if err != nil {
			return nil, err
		}
		t.add(n)
		p.g.parts = append(p.g.parts, n)
	}
	return t.total(s, plainly), nil
}

// push applies a segment to tangents v with extra trailing axes.
func (s *segment) push(v *Node, batch []size.Size) *Node {
	sums := map[*vertex]*terms{}
	vals := map[*vertex]*Node{s.from: v}
	for _, e := range s.edges { // by their ends, so that a start is complete
		u := vals[e.from]
		if u == nil {
			u = sums[e.from].total(s.g.s, plainly)
			vals[e.from] = u
		}
		if sums[e.to] == nil {
			sums[e.to] = &terms{}
		}
		sums[e.to].add(e.push(u, batch))
	}
	return sums[s.to].total(s.g.s, plainly)
}

// pull applies the adjoint of a segment to cotangents w with extra trailing axes.
func (s *segment) pull(w *Node, batch []size.Size) (*Node, error) {
	sums := map[*vertex]*terms{}
	vals := map[*vertex]*Node{s.to: w}
	// edges by their starts, the last first, so that an end is complete
	edges := slices.Clone(s.edges)
	slices.SortStableFunc(edges, func(a, b *edge) int { return b.from.at - a.from.at })
	for _, e := range edges {
		u := vals[e.to]
		if u == nil {
			u = sums[e.to].total(s.g.s, plainly)
			vals[e.to] = u
		}
		back, err := s.g.pull(e, u, batch)
		if err != nil {
			return nil, err
		}
		if sums[e.from] == nil {
			sums[e.from] = &terms{}
		}
		sums[e.from].add(back)
	}
	return sums[s.from].total(s.g.s, plainly), nil
}
