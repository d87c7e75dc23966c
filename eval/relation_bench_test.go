package eval

import (
	"context"
	"math/rand/v2"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"

	"github.com/stretchr/testify/require"
)

// TestSparse: products of a matrix by its entries, shuffled, repeated and in some rows only, with a vector are those of the reference; a
// number that is no place is an error.
func TestSparse(t *testing.T) {
	s := combinators.NewStore()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, e := range []int64{0, 1, 2, 50, 400} {
		const m, n = 40, 70
		rows, columns := s.Member("i", dims(e, m), atom.Index.With(0)), s.Member("j", dims(e, n), atom.Index.With(0))
		a, x, y := s.Var("a", dims(e)), s.Var("x", dims(n)), s.Var("y", dims(m))
		env := Env{"i": NewTensor(int(e)), "j": NewTensor(int(e)), "a": NewTensor(int(e)), "x": NewTensor(n), "y": NewTensor(m)}
		for k := range e {
			env["i"].Data[k], env["j"].Data[k], env["a"].Data[k] = float64(7+rng.IntN(5)*rng.IntN(7)), float64(rng.IntN(n)), rng.NormFloat64()
		}
		for _, v := range []string{"x", "y"} {
			for k := range env[v].Data {
				env[v].Data[k] = rng.NormFloat64()
			}
		}
		for _, value := range []*combinators.Node{
			s.Einsum("er,ec,e,c->r", rows, columns, a, x), s.Einsum("er,ec,e,r->c", rows, columns, a, y), s.Einsum("er,ec,c,r->e", rows, columns, x, y),
		} {
			got, err := Run(context.Background(), []*combinators.Node{value}, env)
			require.NoError(t, err)
			want, err := Reference(context.Background(), []*combinators.Node{value}, env, nil)
			require.NoError(t, err)
			require.InDeltaSlice(t, want[0].Data, got[0].Data, 1e-12)
			for name, wrong := range map[string]float64{"i": m, "j": 0.5} {
				if e > 1 {
					k := rng.IntN(int(e))
					before := env[name].Data[k]
					env[name].Data[k] = wrong
					_, err := Run(context.Background(), []*combinators.Node{value}, env)
					require.ErrorContains(t, err, "array of whole numbers below")
					env[name].Data[k] = before
				}
			}
		}
	}
}

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
