package derivation_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// Every line of a derivation follows from the one before by a rule or a schema of the rule files,
// and the last one is the normal form: Steps gives an error where it is not.
func TestDerivationsOfRandomPrograms(t *testing.T) {
	known := map[string]bool{}
	for _, f := range frechet.ShippedRules() {
		names, err := frechet.ListRules(f)
		require.NoError(t, err)
		for _, n := range names {
			known[n.Name] = true
		}
	}
	drawn, long := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		p := programs.Draw(t, true)
		f, err := frechet.Parse(p.Text())
		require.NoError(t, err)
		d, err := f.Steps()
		if frechet.ErrorKind(err) == "limit" {
			long++
			return
		}
		require.NoError(t, err, p.Text())
		for s := range d.Steps() {
			if s.Rule != "" && !known[s.Rule] {
				t.Fatalf("%s is no rule", s.Rule)
			}
		}
	})
	require.LessOrEqual(t, long, drawn/50, "derivations of more than the limit of steps")
}
