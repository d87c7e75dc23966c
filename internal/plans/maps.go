package plans

import (
	"fmt"
	"strings"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/program"
	"frechet/rewrite/normal"
	"frechet/syntax"
)

// A Map says how the derivatives of an expression, as linear maps, were found.
type Map struct {
	// Direction is forward, reverse, mixed (one for each variable) or planned (by segments).
	Direction string `json:"direction"`
	// Value and Argument are the ends of a map that was planned, and Segments the way between:
	// the map is their product. They are empty otherwise.
	Value    string    `json:"value,omitempty"`
	Argument string    `json:"argument,omitempty"`
	Segments []Segment `json:"segments,omitempty"`
}

// A Segment is a part of a linear map between two cuts, values that every path passes.
type Segment struct {
	From Cut `json:"from"`
	To   Cut `json:"to"`
	// How the entries are found: forward or reverse, from Seeds tangents or cotangents; as one
	// contraction; or as a sum of Parts.
	How   string      `json:"how"`
	Seeds *Count      `json:"seeds,omitempty"`
	Parts [][]Segment `json:"parts,omitempty"`
}

// A Cut is a value at which a linear map is cut.
type Cut struct {
	Text    string `json:"text"` // the name of a variable or let, or an expression, shortened
	Entries Count  `json:"entries"`
}

// linearMaps says how the derivatives of the planned order were found.
func (m *planner) linearMaps() []Map {
	var maps []Map
	var names map[*combinators.Node]string
	for _, c := range m.choices {
		if c.Order != m.order {
			continue
		}
		if c.Taken != "planned" {
			maps = append(maps, Map{Direction: c.Taken})
			continue
		}
		if names == nil {
			names = letNames(m.f)
		}
		for _, l := range c.Maps {
			maps = append(maps, Map{"planned", m.text(l.Value, names), m.text(l.Argument, names), m.segments(l.Segments, names)})
		}
	}
	return maps
}

func (m *planner) segments(in []jacobian.Segment, names map[*combinators.Node]string) []Segment {
	cut := func(n *combinators.Node) Cut { return Cut{m.text(n, names), m.entries(n)} }
	var out []Segment
	for _, s := range in {
		p := Segment{From: cut(s.From), To: cut(s.To), How: s.How}
		if s.Seed != nil {
			n := m.entries(s.Seed)
			p.Seeds = &n
		}
		for _, part := range s.Parts {
			p.Parts = append(p.Parts, m.segments(part, names))
		}
		out = append(out, p)
	}
	return out
}

func (m *planner) entries(n *combinators.Node) Count {
	c := size.Const(1)
	for _, d := range n.Shape() {
		c = c.Mul(d)
	}
	return m.count(c)
}

// maxCutText bounds the text of a cut.
const maxCutText = 40

func (m *planner) text(n *combinators.Node, names map[*combinators.Node]string) string {
	if name, ok := names[n]; ok {
		return name
	}
	t, err := m.f.Print("text", nil, n)
	if err != nil {
		return n.Atom().Name
	}
	if i := strings.LastIndex(t, "expression "); i >= 0 { // lets before it
		t = t[i+len("expression "):]
	}
	if r := []rune(t); len(r) > maxCutText {
		t = string(r[:maxCutText-3]) + "..."
	}
	return t
}

// letNames has the names of the program's lets by their normal forms.
func letNames(f *program.Program) map[*combinators.Node]string {
	var nodes []*combinators.Node
	var names []string
	for _, s := range f.File.Stmts {
		if s.Kind != syntax.Let {
			continue
		}
		if n := f.Let(s.Name.Name); n != nil {
			nodes, names = append(nodes, n), append(names, s.Name.Name)
		}
	}
	out := map[*combinators.Node]string{}
	for i, n := range normal.Simplify(nodes...) {
		if _, ok := out[n]; !ok && n.Name() == "" {
			out[n] = names[i]
		}
	}
	return out
}

// writeMaps prints how the maps of a plan were found.
func writeMaps(b *strings.Builder, maps []Map) {
	for _, l := range maps {
		if l.Segments == nil {
			fmt.Fprintf(b, "found: %s\n", l.Direction)
			continue
		}
		fmt.Fprintf(b, "found: in segments from %s to %s\n", l.Argument, l.Value)
		writeSegments(b, l.Segments, "  ")
	}
}

func writeSegments(b *strings.Builder, segments []Segment, indent string) {
	for _, s := range segments {
		fmt.Fprintf(b, "%s%s [%s] -> %s [%s]  ", indent, s.From.Text, s.From.Entries, s.To.Text, s.To.Entries)
		switch {
		case s.Seeds != nil && s.How == "reverse":
			fmt.Fprintf(b, "reverse, %s cotangents\n", s.Seeds)
		case s.Seeds != nil:
			fmt.Fprintf(b, "%s, %s tangents\n", s.How, s.Seeds)
		case s.Parts != nil:
			fmt.Fprintf(b, "sum of %d\n", len(s.Parts))
			for _, p := range s.Parts {
				fmt.Fprintf(b, "%s+\n", indent)
				writeSegments(b, p, indent+"  ")
			}
		default:
			fmt.Fprintf(b, "%s\n", s.How)
		}
	}
}
