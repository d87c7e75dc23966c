package adjoint

import (
	"cmp"
	"slices"

	"frechet/einsum"
	"frechet/einsum/order"
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

// A segment is a part of a chain without a cut inside.
type segment struct {
	g        *graph
	from, to *vertex
	edges    []*edge   // by their ends, in topological order
	parts    []*series // whose sum the segment is, where it comes apart
	cost     float64   // multiplications for its entries
	how      action
	applied  map[application]float64
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

type bracket struct {
	cost  float64
	how   action
	at    int       // the cut of a product
	parts []*series // of a sum
}

// maxCuts bounds the cuts that the dynamic program looks at; it takes cubic time. Longer
// chains are cut where they are narrowest.
const maxCuts = 160

// maxNesting bounds how deep parts are taken apart into parts.
const maxNesting = 12

// maxPaths is the largest number of paths of a segment that is summed path by path.
const maxPaths = 4

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
		if depth < maxNesting {
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
			for _, e := range out[v] {
				next = append(next, append(slices.Clone(p), e))
			}
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
		switch e.atom.Atom().Name {
		case "merge", "split":
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
					r.best[k][l] = c.best[old(k)][old(l)]
					r.best[k][l].at = r.best[k][l].at - old(k) + k
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
