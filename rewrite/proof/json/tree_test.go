package json_test

import (
	"context"
	stdjson "encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/corpus"
	"frechet/rewrite/proof/json"
)

// TestTrees: trees of the values and derivatives of the corpora fit the schema, and what is read from one has the tree again.
func TestTrees(t *testing.T) {
	const root = "../../../"
	src, err := os.ReadFile(root + "docs/tree.schema.json")
	require.NoError(t, err)
	schema := new(jsonschema.Schema)
	require.NoError(t, stdjson.Unmarshal(src, schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	corpora, err := corpus.Programs(root)
	require.NoError(t, err)
	trees, at := 0, 0
	for _, name := range slices.Sorted(maps.Keys(corpora)) {
		for _, p := range corpora[name] {
			if at++; at%11 != 0 {
				continue
			}
			f, err := frechet.Parse(p.Text)
			if err != nil {
				continue
			}
			r, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
			if err != nil {
				continue
			}
			for _, out := range r.Outputs {
				for _, d := range append(out.Derivs, frechet.Deriv{Term: out.Value}) {
					tree, err := d.Term.Text("tree")
					require.NoError(t, err)
					var any any
					require.NoError(t, stdjson.Unmarshal([]byte(tree), &any))
					require.NoError(t, resolved.Validate(any), "%s\n%s", p.Text, tree)
					n, err := json.ReadTree(tree, combinators.NewStore())
					require.NoError(t, err, tree)
					again, err := json.TreeOf(n)
					require.NoError(t, err)
					require.Equal(t, tree, string(again))
					require.NotEmpty(t, text.Head(n))
					trees++
				}
			}
		}
	}
	require.Greater(t, trees, 100)
	for _, wrong := range []string{`{}`, `{"format": "frechet tree", "version": 1, "nodes": [{"op": "var", "type": [1]}]}`,
		`{"format": "frechet tree", "version": 1, "nodes": [{"op": "var", "name": "x"}]}`} {
		var any any
		require.NoError(t, stdjson.Unmarshal([]byte(wrong), &any))
		require.Error(t, resolved.Validate(any), wrong)
	}
}
