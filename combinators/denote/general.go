package denote

import (
	"fmt"
	"slices"

	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
)

// general builds a contraction whose axes are affine forms, each with the size of its axis.
func (b *builder) general(x *text.Index, shapes [][]size.Size) (*einsum.Contraction, error) {
	vars := map[string]int{}
	var dims []size.Size
	for _, z := range x.Sizes {
		d, err := b.size(z.Size)
		if err != nil {
			return nil, err
		}
		vars[z.Letter] = len(dims)
		dims = append(dims, d)
	}
	access := func(a text.Axes) (acc einsum.Access, err error) {
		if a.Forms == nil && (a.Batch || a.Rest || len(a.Letters) > 0) {
			return acc, fmt.Errorf("%s: in a general contraction every axis is a form with its size", x)
		}
		for _, f := range a.Forms {
			form, err := b.affine(f.Index, vars)
			if err != nil {
				return acc, err
			}
			d, err := b.size(f.Size)
			if err != nil {
				return acc, err
			}
			acc.Index, acc.Shape = append(acc.Index, form), append(acc.Shape, d)
		}
		return acc, nil
	}
	in := make([]einsum.Access, len(x.In))
	for k, a := range x.In {
		acc, err := access(a)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(acc.Shape, shapes[k]) {
			return nil, fmt.Errorf("%s: operand %d has shape %s", x, k+1, size.Shape(shapes[k]))
		}
		in[k] = acc
	}
	out, err := access(x.Out)
	if err != nil {
		return nil, err
	}
	var eq, ge []einsum.Affine
	for _, c := range x.Conds {
		f, err := b.affine(c.Form, vars)
		if err != nil {
			return nil, err
		}
		if c.Zero {
			eq = append(eq, f)
		} else {
			ge = append(ge, f)
		}
	}
	return einsum.New(dims, in, out, eq, ge)
}

// affine is an affine form in the letters vars; a size is an offset, also as size(n), where a letter has its name.
func (b *builder) affine(t *text.Term, vars map[string]int) (einsum.Affine, error) {
	fail := func() (einsum.Affine, error) {
		return einsum.Affine{}, fmt.Errorf("%s is no affine form", t)
	}
	switch t.Op {
	case text.Num:
		d, err := b.size(t)
		return einsum.Affine{Off: d}, err
	case text.Name:
		if v, ok := vars[t.Name]; ok {
			return einsum.Variable(v), nil
		}
		if !b.env.hasSize(t.Name) {
			return fail()
		}
		d, err := b.size(t)
		return einsum.Affine{Off: d}, err
	case text.Call:
		if t.Name != "size" || len(t.Args) != 1 {
			return fail()
		}
		d, err := b.size(t.Args[0])
		return einsum.Affine{Off: d}, err
	case text.Neg:
		a, err := b.affine(t.Args[0], vars)
		return einsum.Affine{}.Plus(-1, a), err
	case text.Add, text.Sub:
		l, err := b.affine(t.Args[0], vars)
		if err != nil {
			return l, err
		}
		r, err := b.affine(t.Args[1], vars)
		k := int64(1)
		if t.Op == text.Sub {
			k = -1
		}
		if l = l.Plus(k, r); !l.Moderate() {
			return fail()
		}
		return l, err
	case text.Mul:
		k := t.Args[0]
		if k.Op != text.Num || !k.Rat.IsInt() || !k.Rat.Num().IsInt64() || k.Rat.Num().BitLen() > 31 {
			return fail()
		}
		a, err := b.affine(t.Args[1], vars)
		if a = (einsum.Affine{}).Plus(k.Rat.Num().Int64(), a); !a.Moderate() {
			return fail()
		}
		return a, err
	}
	return fail()
}
