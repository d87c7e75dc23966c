package jacobian

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval/plan"
	random "frechet/internal/terms"
	"frechet/rewrite/normal"
)

// multiplications counts what a plan says that values take.
func multiplications(sizes map[string]int64) func([]*Node) (float64, error) {
	return func(values []*Node) (float64, error) {
		return plan.Multiplications(values, sizes)
	}
}

// Whatever the program and the sizes, planned Jacobians and Hessians take no more
// multiplications than those found forward or in reverse, and have their values.
func TestPlannedIsNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 8)
		y := b.Outs[0]
		if y.Order() == 0 {
			g, err := adjoint.Standard().Gradient(y, b.Params[:1])
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
		env := random.Env(append([]*Node{y}, b.Params...), 5)
		want, got := random.Values(t, values[2], env), random.Values(t, values[0], env)
		for i := range want {
			random.Close(t, want[i], got[i], 1e-8, show(y))
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
			v = s.Unary(atom.Tanh, v)
		case 2:
			inner := widths[pick("inner", 3)]
			v = s.Add(v, s.Unary(atom.Sin, apply(w, s.Unary(atom.Tanh, apply(inner, v)))))
		case 3:
			v = s.Mul(s.Unary(atom.Sin, v), s.Unary(atom.Cos, same))
		case 4:
			v = s.Add(s.Unary(atom.Sin, v), same)
		case 5:
			a := s.Add(s.Eye(v.Shape()), s.Scale(s.Const(big.NewRat(1, 10)), matrix(w, w)))
			v = s.Solve(a, v)
		case 6:
			other := widths[pick("other", 3)]
			v = s.Unary(atom.Sin, s.Merge(0, s.Einsum("i,j->ij", v, s.Fresh("u", []size.Size{other}))))
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
		env := random.Env([]*Node{y, x}, 6)
		out := random.Values(t, []*Node{values[Reverse], values[Planned]}, env)
		random.Close(t, out[0], out[1], 1e-8, show(y))
	})
	t.Log(taken)
}

// planned multiplies the derivative of y by x out as a plan says, whatever it costs.
func planned(t require.TestingT, p *Planner, y, x *Node) *Node {
	l, err := p.calculus().D(&combinators.Block{Store: y.Store(), Params: []*Node{x}, Outs: []*Node{y}}, []*Node{x})
	require.NoError(t, err)
	if l.Outs[0] == nil {
		return nil
	}
	additive, err := p.calculus().Additive()
	require.NoError(t, err)
	q := p.series(l.Outs[0], l.In[0], !additive)
	if q == nil {
		return nil
	}
	return q.build(0, len(q.segments))
}

// Every plan, cheap or not, has the values of reverse mode: what sizes it is made for only
// decides between ways.
func TestEveryPlanIsTheDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x, y *Node
		if rapid.Bool().Draw(t, "net") {
			x, y = net(t, combinators.NewStore())
		} else {
			b := random.Block(t, 12)
			x, y = b.Params[0], b.Outs[0]
		}
		sizes := map[string]int64{}
		for _, d := range []string{"k", "m", "n"} {
			sizes[d] = rapid.SampledFrom([]int64{0, 1, 2, 5, 30, 200, 1 << 40}).Draw(t, d)
		}
		got := planned(t, &Planner{Sizes: sizes}, y, x)
		if got == nil {
			return
		}
		l, err := adjoint.Standard().D(&combinators.Block{Store: y.Store(), Params: []*Node{x}, Outs: []*Node{y}}, []*Node{x})
		require.NoError(t, err)
		want := entries(l, []bool{true})
		env := random.Env([]*Node{y, x}, 6)
		out := random.Values(t, []*Node{want[0], got}, env)
		random.Close(t, out[0], out[1], 1e-8, show(y))
		out = random.Values(t, normal.Simplify(want[0], got), env)
		random.Close(t, out[0], out[1], 1e-8, show(y))
	})
}

