package proof

import (
	"fmt"

	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
)

// general is a contraction whose axes are affine forms in letters, under conditions: of a triangle,
// [i:n,j:n]->[i:n,j:n]|i=n,j=n,i-j>=0.
func (r *denotation) general(x *text.Index, args []*Node) (*Node, error) {
	vars, dims := map[string]int{}, []size.Size{}
	for _, z := range x.Sizes {
		d, err := r.size(z.Size)
		if err != nil {
			return nil, err
		}
		vars[z.Letter], dims = len(dims), append(dims, d)
	}
	access := func(a text.Axes) (acc einsum.Access, err error) {
		for _, f := range a.Forms {
			form, err := affine(f.Index, vars)
			if err != nil {
				return acc, err
			}
			d, err := r.size(f.Size)
			if err != nil {
				return acc, err
			}
			acc.Index, acc.Shape = append(acc.Index, form), append(acc.Shape, d)
		}
		return acc, nil
	}
	in := make([]einsum.Access, len(args))
	for k, a := range x.In {
		var err error
		if in[k], err = access(a); err != nil {
			return nil, err
		}
	}
	out, err := access(x.Out)
	if err != nil {
		return nil, err
	}
	var eq, ge []einsum.Affine
	for _, c := range x.Conds {
		f, err := affine(c.Form, vars)
		switch {
		case err != nil:
			return nil, err
		case c.Zero:
			eq = append(eq, f)
		default:
			ge = append(ge, f)
		}
	}
	c, err := einsum.New(dims, in, out, eq, ge)
	if err != nil {
		return nil, err
	}
	return r.s.Ein(c, args...), nil
}

// affine is a form in letters: a letter, a whole number, and sums and differences of these.
func affine(t *text.Term, vars map[string]int) (a einsum.Affine, err error) {
	v, isLetter := vars[t.Name]
	switch {
	case t.Op == text.Name && isLetter:
		return einsum.Variable(v), nil
	case t.Op == text.Num && t.Rat.IsInt() && t.Rat.Num().IsInt64():
		return einsum.Affine{Off: size.Const(t.Rat.Num().Int64())}, nil
	case t.Op == text.Add || t.Op == text.Sub:
		if a, err = affine(t.Args[0], vars); err != nil {
			return a, err
		}
		b, err := affine(t.Args[1], vars)
		return a.Plus(map[text.Op]int64{text.Add: 1, text.Sub: -1}[t.Op], b), err
	}
	return a, fmt.Errorf("%s is no affine form in the letters", t)
}
