package frechet_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeepNesting: a program may nest to the documented limit and gets an error beyond
// it, at the token where the limit is passed. A Go stack that overflows cannot be
// recovered, so this is about the life of the process.
func TestDeepNesting(t *testing.T) {
	for _, form := range []struct{ name, open, close string }{
		{"parentheses", "(", ")"}, {"functions", "sin(", ")"}, {"signs", "-", ""}, {"transposes", "", "'"},
	} {
		for _, n := range []int{1000, 300_000} {
			src := "declare x 0 expression " + strings.Repeat(form.open, n) + "x" + strings.Repeat(form.close, n) + " derivative wrt x"
			var in bytes.Buffer
			request(&in, map[string]any{"input": src, "values": map[string]any{"x": []float64{0.5}}, "want": []string{"value", "derivative"}})
			var a struct {
				Derivative *tensor `json:"derivative"`
				Error      *struct {
					Kind         string
					Line, Column int
				}
			}
			require.NoError(t, json.Unmarshal(batch(t, in.Bytes())[0], &a))
			switch {
			case form.open == "": // postfix marks do not nest
			case n == 1000:
				require.Nil(t, a.Error, "%d %s", n, form.name)
				require.NotNil(t, a.Derivative)
			default:
				require.NotNil(t, a.Error, "%d %s", n, form.name)
				require.Equal(t, "limit", a.Error.Kind)
				require.Equal(t, 1, a.Error.Line)
				require.Greater(t, a.Error.Column, len("declare x 0 expression "))
			}
		}
	}
}
