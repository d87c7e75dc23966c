package plan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/einsum"
	"frechet/einsum/size"
)

// visits lists what a nest reads and writes: the offsets of operands and output, point by point.
func (n *Nest) visits() [][]int {
	var out [][]int
	if n.Empty {
		return nil
	}
	t := make([]int, len(n.Size))
	for {
		ok := true
		value := func(b Bound) int {
			v := b.Off
			for k, c := range b.Coef {
				v += c * t[k]
			}
			return v
		}
		for _, b := range n.Eq {
			ok = ok && value(b) == 0
		}
		for _, b := range n.Ge {
			ok = ok && value(b) >= 0
		}
		if ok {
			var p []int
			for _, w := range append(slices.Clone(n.In), n.Out) {
				p = append(p, value(Bound{w.Stride, w.Base}))
			}
			for range int(n.Scale) {
				out = append(out, p)
			}
		}
		k := len(t) - 1
		for ; k >= 0; k-- {
			if t[k]++; t[k] < n.Size[k] {
				break
			}
			t[k] = 0
		}
		if k < 0 {
			slices.SortFunc(out, slices.Compare)
			return out
		}
	}
}

// definition lists the same by the definition of a contraction.
func definition(c *einsum.Contraction) [][]int {
	var out [][]int
	num := func(s size.Size) int { n, _ := s.Int(); return int(n) }
	t := make([]int, len(c.Vars))
	value := func(a einsum.Affine) int {
		v := num(a.Off)
		for _, m := range a.Terms {
			v += int(m.Coef) * t[m.Var]
		}
		return v
	}
	var loop func(k int)
	loop = func(k int) {
		if k < len(t) {
			for t[k] = 0; t[k] < num(c.Vars[k]); t[k]++ {
				loop(k + 1)
			}
			return
		}
		for _, a := range c.Eq {
			if value(a) != 0 {
				return
			}
		}
		for _, a := range c.Ge {
			if value(a) < 0 {
				return
			}
		}
		var p []int
		for _, acc := range append(slices.Clone(c.In), c.Out) {
			o := 0
			for i, a := range acc.Index {
				v := value(a)
				if v < 0 || v >= num(acc.Shape[i]) {
					return
				}
				o = o*num(acc.Shape[i]) + v
			}
			p = append(p, o)
		}
		out = append(out, p)
	}
	loop(0)
	slices.SortFunc(out, slices.Compare)
	return out
}

// A lowered contraction visits the points of its definition, each as often, and no others.
func TestLoweringVisitsTheDomain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		vars := make([]size.Size, 1+r.IntN(3))
		for v := range vars {
			vars[v] = size.Const(int64(r.IntN(6)))
		}
		form := func() einsum.Affine {
			a := einsum.Affine{Off: size.Const(int64(r.IntN(5) - 2))}
			for v := range vars {
				if r.IntN(2) == 0 {
					a = a.Plus([]int64{1, 1, -1, 2, -3}[r.IntN(5)], einsum.Variable(v))
				}
			}
			return a
		}
		access := func() einsum.Access {
			var acc einsum.Access
			for range r.IntN(3) {
				acc.Shape = append(acc.Shape, size.Const(int64(r.IntN(6))))
				acc.Index = append(acc.Index, form())
			}
			return acc
		}
		var in []einsum.Access
		var eq, ge []einsum.Affine
		for range r.IntN(3) {
			in = append(in, access())
		}
		for range r.IntN(3) {
			ge = append(ge, form())
		}
		if r.IntN(3) == 0 {
			eq = append(eq, form())
		}
		c, err := einsum.New(vars, in, access(), eq, ge)
		require.NoError(t, err)
		n, err := lowerNest(c)
		require.NoError(t, err)
		want := definition(c)
		require.Equal(t, want, n.visits(), c.Key())
		if n.Empty {
			continue
		}
		// another order of the loops changes nothing
		require.Equal(t, want, n.inOrder().visits(), c.Key())
	}
}

func TestLoweringBoundsCoefficients(t *testing.T) {
	huge := einsum.Affine{}.Plus(1<<40, einsum.Variable(0))
	c, err := einsum.New([]size.Size{size.Const(2)}, nil, einsum.Access{Shape: []size.Size{size.Const(2)}, Index: []einsum.Affine{huge}}, nil, nil)
	require.NoError(t, err)
	_, err = lowerNest(c)
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
}
