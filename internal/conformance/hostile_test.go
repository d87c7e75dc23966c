package conformance_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/internal/processor"
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

// TestHostileMaps: short programs in combinator notation whose types or sizes would fill the memory
// are refused at once, whatever is asked of them.
func TestHostileMaps(t *testing.T) {
	chain := func(f string, n int) string { return strings.Repeat(f+" . ", n-1) + f }
	sum := "a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z"
	for src, code := range map[string]string{
		"f : R[n] -> R[n] = " + chain("pi1", 60) + " . " + chain("<id, id>", 60):                                         "L003",
		"f : R[n] -> R = let g = " + chain("<id, id>", 60) + " in *(i,i->) . <id, id>":                                   "L003",
		"f : R[" + strings.Repeat(sum+",", 19) + sum + "] -> R = sum . " + chain("merge[0]", 19):                         "L010",
		"f : R[" + strings.Repeat("("+sum+")*", 24) + "n] -> R[n] = 0":                                                   "L010",
		"f : R[" + strings.Repeat("n,", 2000) + "n] -> R[n] = 0":                                                         "L003",
		"f(x) : R[n] -> R[" + strings.Repeat("n,", 600) + "n] = 0 g(y) : R[" + strings.Repeat("m,", 600) + "m] -> R = 0": "",
	} {
		begin := processor.Time()
		f, err := frechet.Parse(src, frechet.WithLanguage("combinators"))
		if err == nil && code != "" {
			_, err = f.Steps()
		}
		var e *frechet.Error
		if code == "" {
			require.NoError(t, err)
		} else {
			require.ErrorAs(t, err, &e, src)
			require.Equal(t, code, string(e.Code), e.Message)
			require.Equal(t, "limit", string(e.Kind))
		}
		require.Less(t, processor.Time()-begin, 5*time.Second)
	}
}
