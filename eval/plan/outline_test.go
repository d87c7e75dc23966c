package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum/size"
)

// A size that is negative where its symbols count Unknown makes nothing cheaper.
func TestNegativeSizes(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	few := n.Sub(size.Const(2000))
	a, b, x := s.Var("A", []size.Size{m, few}), s.Var("B", []size.Size{few, m}), s.Var("x", []size.Size{m})
	product := s.Einsum("ij,jk,k->i", a, b, x)
	for _, sizes := range []map[string]int64{nil, {"n": 2010}, {"n": 2010, "m": 1000}} {
		mults, err := Multiplications([]*combinators.Node{product}, sizes)
		require.NoError(t, err)
		require.Positive(t, mults)
		if sizes != nil {
			require.Equal(t, 2*10.0*1000, mults) // A (B x)
		}
	}
}
