package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// The minima of testdata/minimize are those that its generate.py finds in other ways:
// normal equations, scipy, a convex problem equal to the masked factorisation, and a net
// whose targets are its own values.
func TestMinimizeReachesKnownMinima(t *testing.T) {
	t.Chdir("../../testdata/minimize")
	src, err := os.ReadFile("optimum.json")
	require.NoError(t, err)
	var optimum map[string]struct {
		Value float64
		W     []float64
	}
	require.NoError(t, json.Unmarshal(src, &optimum))
	out := filepath.Join(t.TempDir(), "at.npz")
	for _, c := range []struct{ name, args string }{
		{"ridge", "ridge.fr -d X=ridge_X.csv,y=ridge_y.csv,lam=2"},
		{"ridge", "ridge.fr -d X=ridge_X.csv,y=ridge_y.csv,lam=2 --method newton --start zeros"},
		{"ridge", "ridge.fr -d X=ridge_X.csv,y=ridge_y.csv,lam=2 --method gradient"},
		{"logistic", "../logistic/logistic.fr -d X=../logistic/X.npy,y=../logistic/y.csv,lam=0.1"},
		{"logistic", "../logistic/logistic.fr -d X=../logistic/X.npy,y=../logistic/y.csv,lam=0.1 --method newton"},
		{"logistic", "../logistic/logistic.fr -d X=../logistic/X.npy,y=../logistic/y.csv,lam=0.1 --start ../logistic/w.npy"},
		{"masked", "masked.fr -d A=masked_A.csv,M=masked_M.csv,lam=1 --size k=4"},
		{"masked", "masked.fr -d A=masked_A.csv,M=masked_M.csv,lam=1 --size k=4 --method newton"},
		{"net", "net.fr -d X=net_X.npy,y=net_y.npy --size h=2"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"minimize"}, strings.Fields(c.args)...)
		code := run(context.Background(), append(args, "--json", "-o", out), streams{strings.NewReader(""), &stdout, &stderr})
		require.Zero(t, code, "%s\n%s", c.args, stderr.String())
		var got struct {
			Converged bool
			Value     struct{ Data []float64 }
			Results   []struct{ Value struct{ Data []float64 } }
		}
		require.NoError(t, json.Unmarshal(stdout.Bytes(), &got))
		want := optimum[c.name]
		assert.True(t, got.Converged, c.args)
		assert.InDelta(t, want.Value, got.Value.Data[0], 1e-9*(1+want.Value), c.args)
		if want.W != nil {
			assert.InDeltaSlice(t, want.W, got.Results[0].Value.Data, 1e-6, c.args)
		}
		at, err := frechet.ReadTensors(out, frechet.Limits{})
		require.NoError(t, err)
		assert.Len(t, at, len(got.Results))
		assert.Equal(t, got.Results[0].Value.Data, at[0].Tensor.Data)
	}
}

// An interrupted minimisation prints the point that it reached.
func TestMinimizeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Second, cancel)
	var stdout, stderr bytes.Buffer
	args := []string{"minimize", "declare x 0 y 0 expression (1 - x)^2 + 100000*(y - x^2)^2", "--wrt", "x,y",
		"-d", "x=-1,y=1", "--method", "gradient", "--max-iter", "100000000"}
	code := run(ctx, args, streams{strings.NewReader(""), &stdout, &stderr})
	assert.Equal(t, exitInterrupted, code, stderr.String())
	assert.Contains(t, stdout.String(), "it was interrupted")
	assert.Contains(t, stdout.String(), "# x\n")

	stdout.Reset()
	code = run(context.Background(), append(args, "--limit-time", "800ms"), streams{strings.NewReader(""), &stdout, &stderr})
	assert.Equal(t, exitLimit, code, stderr.String())
	assert.Contains(t, stdout.String(), "the time limit was reached")
}
