package json

import (
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/proof"
)

// Encode is the certificate of a derivation. It is linear in what the derivation's lines share.
func Encode(d *proof.Derivation) *Certificate {
	e := &encoder{nodes: map[*proof.Node]int{}, values: map[*proof.Value]int{}, maps: map[proof.Map]int{},
		c: &Certificate{Format: Format, Version: Version, Rules: d.Rules, Program: d.Program, Nodes: table[nodeJSON]{}, Values: table[valueJSON]{}, Maps: table[mapJSON]{}}}
	e.terms(rootsOf(d))
	for _, l := range d.Laws {
		e.c.Laws = append(e.c.Laws, lawJSON{e.all(l.Points), e.maps[l.Start], e.steps(l.Steps), e.maps[l.End]})
	}
	for _, p := range d.Parts {
		q := partJSON{Kind: p.Kind, Fresh: e.all(p.Fresh), Point: e.all(p.Point), Start: e.line(p.Start), Steps: e.steps(p.Steps), End: e.line(p.End), Factor: e.number(p.Factor)}
		for _, w := range p.Walk {
			q.Walk = append(q.Walk, walkJSON{Node: e.nodes[w.Node], Law: w.Law, Gets: e.number(w.Gets)})
		}
		e.c.Parts = append(e.c.Parts, q)
	}
	for _, f := range e.functions.All() {
		e.c.Primitives = append(e.c.Primitives, f.String())
	}
	return e.c
}

// roots are the terms of a derivation; all others are parts of them.
type roots struct {
	nodes []*proof.Node
	maps  []proof.Map
}

func rootsOf(d *proof.Derivation) *roots {
	r := &roots{}
	for _, p := range d.Parts {
		r.values(slices.Concat(p.Fresh, p.Point)...)
		for _, w := range p.Walk {
			r.values(w.Node, w.Gets)
		}
		r.values(p.Factor)
		r.line(p.Start)
		r.steps(p.Steps)
		r.line(p.End)
	}
	for _, l := range d.Laws {
		r.values(l.Points...)
		r.maps = append(r.maps, l.Start, l.End)
		r.steps(l.Steps)
	}
	return r
}

// values are roots, except those that are absent.
func (r *roots) values(ns ...*proof.Node) {
	r.nodes = append(r.nodes, slices.DeleteFunc(slices.Clone(ns), func(n *proof.Node) bool { return n == nil })...)
}

func (r *roots) line(l proof.Line) {
	r.values(l.Nodes...)
	if l.Map != nil {
		r.maps = append(r.maps, *l.Map)
	}
}

func (r *roots) steps(steps []proof.Step) {
	for _, s := range steps {
		r.line(s.Before)
		r.line(s.After)
		r.values(s.Context, s.Hole)
		for _, f := range s.Facts {
			r.values(f.Value)
		}
		r.values(sorted(s.Subst.Values)...)
		r.maps = append(append(r.maps, sorted(s.Subst.Maps)...), slices.Concat(sorted(s.Subst.Families)...)...)
		for _, v := range sorted(s.Subst.Points) {
			r.values(v.Leaves()...)
		}
	}
}

// terms numbers the terms, each after its parts.
func (e *encoder) terms(r *roots) {
	nodes := append(r.nodes, combinators.MapNodes(r.maps...)...)
	for len(nodes) > 0 { // laws, which come last, stand in stores of their own
		s := nodes[0].Store()
		rest := slices.IndexFunc(nodes, func(n *proof.Node) bool { return n.Store() != s })
		if rest < 0 {
			rest = len(nodes)
		}
		for _, n := range combinators.Topo(nodes[:rest]...) {
			if _, known := e.nodes[n]; !known {
				e.nodes[n] = len(e.c.Nodes)
				e.c.Nodes = append(e.c.Nodes, e.node(n))
			}
		}
		nodes = nodes[rest:]
	}
	for _, m := range combinators.TopoMaps(r.maps...) {
		j := e.mapOf(m)
		e.maps[m] = len(e.c.Maps)
		e.c.Maps = append(e.c.Maps, j)
	}
}

