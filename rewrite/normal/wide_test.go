package normal

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/assumptions"
)

// A sum of more terms than are looked at together, in any association: powers of it end, and what is
// put over it as a denominator loses no term.
func TestWideSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		n := rapid.IntRange(maxTerms-8, 2*maxTerms).Draw(t, "terms")
		terms := make([]*Node, n)
		env := eval.Env{}
		for i := range terms {
			terms[i] = s.Var(fmt.Sprintf("y%d", i), nil)
			x := eval.NewTensor()
			x.Data[0] = 1 + float64(i%7)/5
			env[terms[i].Name()] = x
		}
		tree := func(terms []*Node) *Node {
			parts := rapid.Permutation(terms).Draw(t, "order")
			for len(parts) > 1 {
				i := rapid.IntRange(0, len(parts)-2).Draw(t, "place")
				parts[i] = s.Add(parts[i], parts[i+1])
				parts = append(parts[:i+1], parts[i+2:]...)
			}
			return parts[0]
		}
		sum, part := tree(terms), tree(terms[:rapid.IntRange(1, 3).Draw(t, "part")])
		quotient := s.Mul(part, s.Power(sum, big.NewRat(-2, 1)))
		value := rapid.SampledFrom([]*Node{
			s.Recip(sum),
			s.Power(s.Sub(sum, s.Scale(s.Int(2), part)), big.NewRat(3, 1)),
			s.Sub(s.Recip(sum), quotient),
			s.Sub(s.Int(1), s.Mul(part, s.Recip(sum))),
			s.Mul(s.Sub(part, sum), s.Scale(s.Int(-3), part)),
		}).Draw(t, "value")
		facts := assumptions.New()
		facts.Assume(New(s, nil).Simplify(s.Recip(sum))...)
		form := New(s, facts).Simplify(value)[0]
		out, err := eval.Reference(context.Background(), []*Node{value, form}, env, nil)
		require.NoError(t, err)
		want, got := out[0].Data[0], out[1].Data[0]
		require.InDelta(t, want, got, 1e-9*(1+math.Abs(want)), "%v", form)
	})
}
