package eval

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval/plan"
	"frechet/internal/processor"
)

func randomTensor(r *rand.Rand, shape ...int) *Tensor {
	t := NewTensor(shape...)
	for i := range t.Data {
		t.Data[i] = r.NormFloat64()
	}
	return t
}

// bothWays runs a test with the packed kernel and with gonum's BLAS.
func bothWays(t *testing.T, f func(t *testing.T)) {
	t.Run("kernel", f)
	defer func(old bool) { useKernel = old }(useKernel)
	useKernel = false
	t.Run("gonum", f)
}

// Products large enough for BLAS agree with the reference, whatever the order of axes, with
// repeated, missing and batch indices, and whatever is infinite.
func TestLargeProducts(t *testing.T) { bothWays(t, testLargeProducts) }

func testLargeProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		sizes := []int{7, 9, 11, 5, 6, 1}
		s, env := combinators.NewStore(), Env{}
		var args []*combinators.Node
		var in [][]int
		used := map[int]bool{}
		points := 1
		for k := range rapid.IntRange(2, 3).Draw(t, "operands") {
			var letters []int
			var shape []int
			for range rapid.IntRange(1, 3).Draw(t, "order") {
				l := rapid.IntRange(0, len(sizes)-1).Draw(t, "letter")
				letters, shape = append(letters, l), append(shape, sizes[l])
				if !used[l] {
					points *= sizes[l]
				}
				used[l] = true
			}
			name := string(rune('A' + k))
			env[name] = randomTensor(r, shape...)
			if rapid.IntRange(0, 9).Draw(t, "infinite") == 0 {
				env[name].Data[0] = math.Inf(1)
			}
			d := make([]int64, len(shape))
			for i, n := range shape {
				d[i] = int64(n)
			}
			args, in = append(args, s.Var(name, dims(d...))), append(in, letters)
		}
		if points > 100000 {
			return
		}
		var out []int
		for l := range used {
			if rapid.Bool().Draw(t, "kept") {
				out = append(out, l)
			}
		}
		out = rapid.Permutation(out).Draw(t, "order")
		args = append(args, s.Const(big.NewRat(-3, 2)), s.Einsum("->", s.Var("c", nil)))
		in = append(in, nil, nil)
		env["c"] = Scalar(0.75)
		n := s.Ein(einsum.Plain(in, out, dims(7, 9, 11, 5, 6, 1)), args...)
		want, err := Reference(context.Background(), []*combinators.Node{n}, env, nil)
		require.NoError(t, err)
		got, err := Run(context.Background(), []*combinators.Node{n}, env)
		require.NoError(t, err)
		for i, w := range want[0].Data {
			v := got[0].Data[i]
			if w-w != 0 {
				require.True(t, v-v != 0, "entry %d is %g, not %g", i, v, w)
				continue
			}
			require.InDelta(t, w, v, 1e-9*(1+math.Abs(w)), describe(n))
		}
	})
}

// Products that are symmetric by their form compute one triangle.
func TestSymmetricProducts(t *testing.T) { bothWays(t, testSymmetricProducts) }

func testSymmetricProducts(t *testing.T) {
	s := combinators.NewStore()
	x, c, v, q := s.Var("X", dims(30, 70)), s.Var("C", dims(6, 10, 9)), s.Var("v", dims(30)), s.Var("Q", dims(20, 20))
	r := newRand()
	env := Env{"X": randomTensor(r, 30, 70), "C": randomTensor(r, 6, 10, 9), "v": randomTensor(r, 30), "Q": randomTensor(r, 20, 20)}
	for _, c := range []struct {
		n         *combinators.Node
		symmetric bool
	}{
		{s.Einsum("ij,i,ik->jk", x, v, x), true},
		{s.Einsum("ij,i,ik->kj", x, v, x), true},
		{s.Einsum("ij,ik->jk", x, x), true},
		{s.Einsum("ij,kj->ik", x, x), true},
		{s.Einsum("ij,kj,i->ik", x, x, v), true},
		{s.Einsum("bij,bik->bjk", c, c), true},
		{s.Einsum("bij,bkj->bik", c, c), true},
		{s.Einsum("bij,cij->bc", c, c), true},
		{s.Einsum("ij,jk->ik", q, q), false},
		{s.Einsum("ij,kj->ik", q, q), true},
		{s.Einsum("ij,jk->ik", x, s.Einsum("ij->ji", s.Unary(atom.Sin, x))), false},
	} {
		want, err := Reference(context.Background(), []*combinators.Node{c.n}, env, nil)
		require.NoError(t, err)
		p, err := Compile([]*combinators.Node{c.n}, env.shapes())
		require.NoError(t, err)
		require.Equal(t, c.symmetric, strings.Contains(p.Plan().String(), "syrk"), p.Plan().String())
		got, err := p.Run(context.Background(), env)
		require.NoError(t, err)
		require.Less(t, MaxDiff(got[0], want[0]), 1e-10, p.Plan().String())
	}
}

