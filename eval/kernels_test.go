package eval

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// form is the affine form with these coefficients of variables 0, 1, ...
func form(off int64, coefs ...int64) einsum.Affine {
	a := einsum.Affine{Off: size.Const(off)}
	for v, c := range coefs {
		if c != 0 {
			a.Terms = append(a.Terms, einsum.Term{Var: v, Coef: c})
		}
	}
	return a
}

func access(shape []int64, index ...einsum.Affine) einsum.Access {
	return einsum.Access{Shape: dims(shape...), Index: index}
}

// kernel builds a contraction over arguments of the shapes of its accesses.
func kernel(t testing.TB, s *combinators.Store, vars []int64, in []einsum.Access, out einsum.Access, ge []einsum.Affine, args ...*combinators.Node) *combinators.Node {
	t.Helper()
	c, err := einsum.New(dims(vars...), in, out, nil, ge)
	require.NoError(t, err)
	return s.Ein(c, args...)
}

// variables gives random values to every variable below nodes.
func variables(r *rand.Rand, nodes ...*combinators.Node) Env {
	env := Env{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Atom() != atom.Var {
			continue
		}
		shape := make([]int, n.Order())
		for k, d := range n.Shape() {
			v, _ := d.Int()
			shape[k] = int(v)
		}
		env[n.Name()] = randomTensor(r, shape...)
	}
	return env
}

// agrees compares a program with the reference, with several workers, and returns its plan.
func agrees(t *testing.T, env Env, nodes ...*combinators.Node) *plan.Program {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	p, err := Compile(nodes, env.shapes())
	require.NoError(t, err)
	got, err := p.Run(context.Background(), env)
	require.NoError(t, err)
	want, err := Reference(context.Background(), nodes, env, nil)
	require.NoError(t, err)
	for i := range got {
		require.Less(t, MaxDiff(got[i], want[i]), 1e-10, "result %d of\n%v", i, p.Plan())
	}
	return p.Plan()
}

// kinds counts the steps of a plan by kind; groups are KindMap.
func kinds(p *plan.Program) map[plan.Kind]int {
	out := map[plan.Kind]int{}
	for _, s := range p.Steps {
		if s.Group != nil {
			out[plan.KindMap]++
		} else {
			out[s.V.Kind]++
		}
	}
	return out
}

// triangular is y[i,j] = sum of x[j,k] over k with condition a*k + b*i + off >= 0.
func triangular(t testing.TB, s *combinators.Store, n, m, k, a, b, off int64, x *combinators.Node) *combinators.Node {
	return kernel(t, s, []int64{n, m, k}, []einsum.Access{access([]int64{m, k}, form(0, 0, 1), form(0, 0, 0, 1))},
		access([]int64{n, m}, form(0, 1), form(0, 0, 1)), []einsum.Affine{form(off, b, 0, a)}, x)
}

// Sums over one side of a triangle are running sums: prefix and suffix, shifted, with a step,
// beyond both ends, of rows and of products.
func TestRunningSums(t *testing.T) {
	r := newRand()
	for _, c := range []struct{ n, m, k, a, b, off int64 }{
		{40, 3, 40, -1, 1, 0}, {40, 1, 40, 1, -1, 0}, {40, 3, 40, -1, 1, -5}, {40, 3, 40, -1, 1, 7},
		{40, 3, 20, -1, 1, 0}, {20, 3, 60, -1, 3, -2}, {20, 3, 60, 1, -3, 2}, {30, 2, 30, -1, -1, 29},
		{30, 2, 30, 1, 1, -29}, {40, 2, 40, -1, 1, -60}, {40, 2, 40, 1, -1, 60}, {40, 2, 40, 1, -1, -60}, {40, 2, 40, -1, 1, 60}, {60, 2, 9, 1, -1, -3},
	} {
		s := combinators.NewStore()
		x := s.Var("x", dims(c.m, c.k))
		y := triangular(t, s, c.n, c.m, c.k, c.a, c.b, c.off, x)
		p := agrees(t, variables(r, y), y)
		if c.off != -60 && c.off != 60 {
			require.NotZero(t, kinds(p)[plan.KindScan], "%v", p)
			require.Zero(t, kinds(p)[plan.KindNest], "%v", p)
		}
	}
	// A factor outside, one inside, and an axis that is summed as well.
	s := combinators.NewStore()
	x, w, v := s.Var("x", dims(50, 4)), s.Var("w", dims(50)), s.Var("v", dims(50))
	y := kernel(t, s, []int64{50, 50, 4}, []einsum.Access{access([]int64{50, 4}, form(0, 0, 1), form(0, 0, 0, 1)), access([]int64{50}, form(0, 0, 1)), access([]int64{50}, form(0, 1))},
		access([]int64{50}, form(0, 1)), []einsum.Affine{form(0, 1, -1)}, x, w, v)
	p := agrees(t, variables(r, y), y)
	require.NotZero(t, kinds(p)[plan.KindScan], "%v", p)
}