// number is the number of a value; nil where there is none.
func (e *encoder) number(n *proof.Node) *int {
	if n == nil {
		return nil
	}
	i := e.nodes[n]
	return &i
}

type encoder struct {
	functions *atom.Scope // of all terms
	nodes     map[*proof.Node]int
	values    map[*proof.Value]int
	maps      map[proof.Map]int
	c         *Certificate
}

func sizes(ss []size.Size) []string {
	var out []string
	out = lists.Append(out, ss, size.Size.String)
	return out
}

var guards = map[combinators.Guard]string{combinators.GuardNone: "", combinators.GuardWeak: "weak", combinators.GuardZero: "zero"}

func (e *encoder) node(n *proof.Node) nodeJSON {
	if of := n.Atom().Scope(); of != nil {
		e.functions = of.Widest(e.functions)
	}
	j := nodeJSON{Op: n.Atom().Name, Name: n.Name(), Attr: n.Attr(), Sizes: sizes(n.Sizes()), Guard: guards[n.Guard()]}
	if n.Name() != "" {
		j.Shape, j.Of = sizes(n.Shape()), n.Attributes().String()
	}
	if n.Rat() != nil {
		j.Rat = n.Rat().RatString()
	}
	if c := n.Ein(); c != nil {
		j.Ein = contraction(c)
	}
	for _, a := range n.Args() {
		if a == nil {
			j.Args = append(j.Args, -1)
		} else {
			j.Args = append(j.Args, e.nodes[a])
		}
	}
	return j
}

func contraction(c *einsum.Contraction) *contractionJSON {
	forms := func(as []einsum.Affine) []affine {
		out := []affine{}
		for _, a := range as {
			f := affine{Terms: [][2]int64{}, Off: a.Off.String()}
			for _, t := range a.Terms {
				f.Terms = append(f.Terms, [2]int64{int64(t.Var), t.Coef})
			}
			out = append(out, f)
		}
		return out
	}
	j := &contractionJSON{Vars: sizes(c.Vars), In: [][]affine{}, Out: forms(c.Out.Index), Eq: forms(c.Eq), Ge: forms(c.Ge)}
	if j.Vars == nil {
		j.Vars = []string{}
	}
	for _, acc := range c.In {
		j.In = append(j.In, forms(acc.Index))
	}
	if _, _, plain := c.IsPlain(); !plain {
		for _, acc := range append(slices.Clone(c.In), c.Out) {
			s := sizes(acc.Shape)
			if s == nil {
				s = []string{}
			}
			j.Shapes = append(j.Shapes, s)
		}
	}
	return j
}

func (e *encoder) value(v *proof.Value) int {
	if i, ok := e.values[v]; ok {
		return i
	}
	j := valueJSON{Node: e.number(v.Node())}
	for _, p := range v.Parts() {
		j.Parts = append(j.Parts, e.value(p))
	}
	e.values[v] = len(e.c.Values)
	e.c.Values = append(e.c.Values, j)
	return e.values[v]
}

func space(s combinators.Space) *spaceJSON {
	j := &spaceJSON{Shape: sizes(s.Shape()), Product: s.IsProduct()}
	for _, f := range s.Factors() {
		j.Factors = append(j.Factors, *space(f))
	}
	return j
}

