package denote

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

func (e *Env) hasSize(name string) bool {
	return slices.ContainsFunc(e.Sizes, func(s SizeBinding) bool { return s.Name == name })
}

// sized builds what a name with sizes denotes: ones[m,n], zeros[n], eye[n], or a size as a number.
func (b *builder) sized(t *text.Term) *combinators.Node {
	if len(t.Attrs) == 0 {
		return b.s.SizeOf(b.size(t))
	}
	return b.filled(t.Name, b.shape(t.Attrs))
}

func (b *builder) shape(attrs []*text.Term) []size.Size {
	return lists.Map(attrs, b.size)
}

// filled builds the tensor of ones or zeros of a shape, or the identity on tensors of that shape.
func (b *builder) filled(name string, shape []size.Size) *combinators.Node {
	switch name {
	case "ones":
		return b.s.Ones(shape)
	case "zeros":
		return b.s.Zero(shape)
	case "eye":
		return b.s.Eye(shape)
	}
	panic(combinators.TypeErrorf("%s takes no sizes", name))
}

// size is the size that an attribute expression denotes.
func (b *builder) size(t *text.Term) size.Size {
	switch t.Op {
	case text.Num:
		if t.Rat.IsInt() && t.Rat.Num().IsInt64() {
			return size.Const(t.Rat.Num().Int64())
		}
	case text.Name:
		for _, s := range b.env.Sizes {
			if s.Name == t.Name {
				return s.Size
			}
		}
	case text.Add:
		return b.size(t.Args[0]).Add(b.size(t.Args[1]))
	case text.Sub:
		return b.size(t.Args[0]).Sub(b.size(t.Args[1]))
	case text.Mul:
		return b.size(t.Args[0]).Mul(b.size(t.Args[1]))
	}
	panic(combinators.TypeErrorf("%s is no size", t))
}
