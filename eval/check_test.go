package eval

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
)

func TestCheck(t *testing.T) {
	s := combinators.NewStore()
	x, a := s.Var("x", nil), s.Var("a", dims(3))
	m, v := s.Var("M", dims(4, 3)), s.Var("v", dims(3))
	num := func(f float64) *combinators.Node {
		r := new(big.Rat)
		r.SetFloat64(f)
		return s.Const(r)
	}
	scale := func(c float64, n *combinators.Node) *combinators.Node { return s.Scale(num(c), n) }
	square := s.Power(x, big.NewRat(2, 1))
	sa := s.Mul(s.Unary(atom.Sin, a), s.Unary(atom.Exp, a))
	// d (sin a . exp a) = (cos a + sin a) . exp a, on the diagonal
	da := func(c float64) *combinators.Node {
		return s.Einsum("i->ii", s.Mul(s.Add(scale(c, s.Unary(atom.Cos, a)), s.Unary(atom.Sin, a)), s.Unary(atom.Exp, a)))
	}
	relu := s.Einsum("i->ii", s.Unary(atom.Step, a))
	logistic := s.Einsum("i->", s.Unary(atom.Softplus, s.Einsum("ij,j->i", m, v)))
	gradient := s.Einsum("ij,i->j", m, s.Unary(atom.Sigmoid, s.Einsum("ij,j->i", m, v)))
	for name, c := range map[string]struct {
		y, x, jac *combinators.Node
		env       Env
		want      Verdict
	}{
		"exp(10)":          {s.Unary(atom.Exp, x), x, s.Unary(atom.Exp, x), Env{"x": Scalar(10)}, Agrees},
		"exp(10) wrong":    {s.Unary(atom.Exp, x), x, scale(1.0001, s.Unary(atom.Exp, x)), Env{"x": Scalar(10)}, Differs},
		"1e6 x^2 at 1e3":   {scale(1e6, square), x, scale(2e6, x), Env{"x": Scalar(1e3)}, Agrees},
		"1e6 x^2 wrong":    {scale(1e6, square), x, scale(2.00001e6, x), Env{"x": Scalar(1e3)}, Differs},
		"1e-6 x":           {scale(1e-6, x), x, num(1e-6), Env{"x": Scalar(3)}, Agrees},
		"1e-6 x wrong":     {scale(1e-6, x), x, num(1.03e-6), Env{"x": Scalar(3)}, Differs},
		"exp(100 x)":       {s.Unary(atom.Exp, scale(100, x)), x, scale(100, s.Unary(atom.Exp, scale(100, x))), Env{"x": Scalar(1.5)}, Agrees},
		"x + 1e9":          {s.Add(x, num(1e9)), x, num(1), Env{"x": Scalar(1)}, Agrees},
		"x + 1e9 wrong":    {s.Add(x, num(1e9)), x, num(1.1), Env{"x": Scalar(1)}, Differs},
		"sin(1e6 x)":       {s.Unary(atom.Sin, scale(1e6, x)), x, scale(1e6, s.Unary(atom.Cos, scale(1e6, x))), Env{"x": Scalar(1.3)}, Agrees},
		"sin(1e6 x) wrong": {s.Unary(atom.Sin, scale(1e6, x)), x, scale(1.01e6, s.Unary(atom.Cos, scale(1e6, x))), Env{"x": Scalar(1.3)}, Differs},
		"1 + 1e-50 x":      {s.Add(scale(1e-50, x), num(1)), x, num(1e-50), Env{"x": Scalar(1)}, Agrees},
		"1 wrong":          {s.Add(s.Scale(x, num(0)), num(1)), x, num(1e-9), Env{"x": Scalar(1)}, Differs},
		"one term":         {sa, a, da(1), Env{"a": Vector(0.3, -1, 2)}, Agrees},
		"one term by 1.03": {sa, a, da(1.03), Env{"a": Vector(0.3, -1, 2)}, Differs},
		"kink":             {s.Unary(atom.Relu, a), a, relu, Env{"a": Vector(0, -1, 2)}, Agrees},
		"kink, wrong":      {s.Unary(atom.Relu, a), a, s.Einsum("i->ii", s.Unary(atom.Sign, a)), Env{"a": Vector(0, -1, 2)}, Differs},
		"edge of a domain": {s.Power(x, big.NewRat(1, 2)), x, scale(0.5, s.Power(x, big.NewRat(-1, 2))), Env{"x": Scalar(0)}, Inconclusive},
		"NaN":              {square, x, s.Unary(atom.Log, s.Neg(x)), Env{"x": Scalar(1)}, Differs},
		"gradient":         {logistic, v, gradient, Env{"M": randomTensor(newRand(), 4, 3), "v": Vector(0.1, 0.2, -0.3)}, Agrees},
		"zero":             {s.Einsum("i->", s.Mul(a, s.Zero(dims(3)))), a, s.Zero(dims(3)), Env{"a": Vector(1, 2, 3)}, Agrees},
		"zero wrong":       {s.Einsum("i->", a), a, s.Zero(dims(3)), Env{"a": Vector(1, 2, 3)}, Differs},
	} {
		r, err := Check(context.Background(), c.y, c.x, c.jac, c.env)
		require.NoError(t, err, name)
		require.Equal(t, c.want, r.Verdict, "%s: %s", name, r)
		if c.want == Agrees && !math.IsNaN(r.Order) && r.Kinks == 0 {
			require.Greater(t, r.Order, 2.5, "%s: %s", name, r)
		}
	}
	_, err := Check(context.Background(), sa, a, s.Zero(dims(3)), Env{"a": Vector(1, 2, 3)})
	var size *SizeError
	require.ErrorAs(t, err, &size)
}

