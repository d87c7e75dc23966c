package frechet

import (
	"fmt"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/syntax"
)

// A PlanMap says how the derivatives of an expression, as linear maps, were found.
type PlanMap struct {
	// Direction is forward, reverse, mixed (one for each variable) or planned (by segments).
	Direction string `json:"direction"`
	// Value and Argument are the ends of a map that was planned, and Segments the way between:
	// the map is their product. They are empty otherwise.
	Value    string        `json:"value,omitempty"`
	Argument string        `json:"argument,omitempty"`
	Segments []PlanSegment `json:"segments,omitempty"`
}

// A PlanSegment is a part of a linear map between two cuts, values that every path passes.
type PlanSegment struct {
	From PlanCut `json:"from"`
	To   PlanCut `json:"to"`
	// How the entries are found: forward or reverse, from Seeds tangents or cotangents; as one
	// contraction; or as a sum of Parts.
	How   string          `json:"how"`
	Seeds *Count          `json:"seeds,omitempty"`
	Parts [][]PlanSegment `json:"parts,omitempty"`
}

// A PlanCut is a value at which a linear map is cut.
type PlanCut struct {
	Text    string `json:"text"` // the name of a variable or let, or an expression, shortened
	Entries Count  `json:"entries"`
}

// linearMaps says how the derivatives of the planned order were found.
func (m *planner) linearMaps() []PlanMap {
	var maps []PlanMap
	var names map[*combinators.Node]string
	for _, c := range m.choices {
		if c.Order != m.order {
			continue
		}
		if c.Taken != "planned" {
			maps = append(maps, PlanMap{Direction: c.Taken})
			continue
		}
		if names == nil {
			names = m.f.letNames()
		}
		for _, l := range c.Maps {
			maps = append(maps, PlanMap{"planned", m.text(l.Value, names), m.text(l.Argument, names), m.segments(l.Segments, names)})
		}
	}
	return maps
}

func (m *planner) segments(in []adjoint.Segment, names map[*combinators.Node]string) []PlanSegment {
	cut := func(n *combinators.Node) PlanCut { return PlanCut{m.text(n, names), m.entries(n)} }
	var out []PlanSegment
	for _, s := range in {
		p := PlanSegment{From: cut(s.From), To: cut(s.To), How: s.How}
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
	t, err := m.f.printTerm(n, "text")
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
func (f *Func) letNames() map[*combinators.Node]string {
	var nodes []*combinators.Node
	var names []string
	for _, s := range f.file.Stmts {
		if s.Kind != syntax.Let {
			continue
		}
		if n := f.prog.Let(s.Name.Name); n != nil {
			nodes, names = append(nodes, n), append(names, s.Name.Name)
		}
	}
	out := map[*combinators.Node]string{}
	for i, n := range simplify(nodes...) {
		if _, ok := out[n]; !ok && n.Name() == "" {
			out[n] = names[i]
		}
	}
	return out
}

// writeMaps prints how the maps of a plan were found.
func writeMaps(b *strings.Builder, maps []PlanMap) {
	for _, l := range maps {
		if l.Segments == nil {
			fmt.Fprintf(b, "found: %s\n", l.Direction)
			continue
		}
		fmt.Fprintf(b, "found: in segments from %s to %s\n", l.Argument, l.Value)
		writeSegments(b, l.Segments, "  ")
	}
}

func writeSegments(b *strings.Builder, segments []PlanSegment, indent string) {
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
