package normal

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/assumptions"
)

// A shared product is written out where an inverse in it takes factors away that are not 0, and else stays shared.
func TestSharedProductsCancel(t *testing.T) {
	s := combinators.NewStore()
	shape := []size.Size{size.Sym("n")}
	v := func(name string) *Node { return s.Var(name, shape) }
	x, y, z, w := v("x"), v("y"), v("z"), v("w")
	ratio, product := s.Mul(y, s.Recip(x)), s.Mul(x, y)
	wide := s.Mul(s.Mul(y, z), s.Mul(w, s.Recip(x)))
	sum := s.Einsum("i,i->", y, s.Recip(x))
	for _, row := range []struct {
		name       string
		form, want *Node
		shared     *Node
		program    *Node // which is defined
	}{
		{"x (y/x)", s.Mul(x, ratio), y, ratio, s.Unary(atom.Log, x)},
		{"x (y/x), where x may be 0", s.Mul(x, ratio), s.Mul(x, ratio), ratio, s.Unary(atom.Exp, x)},
		{"x z (y/x)", s.Mul(s.Mul(x, z), ratio), s.Mul(y, z), ratio, s.Unary(atom.Log, x)},
		{"x (y z w/x)", s.Mul(x, wide), s.Mul(x, wide), wide, s.Unary(atom.Log, x)},
		{"z (y/x)", s.Mul(z, ratio), s.Mul(z, ratio), ratio, s.Unary(atom.Log, x)},
		{"x sum(y/x)", s.Einsum("i,->i", x, sum), s.Einsum("i,->i", x, sum), sum, s.Unary(atom.Log, x)},
		{"x y/x", s.Mul(product, s.Recip(x)), y, product, s.Unary(atom.Log, x)},
		{"x y/x, where x may be 0", s.Mul(product, s.Recip(x)), s.Mul(product, s.Recip(x)), product, s.Unary(atom.Exp, x)},
		{"x y/(x y)", s.Mul(product, s.Recip(product)), s.Fill(one, shape), product, s.Unary(atom.Log, product)},
		{"x y z/(x y)", s.Mul(s.Mul(x, s.Recip(product)), s.Mul(y, z)), z, product, s.Unary(atom.Log, product)},
		{"x/(x y)", s.Mul(x, s.Recip(product)), s.Mul(x, s.Recip(product)), product, s.Unary(atom.Log, product)},
	} {
		facts := assumptions.New()
		facts.Assume(row.program)
		uses := func(n *Node) []*Node { return []*Node{n, s.Unary(atom.Sin, row.shared), s.Unary(atom.Cos, row.shared)} }
		m := New(s, facts)
		got, form := m.Simplify(uses(row.form)...), m.Simplify(uses(row.want)...)
		assert.True(t, slices.Equal(form, got), row.name)
	}
}
