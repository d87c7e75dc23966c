package einsum

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/einsum/size"
)

// drawPlain is a plain contraction whose output has so many axes of the sizes of dims.
func drawPlain(t *rapid.T, dims []size.Size, out []int, name string) *Contraction {
	letter := rapid.IntRange(0, len(dims)-1)
	in := rapid.SliceOfN(rapid.SliceOfN(letter, 0, 3), 0, 3).Draw(t, name)
	return Plain(in, out, dims)
}

// forget is c as the general steps see it.
func forget(c *Contraction) *Contraction {
	d := canonical(c.Vars, c.In, c.Out, c.Eq, c.Ge)
	d.plain = false
	return d
}

// The steps on letters give what the steps on affine forms give.
func TestPlainStepsAreTheGeneralOnes(t *testing.T) {
	m, n := size.Sym("m"), size.Const(2)
	rapid.Check(t, func(t *rapid.T) {
		dims := []size.Size{m, n, m, n, m}
		letter := rapid.IntRange(0, 4)
		c := drawPlain(t, dims, rapid.SliceOfN(letter, 0, 3).Draw(t, "out"), "c")
		require.Equal(t, canonical(c.Vars, c.In, c.Out, nil, nil).Key(), c.Key())
		var l letters
		l.permute(c, []int{0, 1, 2}[:len(c.In)])
		require.Equal(t, c.Key(), string(l.key(nil)))
		table := NewTable()
		for k := range c.In {
			require.Equal(t, forget(c).Swap(k).Key(), c.Swap(k).Key())
			require.Same(t, table.Swap(c, k), table.Intern(c.Swap(k)))
			mid, _, _ := c.IsPlain()
			inner := Plain(rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, len(c.Vars)-1), 0, 3), 0, 3).Draw(t, "inner"), mid[k], c.Vars)
			// Outputs with repeated letters, where the sizes allow it.
			if g, out, _ := inner.IsPlain(); len(out) > 1 && inner.Vars[out[0]] == inner.Vars[out[1]] && rapid.Bool().Draw(t, "diagonal") {
				out = slices.Clone(out)
				out[1] = out[0]
				inner = Plain(g, out, inner.Vars)
			}
			f := table.Fuse(c, k, inner)
			require.Equal(t, c.Fuse(k, inner).Solve().Key(), f.Key(), "%v into %v", inner, c)
			require.Same(t, f, table.Intern(f))
			require.Same(t, f, table.Intern(c.Fuse(k, inner).Solve()))
		}
		labels := rapid.SliceOfN(rapid.IntRange(3, 4), len(c.In), len(c.In)).Draw(t, "labels")
		want, order := c.Canon(labels)
		got, same := table.Canon(c, labels)
		require.Equal(t, want.Key(), got.Key())
		require.True(t, slices.Equal(order, same))
		perm := rapid.Permutation([]int{0, 1, 2}[:len(c.In)]).Draw(t, "perm")
		require.Equal(t, forget(c).Permute(perm).Key(), c.Permute(perm).Key())
	})
}

// A table tells contractions apart that differ, and only those.
func TestTableHasFormsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable()
		dims := []size.Size{size.Sym("m"), size.Const(2), size.Sym("m")}
		draw := func(name string) *Contraction {
			if rapid.Bool().Draw(t, name+" plain") {
				return drawPlain(t, dims, rapid.SliceOfN(rapid.IntRange(0, 2), 0, 2).Draw(t, name), name+" in")
			}
			shape := drawSizes(t, name+" shape", 2)
			return drawContraction(t, shape, [][]size.Size{shape}, name)
		}
		a, b := draw("a"), draw("b")
		require.Equal(t, a.Key() == b.Key(), table.Intern(a) == table.Intern(b))
	})
}