func run(t testing.TB, env Env, nodes ...*combinators.Node) []*Tensor {
	t.Helper()
	out, err := Run(context.Background(), nodes, env)
	require.NoError(t, err)
	return out
}

func TestGuards(t *testing.T) {
	s := combinators.NewStore()
	x, g, a := s.Var("x", dims(3)), s.Var("g", dims(3)), s.Var("A", dims(3, 2))
	env := Env{"x": Vector(0, 4, 0), "g": Vector(0, 2, 0), "A": {Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 0, 5}}}
	d := s.Power(x, big.NewRat(-1, 2))
	weak := d.WithGuard(combinators.GuardWeak)
	nodes := []*combinators.Node{
		s.Mul(weak, g),
		s.Mul(d, g),
		s.Einsum("i,i->", weak, g),
		s.Einsum("i,i->", d, g),
		s.Einsum("i,i,ij->j", weak, g, a),
		s.Einsum("i,ij->j", weak, a),
		s.Mul(s.Add(weak, x), g),
		s.Einsum("i,ij,ik->jk", s.Einsum("i,i->i", weak, g), a, a),
		s.Power(x, big.NewRat(-1, 1)).WithGuard(combinators.GuardZero),
	}
	got := run(t, env, nodes...)
	for i, n := range nodes {
		want, err := Reference(context.Background(), []*combinators.Node{n}, env, nil)
		require.NoError(t, err)
		requireClose(t, want[0], got[i], describe(n))
	}
	require.Equal(t, []float64{0, 1, 0}, got[0].Data)
	require.True(t, math.IsNaN(got[3].Data[0]))
	require.Equal(t, []float64{3, 4}, got[4].Data)
	require.Equal(t, []float64{math.Inf(1), math.Inf(1)}, got[5].Data)
}

// 0*NaN and 0*Inf are NaN in every kernel but under a guard.
func TestNaNPropagates(t *testing.T) { bothWays(t, testNaNPropagates) }

func testNaNPropagates(t *testing.T) {
	s := combinators.NewStore()
	a, b, x := s.Var("A", dims(20, 30)), s.Var("B", dims(30, 20)), s.Var("x", dims(30))
	env := Env{"A": NewTensor(20, 30), "B": NewTensor(30, 20), "x": NewTensor(30)}
	env["B"].Data[5*20+3] = math.NaN()
	env["x"].Data[7] = math.Inf(1)
	z := s.Var("z", dims(30))
	env["z"] = NewTensor(30)
	got := run(t, env, s.Einsum("ij,jk->ik", a, b), s.Einsum("ij,j->i", a, x), s.Einsum("ji,j->i", b, z), s.Einsum("ji,j->i", b, x))
	for i := range 20 {
		for j := range 20 {
			require.Equal(t, j == 3, math.IsNaN(got[0].At(i, j)))
			require.Equal(t, j == 3, math.IsNaN(got[2].At(j)))
		}
		require.True(t, math.IsNaN(got[1].At(i)))
	}
}

// A diagonal matrix applied to a vector is never stored: this would need 8 TB.
func TestDeltasAreNotStored(t *testing.T) {
	s := combinators.NewStore()
	n := size.Const(1_000_000)
	x, v := s.Var("x", []size.Size{n}), s.Var("v", []size.Size{n})
	jac := s.Einsum("ba,a->ba", s.Eye([]size.Size{n}), s.Unary(atom.Cos, x)) // d sin(x)/dx
	outer := s.Einsum("i,j->ij", x, v)
	env := Env{"x": randomTensor(rand.New(rand.NewPCG(1, 1)), 1_000_000)}
	env["v"] = env["x"]
	got := run(t, env, s.Einsum("ba,a->b", jac, v), s.Einsum("ij,j->i", outer, v),
		s.Einsum("ij,j->i", s.EinsumSized("i->ij", map[rune]size.Size{'j': n}, x), v), s.Einsum("aa->", jac))
	vv := dot(env["v"].Data, env["v"].Data)
	for i, x := range env["x"].Data[:100] {
		require.InDelta(t, math.Cos(x)*x, got[0].Data[i], 1e-15)
		require.InDelta(t, x*vv, got[1].Data[i], 1e-9*vv)
	}
	_, err := Run(context.Background(), []*combinators.Node{jac}, env)
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, 1e12, limit.Need)
}

