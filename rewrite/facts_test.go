package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/rewrite"
)

// The greatest of no numbers is below all numbers, the least above.
func TestSignOverNoEntries(t *testing.T) {
	s := combinators.NewStore()
	for _, n := range []size.Size{size.Const(0), size.Const(2), size.Sym("n")} {
		x := s.Unary("exp", s.Var("x", []size.Size{n}))
		f := rewrite.NewFacts()
		assert.Equal(t, n != size.Size{}, f.Positive(s.Reduce("max", 1, x)), n)
		assert.True(t, f.Positive(s.Reduce("min", 1, x)), n)
	}
}
