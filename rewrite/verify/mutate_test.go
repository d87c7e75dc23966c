package verify

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every mutant of a shipped rule is refuted, or equivalent for a reason that is checked.
func TestMutants(t *testing.T) {
	ms, err := Mutants(context.Background(), Shipped()...)
	require.NoError(t, err)
	rules := map[string]bool{}
	for _, m := range ms {
		rules[m.Rule] = true
		assert.True(t, m.Refuted || m.Reason != "", "%s: %s passes as %s", m.Rule, m.Change, m.Verdict)
	}
	assert.Greater(t, len(rules), 100)
	line, complete := MutationScore(ms)
	t.Log(line)
	assert.True(t, complete)
}
