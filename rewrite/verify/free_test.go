package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/rewrite/verify/maps"
)

// The free model proves what the field accepts, and nothing that the field refutes: of every rule on
// closed combinators, and of all its mutants.
func TestFreeModel(t *testing.T) {
	proved, refuted := 0, 0
	for _, f := range Shipped() {
		parsed, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range parsed.Rules {
			if !r.OnMaps() || nativeStep(r) != "" {
				continue
			}
			assert.Equal(t, Exact, Rule(r).Equality, r.Name)
			proved++
			for _, m := range mutantsOf(r) {
				rep := Rule(m.mutation)
				if rep.Equality != Refuted {
					continue
				}
				refuted++
				all := true
				for _, count := range maps.Counts(m.mutation) {
					for _, choice := range maps.ComponentChoices(m.mutation, count) {
						typed, err := maps.TypeRule(m.mutation, count, choice)
						require.NoError(t, err)
						equal, _, _, _ := typed.CompareFreely(m.mutation)
						all = all && equal
					}
				}
				assert.False(t, all, "%s: %s", r.Name, m.Change)
			}
		}
	}
	assert.Greater(t, proved, 45)
	assert.Greater(t, refuted, 30)
}
