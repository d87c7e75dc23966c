package adjoint

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval/plan"
	random "frechet/internal/terms"
)

// multiplications counts what a plan says that values take.
func multiplications(sizes map[string]int64) func([]*Node) (float64, error) {
	return func(values []*Node) (float64, error) {
		o, err := plan.MakeOutline(values, sizes, true)
		if err != nil {
			return 0, err
		}
		mults, _, _ := o.Total(nil)
		n, err := mults.Eval(sizes)
		return float64(n), err
	}
}

// Whatever the program and the sizes, planned Jacobians and Hessians take no more
// multiplications than those found forward or in reverse, and have their values.
func TestPlannedIsNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 8)
		y := b.Outs[0]
		if y.Order() == 0 {
			g, err := Gradient(y, b.Params[:1])
			require.NoError(t, err)
			y = g[0]
		}
		sizes := map[string]int64{}
		for _, s := range []string{"k", "m", "n"} {
			sizes[s] = rapid.SampledFrom([]int64{1, 2, 5, 30, 200}).Draw(t, s)
		}
		count := multiplications(sizes)
		var values [][]*Node
		var costs []float64
		for _, mode := range []Mode{Planned, Forward, Reverse} {
			d, err := (&Planner{Mode: mode, Sizes: sizes, Cost: count}).Derive(y, b.Params, 1)
			require.NoError(t, err)
			last := d.ByOrder[0]
			c, err := count(last)
			require.NoError(t, err)
			values, costs = append(values, last), append(costs, c)
		}
		if y.Order() == 0 { // a gradient is found in reverse
			return
		}
		require.LessOrEqual(t, costs[0], costs[1], "forward: %s", show(y))
		require.LessOrEqual(t, costs[0], costs[2], "reverse: %s", show(y))
		env := numbers(t, append([]*Node{y}, b.Params...), 5)
		want, got := reference(t, values[2], env), reference(t, values[0], env)
		for i := range want {
			close2(t, want[i], got[i], 1e-8, show(y))
		}
	})
}

// dims are sizes with numbers.
func dims(ns ...int64) []size.Size {
	out := make([]size.Size, len(ns))
	for i, n := range ns {
		out[i] = size.Const(n)
	}
	return out
}

// cost derives y by x in a mode and counts.
func cost(t *testing.T, y, x *Node, order int, mode Mode) float64 {
	t.Helper()
	count := multiplications(nil)
	d, err := (&Planner{Mode: mode, Cost: count}).Derive(y, []*Node{x}, order)
	require.NoError(t, err)
	c, err := count(d.ByOrder[order-1])
	require.NoError(t, err)
	return c
}

// layer is softmax(W*x).
func layer(s *combinators.Store, name string, m int64, x *Node) *Node {
	n, _ := x.Shape()[0].Int()
	return s.Softmax(1, s.Einsum("ij,j->i", s.Var(name, dims(m, n)), x))
}

// A function R^n -> R^k -> R^n is cut at R^k: its Jacobian takes the product of two matrices
// there, and a number of tangents and cotangents that is k.
func TestBottleneck(t *testing.T) {
	const n, k = 400, 5
	s := combinators.NewStore()
	x := s.Var("x", dims(n))
	y := layer(s, "D", n, layer(s, "B", n, layer(s, "A", k, layer(s, "C", n, x))))
	// the values; C and A in reverse, B and D forward, the product; each of four softmax three times k*n
	require.LessOrEqual(t, cost(t, y, x, 1, Planned), float64(2*n*n+2*k*n+3*k*n*n+12*k*n+3*n))
	require.Greater(t, cost(t, y, x, 1, Forward), float64(n*n*n))
	require.Greater(t, cost(t, y, x, 1, Reverse), float64(n*n*n))
}

// net draws a program between vectors of different widths, with forks, residual steps, sums of
// paths, gates, and reshapes and solves, through which nothing is fused.
func net(t *rapid.T, s *combinators.Store) (x, y *Node) {
	widths := []size.Size{size.Sym("k"), size.Sym("m"), size.Sym("n")}
	pick := func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) }
	matrix := func(rows, cols size.Size) *Node { return s.Fresh("W", []size.Size{rows, cols}) }
	apply := func(w size.Size, v *Node) *Node { return s.Einsum("ij,j->i", matrix(w, v.Shape()[0]), v) }
	x = s.Var("x", []size.Size{widths[pick("width", 3)]})
	pool := []*Node{x}
	for range 3 + pick("layers", 6) {
		v := pool[len(pool)-1]
		w := v.Shape()[0]
		if pick("back", 4) == 0 {
			v = pool[pick("which", len(pool))]
			w = v.Shape()[0]
		}
		same := v
		for _, u := range pool {
			if u != v && u.Shape()[0] == w {
				same = u
			}
		}
		switch pick("layer", 9) {
		case 0:
			v = s.Softmax(1, v)
		case 1:
			v = s.Unary("tanh", v)
		case 2:
			inner := widths[pick("inner", 3)]
			v = s.Add(v, s.Unary("sin", apply(w, s.Unary("tanh", apply(inner, v)))))
		case 3:
			v = s.Mul(s.Unary("sin", v), s.Unary("cos", same))
		case 4:
			v = s.Add(s.Unary("sin", v), same)
		case 5:
			a := s.Add(s.Eye(v.Shape()), s.Scale(s.Const(big.NewRat(1, 10)), matrix(w, w)))
			v = s.Solve(a, v)
		case 6:
			other := widths[pick("other", 3)]
			v = s.Unary("sin", s.Merge(0, s.Einsum("i,j->ij", v, s.Fresh("u", []size.Size{other}))))
			v = s.Einsum("ij,j->i", s.Fresh("W", []size.Size{w, v.Shape()[0]}), v)
		default:
			v = apply(widths[pick("to", 3)], s.Softmax(1, v))
		}
		pool = append(pool, v)
	}
	return x, pool[len(pool)-1]
}

// Plans of nets compute what reverse mode does, whatever the widths they are planned for, and
// take no more multiplications than either direction.
func TestPlannedNets(t *testing.T) {
	taken := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		x, y := net(t, s)
		sizes := map[string]int64{}
		for _, d := range []string{"k", "m", "n"} {
			sizes[d] = rapid.SampledFrom([]int64{1, 2, 5, 30, 200}).Draw(t, d)
		}
		count := multiplications(sizes)
		values := map[Mode]*Node{}
		costs := map[Mode]float64{}
		for _, mode := range []Mode{Planned, Forward, Reverse} {
			p := &Planner{Mode: mode, Sizes: sizes, Cost: count, Report: func(c Choice) { taken[c.Taken]++ }}
			d, err := p.Derive(y, []*Node{x}, 1)
			require.NoError(t, err)
			values[mode] = d.ByOrder[0][0]
			costs[mode], err = count(d.ByOrder[0])
			require.NoError(t, err)
		}
		require.LessOrEqual(t, costs[Planned], costs[Forward], "forward: %s", show(y))
		require.LessOrEqual(t, costs[Planned], costs[Reverse], "reverse: %s", show(y))
		env := numbers(t, []*Node{y, x}, 6)
		out := reference(t, []*Node{values[Reverse], values[Planned]}, env)
		close2(t, out[0], out[1], 1e-8, show(y))
	})
	t.Log(taken)
}