// section6 is exp(-sum over k of ((a_ik + b_jk)^2 c_ii + d_(i+k)^3)).
func section6(s *combinators.Store, t testing.TB, i, j, k int64) *combinators.Node {
	a, b := s.Var("a", dims(i, k)), s.Var("b", dims(j, k))
	c, d := s.Var("c", dims(i, i)), s.Var("d", dims(i+k-1))
	vars := []int64{i, j, k}
	whole := access(vars, form(0, 1), form(0, 0, 1), form(0, 0, 0, 1))
	spread := func(acc einsum.Access, x *combinators.Node) *combinators.Node {
		return kernel(t, s, vars, []einsum.Access{acc}, whole, nil, x)
	}
	ab := s.Add(spread(access([]int64{i, k}, form(0, 1), form(0, 0, 0, 1)), a), spread(access([]int64{j, k}, form(0, 0, 1), form(0, 0, 0, 1)), b))
	square := s.Power(ab, rat(2))
	term := s.Add(
		kernel(t, s, vars, []einsum.Access{whole, access([]int64{i, i}, form(0, 1), form(0, 1))}, whole, nil, square, c),
		spread(access([]int64{i + k - 1}, form(0, 1, 0, 1)), s.Power(d, rat(3))))
	return s.Unary(atom.Exp, s.Neg(s.Einsum("ijk->ij", term)))
}

// No value of the size of the iteration space is stored.
func TestReductionsFuse(t *testing.T) {
	s := combinators.NewStore()
	f := section6(s, t, 9, 11, 13)
	env := variables(newRand(), f)
	p := agrees(t, env, f)
	require.Less(t, p.Arena, 9*11*13, "%v", p)
	require.NotZero(t, kinds(p)[plan.KindReduce], "%v", p)
	// a matrix-vector product with a matrix of functions; a sum over everything; over the first axis
	x, y, v := s.Var("x", dims(30)), s.Var("y", dims(40)), s.Var("v", dims(40))
	m := s.Unary(atom.Sin, s.Add(s.Einsum("i,j->ij", x, y), s.EinsumSized("i->ij", map[rune]size.Size{'j': size.Const(40)}, x)))
	for _, n := range []*combinators.Node{s.Einsum("ij,j->i", m, v), s.Einsum("ij->", m), s.Einsum("ij->j", m), s.Einsum("ij,j->", m, v), s.Einsum("ij,ij->i", m, m)} {
		p := agrees(t, variables(newRand(), n), n)
		require.Less(t, p.Arena, 1000, "%v", p)
	}
	// an expensive function with two readers is stored
	n1, n2 := s.Einsum("ij,j->i", m, v), s.Einsum("ij->j", m)
	agrees(t, variables(newRand(), n1, n2), n1, n2)
	agrees(t, variables(newRand(), n1, m), n1, m)
}

func rat(n int64) *big.Rat { return big.NewRat(n, 1) }

