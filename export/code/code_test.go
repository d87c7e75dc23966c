package code

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/atom"
)

// TestFunctions: each element-wise row has a spelling in every family of languages.
func TestFunctions(t *testing.T) {
	for _, r := range atom.Rows() {
		if r.Class != atom.ClassElementwise || r == atom.Power || r == atom.Polygamma { // few of the languages have polygamma: it is refused
			continue
		}
		s, ok := functions[r]
		require.True(t, ok, "%s has no spelling", r.Name)
		for _, text := range []string{s.numpy, s.c, s.golang, s.octave, s.julia} {
			require.Contains(t, text, "#", r.Name)
			if r.F2 != nil {
				require.Contains(t, text, "@", r.Name)
			}
		}
	}
}
