package verify

import (
	"context"
	"testing"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/rewrite"

	"github.com/stretchr/testify/require"
)

// TestLaws: each law by which values are shown to be equal, computed, or parts in a subspace, passes the tests of a rule, and has
// a name of its own.
func TestLaws(t *testing.T) {
	var reports []*Report
	for _, f := range []File{Laws(), Stable(), Attributes()} {
		of, err := Rules(context.Background(), f)
		require.NoError(t, err)
		reports = append(reports, of...)
	}
	names := map[string]bool{}
	for _, f := range append(Shipped(), Laws(), Stable(), Attributes()) {
		parsed, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range parsed.Rules {
			require.False(t, names[r.Name], r.Name)
			names[r.Name] = true
		}
	}
	for _, r := range reports {
		require.True(t, r.Passed(), "%s", r)
	}
}

// TestReversed: what a rule of the program makes of a term, read backwards, is the term again.
func TestReversed(t *testing.T) {
	parsed, err := text.ParseRules(Laws().Text)
	require.NoError(t, err)
	back := rewrite.Reversed(parsed)
	require.NotEmpty(t, back.File.Rules)
	tried := 0
	for _, r := range back.File.Rules {
		g, err := newSignature(r)
		require.NoError(t, err)
		in, err := g.instantiate(g.symbolic(1, 1), g.numberChoices(1)[0])
		if err != nil || len(r.When) > 0 {
			continue
		}
		found, any := false, false
		back.Each(in.left, nil, func(f rewrite.Firing) bool {
			any = true
			found = found || f.Rule == r && combinators.Replace([]*combinators.Node{f.Context}, f.Hole, in.right)[0] == f.After
			return !found
		})
		if any {
			tried++
		}
		require.True(t, found || !any, r.Name)
	}
	require.Greater(t, tried, 10)
}
