package normal

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// A shared sum is written out where its addends cancel, and else stays shared.
func TestSharedSumsCancel(t *testing.T) {
	s := combinators.NewStore()
	shape := []size.Size{size.Sym("n")}
	v := func(name string) *Node { return s.Var(name, shape) }
	a, b, c, d := v("a"), v("b"), v("c"), v("d")
	u := s.Add(a, b)
	wide := s.Add(s.Add(a, c), s.Add(b, d))
	w := s.Add(u, d)
	ones := s.Fill(big.NewRat(1, 1), shape)
	less := s.Sub(a, ones)
	scaled := func(k int64, x *Node) *Node { return s.Scale(s.Int(k), x) }
	for _, row := range []struct {
		name      string
		sum, want *Node
		shared    []*Node // used elsewhere too
	}{
		{"u - a", s.Sub(u, a), b, []*Node{u}},
		{"u + c - u", s.Sub(s.Add(u, c), u), c, []*Node{u}},
		{"u + d - a", s.Sub(s.Add(u, d), a), s.Add(b, d), []*Node{u}},
		{"w - u", s.Sub(w, u), d, []*Node{u, w}},
		{"w - a - b", s.Sub(s.Sub(w, a), b), d, []*Node{w}},
		{"-2 u + 2 a", s.Add(scaled(-2, u), scaled(2, a)), scaled(-2, b), []*Node{u}},
		{"u - (a + c) - (b - c)", s.Sub(s.Sub(u, s.Add(a, c)), s.Sub(b, c)), s.Zero(shape), []*Node{u, s.Add(a, c), s.Sub(b, c)}},
		{"wide - a", s.Sub(wide, a), s.Sub(wide, a), []*Node{wide}},
		{"wide - a - b", s.Sub(s.Sub(wide, a), b), s.Add(c, d), []*Node{wide}},
		{"u + a", s.Add(u, a), s.Add(u, a), []*Node{u}},
		{"(a - 1) - 1", s.Sub(less, ones), s.Sub(a, scaled(2, ones)), []*Node{less}},
		{"2 u - a", s.Sub(scaled(2, u), a), s.Sub(scaled(2, u), a), []*Node{u}},
	} {
		outs := []*Node{row.sum}
		want := []*Node{row.want}
		for _, n := range row.shared {
			outs = append(outs, s.Unary(atom.Sin, n), s.Unary(atom.Cos, n))
			want = append(want, s.Unary(atom.Sin, n), s.Unary(atom.Cos, n))
		}
		z := New(s, nil)
		got, form := z.Simplify(outs...), z.Simplify(want...)
		assert.True(t, slices.Equal(form, got), row.name)
	}
}
