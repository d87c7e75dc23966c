package verify_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/rewrite/verify"
)

// Where a rule on variables with attributes meets another one, both results are equal at values that have them. Those that have no one
// normal form are of |det Q| = 1, of inverses of Q, and of powers of 0 and 1.
func TestPairsOfAttributes(t *testing.T) {
	pairs, err := verify.CriticalPairs(context.Background(), verify.Shipped()[0], verify.Attributes())
	require.NoError(t, err)
	open := map[string]int{}
	for _, p := range pairs {
		require.Empty(t, p.Skipped)
		require.False(t, p.Join == verify.NoJoin && p.Equal == verify.Refuted, p.String())
		if p.Join == verify.NoJoin {
			open[p.Inner]++
		}
	}
	require.Equal(t, map[string]int{"orthogonal-det-abs": 13, "orthogonal-inv": 6, "orthogonal-cofactor": 1, "unit-norm": 1, "binary-power": 1}, open)
}
