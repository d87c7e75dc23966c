package derivation

import (
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/fault"
	"frechet/rewrite"
	"frechet/rewrite/proof"
)

// closed works a linear map out by the rules on closed combinators.
func (d *Derivation) closed(kind proof.Kind, l combinators.PointFreeLinear) (combinators.PointFreeLinear, error) {
	p := &part{name: string(kind), kind: kind, start: proof.Line{Map: &l.Map}}
	p.lines = []Step{{Part: p.name, f: d.f, m: l.Map}}
	var fired []rewrite.ClosedFiring
	after, err := d.f.Calculus().ClosedForm(l.Map, func(f rewrite.ClosedFiring) { fired = append(fired, f) })
	if err != nil {
		return l, err
	}
	p.end.Map = &after
	c := &calculation{made: map[combinators.Map]bool{}, fired: map[combinators.Map]rewrite.ClosedFiring{}, now: l.Map}
	for _, f := range fired {
		c.fired[f.Before] = f
		p.steps, p.laws = append(p.steps, mapProof(f)), append(p.laws, lawOf(f))
	}
	shown := len(combinators.TopoMaps(l.Map)) + len(combinators.Topo(text.Values(l.Map)...))
	short := len(fired)*shown <= repeated*shortLines && shown <= shortLines
	for k := 0; short && k < len(fired); k++ {
		for _, made := range c.make(fired[k]) {
			p.lines = append(p.lines, Step{Part: p.name, Law: lawOf(made.ClosedFiring),
				Ordering: made.Rule.Name == "C-assoc", f: d.f, m: made.now})
		}
	}
	if c.now != after {
		p.lines = nil // each step is shown alone
	}
	out, ok := after.Linear()
	if !ok {
		return l, fault.New(fault.Internal, "a linear map became one that is not")
	}
	d.parts = append(d.parts, p)
	return out, nil
}

// atomOf names the function of the rules that hold for all of them.
func atomOf(before combinators.Map) string {
	if len(before.Maps()) == 1 && before.Maps()[0].Op() == combinators.MapAtom {
		return before.Maps()[0].Atom().Name
	}
	return ""
}

// A calculation is a map in which rules are applied. The rules see a term once; in the map it is
// rewritten wherever it stands, and again wherever a later step brings it back.
type calculation struct {
	fired map[combinators.Map]rewrite.ClosedFiring // by what they rewrite
	made  map[combinators.Map]bool                 // those that the calculation has come to
	now   combinators.Map
}

// A madeFiring is an application of a rule with the map after it.
type madeFiring struct {
	rewrite.ClosedFiring
	now combinators.Map
}

// make applies a rule where its left side stands, and then those that have been applied before.
// There are no steps where the left side does not stand in the map: an outer step has dropped it.
func (c *calculation) make(f rewrite.ClosedFiring) (out []madeFiring) {
	c.made[f.Before] = true
	for len(out) < shortLines {
		next, ok := c.next()
		if !ok {
			break
		}
		f := c.fired[next]
		c.made[next] = true
		c.now = combinators.ReplaceMap(c.now, f.Before, f.After)
		out = append(out, madeFiring{f, c.now})
	}
	return out
}

// next is the first term of the map that is to be rewritten: the innermost one, unless it stands
// in one that a rule rewrites before its parts, or in a composition that begins with such a one.
func (c *calculation) next() (next combinators.Map, ok bool) {
	inside := map[combinators.Map]bool{}
	for _, m := range combinators.TopoMaps(c.now) {
		if !ok {
			if !c.made[m] {
				continue
			}
			next, ok = m, true
		}
		inside[m] = m == next
		for _, part := range m.Maps() {
			inside[m] = inside[m] || inside[part]
		}
		if !inside[m] {
			continue
		}
		if _, fired := c.fired[m]; fired {
			next = m
		} else if m.Op() == combinators.MapCompose && c.fired[m.Maps()[0]].Outer {
			next = m.Maps()[0]
		}
	}
	return next, ok
}
