package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// dense is a tensor of whole numbers modulo 2^64, where every order gives the same.
type dense struct {
	shape []int
	data  []int64
}

func (d dense) at(index []int) int64 {
	k := 0
	for a, i := range index {
		k = k*d.shape[a] + i
	}
	return d.data[k]
}

// sumProduct is the definition of a product.
func sumProduct(size []int, args []dense, in [][]int, out []int) dense {
	r := dense{shape: make([]int, len(out))}
	n := 1
	for a, v := range out {
		r.shape[a] = size[v]
		n *= size[v]
	}
	r.data = make([]int64, n)
	t := make([]int, len(size))
	used := make([]bool, len(size))
	for _, g := range append(append([][]int{}, in...), out) {
		for _, v := range g {
			used[v] = true
		}
	}
	var loop func(v int)
	loop = func(v int) {
		if v == len(size) {
			x := int64(1)
			for k, d := range args {
				x *= d.at(pick(t, in[k]))
			}
			at := 0
			for a, w := range out {
				at = at*r.shape[a] + t[w]
			}
			r.data[at] += x
			return
		}
		n := size[v]
		if !used[v] {
			n = 1
		}
		for t[v] = 0; t[v] < n; t[v]++ {
			loop(v + 1)
		}
		t[v] = 0
	}
	loop(0)
	return r
}

// randomProgram has products over few tensors and letters, so that much is common.
func randomProgram(r *rand.Rand) Program {
	p := Program{Size: []int{2, 3, 2}}
	var axes [][]int // of values, in dimensions
	for range 2 + r.IntN(3) {
		var g []int
		for range r.IntN(3) + 1 {
			g = append(g, r.IntN(len(p.Size)))
		}
		axes = append(axes, g)
	}
	p.Tensors = len(axes)
	for range 1 + r.IntN(5) {
		var q Product
		q.Needed = r.IntN(2) == 0
		q.Fixed = r.IntN(8) == 0
		for range 1 + r.IntN(5) {
			v := r.IntN(len(axes))
			var in []int
			for _, d := range axes[v] {
				var fits []int
				for l, e := range q.Dim {
					if e == d {
						fits = append(fits, l)
					}
				}
				if len(fits) > 0 && r.IntN(3) > 0 || len(q.Dim) > 6 && len(fits) > 0 {
					in = append(in, fits[r.IntN(len(fits))])
				} else {
					in = append(in, len(q.Dim))
					q.Dim = append(q.Dim, d)
				}
			}
			q.Args, q.In = append(q.Args, v), append(q.In, in)
		}
		var shape []int
		for l, d := range q.Dim {
			if len(q.Out) < 3 && r.IntN(3) == 0 {
				q.Out, shape = append(q.Out, l), append(shape, d)
			}
		}
		r.Shuffle(len(q.Out), func(i, k int) {
			q.Out[i], q.Out[k] = q.Out[k], q.Out[i]
			shape[i], shape[k] = shape[k], shape[i]
		})
		p.Products = append(p.Products, q)
		axes = append(axes, shape)
	}
	p.Products[len(p.Products)-1].Needed = true
	return p
}

// tensorsOf draws values for the tensors of a program.
func tensorsOf(p Program, r *rand.Rand) map[int]dense {
	out := map[int]dense{}
	for _, q := range p.Products {
		for k, v := range q.Args {
			if _, ok := out[v]; ok || v >= p.Tensors {
				continue
			}
			d := dense{data: []int64{}}
			n := 1
			for _, l := range q.In[k] {
				d.shape = append(d.shape, p.Size[q.Dim[l]])
				n *= p.Size[q.Dim[l]]
			}
			for range n {
				d.data = append(d.data, r.Int64())
			}
			out[v] = d
		}
	}
	return out
}

func sizesOf(p Program, dim []int) []int { return pick(p.Size, dim) }

// Whatever is shared, the products keep their values, and never cost more than alone.
func TestShareKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	saved, inlined := 0, 0
	for range 3000 {
		s, i := shareKeepsValues(t, randomProgram(r), r)
		if s {
			saved++
		}
		if i {
			inlined++
		}
	}
	require.Greater(t, saved, 300)
	require.Greater(t, inlined, 100)
}

// shareKeepsValues draws tensors for a program and computes it as it is shared, and as it is not.
func shareKeepsValues(t *testing.T, p Program, r *rand.Rand) (saved, inlined bool) {
	t.Helper()
	tensors := tensorsOf(p, r)
	want := map[int]dense{}
	for v, d := range tensors {
		want[v] = d
	}
	for k, q := range p.Products {
		var args []dense
		for _, v := range q.Args {
			args = append(args, want[v])
		}
		want[p.Tensors+k] = sumProduct(sizesOf(p, q.Dim), args, q.In, q.Out)
	}
	s := Share(p)
	alone := Independent(p)
	require.LessOrEqual(t, s.Mults, alone.Mults)
	require.Equal(t, alone.Mults, s.Alone.Mults)
	saved = s.Mults < alone.Mults
	for _, s := range []Sharing{s, alone} {
		mults := 0.0
		got := map[int]dense{}
		for v, d := range tensors {
			got[v] = d
		}
		first := p.Tensors + len(p.Products)
		var value func(v int) dense
		value = func(v int) dense {
			if d, ok := got[v]; ok {
				return d
			}
			var d dense
			if v < first {
				q, root := p.Products[v-p.Tensors], s.Roots[v-p.Tensors]
				require.GreaterOrEqual(t, root.Value, 0)
				d = sumProduct(sizesOf(p, q.Dim), []dense{value(root.Value)}, [][]int{root.Axes}, q.Out)
			} else {
				w := s.Steps[v-first]
				var args []dense
				for _, a := range w.Args {
					args = append(args, value(a))
				}
				d = sumProduct(sizesOf(p, w.Dim), args, w.In, w.Out)
			}
			got[v] = d
			return d
		}
		for _, w := range s.Steps {
			if len(w.Args) == 2 {
				n := 1.0
				for _, d := range w.Dim {
					n *= float64(p.Size[d])
				}
				mults += n
			}
		}
		require.Equal(t, mults, s.Mults)
		for k, q := range p.Products {
			if q.Needed {
				require.Equal(t, want[p.Tensors+k], value(p.Tensors+k))
			}
			if len(s.Inlined[k]) > 0 {
				inlined = true
			}
		}
	}
	return saved, inlined
}

