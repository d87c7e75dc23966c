package confluence

import (
	"flag"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
)

var terms = flag.Int("terms", 2000, "random terms to simplify")

// Writings of one value have one normal form, but for the share that docs/confluence.md
// states and explains. None of them spends the budget.
func TestConfluence(t *testing.T) {
	n := *terms
	if testing.Short() {
		n = 200
	}
	for _, plain := range []bool{true, false} {
		c := Run(Options{Terms: n, Seed: 1, Steps: 8, Writings: 3, Show: 1, Plain: plain})
		require.Zero(t, c.Exhausted)
		require.LessOrEqual(t, c.Different, Allowed(n, plain), "plain %v\n%v", plain, c.Failures)
		require.LessOrEqual(t, c.Again, 1+n/1000, "plain %v\n%v", plain, c.Failures)
	}
}

// Forms are told apart by what they say, and not by how they were built.
func TestForms(t *testing.T) {
	a, b, c := &Term{Op: Variable, Name: "a"}, &Term{Op: Variable, Name: "b"}, &Term{Op: Variable, Name: "c"}
	sum := &Term{Op: Sum, Args: []*Term{a, b, c}, Coefs: []*big.Rat{ratio(1, 1), ratio(2, 1), ratio(1, 1)}}
	other := &Term{Op: Sum, Args: []*Term{a, b, c}, Coefs: []*big.Rat{ratio(1, 1), ratio(2, 1), ratio(3, 1)}}
	forms := NewForms()
	first := forms.Of(sum.Build(combinators.NewStore(), nil))
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		require.Same(t, first, forms.Of(sum.Build(combinators.NewStore(), r)))
		require.NotSame(t, first, forms.Of(other.Build(combinators.NewStore(), r)))
	}
}