// s (1 - s) moves in steps of 1e-16 where s is almost 1, which are more than a small change of x makes of it.
func TestCheckInSteps(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	share := s.Unary(atom.Sigmoid, x)
	slope := s.Mul(share, s.Sub(s.Int(1), share))
	for _, at := range []float64{18, 19, 20, 21, 22} {
		for _, c := range []struct {
			one  *combinators.Node
			want Verdict
		}{{s.Int(1), Agrees}, {s.Fraction(9, 10), Differs}} {
			r, err := Check(context.Background(), slope, x, s.Mul(slope, s.Sub(c.one, s.Scale(s.Int(2), share))), Env{"x": Scalar(at)})
			require.NoError(t, err)
			require.Equal(t, c.want, r.Verdict, "%v: %s", at, r)
		}
	}
}

// A right derivative is not called wrong where the function has lost all digits of what changes.
func TestCheckWithoutDigits(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	e := s.Unary(atom.Exp, x)
	rest := s.Sub(s.Int(1), e) // 1 - exp(x)
	for name, c := range map[string]struct{ y, derivative *combinators.Node }{
		"log(1 - exp(x))":      {s.Unary(atom.Log, rest), s.Neg(s.Mul(e, s.Recip(rest)))},
		"sqrt(1 - exp(x)) - 1": {s.Sub(s.Power(rest, big.NewRat(1, 2)), s.Int(1)), s.Scale(s.Fraction(-1, 2), s.Mul(e, s.Power(rest, big.NewRat(-1, 2))))},
		"1e8 log(1 - exp(x))":  {s.Scale(s.Int(1e8), s.Unary(atom.Log, rest)), s.Scale(s.Int(-1e8), s.Mul(e, s.Recip(rest)))},
		"cos(exp(x)) - 1":      {s.Sub(s.Unary(atom.Cos, e), s.Int(1)), s.Neg(s.Mul(e, s.Unary(atom.Sin, e)))},
	} {
		rapid.Check(t, func(t *rapid.T) {
			r, err := Check(context.Background(), c.y, x, c.derivative, Env{"x": Scalar(rapid.Float64Range(-740, -1).Draw(t, "x"))})
			require.NoError(t, err)
			require.NotEqual(t, Differs, r.Verdict, "%s: %s", name, r)
		})
	}
}

// A derivative without entries is not compared.
func TestCheckOfNothing(t *testing.T) {
	s := combinators.NewStore()
	a := s.Var("a", dims(0))
	r, err := Check(context.Background(), s.Einsum("i,i->", a, a), a, s.Scale(s.Int(2), a), Env{"a": Vector()})
	require.NoError(t, err)
	require.Equal(t, Inconclusive, r.Verdict)
}