// Random sums over random element-wise values, and random one-sided conditions, agree with
// the reference.
func TestRandomReductions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(3, rapid.Uint64().Draw(rt, "seed")))
		sizes := []int64{5, 17, 3, 8}
		s := combinators.NewStore()
		pick := func(most int) (letters []int) {
			for l := range sizes {
				if r.IntN(3) > 0 && len(letters) < most {
					letters = append(letters, l)
				}
			}
			r.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
			return letters
		}
		all := make([]size.Size, len(sizes))
		for l, n := range sizes {
			all[l] = size.Const(n)
		}
		names := 0
		leaf := func() *combinators.Node { // a variable spread over all four axes
			letters := pick(3)
			shape := make([]int64, len(letters))
			for i, l := range letters {
				shape[i] = sizes[l]
			}
			names++
			x := s.Var(string(rune('a'+names)), dims(shape...))
			return s.Ein(einsum.Plain([][]int{letters}, []int{0, 1, 2, 3}, all), x)
		}
		nodes := []*combinators.Node{leaf(), leaf()}
		for range r.IntN(6) + 1 {
			a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
			switch r.IntN(5) {
			case 0:
				a = s.Unary(atom.Sin, a)
			case 1:
				a = s.Power(a, rat(2))
			case 2:
				a = s.Mul(a, b)
			case 3:
				a = leaf()
			default:
				a = s.Add(a, b)
			}
			nodes = append(nodes, a)
		}
		var outs []*combinators.Node
		for range r.IntN(3) + 1 {
			args := []*combinators.Node{nodes[len(nodes)-1-r.IntN(2)]}
			in := [][]int{{0, 1, 2, 3}}
			if r.IntN(2) == 0 {
				letters := pick(2)
				shape := make([]int64, len(letters))
				for i, l := range letters {
					shape[i] = sizes[l]
				}
				names++
				args, in = append(args, s.Var(string(rune('a'+names)), dims(shape...))), append(in, letters)
			}
			c := einsum.Plain(in, pick(3), all)
			if r.IntN(2) == 0 { // variables keep their numbers: the first operand has them all in order
				var ge []einsum.Affine
				for range r.IntN(3) {
					ge = append(ge, form(r.Int64N(21)-5, r.Int64N(5)-2, r.Int64N(3)-1, r.Int64N(5)-2, r.Int64N(5)-2))
				}
				d, err := einsum.New(c.Vars, c.In, c.Out, nil, ge)
				require.NoError(t, err)
				c = d
			}
			outs = append(outs, s.Ein(c, args...))
		}
		agrees(t, variables(r, outs...), outs...)
	})
}

func TestRandomTriangles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(5, rapid.Uint64().Draw(rt, "seed")))
		s := combinators.NewStore()
		n, m, k := r.Int64N(30), r.Int64N(4), r.Int64N(30)
		a := 2*r.Int64N(2) - 1
		x := s.Var("x", dims(m, k))
		y := triangular(t, s, n, m, k, a, r.Int64N(7)-3, r.Int64N(60)-30, x)
		agrees(t, variables(r, y), y)
	})
}

// conv2d gives the convolution y[n,o,i,j] = sum of x[n,c,s*i+d*k,s*j+d*l] w[o,c,k,l] and its
// adjoints in x and w at dy.
func conv2d(t testing.TB, s *combinators.Store, n, c, h, o, k, stride, dilation int64) (y, dx, dw *combinators.Node) {
	i := (h-dilation*(k-1)-1)/stride + 1
	// variables: n, o, i, j, c, k, l
	vars := []int64{n, o, i, i, c, k, k}
	xa := access([]int64{n, c, h, h}, form(0, 1), form(0, 0, 0, 0, 0, 1), form(0, 0, 0, stride, 0, 0, dilation), form(0, 0, 0, 0, stride, 0, 0, dilation))
	wa := access([]int64{o, c, k, k}, form(0, 0, 1), form(0, 0, 0, 0, 0, 1), form(0, 0, 0, 0, 0, 0, 1), form(0, 0, 0, 0, 0, 0, 0, 1))
	ya := access([]int64{n, o, i, i}, form(0, 1), form(0, 0, 1), form(0, 0, 0, 1), form(0, 0, 0, 0, 1))
	x, w, dy := s.Var("x", xa.Shape), s.Var("w", wa.Shape), s.Var("dy", ya.Shape)
	y = kernel(t, s, vars, []einsum.Access{xa, wa}, ya, nil, x, w)
	dx = kernel(t, s, vars, []einsum.Access{ya, wa}, xa, nil, dy, w)
	dw = kernel(t, s, vars, []einsum.Access{xa, ya}, wa, nil, x, dy)
	return y, dx, dw
}

