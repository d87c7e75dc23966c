package eval

import (
	"testing"

	"frechet/combinators"
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
