package eval

import (
	"testing"

	"frechet/combinators"
	"frechet/einsum"
)

// The convolution at 8x3x64x64 with 16x3x5x5, and both adjoints.
func BenchmarkConv2D(b *testing.B) {
	for k, name := range []string{"forward", "input", "kernel"} {
		s := combinators.NewStore()
		y, dx, dw := conv2d(b, s, 8, 3, 64, 16, 5, 1, 1)
		n := []*combinators.Node{y, dx, dw}[k]
		b.Run(name, func(b *testing.B) { benchProgram(b, variables(newRand(), n), n) })
	}
}

func BenchmarkSection6(b *testing.B) {
	s := combinators.NewStore()
	n := section6(s, b, 100, 120, 50)
	benchProgram(b, variables(newRand(), n), n)
}

func BenchmarkPrefixSum(b *testing.B) {
	for k, name := range []string{"prefix", "suffix"} {
		s := combinators.NewStore()
		a := int64(2*k - 1)
		n := triangular(b, s, 1000000, 1, 1000000, a, -a, 0, s.Var("x", dims(1, 1000000)))
		b.Run(name, func(b *testing.B) { benchProgram(b, variables(newRand(), n), n) })
	}
}

// A convolution of one channel, a windowed sum, and its adjoint.
func BenchmarkConv1D(b *testing.B) {
	const n, k = 100000, 64
	s := combinators.NewStore()
	vars := []int64{n - k + 1, k}
	xa, wa, ya := access([]int64{n}, form(0, 1, 1)), access([]int64{k}, form(0, 0, 1)), access([]int64{n - k + 1}, form(0, 1))
	x, w, dy := s.Var("x", xa.Shape), s.Var("w", wa.Shape), s.Var("dy", ya.Shape)
	for _, c := range []struct {
		name string
		n    *combinators.Node
	}{
		{"forward", kernel(b, s, vars, []einsum.Access{xa, wa}, ya, nil, x, w)},
		{"input", kernel(b, s, vars, []einsum.Access{ya, wa}, xa, nil, dy, w)},
		{"kernel", kernel(b, s, vars, []einsum.Access{xa, ya}, wa, nil, x, dy)},
	} {
		b.Run(c.name, func(b *testing.B) { benchProgram(b, variables(newRand(), c.n), c.n) })
	}
}
