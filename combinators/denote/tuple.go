package denote

import (
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// sectionOf is b(u, _) or b(_, v).
func (c *mapBuilder) sectionOf(f combinators.Map, t *text.Term) (m combinators.Map) {
	b, ok := f.Multilinear()
	must.Hold(ok && len(t.Args) == len(f.Dom().Factors()), "%s is no section", t)
	hole, parts := -1, make([]*combinators.Value, len(t.Args))
	for i, a := range t.Args {
		if a.Op == text.Hole && hole < 0 {
			hole = i
			continue
		}
		parts[i] = c.value(a)
	}
	must.Hold(hole >= 0, "%s has no open component", t)
	return must.Get(c.store.Section(b, hole, parts)).Map
}

// value builds a value: a metavariable, a component v[k], a tuple, or a map applied.
func (c *mapBuilder) value(t *text.Term) *combinators.Value {
	if c.reader != nil && t.Op != text.Tuple {
		return c.reader.value(t)
	}
	switch t.Op {
	case text.Name:
		v := c.Values[t.Name]
		if v == nil {
			break
		}
		if len(t.Attrs) == 0 {
			return v
		}
		k, err := c.Component(t.Attrs[0])
		must.Hold(err == nil && k >= 1 && k <= len(v.Parts()), "%s is no component", t)
		return v.Parts()[k-1]
	case text.Tuple:
		return c.tuple(t.Args)
	case text.Call:
		if f, ok := c.Maps[t.Name]; ok {
			return must.Get(c.store.ApplyMap(f, c.tuple(t.Args)))
		}
	}
	panic(must.Errorf("%s is no value", t))
}

func (c *mapBuilder) tuple(ts []*text.Term) *combinators.Value {
	parts := lists.Map(ts, c.value)
	if len(parts) == 1 {
		return parts[0]
	}
	return c.store.Tuple(parts...)
}