func (e *encoder) mapOf(m proof.Map) mapJSON {
	j := mapJSON{Op: m.Op().String(), Power: sizes(m.Power())}
	for _, f := range m.Maps() {
		j.Maps = append(j.Maps, e.maps[f])
	}
	if v := m.Value(); v != nil {
		i := e.value(v)
		j.Value = &i
	}
	switch m.Op() {
	case combinators.MapID, combinators.MapConst:
		j.Dom = space(m.Dom())
	case combinators.MapProj:
		j.Dom, j.K = space(m.Dom()), m.K()+1
	case combinators.MapInj:
		j.Cod, j.K = space(m.Cod()), m.K()+1
	case combinators.MapUnknown:
		j.Dom = space(m.Dom())
		_, j.Linear = m.Linear()
	case combinators.MapZero:
		j.Dom, j.Cod = space(m.Dom()), space(m.Cod())
	case combinators.MapEin, combinators.MapAtom:
		n := e.node(m.Proto())
		n.Name = ""
		j.Node = &n
		if m.Op() == combinators.MapAtom {
			open := []combinators.Space{m.Dom()}
			if len(m.Holes()) > 1 {
				open = m.Dom().Factors()
			}
			for _, s := range open {
				sh := sizes(s.Shape())
				if sh == nil {
					sh = []string{}
				}
				j.Shapes = append(j.Shapes, sh)
			}
		}
	}
	return j
}

func (e *encoder) line(l proof.Line) lineJSON {
	j := lineJSON{Nodes: e.all(l.Nodes)}
	if l.Map != nil {
		i := e.maps[*l.Map]
		j.Map = &i
	}
	return j
}

func (e *encoder) all(ns []*proof.Node) (out []int) {
	out = lists.Append(out, ns, func(n *proof.Node) int { return e.nodes[n] })
	return out
}

func (e *encoder) steps(ss []proof.Step) []stepJSON {
	out := []stepJSON{}
	out = lists.Append(out, ss, e.step)
	return out
}

// one is the number of a line's one term.
func (e *encoder) one(l proof.Line) int {
	if l.Map != nil {
		return e.maps[*l.Map]
	}
	return e.nodes[l.Nodes[0]]
}

func (e *encoder) step(s proof.Step) stepJSON {
	j := stepJSON{Rule: s.Rule, Back: s.Back, Before: e.one(s.Before), After: e.one(s.After), Operands: s.Operands,
		Context: e.number(s.Context), Hole: e.number(s.Hole)}
	for _, f := range s.Facts {
		j.Facts = append(j.Facts, factJSON{f.Sign, e.nodes[f.Value]})
	}
	t := &substJSON{Batch: s.Subst.Batch, Guard: guards[s.Subst.Guard], Index: sizes(s.Subst.Index), Count: s.Subst.Count, Components: s.Subst.Components}
	t.Values = mapped(s.Subst.Values, func(n *proof.Node) int { return e.nodes[n] })
	t.Maps = mapped(s.Subst.Maps, func(m proof.Map) int { return e.maps[m] })
	t.Points = mapped(s.Subst.Points, e.value)
	t.Sizes = mapped(s.Subst.Sizes, size.Size.String)
	t.Numbers = map[string]string{}
	for k, r := range s.Subst.Numbers {
		t.Numbers[k] = r.RatString()
	}
	t.Families = mapped(s.Subst.Families, func(fs []proof.Map) []int {
		return lists.Map(fs, func(f proof.Map) int { return e.maps[f] })
	})
	if len(t.Values)+len(t.Maps)+len(t.Points)+len(t.Sizes)+len(t.Numbers)+len(t.Families)+len(t.Components)+len(t.Index)+t.Batch+t.Count > 0 || t.Guard != "" {
		j.Subst = t
	}
	return j
}

// sorted are the values of a map in the order of its keys.
func sorted[A any](in map[string]A) (out []A) {
	out = lists.Append(out, slices.Sorted(maps.Keys(in)), func(k string) A { return in[k] })
	return out
}

func mapped[A, B any](in map[string]A, f func(A) B) map[string]B {
	if len(in) == 0 {
		return nil
	}
	out := map[string]B{}
	for _, k := range slices.Sorted(maps.Keys(in)) { // values are numbered as they are met
		out[k] = f(in[k])
	}
	return out
}
