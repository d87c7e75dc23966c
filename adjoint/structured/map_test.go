package structured_test

import (
	"testing"

	"frechet/adjoint/jacobian"
	"frechet/adjoint/structured"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	random "frechet/internal/terms"
)

// dense is the definition of each operation, on the entries.
func TestMapsAreAppliedTransposedAndReadByTheirTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 6)
		y, x := b.Outs[0], b.Params[0]
		if y.Order() > 2 {
			return
		}
		s := b.Store
		order := 1
		if y.Order() == 0 {
			order = 2
		}
		d, err := jacobian.Derive(y, []*combinators.Node{x}, order, jacobian.Planned)
		require.NoError(t, err)
		e := d.ByOrder[order-1][0]
		m := structured.New(e, e.Order()-x.Order())
		v, w := s.Fresh("v", m.In), s.Fresh("w", m.Out)
		k, n := len(m.Out), e.Order()
		all := einsum.UpTo(n)
		env := random.Env([]*combinators.Node{e, v, w, x, y}, 7)
		pair := func(got, want *combinators.Node, msg string) {
			vals := random.Values(t, []*combinators.Node{want, got}, env)
			random.Close(t, vals[0], vals[1], 1e-9, msg)
		}
		pair(m.Apply(v), s.Contract([][]int{all, all[k:]}, all[:k], e.Shape(), e, v), "application")
		pair(m.Transpose().Apply(w), s.Contract([][]int{all, all[:k]}, all[k:], e.Shape(), e, w), "transpose")
		pair(m.Add(m).Entries, s.Add(e, e), "sum")
		if size.Shape(m.In) == size.Shape(m.Out) {
			pair(m.Diagonal(), s.Contract([][]int{append(einsum.UpTo(k), einsum.UpTo(k)...)}, einsum.UpTo(k), m.Out, e), "diagonal")
		}
		// The terms multiply out to the entries.
		var total *combinators.Node = s.Zero(e.Shape())
		for _, t := range m.Terms() {
			total = s.Add(total, multiplied(t, s, e.Shape()))
		}
		pair(total, e, "terms")
	})
}

// multiplied multiplies a term out.
func multiplied(t structured.Term, s *combinators.Store, shape []size.Size) *combinators.Node {
	out := einsum.UpTo(len(shape))
	for _, d := range t.Deltas {
		for _, a := range d {
			out[a] = d[0]
		}
	}
	ops, in := []*combinators.Node{s.Const(t.Coef)}, [][]int{nil}
	for _, f := range t.Factors {
		ops, in = append(ops, f.Node), append(in, f.Axes)
	}
	// Letters that no axis has any more are no variables.
	to, dims := map[int]int{}, []size.Size{}
	ren := func(g []int) []int {
		r := make([]int, len(g))
		for i, v := range g {
			if _, ok := to[v]; !ok {
				to[v] = len(dims)
				dims = append(dims, shape[v])
			}
			r[i] = to[v]
		}
		return r
	}
	for k := range in {
		in[k] = ren(in[k])
	}
	return s.Contract(in, ren(out), dims, ops...)
}
