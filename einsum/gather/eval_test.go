package gather

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/einsum"
	"frechet/einsum/size"
)

// env gives numbers to size symbols.
type env map[string]int64

func (e env) size(t *testing.T, d size.Size) int64 {
	t.Helper()
	n, err := d.Eval(e)
	require.NoError(t, err)
	return n
}

func (e env) shape(t *testing.T, ds []size.Size) []int64 {
	out := make([]int64, len(ds))
	for i, d := range ds {
		out[i] = e.size(t, d)
	}
	return out
}

func (e env) value(t *testing.T, a einsum.Affine, x []int64) int64 {
	v := e.size(t, a.Off)
	for _, term := range a.Terms {
		v += term.Coef * x[term.Var]
	}
	return v
}

// each visits the points of a box.
func each(n []int64, f func(x []int64)) {
	x := make([]int64, len(n))
	var visit func(k int)
	visit = func(k int) {
		if k == len(n) {
			f(x)
			return
		}
		for x[k] = 0; x[k] < n[k]; x[k]++ {
			visit(k + 1)
		}
		x[k] = 0
	}
	visit(0)
}

// flat is the position of an index; ok is false where it is out of range.
func flat(index, shape []int64) (int64, bool) {
	var o int64
	for k, i := range index {
		if i < 0 || i >= shape[k] {
			return 0, false
		}
		o = o*shape[k] + i
	}
	return o, true
}

func total(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// scatter is the definition of a contraction, in whole numbers.
func scatter(t *testing.T, c *einsum.Contraction, e env, in [][]int64) []int64 {
	outShape := e.shape(t, c.Out.Shape)
	out := make([]int64, total(outShape))
	at := func(acc einsum.Access, x []int64) (int64, bool) {
		index := make([]int64, len(acc.Index))
		for k, a := range acc.Index {
			index[k] = e.value(t, a, x)
		}
		return flat(index, e.shape(t, acc.Shape))
	}
	each(e.shape(t, c.Vars), func(x []int64) {
		for _, a := range c.Eq {
			if e.value(t, a, x) != 0 {
				return
			}
		}
		for _, a := range c.Ge {
			if e.value(t, a, x) < 0 {
				return
			}
		}
		p := int64(1)
		for k, acc := range c.In {
			i, ok := at(acc, x)
			if !ok {
				return
			}
			p *= in[k][i]
		}
		if o, ok := at(c.Out, x); ok {
			out[o] += p
		}
	})
	return out
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}

// sum evaluates a gather form by its definition. Every quotient must be exact and every
// access in range.
func (f *Form) sum(t *testing.T, e env, in [][]int64, shapes [][]int64) []int64 {
	outShape := e.shape(t, f.Out)
	out := make([]int64, total(outShape))
	if f.Empty {
		return out
	}
	each(outShape, func(b []int64) {
		for _, a := range f.Zero {
			if e.value(t, a, b) != 0 {
				return
			}
		}
		for _, q := range f.Divides {
			if v := e.value(t, q.Num, b); floor(v, q.Den)*q.Den != v {
				return
			}
		}
		for _, a := range f.AtLeast {
			if e.value(t, a, b) < 0 {
				return
			}
		}
		x := append(append([]int64{}, b...), make([]int64, len(f.Loops))...)
		exact := func(q Quotient) int64 {
			v := e.value(t, q.Num, x)
			require.Zero(t, v%q.Den, "an index is whole")
			return v / q.Den
		}
		var visit func(l int) int64
		visit = func(l int) int64 {
			if l == len(f.Loops) {
				p := int64(1)
				for k, index := range f.In {
					at := make([]int64, len(index))
					for i, q := range index {
						at[i] = exact(q)
					}
					i, ok := flat(at, shapes[k])
					require.True(t, ok, "an access is in range")
					p *= in[k][i]
				}
				for _, q := range f.Vars {
					exact(q)
				}
				return p
			}
			var lo, hi int64
			for i, q := range f.Loops[l].Lower {
				if v := -floor(-e.value(t, q.Num, x), q.Den); i == 0 || v > lo {
					lo = v
				}
			}
			for i, q := range f.Loops[l].Upper {
				if v := floor(e.value(t, q.Num, x), q.Den); i == 0 || v < hi {
					hi = v
				}
			}
			var s int64
			for z := lo; z <= hi; z++ {
				x[len(b)+l] = z
				s += visit(l + 1)
			}
			return s
		}
		o, _ := flat(b, outShape)
		out[o] = visit(0)
	})
	return out
}

// agree compares the two on random data.
func agree(t *testing.T, r *rand.Rand, c *einsum.Contraction, f *Form, e env) {
	t.Helper()
	var in, shapes [][]int64
	for _, acc := range c.In {
		shape := e.shape(t, acc.Shape)
		x := make([]int64, total(shape))
		for i := range x {
			x[i] = r.Int64N(19) - 9
		}
		in, shapes = append(in, x), append(shapes, shape)
	}
	require.Equal(t, scatter(t, c, e, in), f.sum(t, e, in, shapes), "%v at %v: %+v", c, e, f)
}
