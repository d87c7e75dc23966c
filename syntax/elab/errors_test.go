package elab

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

var update = flag.Bool("update", false, "write testdata/language/errors.txt anew")

// TestWrongUses states the error of each construct of the language where it is used wrongly: its code, the token that it points
// at, what it says, and what it says to write.
func TestWrongUses(t *testing.T) {
	const path = "../../testdata/language/errors.txt"
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var out strings.Builder
	helped, all := 0, 0
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "    ") {
			continue
		}
		body := line
		if !strings.HasPrefix(line, "let ") {
			body = "expression " + line
		}
		src := "declare A[m,n] B[m,n] C[n,k] S[n,n] T[m,n,k] x[n] y[n] v[m] s[] z[3]\n" + body
		_, err := elaborate(src, Options{})
		var e *syntax.Error
		if !assert.True(t, errors.As(err, &e), "%s is read", line) {
			continue
		}
		all++
		fmt.Fprintf(&out, "%s\n    %s at `%s`: %s\n", line, e.Code, src[e.Span.Start:e.Span.End], e.Message)
		if e.Help != "" {
			helped++
			fmt.Fprintf(&out, "    help: %s\n", strings.ReplaceAll(e.Help, "\n", " "))
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o644))
	}
	assert.Equal(t, out.String(), string(data))
	t.Logf("%d of %d errors say what to write", helped, all)
}
