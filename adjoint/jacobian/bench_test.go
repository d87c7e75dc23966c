package jacobian

import (
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

func BenchmarkQuadraticForm(b *testing.B) {
	n := []size.Size{size.Sym("n")}
	for _, c := range []struct {
		name  string
		order int
	}{{"gradient", 1}, {"hessian", 2}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s := combinators.NewStore()
				a, x := s.Var("A", append(n, n...)), s.Var("x", n)
				if _, err := Derive(s.Einsum("i,ij,j->", x, a, x), []*Node{x}, c.order, Planned); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSoftmaxCrossEntropy(b *testing.B) {
	m, d, k := size.Sym("m"), size.Sym("d"), size.Sym("k")
	for _, c := range []struct {
		name  string
		order int
	}{{"gradient", 1}, {"hessian", 2}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s := combinators.NewStore()
				x, w, y := s.Var("X", []size.Size{m, d}), s.Var("W", []size.Size{d, k}), s.Var("Y", []size.Size{m, k})
				z := s.Einsum("ij,jk->ik", x, w)
				f := s.Sub(s.Einsum("i->", s.Unary(atom.Log, s.Einsum("ij->i", s.Unary(atom.Exp, z)))), s.Einsum("ij,ij->", y, z))
				if _, err := Derive(f, []*Node{w}, c.order, Planned); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// chain is x <- f(x), n times.
func chain(n int, f func(s *combinators.Store, x *Node) *Node) (*Node, *Node) {
	s := combinators.NewStore()
	x := s.Var("x", []size.Size{size.Sym("n")})
	y := x
	for range n {
		y = f(s, y)
	}
	return y, x
}

func BenchmarkChain(b *testing.B) {
	for b.Loop() {
		y, x := chain(10000, func(s *combinators.Store, x *Node) *Node {
			return s.Mul(s.Unary(atom.Sin, x), s.Unary(atom.Cos, x))
		})
		if _, err := Derive(y.Store().Einsum("i->", y), []*Node{x}, 1, Planned); err != nil {
			b.Fatal(err)
		}
	}
}
