package linear_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/eval"
	"frechet/internal/golden"
)

var updateElsman = flag.Bool("update-elsman", false, "rewrite the texts in testdata/elsman.txt")

// vectors are the components of an argument or a result, each with its entries in a row.
type vectors [][]float64

// elsman are the examples of Elsman et al., and constructors that close the calculus, with the numbers m = 2, n = 3, k = 2: the program, the shapes of its
// argument, and the function in Go. A = A[m,n], v = v[n] and a = a[] are the fixed values.
var elsman = []struct {
	section, program string
	args             [][]int
	value            func(c map[string][]float64, x vectors) vectors
}{
	{"2.1 sums of index sets", "f : R[m+n] -o R[m] x R[n] = id", [][]int{{5}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{x[0][:2], x[0][2:]}
	}},
	{"2.1 products of index sets", "f : R[m]^[n] -o R[m] = sum[n]", [][]int{{3, 2}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{x[0][0] + x[0][2] + x[0][4], x[0][1] + x[0][3] + x[0][5]}}
	}},
	{"2.2.2 projection, zipped apply, injection", "f : R[n] -> R[n] = pi1 . (sin x exp) . (iota1 : R[n] -o R[n] x R[m])", [][]int{{3}}, each(math.Sin)},
	{"2.2.2 another component", "f : R[n] -o R[m] = pi2 . ((2 .* _) x (3 .* _)) . (iota1 : R[n] -o R[n] x R[m])", [][]int{{3}}, func(map[string][]float64, vectors) vectors {
		return vectors{{0, 0}}
	}},
	{"2.2.2 Delta", "f : R[n] x R[m] -o R[n] x R[m] = delta((2 .* _), (a .* _))", [][]int{{3}, {2}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{scaled(2, x[0]), scaled(c["a"][0], x[1])}
	}},
	{"2.2.3 relational reduction", "f : R[3] -o R[2] = red{(0,0),(0,1),(2,1)}", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{x[0][0], x[0][0] + x[0][2]}}
	}},
	{"2.2.3 copower", "f : R[n] -> R[n] = sin^[n]", [][]int{{3}}, each(math.Sin)},
	{"2.2.3 rep", "f : R[n] -o R[n]^[2] = rep[2]", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{slices.Concat(x[0], x[0])}
	}},
	{"2.2.3 sum", "f : R[n] -o R = sum", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{inner(x[0], []float64{1, 1, 1})}}
	}},
	{"2.2.3 plus", "f : R[n] x R[n] -o R[n] = plus", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{added(x[0], x[1])}
	}},
	{"2.2.3 dup", "f : R[n] -o R[n] x R[n] = dup", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{x[0], x[0]}
	}},
	{"2.2.3 scan", "f : R[n] -o R[n] = scan", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{x[0][0], x[0][0] + x[0][1], x[0][0] + x[0][1] + x[0][2]}}
	}},
	{"2.2.3 pairing", "f : R[n] -o R[m] x R[n] = <(A *), id>", [][]int{{3}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{times(c["A"], x[0]), x[0]}
	}},
	{"2.2.3 copairing", "f : R[n] x R[m] -o R[m] = [(A *), id]", [][]int{{3}, {2}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{added(times(c["A"], x[0]), x[1])}
	}},
	{"2.2.4 tensor product", "f : R[m] x R[n] ->2 R[m,n] = tensor", [][]int{{2}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{slices.Concat(scaled(x[0][0], x[1]), scaled(x[0][1], x[1]))}
	}},
	{"3.2 transposition", "f : R[m] (x) R[n] -o R[n] (x) R[m] = transpose", [][]int{{2, 3}}, func(_ map[string][]float64, x vectors) vectors {
		y := x[0]
		return vectors{{y[0], y[3], y[1], y[4], y[2], y[5]}}
	}},
	{"3.2 association", "f : (R[m] (x) R[n]) (x) R[k] -o R[m] (x) (R[n] (x) R[k]) = assoc", [][]int{{2, 3, 2}}, func(_ map[string][]float64, x vectors) vectors { return x }},
	{"3.2 distribution", "f : (R[m] x R[n]) (x) R[k] -o (R[m] (x) R[k]) x (R[n] (x) R[k]) = distrib", [][]int{{2, 2}, {3, 2}}, func(_ map[string][]float64, x vectors) vectors { return x }},
	{"3.2 zip", "f : (R[m] x R[n]) x (R[m] x R[n]) -o (R[m] x R[m]) x (R[n] x R[n]) = zip", [][]int{{2}, {3}, {2}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{x[0], x[2], x[1], x[3]}
	}},
	{"3.2 inner product", "f : R[n] x R[n] ->2 R = dot", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{inner(x[0], x[1])}}
	}},
	{"3.5 power", "f : R -> R = power[3]", [][]int{{}}, each(func(x float64) float64 { return x * x * x })},
	{"3.5 ln", "f : R -> R = ln", [][]int{{}}, each(math.Log)},
	{"3.5 sin", "f : R -> R = sin", [][]int{{}}, each(math.Sin)},
	{"3.5 cos", "f : R -> R = cos", [][]int{{}}, each(math.Cos)},
	{"5 composition", "f : R[n] -> R[m] = sin . (A *) . exp", [][]int{{3}}, func(c map[string][]float64, x vectors) vectors {
		return each(math.Sin)(c, vectors{times(c["A"], each(math.Exp)(c, x)[0])})
	}},
	{"5 constant", "f : R[n] -> R[n] = K(v)", [][]int{{3}}, func(c map[string][]float64, _ vectors) vectors { return vectors{c["v"]} }},
	{"5 bilinear", "f : R[m,n] x R[n] ->2 R[m] = *(ij,j->i)", [][]int{{2, 3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{times(x[0], x[1])}
	}},
	{"5 parallel", "f : R[n] x R[m] -> R[n] x R[m] = sin x exp", [][]int{{3}, {2}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{each(math.Sin)(c, x[:1])[0], each(math.Exp)(c, x[1:])[0]}
	}},
	{"6.5 identity", "f : R[n] -o R[n] = id", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors { return x }},
	{"6.5 composition", "f : R[n] -o R[m] = (A *) . scan", [][]int{{3}}, func(c map[string][]float64, x vectors) vectors {
		y := x[0]
		return vectors{times(c["A"], []float64{y[0], y[0] + y[1], y[0] + y[1] + y[2]})}
	}},
	{"6.5 zero", "f : R[n] -o R[m] = 0", [][]int{{3}}, func(map[string][]float64, vectors) vectors { return vectors{{0, 0}} }},
	{"6.5 section (v *)", "f : R[n] -o R[m] = (A *)", [][]int{{3}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{times(c["A"], x[0])}
	}},
	{"6.5 section (* w)", "f : R[m,n] -o R[m] = (* v)", [][]int{{2, 3}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{times(x[0], c["v"])}
	}},
	{"6.5 injection", "f : R[m] -o R[n] x R[m] = iota2", [][]int{{2}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{0, 0, 0}, x[0]}
	}},
	{"6.5 product", "f : R[n] x R[m] -o R[m] x R[m] = (A *) x id", [][]int{{3}, {2}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{times(c["A"], x[0]), x[1]}
	}},
	{"6.5 reduction", "f : R[n] -o R[n] = red{(i,j) | j = i + 1}", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{0, x[0][0], x[0][1]}}
	}},
	{"6.5 (k .)", "f : R[n] -o R[n] = (a .* _)", [][]int{{3}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{scaled(c["a"][0], x[0])}
	}},
	{"6.5 (. v)", "f : R -o R[n] = (_ .* v)", [][]int{{}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{scaled(x[0][0], c["v"])}
	}},
	{"7.1 one layer", "f : R[n] x R[m,n] x R[m] -> R[m] = tanh^[m] . (*(ij,j->i) . <pi2, pi1> + pi3)", [][]int{{3}, {2, 3}, {2}}, func(c map[string][]float64, x vectors) vectors {
		return each(math.Tanh)(c, vectors{added(times(x[1], x[0]), x[2])})
	}},
	{"7.1 loss", "f : R[n] x R[n] -> R = dot . dup . (pi1 - pi2)", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		d := added(x[0], scaled(-1, x[1]))
		return vectors{{inner(d, d)}}
	}},
	{"B.1", "h : R -> R = ln . sin", [][]int{{}}, func(c map[string][]float64, x vectors) vectors {
		return each(math.Log)(c, each(math.Sin)(c, x))
	}},
	{"linear after bilinear", "f : R[n] x R[n] ->2 R[n] = scan . *(i,i->i)", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		y := entrywise(x[0], x[1])
		return vectors{{y[0], y[0] + y[1], y[0] + y[1] + y[2]}}
	}},
	{"linear before a component", "f : R[n] x R[n] →₂ R[n] = *(i,i->i) . ((3 .* _) x id)", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{scaled(3, entrywise(x[0], x[1]))}
	}},
	{"multiple of bilinear", "f : R[n] x R[n] ->2 R[n] = 2 .* *(i,i->i)", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{scaled(2, entrywise(x[0], x[1]))}
	}},
	{"sum of bilinear", "f : R[n] x R[n] ->2 R[n] = *(i,i->i) + *(i,i->i)", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{scaled(2, entrywise(x[0], x[1]))}
	}},
	{"swap of bilinear", "f : R[n] x R[m,n] ->2 R[m] = *(ij,j->i) . <pi2, pi1>", [][]int{{3}, {2, 3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{times(x[1], x[0])}
	}},
	{"pair of bilinear", "f : R[n] x R[n] ->2 R[n] x R = <*(i,i->i), dot>", [][]int{{3}, {3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{entrywise(x[0], x[1]), {inner(x[0], x[1])}}
	}},
	{"V x V is V^2", "f : R[n] -o R[n] = plus . rep[2]", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{scaled(2, x[0])}
	}},
	{"component of an array", "f : R[3] -o R = pi1", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors { return vectors{x[0][:1]} }},
	{"like maps cancel", "f : R[n] -o R[n] = id - id", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors { return vectors{scaled(0, x[0])} }},
	{"like maps are collected", "f : R[n] -o R[n] = (a .* _) + (a .* _)", [][]int{{3}}, func(c map[string][]float64, x vectors) vectors {
		return vectors{scaled(2*c["a"][0], x[0])}
	}},
	{"sections compose", "f : R[n] -o R[n] = (2 .* _) . (3 .* _)", [][]int{{3}}, func(_ map[string][]float64, x vectors) vectors { return vectors{scaled(6, x[0])} }},
	{"transposed twice", "f : R[m,n] -o R[m,n] = transpose . transpose", [][]int{{2, 3}}, func(_ map[string][]float64, x vectors) vectors { return x }},
	{"projection of a product", "f : R[n] x R[m] -o R[m] = pi2 . (scan x (2 .* _))", [][]int{{3}, {2}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{scaled(2, x[1])}
	}},
	{"product of an injection", "f : R[m] -o R[n] x R[m] = (scan x (2 .* _)) . iota2", [][]int{{2}}, func(_ map[string][]float64, x vectors) vectors {
		return vectors{{0, 0, 0}, scaled(2, x[0])}
	}},
}

