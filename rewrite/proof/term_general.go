package proof

import (
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// general is a contraction whose axes are affine forms in letters, under conditions: of a triangle,
// [i:n,j:n]->[i:n,j:n]|i=n,j=n,i-j>=0.
func (r *denotation) general(x *text.Index, args []*Node) *Node {
	vars, dims := map[string]int{}, []size.Size{}
	for _, z := range x.Sizes {
		d := r.size(z.Size)
		vars[z.Letter], dims = len(dims), append(dims, d)
	}
	access := func(a text.Axes) (acc einsum.Access) {
		for _, f := range a.Forms {
			form := affine(f.Index, vars)
			d := r.size(f.Size)
			acc.Index, acc.Shape = append(acc.Index, form), append(acc.Shape, d)
		}
		return acc
	}
	in := make([]einsum.Access, len(args))
	for k, a := range x.In {
		in[k] = access(a)
	}
	out := access(x.Out)
	var eq, ge []einsum.Affine
	for _, c := range x.Conds {
		f := affine(c.Form, vars)
		if c.Zero {
			eq = append(eq, f)
		} else {
			ge = append(ge, f)
		}
	}
	return r.s.Ein(must.Get(einsum.New(dims, in, out, eq, ge)), args...)
}

// affine is a form in letters: a letter, a whole number, and sums and differences of these.
func affine(t *text.Term, vars map[string]int) (a einsum.Affine) {
	v, isLetter := vars[t.Name]
	switch {
	case t.Op == text.Name && isLetter:
		return einsum.Variable(v)
	case t.Op == text.Num && t.Rat.IsInt() && t.Rat.Num().IsInt64():
		return einsum.Affine{Off: size.Const(t.Rat.Num().Int64())}
	case t.Op == text.Add || t.Op == text.Sub:
		return affine(t.Args[0], vars).Plus(map[text.Op]int64{text.Add: 1, text.Sub: -1}[t.Op], affine(t.Args[1], vars))
	}
	panic(must.Errorf("%s is no affine form in the letters", t))
}