// Convolutions and both adjoints are products over windows, without a copy of the windows.
func TestConvolutions(t *testing.T) {
	for _, c := range [][7]int64{{2, 3, 12, 5, 3, 1, 1}, {1, 2, 13, 4, 4, 2, 1}, {3, 2, 15, 4, 3, 1, 2}, {1, 1, 40, 2, 5, 3, 2}, {4, 3, 16, 8, 5, 1, 1}} {
		s := combinators.NewStore()
		y, dx, dw := conv2d(t, s, c[0], c[1], c[2], c[3], c[4], c[5], c[6])
		env := variables(newRand(), y, dx, dw)
		for _, n := range []*combinators.Node{y, dx, dw} {
			p := agrees(t, env, n)
			require.Less(t, p.Arena, 4000, "%v\n%v", c, p)
		}
		env["x"].Data[5] = math.Inf(1)
		env["w"].Data[3], env["w"].Data[4] = math.NaN(), 0
		agrees(t, env, y, dx, dw)
	}
	s := combinators.NewStore()
	y, dx, dw := conv2d(t, s, 4, 3, 16, 8, 5, 1, 1)
	p := agrees(t, variables(newRand(), y, dx, dw), y, dx, dw)
	require.Equal(t, 3, kinds(p)[plan.KindTile], "%v", p)
}

// Loops whose results overlap, or whose outermost loop is a sum, are split by ranges of the
// result: large ones, with strides of either sign, conditions and equalities.
func TestSplitLoops(t *testing.T) {
	r := newRand()
	for _, c := range []struct{ n, k, x, a, b, off int64 }{
		{9000, 7, 9006, 1, 1, 0}, {9000, 7, 9000, 1, 1, -3}, {5000, 6, 9999, 2, 1, -2}, {5000, 6, 10020, 2, 4, 0},
		{5000, 6, 5100, -1, 3, 5000}, {3000, 5, 9100, 3, -2, 8}, {4000, 4, 20000, 5, 7, -11}, {4500, 3, 4600, 1, -1, 2},
	} {
		s := combinators.NewStore()
		dy, w := s.Var("dy", dims(c.n)), s.Var("w", dims(c.k))
		n := kernel(t, s, []int64{c.n, c.k}, []einsum.Access{access([]int64{c.n}, form(0, 1)), access([]int64{c.k}, form(0, 0, 1))},
			access([]int64{c.x}, form(c.off, c.a, c.b)), []einsum.Affine{form(4000, -1, 100)}, dy, w)
		p := agrees(t, variables(r, n), n)
		require.Zero(t, p.Arena, "%v", p)
	}
	// x[2i] = y[3j + 1], over the lattice of its solutions
	s := combinators.NewStore()
	c, err := einsum.New(dims(8000, 6000), []einsum.Access{access([]int64{8000}, form(0, 1)), access([]int64{6000}, form(0, 0, 1))},
		access([]int64{8000}, form(0, 1)), []einsum.Affine{form(-1, 2, -3)}, nil)
	require.NoError(t, err)
	n := s.Ein(c, s.Var("x", dims(8000)), s.Var("y", dims(6000)))
	p, err := Compile([]*combinators.Node{n}, map[string][]int{"x": {8000}, "y": {6000}})
	require.NoError(t, err)
	require.Less(t, p.Plan().Flops, 1e5, "%v", p.Plan())
	env := variables(r, n)
	got, err := p.Run(context.Background(), env)
	require.NoError(t, err)
	for i, v := range got[0].Data { // 2i = 3j + 1
		want := 0.0
		if j := (2*i - 1) / 3; i > 0 && 2*i == 3*j+1 && j < 6000 {
			want = env["x"].Data[i] * env["y"].Data[j]
		}
		require.Equal(t, want, v)
	}
}

