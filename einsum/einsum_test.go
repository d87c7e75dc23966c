package einsum

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/einsum/size"
)

// tensor is a dense integer tensor: the laws are exact.
type tensor struct {
	shape []int
	data  []int64
}

func numbers(sizes []size.Size) []int {
	out := make([]int, len(sizes))
	for i, s := range sizes {
		n, _ := s.Int()
		out[i] = int(n)
	}
	return out
}

func newTensor(shape []int) tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return tensor{shape, make([]int64, n)}
}

func (t tensor) offset(index []int) (int, bool) {
	at := 0
	for a, i := range index {
		if i < 0 || i >= t.shape[a] {
			return 0, false
		}
		at = at*t.shape[a] + i
	}
	return at, true
}

func value(a Affine, point []int) int {
	n, _ := a.Off.Int()
	for _, t := range a.Terms {
		n += t.Coef * int64(point[t.Var])
	}
	return int(n)
}

// eval is the definition: every point of the box is tried against D.
func eval(c *Contraction, args ...tensor) tensor {
	out := newTensor(numbers(c.Out.Shape))
	box := numbers(c.Vars)
	point := make([]int, len(box))
	index := func(acc Access) []int {
		ix := make([]int, len(acc.Index))
		for i, a := range acc.Index {
			ix[i] = value(a, point)
		}
		return ix
	}
	var visit func(v int)
	visit = func(v int) {
		if v < len(box) {
			for point[v] = 0; point[v] < box[v]; point[v]++ {
				visit(v + 1)
			}
			return
		}
		for _, a := range c.Eq {
			if value(a, point) != 0 {
				return
			}
		}
		for _, a := range c.Ge {
			if value(a, point) < 0 {
				return
			}
		}
		p := int64(1)
		for k, acc := range c.In {
			at, ok := args[k].offset(index(acc))
			if !ok {
				return
			}
			p *= args[k].data[at]
		}
		if at, ok := out.offset(index(c.Out)); ok {
			out.data[at] += p
		}
	}
	visit(0)
	return out
}

func drawSizes(t *rapid.T, name string, max int) []size.Size {
	out := make([]size.Size, rapid.IntRange(0, max).Draw(t, name))
	for i := range out {
		out[i] = size.Const(int64(rapid.IntRange(0, 4).Draw(t, name)))
	}
	return out
}

func drawAffine(t *rapid.T, vars int, name string) Affine {
	a := Affine{Off: size.Const(int64(rapid.IntRange(-2, 2).Draw(t, name)))}
	if rapid.Bool().Draw(t, name+"plain") {
		a.Off = size.Size{}
		if vars > 0 {
			return Variable(rapid.IntRange(0, vars-1).Draw(t, name))
		}
	}
	for v := range vars {
		if c := rapid.IntRange(-2, 2).Draw(t, name); c != 0 && rapid.Bool().Draw(t, name) {
			a.Terms = append(a.Terms, Term{v, int64(c)})
		}
	}
	return a
}

func drawAccess(t *rapid.T, vars int, shape []size.Size, name string) Access {
	acc := Access{Shape: shape}
	for range shape {
		acc.Index = append(acc.Index, drawAffine(t, vars, name))
	}
	return acc
}

// drawContraction is a random contraction, of general form, into the shape out.
func drawContraction(t *rapid.T, out []size.Size, operands [][]size.Size, name string) *Contraction {
	vars := drawSizes(t, name+"vars", 3)
	var in []Access
	for _, s := range operands {
		in = append(in, drawAccess(t, len(vars), s, name))
	}
	var ge []Affine
	if rapid.Bool().Draw(t, name+"ge") {
		ge = append(ge, drawAffine(t, len(vars), name+"ge"))
	}
	c, err := New(vars, in, drawAccess(t, len(vars), out, name), nil, ge)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func drawTensor(t *rapid.T, sizes []size.Size, name string) tensor {
	x := newTensor(numbers(sizes))
	for i := range x.data {
		x.data[i] = int64(rapid.IntRange(-3, 3).Draw(t, name))
	}
	return x
}

func inner(a, b tensor) int64 {
	var s int64
	for i := range a.data {
		s += a.data[i] * b.data[i]
	}
	return s
}

func TestSwapIsTheAdjointInEveryOperand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shapes := [][]size.Size{drawSizes(t, "s1", 2), drawSizes(t, "s2", 2)}
		out := drawSizes(t, "out", 2)
		c := drawContraction(t, out, shapes, "c")
		x, y, w := drawTensor(t, shapes[0], "x"), drawTensor(t, shapes[1], "y"), drawTensor(t, out, "w")
		if got, want := inner(eval(c.Swap(0), w, y), x), inner(eval(c, x, y), w); got != want {
			t.Fatalf("%s: %d != %d", c, got, want)
		}
		if got, want := inner(eval(c.Swap(1), x, w), y), inner(eval(c, x, y), w); got != want {
			t.Fatalf("%s: %d != %d", c, got, want)
		}
	})
}

func TestFusingAndSolvingKeepTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mid, a, b := drawSizes(t, "mid", 2), drawSizes(t, "a", 2), drawSizes(t, "b", 2)
		inner := drawContraction(t, mid, [][]size.Size{a}, "inner")
		outer := drawContraction(t, drawSizes(t, "out", 2), [][]size.Size{mid, b}, "outer")
		x, y := drawTensor(t, a, "x"), drawTensor(t, b, "y")
		want := eval(outer, eval(inner, x), y)
		fused := outer.Fuse(0, inner)
		require.Equal(t, want, eval(fused, x, y), "fuse %s into %s", inner, outer)
		require.Equal(t, want, eval(fused.Solve(), x, y), "solve %s", fused)
	})
}

func TestPickingAnOperandKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSizes(t, "a", 2), drawSizes(t, "b", 2)
		c := drawContraction(t, drawSizes(t, "out", 2), [][]size.Size{b, a}, "c")
		x, y := drawTensor(t, b, "x"), drawTensor(t, a, "y")
		outer, inner := c.Pick(1)
		require.Equal(t, eval(c, x, y), eval(outer, x, eval(inner, y)), "%s is %s after %s", c, outer, inner)
		require.Equal(t, eval(c, x, y), eval(outer.Fuse(1, inner).Solve(), x, y), "%s is %s after %s", c, outer, inner)
	})
}

func TestReadsAllIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContraction(t, drawSizes(t, "out", 2), [][]size.Size{drawSizes(t, "b", 2), drawSizes(t, "a", 2)}, "c")
		if !c.ReadsAll(1) || slices.Contains(c.Vars, size.Const(0)) {
			return
		}
		// the adjoint of ones counts how often each entry is read
		swapped := c.Swap(1)
		ones := func(shape []size.Size) tensor {
			x := newTensor(numbers(shape))
			for i := range x.data {
				x.data[i] = 1
			}
			return x
		}
		for i, n := range eval(swapped, ones(swapped.In[0].Shape), ones(swapped.In[1].Shape)).data {
			require.NotZero(t, n, "%s does not read entry %d", c, i)
		}
	})
}

func TestCanonicalFormDoesNotDependOnNamesOrOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "operands")
		labels, in := make([]int, n), make([][]int, n)
		for k := range in {
			labels[k] = rapid.IntRange(0, 1).Draw(t, "label")
			in[k] = rapid.SliceOfN(rapid.IntRange(0, 3), 2, 2).Draw(t, "index")
		}
		dims := []size.Size{size.Sym("n"), size.Sym("n"), size.Sym("n"), size.Sym("n")}
		out := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 2).Draw(t, "out")
		perm := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "names")
		order := rapid.Permutation(upTo(n)).Draw(t, "order")
		ren := func(g []int) []int {
			r := make([]int, len(g))
			for i, v := range g {
				r[i] = perm[v]
			}
			return r
		}
		in2, labels2 := make([][]int, n), make([]int, n)
		for k, o := range order {
			in2[k], labels2[k] = ren(in[o]), labels[o]
		}
		a, _ := Plain(in, out, dims).Canon(labels)
		b, _ := Plain(in2, ren(out), dims).Canon(labels2)
		require.Equal(t, a.Key(), b.Key())
	})
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestLiftingActsOnEveryBatchPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSizes(t, "a", 2), drawSizes(t, "b", 2)
		c := drawContraction(t, drawSizes(t, "out", 2), [][]size.Size{a, b}, "c")
		x, y0, y1 := drawTensor(t, a, "x"), drawTensor(t, b, "y0"), drawTensor(t, b, "y1")
		batch := []size.Size{size.Const(2)}
		y := tensor{append([]int{2}, y0.shape...), append(slices.Clone(y0.data), y1.data...)}
		got := eval(c.Lift(batch, []int{1}, false), x, y)
		require.Equal(t, append(slices.Clone(eval(c, x, y0).data), eval(c, x, y1).data...), append([]int64{}, got.data...))
		// Behind the other axes, the two batch points alternate.
		z := newTensor(append(slices.Clone(y0.shape), 2))
		for i := range y0.data {
			z.data[2*i], z.data[2*i+1] = y0.data[i], y1.data[i]
		}
		got = eval(c.Lift(batch, []int{1}, true), x, z)
		want := eval(c, x, y1)
		for i := range want.data {
			require.Equal(t, want.data[i], got.data[2*i+1])
		}
	})
}