func TestLimitsAreFoundBeforehand(t *testing.T) {
	start := processor.Time()
	s := combinators.NewStore()
	n := size.Sym("n")
	x := s.Ones([]size.Size{n})
	a := s.Einsum("i,j->ij", s.Unary(atom.Sin, x), s.Unary(atom.Cos, x))
	var limit *LimitError
	_, err := Run(context.Background(), []*combinators.Node{a}, nil, WithSizes(map[string]int64{"n": 1e9}))
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "elements in one tensor", limit.What)
	_, err = Run(context.Background(), []*combinators.Node{s.Unary(atom.Sin, x)}, nil, WithSizes(map[string]int64{"n": 1e9}))
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "bytes of memory", limit.What)
	require.GreaterOrEqual(t, limit.Need, 8e9)
	_, err = Run(context.Background(), []*combinators.Node{a}, nil, WithSizes(map[string]int64{"n": 1000}), WithLimits(Limits{MaxBytes: 1e6}))
	require.ErrorAs(t, err, &limit)
	_, err = Run(context.Background(), []*combinators.Node{s.Ones(make([]size.Size, 65))}, nil)
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "axes of one tensor", limit.What)
	require.Less(t, processor.Time()-start, time.Second)
}

func TestDeepPrograms(t *testing.T) {
	const depth = 20_000
	s := combinators.NewStore()
	x := s.Var("x", dims(3))
	y, z := x, x
	for range depth {
		y = s.Mul(s.Unary(atom.Sin, y), s.Unary(atom.Cos, y))
		z = s.Add(s.Unary(atom.Sin, z), s.Einsum("i,i->i", x, z)) // a let a step, with sharing
	}
	m := s.Var("M", dims(2, 2))
	w := s.Var("w", dims(2))
	for range 2000 {
		w = s.Einsum("ij,j->i", m, w)
	}
	got := run(t, Env{"x": Vector(0.1, 0.2, 0.3), "M": {Shape: []int{2, 2}, Data: []float64{0, 1, 1, 0}}, "w": Vector(1, 2)}, y, z, w)
	require.Equal(t, []float64{1, 2}, got[2].Data)
	for _, v := range got[0].Data {
		require.False(t, math.IsNaN(v))
	}
}

func TestProgramsRunConcurrently(t *testing.T) {
	s := combinators.NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	a, w := s.Var("A", []size.Size{m, n}), s.Var("w", []size.Size{n})
	z := s.Einsum("ij,j->i", a, w)
	loss := s.Einsum("i->", s.Unary(atom.Softplus, z))
	grad := s.Einsum("ij,i->j", a, s.Unary(atom.Sigmoid, z))
	r := rand.New(rand.NewPCG(1, 1))
	env := Env{"A": randomTensor(r, 300, 20), "w": randomTensor(r, 20)}
	p, err := Compile([]*combinators.Node{loss, grad, grad, w}, env.shapes())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			e := Env{"A": env["A"], "w": env["w"].Clone()}
			e["w"].Data[0] += float64(k)
			want, err := Reference(context.Background(), []*combinators.Node{loss, grad, grad, w}, e, nil)
			if err != nil {
				t.Error(err)
			}
			for range 20 {
				got, err := p.Run(context.Background(), e)
				if err != nil {
					t.Error(err)
				}
				for i := range got {
					if MaxDiff(want[i], got[i]) > 1e-10 {
						t.Errorf("output %d differs", i)
					}
				}
				got[3].Data[0] = 7 // results are the caller's
			}
		})
	}
	wg.Wait()
	_, err = p.Run(context.Background(), Env{"A": env["A"], "w": Vector(1)})
	require.EqualError(t, err, "w: has shape [1], but the program was made for [20]")
	_, err = p.Run(context.Background(), Env{"A": env["A"]})
	var missing *plan.MissingError
	require.ErrorAs(t, err, &missing)
}

func TestRunsCanBeCancelled(t *testing.T) {
	s := combinators.NewStore()
	a := s.Var("A", dims(3000))
	// no pair of these has a common index, and no running sum helps: 3000^3 points under a condition
	band := einsum.Affine{}.Plus(2, einsum.Variable(0)).Plus(3, einsum.Variable(1)).Plus(-2, einsum.Variable(2))
	acc := func(v int) einsum.Access {
		return einsum.Access{Shape: dims(3000), Index: []einsum.Affine{einsum.Variable(v)}}
	}
	c, err := einsum.New(dims(3000, 3000, 3000), []einsum.Access{acc(0), acc(1), acc(2)}, einsum.Access{}, nil, []einsum.Affine{band})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = Run(ctx, []*combinators.Node{s.Ein(c, a, a, a)}, Env{"A": NewTensor(3000)})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 2*time.Second)
}

