package combinators

import (
	"testing"

	"frechet/einsum/size"

	"github.com/stretchr/testify/require"
)

// TestAtSizes: a value at sizes is what is built with these at once, in another store.
func TestAtSizes(t *testing.T) {
	build := func(s *Store, m, n size.Size) *Node {
		a, x := s.Var("A", []size.Size{m, n}), s.Var("x", []size.Size{n})
		y := s.Add(s.Einsum("ij,j->i", a, x), s.Ones([]size.Size{m}))
		return s.Merge(0, s.Einsum("i,j->ij", y, s.Einsum("i,->i", x, s.Einsum("i->", s.Ones([]size.Size{n})))))
	}
	s, u := NewStore(), NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	known := map[string]size.Size{"m": size.Const(2), "n": size.Const(3)}
	got, err := u.AtSizes(known, build(s, m, n))
	require.NoError(t, err)
	require.Equal(t, build(u, known["m"], known["n"]), got[0])
	_, err = NewStore().AtSizes(map[string]size.Size{"n": size.Const(0)}, s.Var("w", []size.Size{n.Sub(size.Const(2))}))
	require.Error(t, err)
}
