package json

import (
	"fmt"

	"frechet/internal/words"
	"frechet/rewrite/proof"
)

func (r *decoder) line(j lineJSON) (l proof.Line, err error) {
	if j.Map != nil {
		if len(j.Nodes) > 0 {
			return l, fmt.Errorf("a line of a map and of values")
		}
		m, err := r.mapAt(*j.Map)
		l.Map = &m
		return l, err
	}
	// a line without values is of the space with one point
	l.Nodes, err = each(j.Nodes, r.at)
	return l, err
}

func (r *decoder) steps(js []stepJSON, onMaps bool) (out []proof.Step, err error) {
	for k, j := range js {
		s, err := r.step(j, onMaps)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", k+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *decoder) step(j stepJSON, onMaps bool) (s proof.Step, err error) {
	s.Rule, s.Back, s.Operands = j.Rule, j.Back, j.Operands
	one := func(i int) (proof.Line, error) {
		if onMaps {
			return r.line(lineJSON{Map: &i})
		}
		return r.line(lineJSON{Nodes: []int{i}})
	}
	if s.Before, err = one(j.Before); err != nil {
		return s, err
	}
	if s.After, err = one(j.After); err != nil {
		return s, err
	}
	if (j.Context == nil) != (j.Hole == nil) {
		return s, fmt.Errorf("a context and a hole belong together")
	}
	if j.Context != nil {
		if s.Context, err = r.at(*j.Context); err != nil {
			return s, err
		}
		if s.Hole, err = r.at(*j.Hole); err != nil {
			return s, err
		}
	}
	if s.Facts, err = each(j.Facts, func(f factJSON) (proof.Fact, error) {
		n, err := r.at(f.Node)
		return proof.Fact{Sign: f.Sign, Value: n}, err
	}); err != nil || j.Subst == nil {
		return s, err
	}
	t, u := j.Subst, &s.Subst
	u.Batch, u.Count, u.Components = t.Batch, t.Count, t.Components
	if u.Batch < 0 || u.Batch > maxArgs || u.Count < 0 || u.Count > maxArgs {
		return s, fmt.Errorf("a substitution of %s and %s", words.Count(u.Batch, "axis"), words.Count(u.Count, "member"))
	}
	if u.Guard, err = guardNamed(t.Guard); err != nil {
		return s, err
	}
	if u.Values, err = eachOf(t.Values, r.at); err != nil {
		return s, err
	}
	if u.Numbers, err = eachOf(t.Numbers, rational); err != nil {
		return s, err
	}
	if u.Sizes, err = eachOf(t.Sizes, parseExtent); err != nil {
		return s, err
	}
	if u.Maps, err = eachOf(t.Maps, r.mapAt); err != nil {
		return s, err
	}
	if u.Points, err = eachOf(t.Points, r.valueAt); err != nil {
		return s, err
	}
	if u.Families, err = eachOf(t.Families, func(ks []int) ([]proof.Map, error) { return each(ks, r.mapAt) }); err != nil {
		return s, err
	}
	u.Index, err = shape(t.Index)
	return s, err
}
