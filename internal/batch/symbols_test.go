package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// The formulas of a program whose sizes have names are the same with dims, sizes or values beside them: those are
// for the numbers.
func TestFormulasAreInSymbols(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		x := rapid.SampledFrom(p.Vars).Draw(t, "wrt")
		request := func(more map[string]any) string {
			more["input"], more["wrt"], more["order"], more["want"] = p.Text(), x, 2, []string{"text", "value", "derivative"}
			if more["values"] == nil {
				more["want"] = []string{"text"}
			}
			line, err := json.Marshal(more)
			require.NoError(t, err)
			return string(line)
		}
		lines := []string{request(map[string]any{}), request(map[string]any{"dims": p.Dims}), request(map[string]any{"dims": p.Dims, "values": p.Values})}
		var out bytes.Buffer
		require.NoError(t, frechet.Batch(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out))
		var answers []map[string]map[string]any
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			var a struct{ Text, Value, Error map[string]any }
			require.NoError(t, json.Unmarshal([]byte(line), &a))
			require.Nil(t, a.Error, "%s: %s", p.Text(), line)
			answers = append(answers, map[string]map[string]any{"text": a.Text, "value": a.Value})
		}
		for _, field := range []string{"value", "derivative"} {
			require.NotNil(t, answers[0]["text"][field])
			require.Equal(t, answers[0]["text"][field], answers[1]["text"][field])
			require.Equal(t, answers[0]["text"][field], answers[2]["text"][field])
		}
		require.Equal(t, answers[0]["text"]["hessian"], answers[1]["text"]["hessian"])
		require.NotNil(t, answers[2]["value"])
	})
}
