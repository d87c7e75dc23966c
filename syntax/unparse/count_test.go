package unparse

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"frechet/syntax"

	"github.com/stretchr/testify/require"
)

// The closed forms are counted by hand-checked rules; ours must agree on each.
func TestCountClosedForms(t *testing.T) {
	f, err := os.Open("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	cases := 0
	for lines.Scan() {
		var c struct {
			ID, Declare, Einstein string
			ClosedMatrix          *string `json:"closed_matrix"`
			ClosedEinstein        string  `json:"closed_einstein"`
			Nodes                 int
			NodesMatrix           *int `json:"nodes_matrix"`
			NodesFunction         int  `json:"nodes_function"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases++
		check := func(text string, want int) {
			file, err := syntax.Parse("declare "+c.Declare+" expression "+text, syntax.Limits{})
			require.NoError(t, err, "%s: %s", c.ID, text)
			got, err := Count(file.Stmts, nil)
			require.NoError(t, err, "%s: %s", c.ID, text)
			require.Equal(t, want, got, "%s: %s", c.ID, text)
		}
		check(c.ClosedEinstein, c.Nodes)
		check(c.Einstein, c.NodesFunction)
		if c.ClosedMatrix != nil && c.NodesMatrix != nil {
			check(*c.ClosedMatrix, *c.NodesMatrix)
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 129, cases)
}
