package verify

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/pairs.txt")

// Every critical pair of the shipped rules joins or is listed, and those that are listed have equal
// values.
func TestCriticalPairs(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), Shipped()...)
	require.NoError(t, err)
	var open strings.Builder
	joined := 0
	for _, p := range pairs {
		if p.Joined {
			joined++
			continue
		}
		assert.True(t, p.Equal, "%s and %s lead from %s to %s and to %s", p.Outer, p.Inner, p.Term, p.First, p.Second)
		open.WriteString(p.Outer + " and " + p.Inner + ": " + strings.ReplaceAll(p.Term, "\n", " ") + "\n")
	}
	t.Logf("%d critical pairs, %d joined", len(pairs), joined)
	assert.Greater(t, joined, 100)
	if *update {
		require.NoError(t, os.WriteFile("testdata/pairs.txt", []byte(open.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/pairs.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), open.String())
}

// Rules that lead to different values are seen by their critical pairs.
func TestDivergingPair(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), File{"f", "rule a [x: S] tanh(sin(x)) => tanh(x)\nrule b [x: S] sin(cos(x)) => x\n"})
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	assert.False(t, pairs[0].Joined)
	assert.False(t, pairs[0].Equal)
}
