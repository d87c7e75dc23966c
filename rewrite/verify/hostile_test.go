package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frechet/combinators/text"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files written to do harm: cycles, rules that grow, rules that are wrong at one size, under guards, by way of infinities, or in the last
// of a thousand digits. Their first lines name the rules that may not pass; the others are right.
func TestHostile(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.rules")
	require.NoError(t, err)
	require.Len(t, files, 10)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(src), "\n")
		rejected := strings.Fields(strings.TrimPrefix(first, "# rejected:"))
		parsed, err := text.ParseRules(string(src))
		require.NoError(t, err)
		for _, r := range parsed.Rules {
			start := time.Now()
			rep := Rule(r)
			assert.Equal(t, !slices.Contains(rejected, r.Name), rep.Passed(), "%s", rep)
			assert.Less(t, time.Since(start), 20*time.Second)
		}
	}
}
