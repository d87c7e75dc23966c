package denote

import (
	"fmt"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

func (e *Env) hasSize(name string) bool {
	for _, s := range e.Sizes {
		if s.Name == name {
			return true
		}
	}
	return false
}

// sized builds what a name with sizes denotes: ones[m,n], zeros[n], eye[n], or a size as a number.
func (b *builder) sized(t *text.Term) (*combinators.Node, error) {
	if len(t.Attrs) == 0 {
		d, err := b.size(t)
		if err != nil {
			return nil, err
		}
		return b.s.SizeOf(d), nil
	}
	shape, err := b.shape(t.Attrs)
	if err != nil {
		return nil, err
	}
	return b.filled(t.Name, shape)
}

func (b *builder) shape(attrs []*text.Term) ([]size.Size, error) {
	shape := make([]size.Size, len(attrs))
	for i, a := range attrs {
		d, err := b.size(a)
		if err != nil {
			return nil, err
		}
		shape[i] = d
	}
	return shape, nil
}

// filled builds the tensor of ones or zeros of a shape, or the identity on tensors of that shape.
func (b *builder) filled(name string, shape []size.Size) (*combinators.Node, error) {
	switch name {
	case "ones":
		return b.s.Ones(shape), nil
	case "zeros":
		return b.s.Zero(shape), nil
	case "eye":
		return b.s.Eye(shape), nil
	}
	return nil, fmt.Errorf("%s takes no sizes", name)
}

// size is the size that an attribute expression denotes.
func (b *builder) size(t *text.Term) (size.Size, error) {
	switch t.Op {
	case text.Num:
		if t.Rat.IsInt() && t.Rat.Num().IsInt64() {
			return size.Const(t.Rat.Num().Int64()), nil
		}
	case text.Name:
		for _, s := range b.env.Sizes {
			if s.Name == t.Name {
				return s.Size, nil
			}
		}
	case text.Add, text.Sub, text.Mul:
		l, err := b.size(t.Args[0])
		if err != nil {
			return l, err
		}
		r, err := b.size(t.Args[1])
		if err != nil {
			return r, err
		}
		switch t.Op {
		case text.Add:
			return l.Add(r), nil
		case text.Sub:
			return l.Sub(r), nil
		}
		return l.Mul(r), nil
	}
	return size.Size{}, fmt.Errorf("%s is no size", t)
}
