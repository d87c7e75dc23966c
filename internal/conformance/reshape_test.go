package conformance_test

import (
	"encoding/json"
	"frechet/internal/requests"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReshapedMatricesAreNotSymmetric: a matrix that split or merge makes is no transpose
// of itself, so that products with it print the transpose that they have.
func TestReshapedMatricesAreNotSymmetric(t *testing.T) {
	const declare = "declare x[4] T[2,1,2] "
	values := map[string]any{"x": []float64{1, 2, 4, 7}, "T": []float64{3, 1, 5, 2}}
	value := func(program, format string) (data any, text string) {
		line, err := json.Marshal(map[string]any{"input": program, "values": values, "format": format, "want": []string{"value", "text"}})
		require.NoError(t, err)
		a := requests.Ask(t, nil, string(line))[0]
		require.Nil(t, a["error"], program)
		return requests.At(a, "value"), requests.At(a, "text.value").(string)
	}
	for _, expr := range []string{
		"split(x, 0, 2, 2)*split(x, 0, 2, 2)'",
		"split(x, 0, 2, 2)'*split(x, 0, 2, 2)",
		"det(merge(T, 0)*merge(T, 0)' + eye(2))",
		"inv(split(x, 0, 2, 2))*split(x, 0, 2, 2)'",
	} {
		want, _ := value(declare+"expression "+expr, "text")
		for _, format := range []string{"text", "matrix", "einstein"} {
			_, text := value(declare+"expression "+expr, format)
			program := declare + text
			if !strings.Contains(text, "expression") {
				program = declare + "expression " + text
			}
			got, _ := value(program, "text")
			require.Equal(t, want, got, "%s as %s", expr, text)
		}
	}
}