// Where infinite partial derivatives lose against zeros in reverse mode, they do in every plan.
func TestPlansKeepGuards(t *testing.T) {
	finite := 0
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		pick := func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) }
		n := []size.Size{size.Sym("n")}
		x := s.Var("x", n)
		pool := []*Node{x, s.Var("a", n)}
		any := func() *Node { return pool[len(pool)-1-pick("which", min(3, len(pool)))] }
		half := big.NewRat(1, 2)
		for range 3 + pick("steps", 7) {
			v := any()
			switch pick("step", 8) {
			case 7:
				v = s.Sub(v, any())
			case 0:
				v = s.Power(s.Mul(v, v), half)
			case 1:
				v = s.Mul(v, any())
			case 2:
				v = s.Add(v, any())
			case 3:
				v = s.Mul(s.Power(s.Unary(atom.Abs, v), half), v)
			case 4:
				v = s.Unary(atom.Sin, v)
			case 5:
				v = s.Einsum("ij,j->i", s.Fresh("W", []size.Size{n[0], n[0]}), v)
			case 6:
				v = s.Einsum("ij,j,i->i", s.Fresh("W", []size.Size{n[0], n[0]}), v, any())
			}
			pool = append(pool, v)
		}
		y := pool[len(pool)-1]
		sizes := map[string]int64{"n": rapid.SampledFrom([]int64{1, 3, 1000}).Draw(t, "n")}
		got := planned(t, &Planner{Sizes: sizes}, y, x)
		if got == nil {
			return
		}
		l, err := adjoint.Standard().D(&combinators.Block{Store: s, Params: []*Node{x}, Outs: []*Node{y}}, []*Node{x})
		require.NoError(t, err)
		both := []*Node{got}
		for _, reverse := range []bool{true, false} {
			both = append(both, entries(l, []bool{reverse})[0])
		}
		env := random.Env([]*Node{y, x}, 6)
		for _, name := range []string{"x", "a"} {
			if v, ok := env[name]; ok {
				v.Data[pick("zero", len(v.Data))] = 0
			}
		}
		out := random.Values(t, both, env)
		for i, w := range out[1].Data {
			if w-w == 0 && out[2].Data[i]-out[2].Data[i] == 0 {
				finite++
				require.InDelta(t, w, out[0].Data[i], 1e-8*(1+math.Abs(w)), "entry %d: %s", i, show(y))
			}
		}
	})
	require.Positive(t, finite)
}

// A plan follows other rules for sums and pairs than those that are shipped, and names the one that is missing.
func TestPlansFollowTheRules(t *testing.T) {
	file := adjoint.RuleFile{Name: adjoint.AdjointRules}
	for _, f := range adjoint.RuleFiles() {
		if f.Name == file.Name {
			file.Text = f.Text
		}
	}
	for rule, sides := range map[string][2]string{
		"A-sum":  {"adjoint(f + g) =>", "adjoint(f) + adjoint(g) + adjoint(f) + adjoint(g)"},
		"A-pair": {"adjoint(pair{k}(f[k])) =>", "copair{k}(adjoint(f[k])) + copair{k}(adjoint(f[k]))"},
	} {
		s := combinators.NewStore()
		k, m, n := size.Sym("k"), size.Sym("m"), size.Sym("n")
		x := s.Var("x", []size.Size{n})
		u := s.Einsum("ij,j->i", s.Var("A", []size.Size{m, n}), x)
		y := s.Einsum("ij,j->i", s.Var("B", []size.Size{k, m}), s.Add(s.Unary(atom.Sin, u), s.Unary(atom.Exp, u)))
		sizes := map[string]int64{"k": 1, "m": 30, "n": 50} // cotangents are cheapest
		head := "rule " + rule
		before, rest, found := strings.Cut(file.Text, head)
		require.True(t, found)
		at := strings.Index(rest, sides[0]) + len(sides[0])
		after := rest[at+strings.Index(rest[at:], "\n"):]
		altered, err := adjoint.NewCalculus(nil, adjoint.RuleFile{Name: file.Name, Text: before + head + rest[:at] + " " + sides[1] + after})
		require.NoError(t, err, rule)
		got := planned(t, &Planner{Calculus: altered, Sizes: sizes}, y, x)
		want, err := Of(altered, y, []*Node{x}, Reverse)
		require.NoError(t, err, rule)
		shipped, err := Of(adjoint.Standard(), y, []*Node{x}, Reverse)
		require.NoError(t, err)
		out := random.Values(t, []*Node{want[0], got, shipped[0]}, random.Env([]*Node{y}, 6))
		random.Close(t, out[0], out[1], 1e-8, rule)
		require.NotEqual(t, out[0].Data, out[2].Data, rule)
		missing, err := adjoint.NewCalculus(nil, adjoint.RuleFile{Name: file.Name, Text: before + after})
		require.NoError(t, err, rule)
		_, err = (&Planner{Calculus: missing, Sizes: sizes}).Derive(y, []*Node{x}, 1)
		require.ErrorContains(t, err, rule)
	}
}

// A planned derivative of order 2 is never longer than those found forward and in reverse, where sizes are not known and these have
// no intermediates of a higher order.
func TestPlannedIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		n := size.Sym("n")
		x, A := s.Var("x", []size.Size{n}), s.Var("A", []size.Size{n, n})
		y := x
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				y = s.Softmax(1, y)
			case 1:
				y = s.Einsum("ij,j->i", A, y)
			case 2:
				y = s.Unary(atom.Tanh, y)
			case 3:
				y = s.Mul(y, x)
			case 4:
				y = s.Einsum("i,->i", y, s.Recip(s.Norm2(y)))
			}
		}
		hessian := func(mode Mode) (length, order int) {
			d, err := Derive(y, []*Node{x}, 2, mode)
			require.NoError(t, err)
			for _, n := range combinators.Topo(d.ByOrder[1]...) {
				order = max(order, n.Order())
			}
			return Length(d.ByOrder[1]...), order
		}
		length, order := hessian(Planned)
		for _, mode := range []Mode{Forward, Reverse} {
			if other, most := hessian(mode); most <= order {
				require.LessOrEqual(t, length, other, show(y))
			}
		}
	})
}
