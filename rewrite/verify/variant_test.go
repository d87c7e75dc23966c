package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/rewrite"
)

// Each form in which a shipped rule with defaults meets terms is a law by itself.
func TestVariantsAreLaws(t *testing.T) {
	found := 0
	for _, f := range Shipped() {
		parsed, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range parsed.Rules {
			if r.OnMaps() {
				continue
			}
			for _, w := range rewrite.Variants(r)[1:] {
				found++
				assert.True(t, Rule(w.Rule).Passed(), "%s", w.Rule)
			}
		}
	}
	require.Greater(t, found, 20)
}

// A rule for a family is one for each function of the table that has the property, and all are laws; of functions without
// it, it is refuted.
func TestFamilies(t *testing.T) {
	f, err := text.ParseRules("rule f-neg [f: odd, x: S] f(-x) => -f(x)\nrule f-even [f: even, x: S] f(-x) => f(x)\n" +
		"rule f-2 [f: degree1, x: S] f(2 .* x) => 2 .* f(x)\nrule f-3 [f: degree0, x: S] f(3 .* x) => f(x)")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, r := range f.Rules {
		names[r.Name] = true
		assert.True(t, Rule(r).Passed(), "%s", r)
	}
	for _, name := range []string{"sin-neg", "erf-neg", "cos-even", "abs-2", "step-3"} {
		assert.True(t, names[name], name)
	}
	assert.False(t, names["exp-neg"] || names["cos-neg"] || names["max-2"])
	_, err = text.ParseRules("rule f-neg [f: odd, x: S] f(-x) => -f(x)\nrule sin-neg [x: S] sin(-x) => -sin(x)")
	require.ErrorContains(t, err, "the rule sin-neg is given twice")
	bad, err := text.ParseRules("rule f-neg [f: even, x: S] f(-x) => -f(x)")
	require.NoError(t, err)
	for _, r := range bad.Rules {
		assert.Equal(t, Refuted, Rule(r).Equality, "%s", r)
	}
}
