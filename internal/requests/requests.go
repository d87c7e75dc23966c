// Package requests asks a batch for answers, in tests.
package requests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// Ask sends lines through a batch and returns the answers.
func Ask(t testing.TB, opts []frechet.Option, lines ...string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, frechet.Batch(context.Background(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, opts...))
	var answers []map[string]any
	for line := range strings.Lines(out.String()) {
		var a map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &a), line)
		answers = append(answers, a)
	}
	require.Len(t, answers, len(lines))
	return answers
}

// At follows a path like outputs.f.value in an answer; nil where it ends early.
func At(a any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch x := a.(type) {
		case map[string]any:
			a = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				return nil
			}
			a = x[i]
		default:
			return nil
		}
	}
	return a
}
