package adjoint

// A Segment is a part of a plan: from one cut of a linear map to another.
type Segment struct {
	From, To *Node // the values at its ends
	// How the segment's entries are found: forward, with a tangent for each entry of From, or
	// of Seed; reverse, with a cotangent for each entry of To, or of Seed; as one contraction; or
	// as a sum of parallel parts.
	How   string
	Seed  *Node // the value whose entries are the tangents or cotangents
	Parts [][]Segment
}

// report lists the segments of a planned map of the linear block l, from the argument on.
func (c *series) report(l *Linear) []Segment {
	value := map[*Node]*Node{}
	for id := range l.store.Len() {
		v := l.store.Node(id)
		if t := l.tangents.Get(v); t != nil && value[t] == nil {
			value[t] = v
		}
	}
	return c.between(0, len(c.segments), value)
}

func (c *series) between(i, j int, value map[*Node]*Node) []Segment {
	at := func(k int) *Node { return value[c.cuts[k].node] }
	if j == i+1 {
		s := c.segments[i]
		out := Segment{From: at(i), To: at(j)}
		switch s.how {
		case byForward:
			out.How, out.Seed = "forward", at(i)
		case byBackward:
			out.How, out.Seed = "reverse", at(j)
		case bySum:
			out.How = "sum"
			for _, p := range s.parts {
				out.Parts = append(out.Parts, p.between(0, len(p.segments), value))
			}
		default:
			out.How = "contraction"
		}
		return []Segment{out}
	}
	b := c.best[i][j]
	switch b.how {
	case byForward:
		return joined(c.between(i, j-1, value), []Segment{{From: at(j - 1), To: at(j), How: "forward", Seed: at(i)}})
	case byBackward:
		return joined([]Segment{{From: at(i), To: at(i + 1), How: "reverse", Seed: at(j)}}, c.between(i+1, j, value))
	}
	return append(c.between(i, b.at, value), c.between(b.at, j, value)...)
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
