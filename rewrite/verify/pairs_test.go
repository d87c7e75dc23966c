package verify

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every critical pair of the shipped rules joins.
func TestCriticalPairs(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), Shipped()...)
	require.NoError(t, err)
	joins := map[Join]int{}
	for _, p := range pairs {
		joins[p.Join]++
		assert.NotEmpty(t, p.Join, "%s and %s lead from %s to %s and to %s", p.Outer, p.Inner, p.Term, p.First, p.Second)
	}
	t.Log(joins)
	assert.Greater(t, joins[OneForm], 200)
}

// Rules that lead to different values are seen by their critical pairs.
func TestDivergingPair(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), File{"f", "rule a [x: S] tanh(sin(x)) => tanh(x)\nrule b [x: S] sin(cos(x)) => x\n"})
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	assert.Empty(t, pairs[0].Join)
	assert.Equal(t, Refuted, pairs[0].Equal)
}
