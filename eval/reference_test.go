package eval

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

func dims(ns ...int64) []size.Size {
	out := make([]size.Size, len(ns))
	for i, n := range ns {
		out[i] = size.Const(n)
	}
	return out
}

func reference(t *testing.T, n *combinators.Node, env Env) *Tensor {
	t.Helper()
	out, err := Reference(context.Background(), []*combinators.Node{n}, env, map[string]int64{"m": 2, "n": 3})
	require.NoError(t, err)
	return out[0]
}

func TestReferenceContractions(t *testing.T) {
	s := combinators.NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	a, x := s.Var("A", []size.Size{m, n}), s.Var("x", []size.Size{n})
	q := s.Var("Q", dims(2, 2))
	env := Env{
		"A": {Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}},
		"x": Vector(1, 10, 100),
		"Q": {Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}},
	}
	for name, c := range map[string]struct {
		node  *combinators.Node
		shape []int
		want  []float64
	}{
		"product":   {s.Einsum("ij,j->i", a, x), []int{2}, []float64{321, 654}},
		"transpose": {s.Einsum("ij->ji", a), []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}},
		"sum":       {s.Einsum("ij->", a), []int{}, []float64{21}},
		"trace":     {s.Einsum("ii->", q), []int{}, []float64{5}},
		"diagonal":  {s.Einsum("ii->i", q), []int{2}, []float64{1, 4}},
		"embedding": {s.Einsum("j->jj", x), []int{3, 3}, []float64{1, 0, 0, 0, 10, 0, 0, 0, 100}},
		"broadcast": {s.EinsumSized("j->ij", map[rune]size.Size{'i': m}, s.Add(x, s.Einsum("ij->j", a))), []int{2, 3}, []float64{6, 17, 109, 6, 17, 109}},
		"delta":     {s.Eye([]size.Size{m}), []int{2, 2}, []float64{1, 0, 0, 1}},
		"size":      {s.Mul(s.SizeOf(m.Mul(n)), s.Einsum("ij->", a)), []int{}, []float64{126}},
		"half":      {s.Scale(s.Const(big.NewRat(1, 2)), x), []int{3}, []float64{0.5, 5, 50}},
		"det":       {s.Det(q), []int{}, []float64{-2}},
		"adj":       {s.Adj(q), []int{2, 2}, []float64{4, -2, -3, 1}},
		"merge":     {s.Merge(0, s.Einsum("ij->ij", q)), []int{4}, []float64{1, 2, 3, 4}},
		"amax":      {s.Add(s.Reduce("max", 1, a), s.Einsum("ij->i", s.EinsumSized("->ij", map[rune]size.Size{'i': m, 'j': n}, s.Einsum("ij->", a)))), []int{2}, []float64{66, 69}},
	} {
		got := reference(t, c.node, env)
		require.Equal(t, c.shape, got.Shape, name)
		require.InDeltaSlice(t, c.want, got.Data, 1e-13, name)
	}
}

func TestReferenceGuards(t *testing.T) {
	s := combinators.NewStore()
	x, g := s.Var("x", dims(3)), s.Var("g", dims(3))
	env := Env{"x": Vector(0, 4, 0), "g": Vector(0, 2, 1)}
	d := s.Power(x, big.NewRat(-1, 2))
	got := reference(t, s.Mul(d, g), env).Data
	require.True(t, math.IsNaN(got[0]), "0 * inf")
	weak := d.WithGuard(combinators.GuardWeak)
	require.Equal(t, []float64{0, 1, math.Inf(1)}, reference(t, s.Mul(weak, g), env).Data)
	// the same when the product is not fused, or is a sum first
	require.Equal(t, []float64{0, 2, math.Inf(1)}, reference(t, s.Mul(s.Add(weak, weak), g), env).Data)
	require.Equal(t, []float64{0, 1, math.Inf(1)}, reference(t, s.Mul(s.Mul(s.Ones(dims(3)), weak), g), env).Data)
	zero := s.Power(x, big.NewRat(-1, 1)).WithGuard(combinators.GuardZero)
	require.Equal(t, []float64{0, 0.25, 0}, reference(t, zero, env).Data)
}

func TestReferenceErrors(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	x, y := s.Var("x", []size.Size{n}), s.Var("y", []size.Size{n.Sub(size.Const(1))})
	sum := s.Add(s.Einsum("i->", x), s.Einsum("i->", y))
	run := func(env Env, sizes map[string]int64) error {
		_, err := Run(context.Background(), []*combinators.Node{sum}, env, WithSizes(sizes))
		return err
	}
	require.NoError(t, run(Env{"x": Vector(1, 2), "y": Vector(3)}, nil))
	require.EqualError(t, run(Env{"x": Vector(1, 2)}, nil), "the variable y has no value")
	require.EqualError(t, run(Env{"x": Vector(1, 2), "y": Vector(1, 2)}, nil), "y: axis 0 has size 2, but n-1 is declared, which is 1")
	require.EqualError(t, run(Env{"x": Vector(1, 2), "y": Scalar(1)}, nil), "y: has order 1, but a tensor of order 0 is given")
	require.EqualError(t, run(Env{"x": Vector(1, 2), "y": Vector(1)}, map[string]int64{"n": 3}), "x: axis 0 has size 2, but n = 3 (given)")
	ones := s.Ones([]size.Size{size.Sym("k")})
	_, err := Run(context.Background(), []*combinators.Node{ones}, nil)
	require.EqualError(t, err, "size symbol k has no value")
	inv := s.Inv(s.Var("A", dims(2, 2)))
	_, err = Run(context.Background(), []*combinators.Node{inv}, Env{"A": NewTensor(2, 2)})
	require.EqualError(t, err, "inv: the matrix is singular")
}

func TestReductionsAreStable(t *testing.T) {
	require.Equal(t, 1000+math.Log(2), logSumExp([]float64{1000, 1000}))
	require.Equal(t, math.Inf(-1), logSumExp(nil))
	require.Equal(t, math.Inf(-1), logSumExp([]float64{math.Inf(-1)}))
	require.Equal(t, math.Inf(1), logSumExp([]float64{math.Inf(1), 0}))
	require.True(t, math.IsNaN(logSumExp([]float64{math.NaN(), 0})))
	p := make([]float64, 2)
	softmax(p, []float64{1000, 1000})
	require.Equal(t, []float64{0.5, 0.5}, p)
	require.InEpsilon(t, 5e200, norm2([]float64{3e200, 4e200}), 1e-15)
	require.InEpsilon(t, 5e-200, norm2([]float64{3e-200, 4e-200}), 1e-15)
	require.Equal(t, 0.0, norm2(nil))
}

// NaN wins over infinities: no comparison with it is true.
func TestNaNWins(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, v := range [][]float64{{inf, nan}, {nan, inf}, {-inf, nan}, {nan, -inf}, {1, nan, inf}} {
		x := &Tensor{Shape: []int{len(v)}, Data: v}
		for _, row := range []*atom.Row{atom.AMax, atom.AMin, atom.LogSumExp} {
			out := NewTensor()
			reduceAxes(row, 1, x, out)
			require.True(t, math.IsNaN(out.Data[0]), "%s of %v is %g", row.Name, v, out.Data[0])
		}
		require.True(t, math.IsNaN(norm2(v)), "norm2 of %v", v)
		for _, row := range []*atom.Row{atom.Max, atom.Min, atom.LogAddExp} {
			require.True(t, math.IsNaN(row.F2(v[0], v[1])), "%s of %v", row.Name, v)
		}
	}
}
