package derivation

import (
	"iter"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/rewrite"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
)

// A walk is the record of how a graph of values was differentiated, or how what came of it was transposed.
type walk struct {
	steps []adjoint.WalkStep
	laws  []int           // of each step, in those of the derivation
	from  *derivativeWalk // that is transposed, nil where something is differentiated
}

// A derivativeWalk is a derivative that a walk has formed.
type derivativeWalk struct {
	*adjoint.LinearProgram
	vars []*combinators.Node
}

// laws are those by which the walks of a derivation go, each once.
type laws struct {
	at    map[string]int
	list  []proof.Law
	rules [][]Law // that were applied for each
	err   error
}

// of is the number of the law of a step.
func (l *laws) of(w adjoint.WalkStep) int {
	key := w.Key()
	if i, ok := l.at[key]; ok {
		return i
	}
	law, err := w.Law()
	if err != nil {
		l.err = err
		return 0
	}
	p := proof.Law{Points: law.Points, Start: law.Start, End: law.End}
	var rules []Law
	for _, f := range law.Fired {
		p.Steps = append(p.Steps, mapProof(f))
		if r := lawOf(f); !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	l.at[key] = len(l.list)
	l.list, l.rules = append(l.list, p), append(l.rules, rules)
	return l.at[key]
}

// lawOf names the rule of a step on maps.
func lawOf(f rewrite.ClosedFiring) Law { return Law{f.Rule.Name, atomOf(f.Before), f.Rule.Source} }

// record begins the record of a walk.
func (d *Derivation) record(w *walk, values *[]normal.Step) *adjoint.Record {
	return &adjoint.Record{
		Value: func(t normal.Step) { *values = append(*values, t) },
		Step: func(t adjoint.WalkStep) {
			w.steps, w.laws = append(w.steps, t), append(w.laws, d.laws.of(t))
		},
	}
}

// derivative is that of what the last part ends with, by variables, at new variables.
func (d *Derivation) derivative(prefix string, vars []*combinators.Node) (*derivativeWalk, error) {
	s, outs := d.f.Store, d.last().end.Nodes
	spaces := make([]combinators.Space, len(vars))
	for i, x := range vars {
		spaces[i] = combinators.TensorSpace(x.Shape())
	}
	dom := spaces[0]
	if len(spaces) > 1 {
		dom = combinators.ProductSpace(spaces...)
	}
	v, names := d.f.Fresh("d", dom)
	w := &walk{}
	var values []normal.Step
	rec := d.record(w, &values)
	l, err := d.f.Calculus().Recorded(&combinators.Block{Store: s, Params: vars, Outs: outs}, vars, v.Leaves(), rec)
	if err == nil {
		err = d.laws.err
	}
	if err != nil {
		return nil, err
	}
	if err := d.last().extend(d, values, rec.Outs, true); err != nil {
		return nil, err
	}
	start := make([]*combinators.Node, len(l.Outs))
	for i, t := range l.Outs {
		if start[i] = t; t == nil {
			start[i] = s.Zero(outs[i].Shape())
		}
	}
	q := &part{name: prefix + "derivative at " + strings.Join(names, ", "), kind: proof.KindDerivativeAt, fresh: v.Leaves(), point: vars, walk: w}
	return &derivativeWalk{l, vars}, d.simplify(q, start)
}

// adjoint is that of a derivative at new variables, at 1 where it is that of a scalar.
func (d *Derivation) adjoint(l *derivativeWalk) error {
	s := d.f.Store
	q := &part{name: "gradient", kind: proof.KindGradient, walk: &walk{from: l}}
	at := s.Int(1)
	if shape := l.OutShapes[0]; len(shape) > 0 {
		at = s.Fresh("w", shape)
		q.name, q.kind, q.fresh = "adjoint at "+at.Name(), proof.KindAdjointAt, []*combinators.Node{at}
	}
	back, err := l.At([]*combinators.Node{at}, d.record(q.walk, nil))
	if err == nil {
		err = d.laws.err
	}
	if err != nil {
		return err
	}
	for i, w := range back {
		if w == nil {
			back[i] = s.Zero(l.vars[i].Shape())
		}
	}
	if err := d.simplify(q, back); err != nil || q.kind != proof.KindGradient {
		return err
	}
	return q.asPrinted(d, 1)
}

// A group is a list of lines under a heading: at gives those of an entry, of which the first one shown says
// where it begins.
type group struct {
	name  string
	count int
	at    func(i int, first bool) []Step
}

// groups are all lines of the derivation, made as they are asked for. Values have their names from where they
// are defined.
func (d *Derivation) groups() iter.Seq[group] {
	return func(yield func(group) bool) {
		m, maps := newNames(d.f), text.NewNames()
		for _, p := range d.parts {
			if p.walk != nil && !yield(d.walked(p, m)) || !yield(d.calculated(p, m, maps)) {
				return
			}
		}
	}
}

func (d *Derivation) walked(p *part, m *names) group {
	if p.walk.from != nil {
		return d.backward(p, m)
	}
	name, _, _ := strings.Cut(p.name, " at ")
	return d.forward(name, p, m)
}

func (d *Derivation) calculated(p *part, m *names, maps *text.Names) group {
	switch {
	case p.lines == nil && p.start.Map != nil:
		return d.longMaps(p, maps)
	case p.lines == nil:
		return d.long(p, m)
	}
	return group{p.name, len(p.lines), func(i int, _ bool) []Step {
		// a step that shows no difference has changed the order of operands
		for k := max(0, i-1); k <= i && !p.lines[i].onMaps(); k++ {
			p.lines[k].text = p.lines[k].Text("text")
			p.lines[k].Ordering = k > 0 && p.lines[k-1].text == p.lines[k].text
		}
		return p.lines[i : i+1]
	}}
}

// forward are the values of a walk, and their tangents.
func (d *Derivation) forward(name string, p *part, m *names) group {
	steps := p.walk.steps
	for i, t := range steps {
		m.number(t.Node, i+1)
		if t.Tangent != nil && m.of[t.Tangent] == "" {
			m.of[t.Tangent] = "d" + m.of[t.Node]
		}
	}
	return group{name, len(steps), func(i int, _ bool) []Step {
		t := steps[i]
		value := m.line(d.f, Step{Part: name}, t.Node)
		tangent := t.Tangent
		if tangent == nil {
			tangent = d.f.Store.Zero(t.Node.Shape())
		}
		made := m.under("d"+m.of[t.Node], d.f, by(name, d.laws.rules[p.walk.laws[i]]), tangent)
		return []Step{value, made}
	}}
}

// backward are the cotangents of the tangents of a walk.
func (d *Derivation) backward(p *part, m *names) group {
	const name = "adjoint"
	type entry struct {
		w    *combinators.Node
		name string
		by   []Law
	}
	var entries []entry
	rules := map[*combinators.Node][]Law{} // by which the cotangent of a value comes
	for i, t := range p.walk.steps {
		w := t.Inputs[0]
		by := d.laws.rules[p.walk.laws[i]]
		if v, ok := strings.CutPrefix(m.of[t.Node], "d"); ok {
			if m.of[w] == "" && w.Name() == "" && len(w.Args()) > 0 {
				m.of[w] = "w" + v
			}
			entries = append(entries, entry{w, "w" + v, rules[t.Node]})
		} else {
			by = joined(rules[t.Node], by) // a value inside of a tangent
		}
		for _, k := range t.Open() {
			rules[t.Node.Arg(k)] = joined(rules[t.Node.Arg(k)], by)
		}
	}
	for i, x := range p.walk.from.vars {
		entries = append(entries, entry{p.start.Nodes[i], "w" + x.Name(), rules[p.walk.from.In[i]]})
	}
	return group{name, len(entries), func(i int, _ bool) []Step {
		e := entries[i]
		return []Step{m.under(e.name, d.f, by(name, e.by), e.w)}
	}}
}

// by is a line of a walk that follows by laws.
func by(part string, laws []Law) Step {
	s := Step{Part: part, follows: true}
	if last := len(laws) - 1; last >= 0 {
		s.Law, s.Before = laws[last], laws[:last]
	}
	return s
}

// joined are the laws of a and those of b that are not in it.
func joined(a, b []Law) []Law {
	out := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// long is a part of which no line has the whole term: each step shows the value that it rewrites, under a name.
func (d *Derivation) long(p *part, m *names) group {
	ends := func(line proof.Line, by Step) (out []Step) {
		for _, n := range line.Nodes {
			out = append(out, m.line(d.f, by, n))
		}
		return out
	}
	return group{p.name, len(p.steps) + 2, func(i int, first bool) []Step {
		switch i {
		case 0:
			return ends(p.start, Step{Part: p.name})
		case len(p.steps) + 1:
			return ends(p.end, Step{Part: p.name})
		}
		t := p.steps[i-1]
		before, after := t.Before.Nodes[0], t.After.Nodes[0]
		name := m.named(before)
		if m.of[after] == "" && len(after.Args()) > 0 {
			m.of[after] = name
		}
		a := m.line(d.f, Step{Part: p.name}, before)
		if i < len(p.steps) && fusesOn(t, p.steps[i]) {
			a.name = name
			return []Step{a}
		}
		b := m.line(d.f, Step{Part: p.name, Law: p.laws[i-1]}, after)
		a.name, b.name = name, name
		b.Ordering = a.Text("text") == b.Text("text")
		if !first && i > 1 && p.steps[i-2].After.Nodes[0] == before {
			return []Step{b}
		}
		return []Step{a, b}
	}}
}

// longMaps is a part on maps of which no line has the whole term: each step shows the map that it rewrites, with what is shared or
// long under names.
func (d *Derivation) longMaps(p *part, names *text.Names) group {
	line := func(l proof.Line, by Law) Step {
		return Step{Part: p.name, Law: by, f: d.f, m: *l.Map, term: names.Closed(*l.Map)}
	}
	return group{p.name, len(p.steps) + 2, func(i int, _ bool) []Step {
		switch i {
		case 0:
			return []Step{line(p.start, Law{})}
		case len(p.steps) + 1:
			return []Step{line(p.end, Law{})}
		}
		t := p.steps[i-1]
		return []Step{line(t.Before, Law{}), line(t.After, p.laws[i-1])}
	}}
}

// fusesOn: the next step substitutes what t has fused into another product, which is shown with both.
func fusesOn(t, next proof.Step) bool {
	return t.Rule == normal.Fuse && next.Rule == t.Rule && slices.Contains(next.Before.Nodes[0].Args(), t.After.Nodes[0])
}
