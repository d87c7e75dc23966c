package linear_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

// An isometry keeps the entries and their order, and its adjoint, made by rules, is the isometry back.
func TestIsometries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		e := rapid.SampledFrom([][]size.Size{nil, {size.Sym("n")}, {size.Const(2), size.Const(1)}}).Draw(t, "slice")
		var piece func(depth int) (combinators.Space, size.Size)
		piece = func(depth int) (combinators.Space, size.Size) {
			kind := rapid.IntRange(0, 2).Draw(t, "kind")
			switch {
			case kind == 0:
				return combinators.TensorSpace(e), size.Const(1)
			case kind == 1 || depth == 0:
				d := rapid.SampledFrom([]size.Size{size.Sym("m"), size.Const(3), size.Const(1), size.Const(0)}).Draw(t, "length")
				return combinators.TensorSpace(append([]size.Size{d}, e...)), d
			}
			factors := make([]combinators.Space, rapid.IntRange(1, 3).Draw(t, "pieces"))
			total := size.Const(0)
			for k := range factors {
				f, d := piece(depth - 1)
				factors[k], total = f, total.Add(d)
			}
			return combinators.ProductSpace(factors...), total
		}
		var w combinators.Space
		var d size.Size
		for w, d = piece(2); !w.IsProduct(); w, d = piece(2) {
		}
		u := combinators.TensorSpace(append([]size.Size{d}, e...))
		cut, ok := s.Isometry(u, w)
		require.True(t, ok, "%s and %s", u, w)
		join, ok := s.Isometry(w, u)
		require.True(t, ok)
		z := newNumeric(sizings[rapid.IntRange(0, len(sizings)-1).Draw(t, "sizes")])
		x := terms.Value(s, "x", u)
		require.Equal(t, z.at(t, x), z.at(t, apply(t, cut.Map, x)), "%s -o %s", u, w)
		y := terms.Value(s, "y", w)
		require.Equal(t, z.at(t, y), z.at(t, apply(t, join.Map, y)), "%s -o %s", w, u)
		back := workedLinear(t, s.Adjoint(cut))
		require.Equal(t, z.at(t, y), z.at(t, apply(t, back.Map, y)), "the adjoint of %s -o %s", u, w)
	})
	s := combinators.NewStore()
	n := size.Sym("n")
	for _, pair := range [][2]combinators.Space{
		{combinators.TensorSpace([]size.Size{n}), combinators.ProductSpace(combinators.TensorSpace(nil), combinators.TensorSpace(nil))},
		{combinators.TensorSpace([]size.Size{n, n}), combinators.TensorSpace([]size.Size{n})},
		{combinators.TensorSpace([]size.Size{size.Const(2), n}), combinators.ProductSpace(combinators.TensorSpace(nil), combinators.TensorSpace(nil))},
		{combinators.TensorSpace([]size.Size{size.Const(0)}), combinators.ProductSpace()},
	} {
		_, ok := s.Isometry(pair[0], pair[1])
		require.False(t, ok, "%s and %s", pair[0], pair[1])
	}
}

// Texts in which an array stands for a tuple, or a tuple for an array: V x V = V^2, and R[m+n] is R[m] x R[n].
func TestTuplesAreArrays(t *testing.T) {
	for _, row := range [][2]string{
		{"f : R[n] -> R[n] = plus . rep[2]", "f : R[n] -> R[n] = (2 .* _)"},
		{"f : R[3] -> R = pi1 .* pi3", "f : R[3] -> R = (red{(0)} : R[3] -o R) .* (red{(2)} : R[3] -o R)"},
		{"f : R[n] -> R = dot . (sin x cos) . rep[2]", "f : R[n] -> R = sin *(i,i->) cos"},
		{"f : R[m] x R[n] -> R[m+n] = exp . (id : R[m] x R[n] -o R[m+n])", "f : R[m] x R[n] -> R[m+n] = exp . ([red{(i,i)}, red{(i,i+m)}] : R[m] x R[n] -> R[m+n])"},
		{"f : R[n] -> R[2,n] = <id, sin>", "f : R[n] -> R[2,n] = red{(i,0,i)} + (red{(i,1,i)} : R[n] -o R[2,n]) . sin"},
		{"f : R -> R[3] = iota2", "f : R -> R[3] = red{(1)}"},
		{"f : R[2,n] -> R = dot", "f : R[2,n] -> R = (red{(0,i,i)} : R[2,n] -o R[n]) *(i,i->) (red{(1,i,i)} : R[2,n] -o R[n])"},
		{"f : R[m+n] -> R[n] = sin . pi2 . (id : R[m+n] -o R[m] x R[n])", "f : R[m+n] -> R[n] = sin . (red{(i+m,i)} : R[m+n] -o R[n])"},
		{"g : R[n] x R[n] -> R[n] = pi1 .* pi2\nf : R[2,n] -> R[n] = g", "f : R[2,n] -> R[n] = (red{(0,i,i)} : R[2,n] -o R[n]) .* (red{(1,i,i)} : R[2,n] -o R[n])"},
	} {
		var texts [2]string
		for i, src := range row {
			f, err := frechet.Parse(src)
			require.NoError(t, err, src)
			texts[i] = f.Value().String()
		}
		require.Equal(t, texts[1], texts[0], row[0])
	}
}
