package denote

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// general builds a contraction whose axes are affine forms, each with the size of its axis.
func (b *builder) general(x *text.Index, shapes [][]size.Size) *einsum.Contraction {
	vars := map[string]int{}
	var dims []size.Size
	for _, z := range x.Sizes {
		d := b.size(z.Size)
		vars[z.Letter] = len(dims)
		dims = append(dims, d)
	}
	access := func(a text.Axes) (acc einsum.Access) {
		if a.Forms == nil && (a.Batch || a.Rest || len(a.Letters) > 0) {
			panic(combinators.TypeErrorf("%s: in a general contraction every axis is a form with its size", x))
		}
		for _, f := range a.Forms {
			acc.Index, acc.Shape = append(acc.Index, b.affine(f.Index, vars)), append(acc.Shape, b.size(f.Size))
		}
		return acc
	}
	in := make([]einsum.Access, len(x.In))
	for k, a := range x.In {
		if in[k] = access(a); !slices.Equal(in[k].Shape, shapes[k]) {
			panic(combinators.TypeErrorf("%s: operand %d has shape %s", x, k+1, size.Shape(shapes[k])))
		}
	}
	out := access(x.Out)
	var eq, ge []einsum.Affine
	for _, c := range x.Conds {
		if f := b.affine(c.Form, vars); c.Zero {
			eq = append(eq, f)
		} else {
			ge = append(ge, f)
		}
	}
	return must.Get(einsum.New(dims, in, out, eq, ge))
}

// affine is an affine form in the letters vars; a size is an offset, also as size(n), where a letter has its name.
func (b *builder) affine(t *text.Term, vars map[string]int) einsum.Affine {
	no := func() einsum.Affine { panic(combinators.TypeErrorf("%s is no affine form", t)) }
	moderate := func(a einsum.Affine) einsum.Affine {
		if !a.Moderate() {
			return no()
		}
		return a
	}
	switch t.Op {
	case text.Num:
		return einsum.Affine{Off: b.size(t)}
	case text.Name:
		if v, ok := vars[t.Name]; ok {
			return einsum.Variable(v)
		}
		if b.env.hasSize(t.Name) {
			return einsum.Affine{Off: b.size(t)}
		}
	case text.Call:
		if t.Name == "size" && len(t.Args) == 1 {
			return einsum.Affine{Off: b.size(t.Args[0])}
		}
	case text.Neg:
		return einsum.Affine{}.Plus(-1, b.affine(t.Args[0], vars))
	case text.Add:
		return moderate(b.affine(t.Args[0], vars).Plus(1, b.affine(t.Args[1], vars)))
	case text.Sub:
		return moderate(b.affine(t.Args[0], vars).Plus(-1, b.affine(t.Args[1], vars)))
	case text.Mul:
		if k := t.Args[0]; k.Op == text.Num && k.Rat.IsInt() && k.Rat.Num().BitLen() <= 31 {
			return moderate(einsum.Affine{}.Plus(k.Rat.Num().Int64(), b.affine(t.Args[1], vars)))
		}
	}
	return no()
}
