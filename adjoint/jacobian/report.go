package jacobian

import (
	"frechet/adjoint"

	"frechet/internal/lists"
)

// A Segment is a part of a plan: from one cut of a linear map to another.
type Segment struct {
	// The values at its ends; or, between the steps of an atom's differential, what is
	// linear in the tangent there.
	From, To *Node
	// How the segment's entries are found: forward, with a tangent for each entry of From, or
	// of Seed; reverse, with a cotangent for each entry of To, or of Seed; as one contraction; or
	// as a sum of parallel parts.
	How   string
	Seed  *Node // the value whose entries are the tangents or cotangents
	Parts [][]Segment
}

// report lists the segments of a planned map of the linear block l, from the argument on.
func (c *series) report(l *adjoint.LinearProgram) []Segment {
	return c.between(0, len(c.segments), l.Values())
}

func (c *series) between(i, j int, value map[*Node]*Node) []Segment {
	at := func(k int) *Node {
		if v := value[c.cuts[k].node]; v != nil {
			return v
		}
		return c.cuts[k].node // inside of the differential of an atom
	}
	if j == i+1 {
		s := c.segments[i]
		out := Segment{From: at(i), To: at(j)}
		switch s.how {
		case byForward:
			out.How, out.Seed = "forward", at(i)
		case byBackward:
			out.How, out.Seed = "reverse", at(j)
		case bySum:
			out.How, out.Parts = "sum", partsOf(s.parts, value)
		default:
			out.How = "contraction"
		}
		return []Segment{out}
	}
	b := c.best[i][j]
	if b.of != nil {
		return b.of.between(b.from, b.to, value)
	}
	applied := func(k int, how string, seed int) []Segment {
		s := c.segments[k]
		if n := c.cuts[seed].entries; len(s.edges) == 1 && s.edges[0].atom == nil && n > min(s.from.entries, s.to.entries) {
			return []Segment{{From: at(k), To: at(k + 1), How: "contraction"}} // its entries are fewer
		}
		return []Segment{{From: at(k), To: at(k + 1), How: how, Seed: at(seed)}}
	}
	switch b.how {
	case byForward:
		return joined(c.between(i, j-1, value), applied(j-1, "forward", i))
	case byBackward:
		return joined(applied(i, "reverse", j), c.between(i+1, j, value))
	}
	if b.how == bySum {
		return []Segment{{From: at(i), To: at(j), How: "sum", Parts: partsOf(b.parts, value)}}
	}
	return append(c.between(i, b.at, value), c.between(b.at, j, value)...)
}

func partsOf(parts []*series, value map[*Node]*Node) [][]Segment {
	var out [][]Segment
	out = lists.Append(out, parts, func(p *series) []Segment { return p.between(0, len(p.segments), value) })
	return out
}

// joined puts lists of segments together; two that go on in one direction are one.
func joined(a, b []Segment) []Segment {
	s, t := &a[len(a)-1], b[0]
	if s.How == "contraction" && (t.How == "forward" && t.Seed == s.From) {
		s.How, s.Seed = t.How, t.Seed
	}
	if t.How == "contraction" && (s.How == "reverse" && s.Seed == t.To) {
		t.How, t.Seed = s.How, s.Seed
	}
	if s.How == t.How && s.Seed == t.Seed && s.Seed != nil {
		s.To = t.To
		return append(a, b[1:]...)
	}
	return append(a, b...)
}
