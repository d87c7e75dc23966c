package verify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"frechet/einsum/size"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// maxWitnessPoints bounds the points that a search for a counterexample looks at.
const maxWitnessPoints = 12_000

// smallest finds a point with the given outcome: fewest axes first, then smallest sizes, then
// entries 0 and 1, then small numbers; layouts with a size 0 come last.
func (g *signature) smallest(want func(model.Outcome) bool) *Witness {
	left := maxWitnessPoints
	r := rand.New(rand.NewPCG(3, 4))
	for _, l := range append(g.smallLayouts(), g.emptyLayouts()...) {
		for _, numbers := range g.numberChoices(numberTrials) {
			in, err := g.numeric(l, numbers)
			if err != nil {
				continue
			}
			entries := 0
			env := map[string]*eval.Tensor{}
			var all []*float64
			for _, v := range in.vars {
				x := eval.NewTensor(model.ShapeOf(v)...)
				env[v.Name()] = x
				for j := range x.Data {
					all = append(all, &x.Data[j])
				}
				entries += len(x.Data)
			}
			try := func() bool {
				left--
				return g.holds(in, env) && want(compare(in, env))
			}
			if entries <= 10 {
				for bits := range 1 << entries {
					for j, p := range all {
						*p = float64(bits >> j & 1)
					}
					if try() {
						return witness(in, env)
					}
				}
			}
			for k := range 150 {
				for _, p := range all {
					switch {
					case k < 50 && entries > 10:
						*p = float64(r.IntN(2))
					case k < 100:
						*p = float64(r.IntN(4) - 1)
					default:
						*p = math.Round(8*r.Float64()-4) / 2
					}
				}
				if try() {
					shrink(all, try)
					return witness(in, env)
				}
			}
			if left < 0 {
				return nil
			}
		}
	}
	return nil
}

// shrink makes entries 0, or else 1, where the point stays a counterexample.
func shrink(entries []*float64, holds func() bool) {
	for _, p := range entries {
		old := *p
		for _, v := range []float64{0, 1} {
			if *p = v; v == old || holds() {
				break
			}
			*p = old
		}
	}
}

// smallLayouts lists small layouts, by the number of axes and then by the sum of sizes.
func (g *signature) smallLayouts() []*layout {
	var out []*layout
	for axes := range 6 {
		for order := range min(axes, 3) + 1 {
			batch := axes - order
			if len(g.spaces) == 0 && order > 0 || !g.batch && batch > 0 || batch > 1 {
				continue
			}
			n := 0
			g.fill(order, batch, func() size.Size { n++; return size.Const(1) })
			for sum := n; sum <= 5*n && sum <= n+4; sum++ {
				each(n, sum, func(sizes []int64) {
					k := -1
					out = append(out, g.fill(order, batch, func() size.Size { k++; return size.Const(sizes[k]) }))
				})
			}
		}
	}
	return out
}

// each visits the n sizes of 1 to 5 with the given sum.
func each(n, sum int, visit func([]int64)) {
	sizes := make([]int64, n)
	var rec func(k, left int)
	rec = func(k, left int) {
		if k == n {
			if left == 0 {
				visit(sizes)
			}
			return
		}
		for v := 1; v <= 5 && v <= left; v++ {
			sizes[k] = int64(v)
			rec(k+1, left-v)
		}
	}
	rec(0, sum)
}

func witness(in *instance, env map[string]*eval.Tensor) *Witness {
	w := &Witness{Sizes: in.layout.String()}
	for _, n := range in.numbers {
		w.Values = append(w.Values, Named{n.Name, n.Value.RatString()})
	}
	for _, v := range in.vars {
		w.Values = append(w.Values, Named{v.Name(), matrix(env[v.Name()])})
	}
	l, r := defined(in.left, env), defined(in.right, env)
	if l != nil && r != nil && len(l.Data) > maxShown {
		at := furthest(l, r)
		w.Left, w.Right = entry(l, at), entry(r, at)
		return w
	}
	w.Left, w.Right = matrix(l), matrix(r)
	if w.Left == w.Right { // in six digits
		w.Left, w.Right = matrixIn(17, l), matrixIn(17, r)
	}
	return w
}

// maxShown bounds the entries of values that are shown whole; of larger ones the entry is shown in which
// they differ most.
const maxShown = 100

// furthest is the entry in which two tensors differ most.
func furthest(a, b *eval.Tensor) (at int) {
	most := 0.0
	for i := range a.Data {
		if d := math.Abs(a.Data[i] - b.Data[i]); d > most {
			at, most = i, d
		}
	}
	return at
}

// entry writes one entry of a tensor with its indices, counted from 0.
func entry(t *eval.Tensor, at int) string {
	index, rest := make([]string, len(t.Shape)), at
	for k := len(index) - 1; k >= 0; k-- {
		index[k] = strconv.Itoa(rest % t.Shape[k])
		rest /= t.Shape[k]
	}
	return fmt.Sprintf("%s at [%s], one of %d entries", strconv.FormatFloat(t.Data[at], 'g', -1, 64), strings.Join(index, ","), len(t.Data))
}

// matrix writes a tensor as nested rows: [[0 1] [1 0]]; nil is a value that does not exist.
func matrix(t *eval.Tensor) string { return matrixIn(6, t) }

func matrixIn(digits int, t *eval.Tensor) string {
	if t == nil {
		return "undefined"
	}
	return model.Rows(t.Shape, t.Data, func(v float64) string {
		if whole := math.Round(v); digits < 17 && math.Abs(v-whole) < 1e-12 && math.Abs(v) < 1e15 && (whole != 0 || math.Abs(v) < 1e-15) {
			return strconv.FormatFloat(whole+0, 'f', -1, 64) // no -0
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	})
}
