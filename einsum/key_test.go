package einsum

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/einsum/size"
)

// Equal keys are equal contractions, whatever sizes are called.
func TestKeysTellApart(t *testing.T) {
	names := []string{"t0", "t1", "i", "n"}
	d := rapid.Custom(func(t *rapid.T) size.Size {
		return size.Sym(rapid.SampledFrom(names).Draw(t, "symbol")).Mul(size.Const(rapid.Int64Range(1, 2).Draw(t, "coefficient")))
	})
	offset := rapid.OneOf(rapid.Just(size.Size{}), rapid.Just(size.Const(1)), d)
	form := rapid.Custom(func(t *rapid.T) Affine {
		a := Affine{Off: offset.Draw(t, "offset")}
		if rapid.Bool().Draw(t, "variable") {
			a.Terms = []Term{{rapid.IntRange(0, 1).Draw(t, "var"), rapid.Int64Range(1, 2).Draw(t, "times")}}
		}
		return a
	})
	draw := func(t *rapid.T) *Contraction {
		index := rapid.SliceOfN(form, 0, 2).Draw(t, "index")
		shape := rapid.SliceOfN(d, len(index), len(index)).Draw(t, "shape")
		c, err := New([]size.Size{size.Sym("n"), size.Sym("t0")}, []Access{{shape, index}}, Access{}, rapid.SliceOfN(form, 0, 1).Draw(t, "eq"), nil)
		require.NoError(t, err)
		return c
	}
	parts := func(c *Contraction) []any { return []any{c.Vars, c.In, c.Out, c.Eq, c.Ge} }
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t), draw(t)
		if a.Key() == b.Key() {
			require.Equal(t, parts(a), parts(b), a.Key())
		}
		for _, acc := range a.In {
			for i, f := range acc.Index {
				for _, s := range append(acc.Shape[i].Symbols(), f.Off.Symbols()...) {
					require.NotContains(t, a.Names(), s)
				}
			}
		}
	})
}