func TestProgress(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", dims(3))
	last, all := -1, 0
	_, err := Run(context.Background(), []*combinators.Node{s.Unary(atom.Sin, s.Softmax(1, x))}, Env{"x": Vector(1, 2, 3)},
		WithProgress(func(done, total int) { last, all = done, total }))
	require.NoError(t, err)
	require.Equal(t, all, last)
	require.Equal(t, 2, all)
}

// Element-wise chains with broadcasts and reductions are one or few steps.
func TestFusion(t *testing.T) {
	s := combinators.NewStore()
	m, n := size.Const(40), size.Const(30)
	a, b := s.Var("A", []size.Size{m, n}), s.Var("b", []size.Size{n})
	bb := s.EinsumSized("j->ij", map[rune]size.Size{'i': m}, b)
	y := s.Unary(atom.Exp, s.Mul(s.Add(s.Unary(atom.Sin, a), bb), s.Sub(a, s.Ones([]size.Size{m, n}))))
	p, err := Compile([]*combinators.Node{y}, map[string][]int{"A": {40, 30}, "b": {30}})
	require.NoError(t, err)
	require.Len(t, p.Plan().Steps, 1)
	require.Zero(t, p.Plan().Arena, "nothing but the result is stored")
	// x'diag(v)x multiplies by v before, not after
	v := s.Var("v", []size.Size{m})
	p, err = Compile([]*combinators.Node{s.Einsum("ij,i,ik->jk", a, v, a)}, map[string][]int{"A": {40, 30}, "v": {40}})
	require.NoError(t, err)
	require.Len(t, p.Plan().Steps, 2)
	require.Less(t, p.Plan().Flops, 2.1*40*30*30+2*40*30)
}

func TestPowerAgreesWithPow(t *testing.T) {
	for _, r := range []float64{2, 3, -1, -2, 0.5, -0.5, 1.5, -3} {
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 2.5, -2.5, 1e-3, math.Inf(1), math.NaN()} {
			want, got := math.Pow(x, r), power(x, r)
			require.True(t, want == got || math.Abs(want-got) < 1e-15*math.Abs(want) || want != want && got != got, "%g^%g = %g, not %g", x, r, got, want)
			dst := []float64{0}
			powers(dst, []float64{x}, r)
			require.True(t, dst[0] == got || got != got)
		}
	}
}

func TestErrorsNameWhatIsWrong(t *testing.T) {
	require.Equal(t, "limit reached: 2e+17 bytes of memory, at most 4294967296 allowed; ask",
		(&LimitError{What: "bytes of memory", Need: 2e17, Limit: 4 << 30, Help: "ask"}).Error())
	require.True(t, strings.HasSuffix((&SingularError{Op: "solve", Batch: 3, RCond: 1e-17}).Error(), "(reciprocal condition 1e-17) (matrix 3 of the batch)"))
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(7, 8)) }

func TestParallel(t *testing.T) {
	seen := make([]int, 1000)
	parallel(1000, 8, 1e9, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			seen[i]++
		}
	})
	for _, n := range seen {
		require.Equal(t, 1, n)
	}
	require.PanicsWithValue(t, "bug", func() {
		parallel(1000, 8, 1e9, func(_, lo, hi int) {
			if hi == 1000 {
				panic("bug")
			}
		})
	})
}

// Running sums read what some sum has, and nothing else: here the others are not in A.
func TestRunningSumsReadInRange(t *testing.T) {
	for _, offset := range []int64{-2, -1, 1, 2} {
		for _, column := range []int64{0, 2} {
			for _, other := range []int64{1, 2, 3} {
				s := combinators.NewStore()
				A := s.Var("A", dims(3, 3))
				row := einsum.Variable(0).Plus(1, einsum.Variable(1)).Plus(1, einsum.Affine{Off: size.Const(offset)})
				c, err := einsum.New(dims(3, other), []einsum.Access{{Shape: dims(3, 3), Index: []einsum.Affine{row, {Off: size.Const(column)}}}}, einsum.Access{}, nil, nil)
				require.NoError(t, err)
				y := s.Einsum("ij,jk,->", A, A, s.Ein(c, A))
				env := Env{"A": NewTensor(3, 3)}
				for i := range env["A"].Data {
					env["A"].Data[i] = float64(i + 1)
				}
				want, err := Reference(context.Background(), []*combinators.Node{y}, env, nil)
				require.NoError(t, err)
				got, err := Run(context.Background(), []*combinators.Node{y}, env)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
	}
}
