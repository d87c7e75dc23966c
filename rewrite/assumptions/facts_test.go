package assumptions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/assumptions"
)

// The greatest of no numbers is below all numbers, the least above.
func TestSignOverNoEntries(t *testing.T) {
	s := combinators.NewStore()
	for _, n := range []size.Size{size.Const(0), size.Const(2), size.Sym("n")} {
		x := s.Unary(atom.Exp, s.Var("x", []size.Size{n}))
		f := assumptions.New()
		assert.Equal(t, n != size.Size{}, f.Positive(s.Reduce("max", 1, x)), n)
		assert.True(t, f.Positive(s.Reduce("min", 1, x)), n)
	}
}

// A matrix is known to be invertible as an inverse, by the program, or as a positive definite one.
func TestInvertibleMatrices(t *testing.T) {
	n := size.Sym("n")
	s := combinators.NewStore()
	A, B := s.Var("A", []size.Size{n, n}), s.Var("B", []size.Size{n, n, n})
	x, c := s.Var("x", []size.Size{n}), s.Var("c", nil)
	one := s.Eye([]size.Size{n})
	gram := s.Einsum("ki,kj->ij", A, A)
	exp := s.Unary(atom.Exp, x)
	multiple := func(scalars ...*combinators.Node) *combinators.Node {
		return s.Contract(make([][]int, len(scalars)), []int{0, 0}, []size.Size{n}, scalars...)
	}
	for name, w := range map[string]struct {
		x    *combinators.Node
		want bool
	}{
		"any":                                    {A, false},
		"an inverse":                             {s.Inv(A), true},
		"its transpose":                          {s.Einsum("ij->ji", s.Inv(A)), true},
		"the transpose of any":                   {s.Einsum("ij->ji", A), false},
		"a Gram matrix":                          {gram, false},
		"the inverse of one":                     {s.Inv(gram), true},
		"a Gram matrix and the identity":         {s.Add(gram, one), true},
		"less it":                                {s.Sub(gram, one), false},
		"and a multiple of it":                   {s.Add(gram, multiple(s.Unary(atom.Exp, c))), true},
		"and any multiple of it":                 {s.Add(gram, multiple(c)), false},
		"and the square of one":                  {s.Add(gram, multiple(c, c)), false},
		"weighted, and the identity":             {s.Add(one, s.Einsum("ki,k,kj->ij", A, exp, A)), true},
		"weighted with any sign":                 {s.Add(one, s.Einsum("ki,k,kj->ij", A, x, A)), false},
		"A B' and the identity":                  {s.Add(one, s.Einsum("ki,jk->ij", A, A)), false},
		"with a symmetric factor":                {s.Add(one, s.Einsum("ki,kj,ij->ij", A, A, A)), false},
		"a positive diagonal":                    {s.Einsum("i->ii", exp), true},
		"any diagonal":                           {s.Einsum("i->ii", x), false},
		"a diagonal of sums of positive numbers": {s.Einsum("k,i->ii", exp, exp), false},
		"row sums on a diagonal":                 {s.Add(one, s.Einsum("ki->ii", s.Unary(atom.Exp, A))), true},
		"ones":                                   {s.Ones([]size.Size{n, n}), false},
		"a batch of diagonals":                   {s.Einsum("bi->bii", s.Unary(atom.Exp, A)), true},
		"the diagonals of a batch":               {s.Einsum("i->iii", exp), false},
		"a batch of inverses":                    {s.Inv(B), true},
		"Gram matrices of rows, by their row":    {s.Add(s.Einsum("i,j->iij", x, x), s.Einsum("b,i->bii", exp, exp)), false},
		"a vector":                               {exp, false},
	} {
		assert.Equal(t, w.want, assumptions.New().Invertible(w.x), name)
		assert.False(t, w.want && !assumptions.New().Defined(s.Inv(w.x)) && !w.x.Is(atom.Inv) && name != "its transpose", name)
	}
	f := assumptions.New()
	f.Assume(s.Einsum("ii->", s.Inv(A)))
	assert.True(t, f.Invertible(A))
	assert.True(t, f.Invertible(s.Einsum("ij->ji", A)))
	assert.True(t, f.Invertible(gram))
	assert.True(t, f.Nonzero(s.Minor(0, A)))
}
