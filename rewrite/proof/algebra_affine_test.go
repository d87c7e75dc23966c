package proof

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// tuples are the indices of all points of c, which has one or two variables, in order.
func tuples(c *einsum.Contraction) (out []string) {
	at := func(a einsum.Affine, t []int64) int64 {
		n, _ := a.Off.Int()
		for _, term := range a.Terms {
			n += term.Coef * t[term.Var]
		}
		return n
	}
	var t []int64
	var walk func()
	walk = func() {
		if len(t) < len(c.Vars) {
			n, _ := c.Vars[len(t)].Int()
			for i := range n {
				t = append(t, i)
				walk()
				t = t[:len(t)-1]
			}
			return
		}
		for _, e := range c.Eq {
			if at(e, t) != 0 {
				return
			}
		}
		for _, g := range c.Ge {
			if at(g, t) < 0 {
				return
			}
		}
		var tuple []int64
		for _, i := range indices(c) {
			tuple = append(tuple, at(i, t))
		}
		out = append(out, fmt.Sprint(tuple))
	}
	walk()
	slices.Sort(out)
	return out
}

// Contractions that are one in other variables are found so, and only these.
func TestReindexed(t *testing.T) {
	s := combinators.NewStore()
	ten := size.Const(10)
	x, y := s.Var("x", []size.Size{ten}), s.Var("y", []size.Size{ten})
	z := &algebra{s: s, work: &work{}, until: maxWork}
	made := func(c *einsum.Contraction) written { return written{c, []*Node{x, y}, s.Ein(c, x, y)} }
	rapid.Check(t, func(t *rapid.T) {
		affine := func(vars int) einsum.Affine {
			a := einsum.Affine{Off: size.Const(int64(rapid.IntRange(0, 3).Draw(t, "offset")))}
			v := rapid.IntRange(0, vars-1).Draw(t, "variable")
			if rapid.Bool().Draw(t, "turned") {
				return einsum.Affine{Off: size.Const(3)}.Plus(1, a).Plus(-1, einsum.Variable(v))
			}
			a = a.Plus(1, einsum.Variable(v))
			if vars > 1 && rapid.IntRange(0, 3).Draw(t, "both") == 0 {
				a = a.Plus(1, einsum.Variable(1-v))
			}
			return a
		}
		draw := func() *einsum.Contraction {
			vars := rapid.SampledFrom([][]size.Size{{size.Const(4)}, {size.Const(3)}, {size.Const(3), size.Const(4)}}).Draw(t, "sizes")
			n := len(vars)
			access := func() einsum.Access {
				return einsum.Access{Shape: []size.Size{ten}, Index: []einsum.Affine{affine(n)}}
			}
			var ge []einsum.Affine
			if rapid.Bool().Draw(t, "condition") {
				ge = append(ge, affine(n).Plus(-1, einsum.Affine{Off: size.Const(2)}))
			}
			c, err := einsum.New(vars, []einsum.Access{access(), access()}, access(), nil, ge)
			require.NoError(t, err)
			return c
		}
		c := draw()
		// in other variables: i as size - 1 - i
		turned := func(a einsum.Affine) einsum.Affine {
			for v, d := range c.Vars {
				w := einsum.Affine{Off: d.Sub(size.Const(1))}.Plus(-1, einsum.Variable(v))
				a = a.Subst(v, w)
			}
			return a
		}
		all := func(as []einsum.Affine) (out []einsum.Affine) {
			for _, a := range as {
				out = append(out, turned(a))
			}
			return out
		}
		access := func(acc einsum.Access) einsum.Access { return einsum.Access{Shape: acc.Shape, Index: all(acc.Index)} }
		d, err := einsum.New(c.Vars, []einsum.Access{access(c.In[0]), access(c.In[1])}, access(c.Out), nil, all(c.Ge))
		require.NoError(t, err)
		require.Equal(t, tuples(c), tuples(d))
		if variablesBy(c, c) != nil {
			require.True(t, z.reindexed(made(c), made(d)), "%s\n%s", c, d)
		}
		if e := draw(); z.reindexed(made(c), made(e)) {
			require.Equal(t, tuples(c), tuples(e), "%s\n%s", c, e)
		}
	})
}
