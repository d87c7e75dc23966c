package normal

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Products that are built from all operands at once are those that are built from the inside out.
func TestPostponed(t *testing.T) {
	require.True(t, New(combinators.NewStore(), nil).mayPostpone(), "a rule of the program is on all products")
	r := rand.New(rand.NewPCG(3, 4))
	postponed := 0
	for range 1000 {
		seed := r.Uint64()
		form := func(postpone bool) (*Node, int, Choices) {
			s := combinators.NewStore()
			y := randomProducts(rand.New(rand.NewPCG(seed, 5)), s)
			z := New(s, nil)
			if !postpone {
				z.inert = nil
			}
			return z.Simplify(y)[0], s.Len(), z.Choices()
		}
		eager, most, choices := form(false)
		lazy, built, ours := form(true)
		require.Equal(t, choices, ours)
		require.Equal(t, written(eager), written(lazy))
		if built < most {
			postponed++
		}
	}
	require.Greater(t, postponed, 200)
}

// written is what n says, whatever its store.
func written(n *Node) (out []string) {
	all := combinators.Topo(combinators.Arrange(n)...)
	at := map[*Node]int{}
	for i, x := range all {
		at[x] = i
		line := x.Atom().Name + x.Name()
		if x.Rat() != nil {
			line += x.Rat().String()
		}
		if x.Ein() != nil {
			line += x.Ein().Key()
		}
		for _, a := range x.Args() {
			line += fmt.Sprint(" ", at[a])
		}
		out = append(out, line)
	}
	return out
}

// randomProducts draws products of products of matrices, vectors and tensors, some of them shared, with
// sums and functions between.
func randomProducts(r *rand.Rand, s *combinators.Store) *Node {
	n := size.Sym("n")
	few := 1 + r.IntN(60)
	matrix := func() *Node {
		a := s.Var("A"+fmt.Sprint(r.IntN(few)), []size.Size{n, n})
		if r.IntN(4) == 0 {
			return s.Einsum("ij->ji", a)
		}
		return a
	}
	vectors := []*Node{s.Var("x", []size.Size{n}), s.Var("y", []size.Size{n})}
	matrices := []*Node{matrix(), matrix()}
	pick := func(all []*Node) *Node {
		if r.IntN(8) == 0 {
			return all[r.IntN(len(all))]
		}
		return all[len(all)-1]
	}
	put := func(all *[]*Node, a *Node) { *all = append(*all, a) }
	for range 3 + r.IntN(60) {
		v, m := pick(vectors), pick(matrices)
		switch r.IntN(27) {
		case 0, 1, 2, 3, 4, 5:
			put(&vectors, s.Einsum("ij,j->i", matrix(), v))
		case 6, 7, 8:
			put(&matrices, s.Einsum("ij,jk->ik", m, matrix()))
		case 9:
			put(&matrices, s.Einsum("ij,jk->ki", m, pick(matrices)))
		case 10:
			put(&vectors, s.Einsum("ij,j->i", m, v))
		case 11:
			put(&matrices, s.Einsum("i,j->ij", v, pick(vectors)))
		case 12:
			put(&vectors, s.Mul(v, pick(vectors)))
		case 13:
			put(&matrices, s.Mul(m, matrix()))
		case 14:
			put(&matrices, s.Einsum("ij,j->ij", m, v))
		case 15:
			put(&vectors, s.Einsum("ij,ij->i", m, matrix()))
		case 16:
			put(&vectors, s.Einsum("ijk,j,k->i", s.Var("T", []size.Size{n, n, n}), v, pick(vectors)))
		case 17:
			put(&vectors, s.Add(v, pick(vectors)))
		case 18:
			put(&vectors, s.Unary(atom.Sin, v))
		case 19:
			put(&vectors, s.Scale(s.Int(int64(r.IntN(4))), v))
		case 20:
			put(&vectors, s.Einsum("ij->i", m))
		case 21:
			put(&matrices, s.Einsum("i,ij->ij", s.Recip(v), m))
		case 22:
			put(&vectors, s.Einsum("i,j->i", v, pick(vectors)))
		case 24, 25: // one sum in two writings
			sum := s.Add(vectors[0], vectors[1])
			if r.IntN(2) == 0 {
				sum = s.Scale(s.Int(3), s.Add(s.Scale(s.Fraction(1, 3), vectors[0]), s.Scale(s.Fraction(1, 3), vectors[1])))
			}
			put(&vectors, s.Mul(sum, v))
		case 26:
			put(&vectors, s.Add(v, s.Scale(s.Int(int64(r.IntN(6)-2)), pick(vectors))))
		case 23:
			put(&matrices, s.Add(m, s.Einsum("ij->ji", pick(matrices))))
		}
	}
	return s.Einsum("i,ij,j->", vectors[0], matrices[len(matrices)-1], vectors[len(vectors)-1])
}
