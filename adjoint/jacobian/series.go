package jacobian

import (
	"cmp"
	"slices"
)

// A series is a linear map as a series of segments between its cuts, the vertices that every
// path passes:
//
//	J = J_p .. J_2 J_1
//
// Its entries are found by the cheapest bracketing of that product. An interval of the series
// is a product of two intervals, or one interval with the next segment applied to it without
// that segment's entries: forward, with a tangent for each entry of the interval's first cut,
// or backward, with a cotangent for each entry of its last. This is the matrix-free Jacobian
// chain product of Naumann, by dynamic programming. A bottleneck is where the product is cut.
type series struct {
	g        *graph
	cuts     []*vertex // cuts[0] is the source, the last is the sink
	segments []*segment
	best     [][]bracket // by first and last cut; empty for one segment
}

type bracket struct {
	cost     float64
	how      action
	at       int       // the cut of a product
	parts    []*series // of a sum
	of       *series   // that has this interval, too, between its cuts from and to
	from, to int
	entries  *Node // once they are built
}

// maxCuts bounds the cuts that the dynamic program looks at; it takes cubic time. Longer
// chains are cut where they are narrowest.
const maxCuts = 160

// maxNesting bounds how deep parts are taken apart into parts.
const maxNesting = 12

// newSeries plans the map of edges, which are sorted by their ends, from one vertex to another.
func newSeries(g *graph, edges []*edge, from, to *vertex, depth int) *series {
	c := &series{g: g, cuts: []*vertex{from}}
	// A vertex is a cut where no edge from before it goes past it.
	var vs []*vertex
	for _, e := range edges {
		if len(vs) == 0 || vs[len(vs)-1] != e.to {
			vs = append(vs, e.to)
		}
	}
	far := map[*vertex]int{}
	for _, e := range edges {
		far[e.from] = max(far[e.from], e.to.at)
	}
	reach := far[from]
	for _, v := range vs {
		if reach <= v.at {
			c.cuts = append(c.cuts, v)
		}
		reach = max(reach, far[v])
	}
	c.narrow()
	at := 0
	for i := range len(c.cuts) - 1 {
		s := &segment{g: g, from: c.cuts[i], to: c.cuts[i+1], applied: map[application]float64{}}
		start := at
		for at < len(edges) && edges[at].to.at <= s.to.at {
			at++
		}
		s.edges = edges[start:at]
		if depth < maxNesting && !g.whole {
			s.split(depth)
		}
		s.plan()
		c.segments = append(c.segments, s)
	}
	c.bracket()
	return c
}

// narrow keeps the narrowest cuts, where there are too many: of those that are no wider than
// their neighbours the narrowest, and evenly spaced ones of the last width that does not fit.
func (c *series) narrow() {
	if len(c.cuts) <= maxCuts {
		return
	}
	last := len(c.cuts) - 1
	var inner []*vertex
	for i := 1; i < last; i++ {
		if v := c.cuts[i]; v.entries <= c.cuts[i-1].entries && v.entries <= c.cuts[i+1].entries {
			inner = append(inner, v)
		}
	}
	if room := maxCuts - 2; len(inner) > room {
		slices.SortStableFunc(inner, func(a, b *vertex) int { return cmp.Compare(a.entries, b.entries) })
		width := inner[room].entries
		narrower := slices.IndexFunc(inner, func(v *vertex) bool { return v.entries == width })
		end := slices.IndexFunc(inner, func(v *vertex) bool { return v.entries > width })
		if end < 0 {
			end = len(inner)
		}
		equal := inner[narrower:end]
		inner = slices.Clone(inner[:narrower])
		for n, k := room-narrower, 0; k < n; k++ {
			inner = append(inner, equal[k*len(equal)/n])
		}
	}
	slices.SortFunc(inner, func(a, b *vertex) int { return a.at - b.at })
	c.cuts = slices.Concat(c.cuts[:1], inner, c.cuts[last:])
}