// Reversal, every second entry, concatenation and reshaping store nothing between.
func TestRearrangements(t *testing.T) {
	s := combinators.NewStore()
	x, y := s.Var("x", dims(300)), s.Var("y", dims(500))
	to := func(n, from, off, step int64, v *combinators.Node) *combinators.Node {
		return kernel(t, s, []int64{from}, []einsum.Access{access([]int64{from}, form(0, 1))}, access([]int64{n}, form(off, step)), nil, v)
	}
	for name, n := range map[string]*combinators.Node{
		"reversal":      to(300, 300, 299, -1, x),
		"every second":  to(601, 300, 1, 2, x),
		"concatenation": s.Add(to(800, 300, 0, 1, x), to(800, 500, 300, 1, y)),
		"three":         s.Add(s.Add(to(1100, 300, 0, 1, x), to(1100, 500, 300, 1, y)), to(1100, 300, 1099, -1, x)),
		"overlap":       s.Add(s.Unary(atom.Sin, y), to(500, 300, 100, 1, x)),
		"twice":         s.Add(to(500, 300, 100, 1, x), to(500, 500, 499, -1, y)),
	} {
		p := agrees(t, variables(newRand(), n), n)
		require.Zero(t, p.Arena, "%s: %v", name, p)
	}
	// what is added to is read elsewhere too
	b := s.Unary(atom.Sin, y)
	n := s.Add(b, to(500, 300, 100, 1, x))
	agrees(t, variables(newRand(), n), n, b)
	agrees(t, variables(newRand(), n), n, s.Mul(n, b))
	m := s.Add(b, kernel(t, s, []int64{400}, []einsum.Access{access([]int64{500}, form(0, 1))}, access([]int64{500}, form(100, 1)), nil, b))
	agrees(t, variables(newRand(), m), m)
	// results given by the caller are not zero
	p, err := Compile([]*combinators.Node{n, to(601, 300, 1, 2, x)}, map[string][]int{"x": {300}, "y": {500}})
	require.NoError(t, err)
	env := variables(newRand(), n)
	outs := []*Tensor{NewTensor(500), NewTensor(601)}
	for _, o := range outs {
		fill(o.Data, 7)
	}
	require.NoError(t, p.RunInto(context.Background(), outs, env))
	want, err := p.Run(context.Background(), env)
	require.NoError(t, err)
	for i := range outs {
		require.Zero(t, MaxDiff(outs[i], want[i]))
	}
}

// A sum of functions under conditions stores no value of the iteration space either.
func TestTriangularReductions(t *testing.T) {
	s := combinators.NewStore()
	x, w := s.Var("x", dims(60)), s.Var("w", dims(70))
	m := s.Unary(atom.Sin, s.Einsum("i,j->ij", x, w))
	whole := access([]int64{60, 70}, form(0, 1), form(0, 0, 1))
	for _, out := range []einsum.Access{access([]int64{60}, form(0, 1)), access([]int64{70}, form(0, 0, 1)), access([]int64{}), access([]int64{129}, form(0, 1, 1))} {
		for _, ge := range [][]einsum.Affine{{form(0, 1, -1)}, {form(-3, -1, 1)}, {form(100, -1, -1), form(-5, 1)}, {form(7, 2, -1), form(4, -1, 1)}, {form(-40, 1)}} {
			n := kernel(t, s, []int64{60, 70}, []einsum.Access{whole}, out, ge, m)
			p := agrees(t, variables(newRand(), n), n)
			require.Less(t, p.Arena, 200, "%v", p)
		}
	}
}
