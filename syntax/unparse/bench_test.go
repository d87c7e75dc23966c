package unparse

import (
	"strconv"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// deep is x <- sin(x)*cos(x), n times.
func deep(n int) *combinators.Node {
	s := combinators.NewStore()
	x := s.Var("x", []size.Size{size.Sym("n")})
	for range n {
		x = s.Mul(s.Unary(atom.Sin, x), s.Unary(atom.Cos, x))
	}
	return x
}

func BenchmarkProgram(b *testing.B) {
	for _, steps := range []int{100, 10_000} {
		x := deep(steps)
		for _, n := range []Notation{Einstein, Auto} {
			b.Run(strconv.Itoa(steps)+"/"+strconv.Itoa(int(n)), func(b *testing.B) {
				for b.Loop() {
					if _, err := Program([]*combinators.Node{x}, Options{Notation: n}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*3*steps), "ns/node")
			})
		}
	}
}

// BenchmarkSmall prints (A + A')*x.
func BenchmarkSmall(b *testing.B) {
	s := combinators.NewStore()
	n := size.Sym("n")
	A, x := s.Var("A", []size.Size{n, n}), s.Var("x", []size.Size{n})
	g := s.Einsum("ij,j->i", s.Add(A, s.Einsum("ij->ji", A)), x)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Program([]*combinators.Node{g}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
