package eval

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Each benchmark runs beside what one would write by hand with gonum.

func benchProgram(b *testing.B, env Env, nodes ...*combinators.Node) {
	b.Helper()
	p, err := Compile(nodes, env.shapes())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("program", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Run(context.Background(), env); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func general(t *Tensor) blas64.General {
	return blas64.General{Rows: t.Shape[0], Cols: t.Shape[1], Stride: t.Shape[1], Data: t.Data}
}

func BenchmarkMatMul(b *testing.B) {
	const n = 512
	s := combinators.NewStore()
	x, y := s.Var("X", dims(n, n)), s.Var("Y", dims(n, n))
	env := Env{"X": randomTensor(newRand(), n, n), "Y": randomTensor(newRand(), n, n)}
	benchProgram(b, env, s.Einsum("ij,jk->ik", x, y))
	b.Run("hand", func(b *testing.B) {
		c := NewTensor(n, n)
		for b.Loop() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(env["X"]), general(env["Y"]), 0, general(c))
		}
	})
}

func BenchmarkBatchedContraction(b *testing.B) {
	s := combinators.NewStore()
	x, y := s.Var("X", dims(20, 64, 50)), s.Var("Y", dims(50, 20, 30))
	env := Env{"X": randomTensor(newRand(), 20, 64, 50), "Y": randomTensor(newRand(), 50, 20, 30)}
	benchProgram(b, env, s.Einsum("bik,kbj->bij", x, y))
	b.Run("hand", func(b *testing.B) {
		c := NewTensor(20, 64, 30)
		for b.Loop() {
			for k := range 20 {
				blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
					blas64.General{Rows: 64, Cols: 50, Stride: 50, Data: env["X"].Data[k*64*50:]},
					blas64.General{Rows: 50, Cols: 30, Stride: 20 * 30, Data: env["Y"].Data[k*30:]},
					0, blas64.General{Rows: 64, Cols: 30, Stride: 30, Data: c.Data[k*64*30:]})
			}
		}
	})
}

func BenchmarkElementwise(b *testing.B) {
	const n = 1_000_000
	s := combinators.NewStore()
	x, y := s.Var("x", dims(n)), s.Var("y", dims(n))
	env := Env{"x": randomTensor(newRand(), n), "y": randomTensor(newRand(), n)}
	benchProgram(b, env, s.Mul(s.Unary(atom.Exp, s.Neg(s.Mul(x, x))), s.Add(s.Unary(atom.Tanh, y), x)))
	b.Run("hand", func(b *testing.B) {
		for b.Loop() {
			out := make([]float64, n)
			for i, v := range env["x"].Data {
				out[i] = math.Exp(-v*v) * (math.Tanh(env["y"].Data[i]) + v)
			}
		}
	})
}

func BenchmarkGram(b *testing.B) {
	const m, n = 512, 256
	s := combinators.NewStore()
	x, v := s.Var("X", dims(m, n)), s.Var("v", dims(m))
	env := Env{"X": randomTensor(newRand(), m, n), "v": randomTensor(newRand(), m)}
	benchProgram(b, env, s.Einsum("ij,i,ik->jk", x, v, x))
	b.Run("hand", func(b *testing.B) {
		vx, c := NewTensor(m, n), NewTensor(n, n)
		for b.Loop() {
			for i := range m {
				for j := range n {
					vx.Data[i*n+j] = env["v"].Data[i] * env["X"].Data[i*n+j]
				}
			}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(env["X"]), general(vx), 0, general(c))
		}
	})
}

// logistic is the value and the gradient of sum softplus(-y . (X w)).
func logistic(s *combinators.Store) []*combinators.Node {
	m, n := size.Sym("m"), size.Sym("n")
	x, y, w := s.Var("X", []size.Size{m, n}), s.Var("y", []size.Size{m}), s.Var("w", []size.Size{n})
	z := s.Neg(s.Mul(y, s.Einsum("ij,j->i", x, w)))
	return []*combinators.Node{
		s.Einsum("i->", s.Unary(atom.Softplus, z)),
		s.Neg(s.Einsum("ij,i,i->j", x, y, s.Unary(atom.Sigmoid, z))),
	}
}

func BenchmarkLogistic(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		m := 2 * n
		env := Env{"X": randomTensor(newRand(), m, n), "y": randomTensor(newRand(), m), "w": randomTensor(newRand(), n)}
		b.Run(size.Const(int64(n)).String(), func(b *testing.B) {
			benchProgram(b, env, logistic(combinators.NewStore())...)
			b.Run("hand", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					z, g := make([]float64, m), make([]float64, n)
					blas64.Gemv(blas.NoTrans, 1, general(env["X"]), blas64.Vector{N: n, Inc: 1, Data: env["w"].Data}, 0, blas64.Vector{N: m, Inc: 1, Data: z})
					loss := 0.0
					for i, y := range env["y"].Data {
						t := -y * z[i]
						loss += atom.Softplus.F1(t)
						z[i] = -y * atom.Sigmoid.F1(t)
					}
					blas64.Gemv(blas.Trans, 1, general(env["X"]), blas64.Vector{N: m, Inc: 1, Data: z}, 0, blas64.Vector{N: n, Inc: 1, Data: g})
				}
			})
		})
	}
}

// BenchmarkCompile plans the logistic gradient.
func BenchmarkCompile(b *testing.B) {
	nodes := logistic(combinators.NewStore())
	shapes := map[string][]int{"X": {20, 10}, "y": {20}, "w": {10}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(nodes, shapes); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOverhead is a chain of 20,000 operations on one number: the cost of an operation
// beside its arithmetic, of which an entry is 1/20000.
func BenchmarkOverhead(b *testing.B) {
	const depth = 10_000
	s := combinators.NewStore()
	x := s.Var("x", nil)
	y := x
	for range depth {
		y = s.Add(s.Mul(y, y), x)
	}
	env := Env{"x": Scalar(0.1)}
	p, err := Compile([]*combinators.Node{y}, env.shapes())
	if err != nil {
		b.Fatal(err)
	}
	out := []*Tensor{Scalar(0)}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.RunInto(context.Background(), out, env); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/(2*depth), "ns/node")
}

// BenchmarkCompileDeep plans the same chain.
func BenchmarkCompileDeep(b *testing.B) {
	const depth = 10_000
	s := combinators.NewStore()
	x := s.Var("x", nil)
	y := x
	for range depth {
		y = s.Add(s.Mul(y, y), x)
	}
	for b.Loop() {
		if _, err := Compile([]*combinators.Node{y}, map[string][]int{"x": {}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/(2*depth), "ns/node")
}