// The derivative of gelu at -34 is 1e-245, of which the evaluation loses the third digit: that is no fault of
// the derivative, beside larger entries and alone.
func TestCheckNegligible(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", dims(2))
	root, density := s.Power(s.Int(2), big.NewRat(-1, 2)), s.Unary(atom.Exp, s.Scale(s.Fraction(-1, 2), s.Mul(x, x)))
	two := s.Broadcast(s.Int(2), dims(2))
	h := s.Scale(root, s.Scale(s.Power(s.Pi(), big.NewRat(-1, 2)), s.Mul(density, s.Sub(two, s.Mul(x, x)))))
	half := s.Scale(s.Fraction(1, 2), s.Add(s.Ones(dims(2)), s.Unary(atom.Erf, s.Scale(root, x))))
	y := s.Add(half, s.Scale(root, s.Scale(s.Power(s.Pi(), big.NewRat(-1, 2)), s.Mul(x, density))))
	for _, c := range []struct {
		at   float64
		by   int64 // hundredths
		want Verdict
	}{{0.3, 100, Agrees}, {-33, 100, Agrees}, {0.3, 101, Differs}} {
		r, err := Check(context.Background(), y, x, s.Einsum("i->ii", s.Scale(s.Fraction(c.by, 100), h)), Env{"x": Vector(-33.95, c.at)})
		require.NoError(t, err)
		require.Equal(t, c.want, r.Verdict, "%v: %s", c.at, r)
	}
}

func TestCheckOrder(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", dims(3))
	y := s.Einsum("i->", s.Unary(atom.Sin, x))
	right := s.Unary(atom.Cos, x)
	wrong := s.Scale(s.Const(big.NewRat(103, 100)), right)
	env := Env{"x": Vector(0.4, 1, -2)}
	r, err := Check(context.Background(), y, x, right, env)
	require.NoError(t, err)
	require.InDelta(t, 3, r.Order, 0.2)
	r, err = Check(context.Background(), y, x, wrong, env)
	require.NoError(t, err)
	require.InDelta(t, 1, r.Order, 0.2)
	require.InDelta(t, 0.03, r.MaxError, 0.001)
	require.Contains(t, r.String(), "differs: 3 entries, largest relative error 0.029")
}

func TestCheckAdjoint(t *testing.T) {
	s := combinators.NewStore()
	a, v, w := s.Var("A", dims(4, 3)), s.Var("v", dims(3)), s.Var("w", dims(4))
	env := Env{"A": randomTensor(newRand(), 4, 3)}
	l := s.Einsum("ij,j->i", a, v)
	r, err := CheckAdjoint(context.Background(), l, v, s.Einsum("ij,i->j", a, w), w, env)
	require.NoError(t, err)
	require.True(t, r.Agree, "%+v", r)
	r, err = CheckAdjoint(context.Background(), l, v, s.Einsum("ij,i->j", s.Unary(atom.Abs, a), w), w, env)
	require.NoError(t, err)
	require.False(t, r.Agree)
	_, err = CheckAdjoint(context.Background(), l, v, s.Einsum("ij,i->", a, w), w, env)
	require.Error(t, err)
	// zero but for rounding, which differs on the two sides
	b, p, q := s.Var("b", dims(7)), s.Var("p", nil), s.Var("q", nil)
	third := func(k int64) *combinators.Node { return s.Const(big.NewRat(k, 7)) }
	soft := s.Softmax(1, b)
	left := s.Einsum(",->", p, s.Add(s.Einsum("i->", soft), third(-7)))
	right := s.Einsum(",->", q, s.Einsum("i->", s.Add(soft, s.Fill(big.NewRat(-1, 7), dims(7)))))
	for range 50 {
		env := Env{"b": randomTensor(newRand(), 7)}
		r, err = CheckAdjoint(context.Background(), left, p, right, q, env)
		require.NoError(t, err)
		require.True(t, r.Agree, "%+v", r)
		r, err = CheckAdjoint(context.Background(), left, p, s.Add(right, s.Einsum(",->", q, s.Const(big.NewRat(1, 1e9)))), q, env)
		require.NoError(t, err)
		require.False(t, r.Agree, "%+v", r)
	}
	// few digits, which no change of the variables shows: 1 - s for s near 1
	u, z := s.Var("u", dims(7)), s.Var("z", dims(7))
	spread := s.Sub(s.Einsum("i,ij->ij", soft, s.Eye(dims(7))), s.Einsum("i,j->ij", soft, soft))
	left, right = s.Einsum("ij,j->i", spread, u), s.Sub(s.Einsum("i,i->i", soft, z), s.Einsum("i,j,j->i", soft, soft, z))
	for k := range 50 {
		env := Env{"b": randomTensor(newRand(), 7)}
		env["b"].Data[0] += 15 + float64(k)/5
		r, err = CheckAdjoint(context.Background(), left, u, right, z, env)
		require.NoError(t, err)
		require.True(t, r.Agree, "%+v", r)
		r, err = CheckAdjoint(context.Background(), left, u, s.Einsum("i,i->i", soft, z), z, env)
		require.NoError(t, err)
		require.False(t, r.Agree, "%+v", r)
	}
}
