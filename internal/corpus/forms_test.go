package corpus

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPointsHaveDistinctSizesAndTheirDomains(t *testing.T) {
	forms, err := LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	require.Len(t, forms, 129)
	for _, f := range forms {
		p, err := f.Draw(1)
		require.NoError(t, err)
		seen := map[int64]bool{}
		for _, n := range p.Sizes {
			require.False(t, seen[n], "%s: equal sizes hide a wrong order of axes", f.ID)
			require.GreaterOrEqual(t, n, int64(2))
			seen[n] = true
		}
		for name, v := range p.Values {
			shape, count := p.Dims[name], 1
			for _, n := range shape {
				count *= n
			}
			require.Len(t, v, count, "%s: %s", f.ID, name)
			if d := f.Domain[name]; d == "symmetric" || d == "spd" {
				for i := range shape[0] {
					for j := range i {
						require.InDelta(t, v[i*shape[0]+j], v[j*shape[0]+i], 1e-12)
					}
				}
			}
		}
	}
}

func TestCasesLoad(t *testing.T) {
	cases, err := Load("../../testdata/einstein/appendix.jsonl", "../../testdata/einstein/language.jsonl",
		"../../testdata/einstein/errors.jsonl", "../../testdata/reported/cases.jsonl")
	require.NoError(t, err)
	for _, c := range cases {
		if c.Waits != "" || c.Elsewhere != "" {
			continue
		}
		require.NotEmpty(t, c.Request["input"], c.ID)
		e := c.Expect
		require.False(t, e.Value == nil && e.Derivative == nil && e.Derivatives == nil && e.Grads == nil &&
			e.Error == nil && e.Longest == 0, "%s expects nothing", c.ID)
	}
}
