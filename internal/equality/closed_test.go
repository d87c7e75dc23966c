package equality

import (
	"context"
	"slices"
	"testing"

	"frechet/internal/corpus"
	"frechet/internal/program"

	"github.com/stretchr/testify/require"
)

// TestClosedForms: the derivative of each function of the corpus is the closed form that is known of it, or that needs what
// the language does not state: where it assumes nothing, it is proved.
func TestClosedForms(t *testing.T) {
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	proved := 0
	for i, f := range forms {
		function, closed := f.Functions()[i%len(f.Functions())], f.Closed()[i%len(f.Closed())]
		q, err := Ask(function, closed, f.Declare, slices.Repeat([]string{f.Wrt}, f.Order), program.Options{})
		require.NoError(t, err, f.ID)
		q.Program.Options.Limits.Search = 1_000
		v, err := q.Decide(context.Background(), Options{})
		require.NoError(t, err)
		if v.Outcome == Proved {
			proved++
			continue
		}
		require.NotEmpty(t, f.Assumes, "%s: %s\n%s", f.ID, v, v.Witness)
	}
	require.GreaterOrEqual(t, proved, 105, "of %d", len(forms))
}
