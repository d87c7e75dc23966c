package json

import (
	"frechet/internal/must"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

func (r *decoder) line(j lineJSON) proof.Line {
	if j.Map != nil {
		must.Hold(len(j.Nodes) == 0, "a line of a map and of values")
		m := r.mapAt(*j.Map)
		return proof.Line{Map: &m}
	}
	return proof.Line{Nodes: each(j.Nodes, r.at)} // a line without values is of the space with one point
}

func (r *decoder) steps(js []stepJSON, onMaps bool) (out []proof.Step) {
	for i, j := range js {
		r.stepping = i + 1
		out = append(out, r.step(j, onMaps))
	}
	r.stepping = 0
	return out
}

func (r *decoder) step(j stepJSON, onMaps bool) proof.Step {
	one := func(i int) proof.Line {
		if onMaps {
			return r.line(lineJSON{Map: &i})
		}
		return r.line(lineJSON{Nodes: []int{i}})
	}
	must.Hold((j.Context == nil) == (j.Hole == nil), "a context and a hole belong together")
	s := proof.Step{Rule: j.Rule, Back: j.Back, Operands: j.Operands, Before: one(j.Before), After: one(j.After), Context: r.atAny(j.Context), Hole: r.atAny(j.Hole),
		Facts: each(j.Facts, func(f factJSON) proof.Fact { return proof.Fact{Sign: f.Sign, Value: r.at(f.Node)} })}
	t := j.Subst
	if t == nil {
		return s
	}
	must.Hold(t.Batch >= 0 && t.Batch <= maxArgs && t.Count >= 0 && t.Count <= maxArgs, "a substitution of %s and %s", words.Count(t.Batch, "axis"), words.Count(t.Count, "member"))
	u := &s.Subst
	u.Batch, u.Count, u.Components = t.Batch, t.Count, t.Components
	u.Guard, u.Index = guardNamed(t.Guard), shape(t.Index)
	u.Values, u.Numbers, u.Sizes = eachOf(t.Values, r.at), eachOf(t.Numbers, rational), eachOf(t.Sizes, parseExtent)
	u.Maps, u.Points = eachOf(t.Maps, r.mapAt), eachOf(t.Points, r.valueAt)
	u.Families = eachOf(t.Families, func(ks []int) []proof.Map { return each(ks, r.mapAt) })
	return s
}