// entrywise is the product of the entries.
func entrywise(x, y []float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] *= y[i]
	}
	return out
}

// each applies a function to all entries.
func each(f func(float64) float64) func(map[string][]float64, vectors) vectors {
	return func(_ map[string][]float64, x vectors) (out vectors) {
		for _, v := range x {
			w := make([]float64, len(v))
			for i := range v {
				w[i] = f(v[i])
			}
			out = append(out, w)
		}
		return out
	}
}

func scaled(a float64, x []float64) []float64 {
	return each(func(y float64) float64 { return a * y })(nil, vectors{x})[0]
}

func added(x, y []float64) []float64 {
	out := slices.Clone(x)
	for i := range y {
		out[i] += y[i]
	}
	return out
}

func inner(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// times is the product of a matrix and a vector.
func times(a, x []float64) (out []float64) {
	for row := range slices.Chunk(a, len(x)) {
		out = append(out, inner(row, x))
	}
	return out
}

// fill gives a tensor entries between 0.2 and 0.8 that the seed decides.
func fill(shape []int, seed int) *eval.Tensor {
	x := eval.NewTensor(shape...)
	for i := range x.Data {
		x.Data[i] = 0.2 + 0.6*math.Abs(math.Sin(float64(1+7*seed+3*i)))
	}
	return x
}

// elsmanSizes are the numbers of the size symbols.
var elsmanSizes = frechet.Sizes{"m": 2, "n": 3, "k": 2}

// applied is a map at an argument.
func applied(t *testing.T, m *frechet.ClosedMap, env frechet.Env, x []*eval.Tensor) (out []*eval.Tensor) {
	names, results, err := m.Apply("z")
	require.NoError(t, err)
	env = with(env, names, x)
	for _, y := range results {
		p, err := frechet.Compile(y, elsmanSizes)
		require.NoError(t, err)
		v, err := p.Run(context.Background(), env)
		require.NoError(t, err)
		out = append(out, v)
	}
	return out
}

// with is env and x under their names.
func with(env frechet.Env, names []string, x []*eval.Tensor) frechet.Env {
	env = maps.Clone(env)
	for i, n := range names {
		env[n] = x[i]
	}
	return env
}

// TestElsman: the examples of Elsman et al. have the values that they have in Go; their derivatives agree with
// differences of these, and the adjoints with the derivatives; each derivation replays. Their types and texts, in
// combinators and in LaTeX, are those of testdata/elsman.txt.
func TestElsman(t *testing.T) {
	var texts strings.Builder
	for _, c := range elsman {
		t.Run(c.section, func(t *testing.T) {
			f, err := frechet.Parse("declare A[m,n] v[n] a[] "+c.program, frechet.WithLanguage("combinators"))
			require.NoError(t, err)
			m, err := f.Map()
			require.NoError(t, err)
			derivative := m
			if !m.Linear() {
				derivative, err = f.DerivativeMap()
			} else {
				derivative, err = m.Simplify()
			}
			require.NoError(t, err)
			back, err := derivative.Adjoint()
			require.NoError(t, err)
			fmt.Fprintf(&texts, "%s%s\n%s\n%s\n%s\n%s\n%s\n%s\n", golden.Head, c.section, m.Unicode(), derivative.Unicode(), back.Unicode(), m.LaTeX(), derivative.LaTeX(), back.LaTeX())

			env, fixed := frechet.Env{"A": fill([]int{2, 3}, 1), "v": fill([]int{3}, 2), "a": fill(nil, 3)}, map[string][]float64{}
			for n, x := range env {
				fixed[n] = x.Data
			}
			var x, d []*eval.Tensor
			var at, up, down vectors
			const h = 1e-5
			for i, shape := range c.args {
				x, d = append(x, fill(shape, 4+i)), append(d, fill(shape, 14+i))
				at = append(at, x[i].Data)
				up, down = append(up, added(at[i], scaled(h, d[i].Data))), append(down, added(at[i], scaled(-h, d[i].Data)))
			}
			want, high, low := c.value(fixed, at), c.value(fixed, up), c.value(fixed, down)
			got := applied(t, m, env, x)
			require.Len(t, got, len(want))
			var names []string // of the argument, on which a derivative depends
			for _, p := range f.Params()[len(env):] {
				names = append(names, p.Name)
			}
			env = with(env, names, x)
			along := applied(t, derivative, env, d)
			var w []*eval.Tensor
			left, right := 0.0, 0.0
			for k := range want {
				require.InDeltaSlice(t, want[k], got[k].Data, 1e-12, "value")
				require.InDeltaSlice(t, scaled(1/(2*h), added(high[k], scaled(-1, low[k]))), along[k].Data, 1e-8, "derivative")
				w = append(w, fill(got[k].Shape, 30+k))
				left += inner(along[k].Data, w[k].Data)
			}
			for i, v := range applied(t, back, env, w) {
				right += inner(v.Data, d[i].Data)
			}
			require.InDelta(t, left, right, 1e-12, "adjoint")

			steps, err := f.Steps()
			require.NoError(t, err)
			var certificate bytes.Buffer
			require.NoError(t, steps.Certificate(&certificate))
			_, err = frechet.Replay(context.Background(), &certificate)
			require.NoError(t, err)
		})
	}
	golden.Blocks(t, "../../testdata/elsman.txt", texts.String(), *updateElsman)
}
