package conformance_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// The batch protocol answers the conformance cases of index notation: values, and the
// gradients of all arguments at the cotangent.
func TestBatchElementwise(t *testing.T) {
	f, err := os.Open("../../testdata/index/elementwise.jsonl")
	require.NoError(t, err)
	defer f.Close()
	type tensor struct {
		Shape []int
		Data  []float64
	}
	type fields struct {
		Value tensor
		Grads map[string]tensor
	}
	var in bytes.Buffer
	var want []fields
	var names []string
	for s := bufio.NewScanner(f); s.Scan(); {
		var c map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(s.Bytes(), &c))
		var w fields
		require.NoError(t, json.Unmarshal(s.Bytes(), &w))
		want = append(want, w)
		line, err := json.Marshal(map[string]any{"id": c["name"], "input": c["input"], "dims": c["dims"],
			"values": c["values"], "cotangent": c["cotangent"], "want": []string{"value", "grads", "text"}, "format": "index"})
		require.NoError(t, err)
		in.Write(append(line, '\n'))
		names = append(names, string(c["name"]))
	}
	var out bytes.Buffer
	require.NoError(t, frechet.Batch(context.Background(), &in, &out))
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, answers, len(want))
	for i, line := range answers {
		var got struct {
			fields
			Text struct{ Grads map[string]string }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &got))
		assert.Equal(t, want[i].Value.Shape, got.Value.Shape, line)
		assert.InDeltaSlice(t, want[i].Value.Data, got.Value.Data, 1e-9, names[i])
		for x, g := range want[i].Grads {
			assert.InDeltaSlice(t, g.Data, got.Grads[x].Data, 1e-9, "%s %s", names[i], x)
			assert.NotEmpty(t, got.Text.Grads[x], line)
		}
	}
}

// Powers of roots are powers of what is under them only where that has no negative entry.
func TestIndexPowersOfRoots(t *testing.T) {
	for src, want := range map[string]string{
		"declare x[n] expression sqrt(x).^4":    "f[i:n] = sqrt(x[i])**4",
		"declare x[n] expression norm2(x)^3":    "f[] = sum{i}_0^(n - 1) (x[i]**2)**1.5",
		"declare x[n] expression norm2(x)^(-4)": "f[] = 1 / sum{i}_0^(n - 1) (x[i]**2)**2",
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		got, err := f.Value().Text("index")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}
