package digits

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"

	"github.com/stretchr/testify/require"
)

func evaluated(t *testing.T, root *combinators.Node, bits uint, env eval.Env) (Value, error) {
	nodes := combinators.Topo(root)
	outs, err := eval.Reference(context.Background(), nodes, env, nil)
	require.NoError(t, err)
	doubles := map[*combinators.Node]*eval.Tensor{}
	for i, n := range nodes {
		doubles[n] = outs[i]
	}
	return Evaluate(root, bits, doubles, func(*combinators.Node) bool { return false })
}

// Each function of the table has the value of the evaluator in doubles, and that of twice the digits lies inside of its interval.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, at := range atom.Rows() {
		if at.Class != atom.ClassElementwise || at.Signature() != nil {
			continue
		}
		for k := range 60 {
			s := combinators.NewStore()
			scale := math.Pow(10, float64(k%5-2))
			vars := []*combinators.Node{s.Var("x", nil), s.Var("y", nil)}
			x, y := scale*(2*r.Float64()-1), scale*(2*r.Float64()-1)
			if k%3 == 0 {
				x, y = math.Round(x)+0, math.Round(y)+0
			}
			if k%4 == 0 {
				x = math.Abs(x)
			}
			var n *combinators.Node
			switch {
			case at == atom.Power:
				n = s.Power(vars[0], big.NewRat(int64(r.IntN(9)-4), int64(1+r.IntN(3))))
			case at.Arity == 2:
				n = s.Binary(at, vars[0], vars[1])
			default:
				n = s.Unary(at, vars[0])
			}
			env := eval.Env{"x": eval.Scalar(x), "y": eval.Scalar(y)}
			outs, err := eval.Reference(context.Background(), []*combinators.Node{n}, env, nil)
			require.NoError(t, err)
			want := outs[0].Data[0]
			v, err := evaluated(t, n, 256, env)
			if math.IsNaN(want) || math.IsInf(want, 0) {
				require.Error(t, err, "%s at %g, %g", at.Name, x, y)
				continue
			}
			if err == ErrUnknown {
				continue
			}
			require.NoError(t, err, "%s at %g, %g is %g", at.Name, x, y, want)
			low, _ := v.Data[0].Low.Float64()
			least := 1e-300
			if v.Data[0].Bits() <= 40 {
				least = 1e-5 * math.Max(1, math.Abs(want))
			}
			require.InDelta(t, want, low, 1e-8*math.Abs(want)+least, "%s at %g, %g", at.Name, x, y)
			more, err := evaluated(t, n, 512, env)
			require.NoError(t, err)
			require.False(t, Apart(v.Data[0], more.Data[0]), "%s at %g, %g", at.Name, x, y)
			if v.Data[0].Bits() > 40 {
				require.Greater(t, v.Data[0].Bits(), 230, "%s at %g, %g", at.Name, x, y)
				require.False(t, v.Data[0].Low.Cmp(more.Data[0].Low) > 0 || v.Data[0].High.Cmp(more.Data[0].High) < 0, "%s at %g, %g", at.Name, x, y)
			}
		}
	}
}

// Matrices and axes, at random entries.
func TestMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		s := combinators.NewStore()
		k := int64(1 + r.IntN(4))
		a := s.Var("A", []size.Size{size.Const(k), size.Const(k)})
		env := eval.Env{"A": eval.NewTensor(int(k), int(k))}
		for i := range env["A"].Data {
			env["A"].Data[i] = float64(r.IntN(7) - 3)
		}
		for _, n := range []*combinators.Node{s.Inv(a), s.Minor(0, a), s.LogDet(a), s.Solve(a, a), s.Softmax(1, a), s.Apply(atom.LogSumExp, 2, a), s.Norm2(a), s.Mul(a, a)} {
			outs, err := eval.Reference(context.Background(), []*combinators.Node{n}, env, nil)
			if err != nil || eval.LogDet(int(k), env["A"].Data) < -1 || outs[0].Data[0]-outs[0].Data[0] != 0 {
				continue
			}
			v, err := evaluated(t, n, 200, env)
			require.NoError(t, err, "%s of %v", n.Atom().Name, env["A"].Data)
			for i, want := range outs[0].Data {
				low, _ := v.Data[i].Low.Float64()
				require.InDelta(t, want, low, 1e-9*math.Max(1, math.Abs(want)))
				require.Greater(t, v.Data[i].Bits(), 150)
			}
		}
	}
}

// What rounding hides is lost at few digits, and seen at many; what is beyond all digits is lost.
func TestLost(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	env := eval.Env{"x": eval.Scalar(1.5)}
	exp := func(n *combinators.Node, times int) *combinators.Node {
		for range times {
			n = s.Unary(atom.Exp, n)
		}
		return n
	}
	for _, c := range []struct {
		n    *combinators.Node
		seen uint // bits at which it is
	}{
		{s.Unary(atom.Tanh, exp(x, 2)), 512},
		{s.Unary(atom.Erf, s.Scale(s.Int(20), x)), 4096},
		{s.Unary(atom.Cos, exp(s.Scale(s.Int(-200), x), 1)), 4096},
		{s.Add(exp(x, 1), exp(s.Scale(s.Int(-200), x), 1)), 4096},
		{s.Unary(atom.Tanh, exp(x, 3)), 0},
	} {
		for bits := uint(256); bits <= 4096; bits *= 2 {
			v, err := evaluated(t, c.n, bits, env)
			require.NoError(t, err)
			require.Equal(t, c.seen == 0 || bits < c.seen, v.Lost, "%d bits", bits)
		}
	}
}