// bracket fills in the cheapest way to the entries of every interval.
func (c *series) bracket() {
	n := len(c.segments)
	if n == 1 {
		return
	}
	c.table()
	for length := 2; length <= n; length++ {
		for i := 0; i+length <= n; i++ {
			j := i + length
			b := c.interval(i, j)
			if i == 0 {
				b = c.distribute(b, i, j, j-1)
			}
			if j == n {
				b = c.distribute(b, i, j, i)
			}
			c.best[i][j] = b
		}
	}
}

// table begins the table of intervals with the segments.
func (c *series) table() {
	n := len(c.segments)
	c.best = make([][]bracket, n)
	for i := range c.best {
		c.best[i] = make([]bracket, n+1)
		c.best[i][i+1] = bracket{cost: c.segments[i].cost, how: byEntries}
	}
}

// interval is the cheapest way to the entries between two cuts, given those of all shorter
// intervals.
func (c *series) interval(i, j int) bracket {
	first, last := c.cuts[i].entries, c.cuts[j].entries
	b := bracket{cost: c.best[i+1][j].cost + c.segments[i].apply(byBackward, last), how: byBackward}
	if f := c.best[i][j-1].cost + c.segments[j-1].apply(byForward, first); f < b.cost {
		b = bracket{cost: f, how: byForward}
	}
	for k := i + 1; k < j; k++ {
		if p := c.best[i][k].cost + c.best[k][j].cost + first*c.cuts[k].entries*last; p < b.cost {
			b = bracket{cost: p, how: byProduct, at: k}
		}
	}
	return b
}

// distribute compares a way to the entries of an interval with the sum over the parts of its
// first or last segment, each in a series with the others. Of a residual step x + g(f(x))
// the part x costs nothing in this way, and the other is cut inside.
func (c *series) distribute(b bracket, i, j, at int) bracket {
	s := c.segments[at]
	if s.parts == nil || len(s.parts) > maxPaths {
		return b
	}
	d := bracket{how: bySum}
	for _, p := range s.parts {
		q := len(p.segments)
		if q+j-i > 2*maxCuts {
			return b
		}
		// The table of what is left of the interval is that of c.
		r := &series{g: c.g}
		old := func(k int) int { return k + i } // a cut of r as one of c, where it is
		if at == i {
			r.cuts = slices.Concat(p.cuts[:q], c.cuts[i+1:j+1])
			r.segments = slices.Concat(p.segments, c.segments[i+1:j])
			old = func(k int) int { return k - q + i + 1 }
		} else {
			r.cuts = slices.Concat(c.cuts[i:at], p.cuts)
			r.segments = slices.Concat(c.segments[i:at], p.segments)
		}
		r.table()
		for length := 2; length <= len(r.segments); length++ {
			for k := 0; k+length <= len(r.segments); k++ {
				l := k + length
				if at == i && k >= q || at != i && l <= at-i {
					r.best[k][l] = bracket{cost: c.best[old(k)][old(l)].cost, of: c, from: old(k), to: old(l)}
					continue
				}
				r.best[k][l] = r.interval(k, l)
			}
		}
		d.parts = append(d.parts, r)
		if d.cost += r.cost(); d.cost >= b.cost {
			return b
		}
	}
	return d
}

// cost is that of the entries of the whole chain.
func (c *series) cost() float64 {
	if c.best == nil {
		return c.segments[0].cost
	}
	return c.best[0][len(c.segments)].cost
}

// straight is what it costs to apply the whole chain to the identity at one end.
func (c *series) straight(how action) float64 {
	total := 0.0
	for i, s := range c.segments {
		switch {
		case how == byForward && i > 0:
			total += s.apply(byForward, c.cuts[0].entries)
		case how == byBackward && i < len(c.segments)-1:
			total += s.apply(byBackward, c.cuts[len(c.cuts)-1].entries)
		default:
			total += s.seeded(how)
		}
	}
	return total
}

// single reports whether the whole map is one chain of contractions, so that every way gives
// the same.
func (c *series) single() bool {
	return !c.g.merged && len(c.segments) == 1 && len(c.segments[0].edges) == 1
}
