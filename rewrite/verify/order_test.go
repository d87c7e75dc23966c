package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
)

// Every shipped rule decreases a declared order.
func TestOrder(t *testing.T) {
	for _, f := range Shipped() {
		parsed, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range parsed.Rules {
			assert.NotEmpty(t, Decrease(r), "%s", r)
		}
	}
	for _, src := range []string{
		"rule r [x y: S] x + y => y + x",
		"rule r [x: S] relu(x) => x .* step(x)",
		"rule r [T U V W, f: T -> U, g: U -> V, h: V -> W] h . (g . f) => (h . g) . f",
		"rule r [U V, f: U -> V] f => f . id",
	} {
		parsed, err := text.ParseRules(src)
		require.NoError(t, err)
		assert.Empty(t, Decrease(parsed.Rules[0]), src)
	}
}
