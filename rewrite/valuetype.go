package rewrite

import (
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
	"slices"
)

// valueType is a compiled type of a value metavariable: axes, with any number of others before, between or
// behind them where it has "...".
type valueType struct {
	any   int // slot of a space metavariable, or -1
	batch bool
	first []dim // before the others
	dims  []dim
}

// dim is one axis: a size metavariable, a given size, or an expression in sizes that are bound before: m*n beside split[0,m,n].
type dim struct {
	slot int // -1 for a given size
	size size.Size
	of   func(*matcher) (size.Size, bool)
}

func (c *compiler) valueType(sp *text.Space) valueType {
	if !sp.Bracket {
		return valueType{any: c.spaces[sp.Name]}
	}
	t := valueType{any: -1}
	for _, d := range sp.Dims {
		if d.Op == text.Name && d.Name == "..." {
			t.batch, t.first, t.dims = true, append(t.first, t.dims...), nil
		} else {
			t.dims = append(t.dims, c.dim(d))
		}
	}
	return t
}

func (c *compiler) dim(d *text.Term) dim {
	switch {
	case d.Op == text.Name:
		return dim{slot: c.sizes[d.Name]}
	case d.Op == text.Num && d.Rat.IsInt() && d.Rat.Num().IsInt64():
		return dim{slot: -1, size: size.Const(d.Rat.Num().Int64())}
	}
	var of func(*matcher) (size.Size, bool)
	if must.Try(func() { of = c.sizeOf(d) }) != nil { // a metavariable that is no size
		of = func(*matcher) (size.Size, bool) { return size.Size{}, false }
	}
	return dim{slot: -1, of: of}
}

// fits reports whether a value of the given shape has the type, and binds sizes and spaces.
func (t valueType) fits(m *matcher, shape []size.Size) bool {
	if t.any >= 0 {
		if m.spaces[t.any] != nil {
			return slices.Equal(m.spaces[t.any], shape)
		}
		if shape == nil {
			shape = []size.Size{} // a scalar's space is bound, too
		}
		m.spaces[t.any] = shape
		m.trail = append(m.trail, undo{'p', t.any})
		return true
	}
	n := t.others(len(shape))
	if n < 0 || n > 0 && !t.batch {
		return false
	}
	return m.bindDims(t.first, shape) && m.bindDims(t.dims, shape[len(t.first)+n:])
}

// others is how many axes "..." stands for in a value of an order.
func (t valueType) others(order int) int { return order - len(t.first) - len(t.dims) }

// bindDims reports whether the first axes have sizes of a type, and binds its size metavariables.
func (m *matcher) bindDims(dims []dim, shape []size.Size) bool {
	for i, d := range dims {
		s := shape[i]
		switch {
		case d.of != nil:
			if z, ok := d.of(m); !ok || z != s {
				return false
			}
		case d.slot < 0:
			if d.size != s {
				return false
			}
		case m.sizeSet[d.slot]:
			if m.sizes[d.slot] != s {
				return false
			}
		default:
			m.sizes[d.slot], m.sizeSet[d.slot] = s, true
			m.trail = append(m.trail, undo{'s', d.slot})
		}
	}
	return true
}
