package eval

import (
	"context"
	"math/rand/v2"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// A product with a matrix of 1,000,000 entries at rows i and columns j, and its gradient by the vector: bench/gather.py has the same by
// SciPy, where rows are sorted.
func BenchmarkGather(b *testing.B) {
	const m, n, e = 100_000, 100_000, 1_000_000
	s := combinators.NewStore()
	rows, columns := s.Member("i", dims(e, m), atom.Index.With(0)), s.Member("j", dims(e, n), atom.Index.With(0))
	a, x, y := s.Var("a", dims(e)), s.Var("x", dims(n)), s.Var("y", dims(m))
	rng := rand.New(rand.NewPCG(1, 2))
	env := Env{"i": NewTensor(e), "j": NewTensor(e), "a": NewTensor(e), "x": NewTensor(n), "y": NewTensor(m)}
	for k := range e {
		env["i"].Data[k], env["j"].Data[k], env["a"].Data[k] = float64(k/10), float64(rng.IntN(n)), rng.Float64()
	}
	for name, value := range map[string]*combinators.Node{
		"product":  s.Einsum("er,ec,e,c->r", rows, columns, a, x),
		"gradient": s.Einsum("er,ec,e,r->c", rows, columns, a, y),
	} {
		p, err := Compile([]*combinators.Node{value}, env.shapes())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Run(context.Background(), env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
