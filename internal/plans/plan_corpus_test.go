package plans_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/einsum/size"
	"frechet/internal/corpus"
)

// Every program of the corpus has a plan, in sizes and in symbols, and its total is the sum
// of its steps.
func TestCorpusPlans(t *testing.T) {
	cases, err := corpus.Load("../../testdata/einstein/appendix.jsonl", "../../testdata/einstein/language.jsonl")
	require.NoError(t, err)
	planned := 0
	for _, c := range cases {
		var req struct {
			Input string
			Dims  frechet.Dims
			Sizes frechet.Sizes
		}
		if json.Unmarshal(c.Line(), &req) != nil || c.Expect.Error != nil {
			continue
		}
		for _, opts := range [][]frechet.Option{nil, {frechet.WithDims(req.Dims), frechet.WithSizes(req.Sizes)}} {
			f, err := frechet.Parse(req.Input, opts...)
			if err != nil {
				continue // what a case leaves open or leaves to its values is not our concern
			}
			of := "value"
			if len(f.Wrt()) > 0 {
				of = []string{"jacobian", "jacobian", "hessian", "hessian"}[min(f.Order(), 3)]
			}
			p, err := f.Plan(context.Background(), of, frechet.Query{}, nil)
			require.NoError(t, err, "%s: %s", c.ID, req.Input)
			require.NotEmpty(t, p.String())
			var mults size.Size
			for _, s := range p.Steps {
				mults = mults.Add(s.Cost.Multiplications.Polynomial())
			}
			require.Equal(t, p.Total.Multiplications.Polynomial(), mults, c.ID)
			planned++
		}
	}
	require.GreaterOrEqual(t, planned, 200)
}