// A step of a product that is too long to have a name is not taken for that of another.
func TestShareLongProducts(t *testing.T) {
	p := Program{}
	short := Product{Args: []int{0, 0, 0, 1}, In: make([][]int, 4), Needed: true}
	long := Product{Needed: true}
	for v := range maxForm + 1 {
		long.Args, long.In = append(long.Args, v+2), append(long.In, nil)
	}
	p.Tensors = 2 + len(long.Args)
	for _, p.Products = range [][]Product{{short, long}, {long, short}} {
		shareKeepsValues(t, p, rand.New(rand.NewPCG(1, 2)))
	}
}

// chain is W1 s1 W2 s2 ... as a product over tensors 0, 1, 2, ... from the variable first on.
func chain(layers, first int) (args []int, in [][]int, last int) {
	for i := range layers {
		args = append(args, 2*i, 2*i+1)
		in = append(in, []int{first + i, first + i + 1}, []int{first + i + 1})
	}
	return args, in, first + layers
}

// equals is n times dimension 0.
func equals(n int) []int { return make([]int, n) }

// Two chains that differ at their ends have a common part, also where one runs twice through
// one product; v'(A B C)'(A B C) is cheaper from the vector, although A B C is used twice.
func TestShareChains(t *testing.T) {
	const n, layers = 10, 9
	args, in, last := chain(layers, 0)
	other := append(slices.Clone(args), 2*layers) // with one more tensor in front
	otherIn := append(slices.Clone(in), []int{0, last + 1})
	s := Share(Program{Tensors: 2*layers + 1, Size: []int{n}, Products: []Product{
		{Args: args, In: in, Out: []int{0, last}, Dim: equals(last + 1), Needed: true},
		{Args: other, In: otherIn, Out: []int{last + 1, last}, Dim: equals(last + 2), Needed: true},
	}})
	require.Equal(t, float64(layers*n*n*n+layers*n*n), s.Mults)

	// M' M
	twice, again, end := chain(layers, last+1)
	for _, g := range again {
		for i, v := range g {
			if v == last+1 {
				g[i] = 0
			}
		}
	}
	s = Share(Program{Tensors: 2 * layers, Size: []int{n}, Products: []Product{
		{Args: append(args, twice...), In: append(in, again...), Out: []int{last, end}, Dim: equals(end + 1), Needed: true},
	}})
	require.Equal(t, float64(layers*n*n*n+layers*n*n), s.Mults)

	// P = A B C, then P v and P w
	s = Share(Program{Tensors: 5, Size: []int{n}, Products: []Product{
		{Args: []int{0, 1, 2}, In: [][]int{{0, 1}, {1, 2}, {2, 3}}, Out: []int{0, 3}, Dim: equals(4)},
		{Args: []int{5, 3}, In: [][]int{{0, 1}, {1}}, Out: []int{0}, Dim: equals(2), Needed: true},
		{Args: []int{5, 4}, In: [][]int{{0, 1}, {1}}, Out: []int{0}, Dim: equals(2), Needed: true},
	}})
	require.Equal(t, 6.0*n*n, s.Mults)
	require.Equal(t, -1, s.Roots[0].Value)
}

// Programs of hundreds of products are ordered in a time that grows with their number, not with
// its square.
func BenchmarkShare(b *testing.B) {
	for _, layers := range []int{10, 40, 160} {
		b.Run(fmt.Sprintf("net of %d", layers), func(b *testing.B) {
			args, in, last := chain(layers, 0)
			p := Program{Tensors: 2*layers + 1, Size: []int{50}}
			for i := range layers {
				p.Products = append(p.Products, Product{Args: args[2*i:], In: in[2*i:], Out: []int{i, last}, Dim: equals(last + 1), Needed: true})
			}
			for b.Loop() {
				Share(p)
			}
		})
	}
	for _, layers := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("%d pairs", layers), func(b *testing.B) {
			p := Program{Tensors: 2*layers + 2, Size: []int{50}}
			for i := range layers {
				p.Products = append(p.Products, Product{Args: []int{i, i + 1, 2*layers + 1}, In: [][]int{{0, 1}, {1, 2}, {2}}, Out: []int{0}, Dim: equals(3), Needed: true})
			}
			for b.Loop() {
				Share(p)
			}
		})
	}
}
