package denote

import (
	"fmt"

	"frechet/combinators"
	"frechet/combinators/text"
)

// sectionOf is b(u, _) or b(_, v).
func (c *mapBuilder) sectionOf(f combinators.Map, t *text.Term) (m combinators.Map, err error) {
	b, ok := f.Multilinear()
	if !ok || len(t.Args) != len(f.Dom().Factors()) {
		return m, fmt.Errorf("%s is no section", t)
	}
	hole, parts := -1, make([]*combinators.Value, len(t.Args))
	for i, a := range t.Args {
		if a.Op == text.Hole && hole < 0 {
			hole = i
			continue
		}
		if parts[i], err = c.value(a); err != nil {
			return m, err
		}
	}
	if hole < 0 {
		return m, fmt.Errorf("%s has no open component", t)
	}
	l, err := c.store.Section(b, hole, parts)
	return l.Map, err
}

// value builds a value: a metavariable, a component v[k], a tuple, or a map applied.
func (c *mapBuilder) value(t *text.Term) (*combinators.Value, error) {
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
			return v, nil
		}
		k, err := c.Component(t.Attrs[0])
		if err != nil || k < 1 || k > len(v.Parts()) {
			return nil, fmt.Errorf("%s is no component", t)
		}
		return v.Parts()[k-1], nil
	case text.Tuple:
		return c.tuple(t.Args)
	case text.Call:
		if f, ok := c.Maps[t.Name]; ok {
			v, err := c.tuple(t.Args)
			if err != nil {
				return nil, err
			}
			return c.store.ApplyMap(f, v)
		}
	}
	return nil, fmt.Errorf("%s is no value", t)
}

func (c *mapBuilder) tuple(ts []*text.Term) (*combinators.Value, error) {
	parts := make([]*combinators.Value, len(ts))
	for i, t := range ts {
		v, err := c.value(t)
		if err != nil {
			return nil, err
		}
		parts[i] = v
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return c.store.Tuple(parts...), nil
}
