package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// ask sends requests, one a line, and gives the answers.
func ask(t require.TestingT, files bool, requests ...map[string]any) (answers []map[string]any) {
	var in, out bytes.Buffer
	for _, r := range requests {
		line, err := json.Marshal(r)
		require.NoError(t, err)
		in.Write(append(line, '\n'))
	}
	batch := frechet.Batch
	if files {
		batch = frechet.BatchFiles
	}
	require.NoError(t, batch(context.Background(), &in, &out))
	for line := range strings.Lines(out.String()) {
		var a map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		answers = append(answers, a)
	}
	return answers
}

// A kept program has the numbers of the request that asks for everything at once, with its values stored or given.
func TestKeptPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		wrt := rapid.SampledFrom(p.Vars).Draw(t, "wrt")
		want := []string{"value", "derivative"}
		values, store := map[string]any{}, map[string]any{}
		for name, v := range p.Values {
			x := map[string]any{"shape": p.Dims[name], "data": v}
			if values[name] = x; rapid.Bool().Draw(t, "stored") {
				store[name], values[name] = x, map[string]any{"stored": name}
			}
		}
		answers := ask(t, false,
			map[string]any{"input": p.Text(), "wrt": wrt, "order": 2, "want": want, "dims": p.Dims, "values": p.Values},
			map[string]any{"input": p.Text(), "wrt": wrt, "order": 2, "want": want, "keep": "p", "store": store},
			map[string]any{"run": "p", "values": values},
			map[string]any{"run": "p", "values": values, "want": []string{"derivative"}})
		require.Nil(t, answers[0]["error"], p.Text())
		require.Nil(t, answers[2]["error"], p.Text())
		require.Len(t, answers[1]["params"], len(p.Dims))
		for _, field := range want {
			near(t, answers[0][field], answers[2][field], p.Text())
		}
		near(t, answers[0]["derivative"], answers[3]["derivative"], p.Text())
		require.NotContains(t, answers[3], "value")
	})
}

// near compares tensors: a program for all sizes may order its products in another way than one for given sizes.
func near(t require.TestingT, want, got any, text string) {
	w, g := want.(map[string]any), got.(map[string]any)
	require.Equal(t, w["shape"], g["shape"], text)
	scale := 1.0
	for _, x := range w["data"].([]any) {
		if x, ok := x.(float64); ok {
			scale = max(scale, x, -x)
		}
	}
	for i, x := range w["data"].([]any) {
		if f, ok := x.(float64); ok {
			require.InDelta(t, f, g["data"].([]any)[i], 1e-9*scale, text)
		} else {
			require.Equal(t, x, g["data"].([]any)[i], text)
		}
	}
}

// Values are read from files and large tensors written to files where that is allowed, and nowhere else.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	x := make([]float64, 2000)
	for i := range x {
		x[i] = float64(i)
	}
	path := filepath.Join(dir, "x.npy")
	require.NoError(t, frechet.WriteTensors(path, []frechet.NamedTensor{{Name: "x", Tensor: &frechet.Tensor{Shape: []int{2000}, Data: x}}}))
	requests := []map[string]any{
		{"input": "declare x[n] expression sum(x .^ 2)", "wrt": "x", "keep": "p", "want": []string{"value", "derivative"}},
		{"run": "p", "values": map[string]any{"x": map[string]any{"file": path}}, "out": filepath.Join(dir, "r")},
	}
	a := ask(t, true, requests...)[1]
	require.Nil(t, a["error"])
	got, err := frechet.ReadTensor(a["derivative"].(map[string]any)["file"].(string), -1, frechet.Limits{})
	require.NoError(t, err)
	require.Equal(t, 2*x[1999], got.Data[1999])
	require.Contains(t, a["value"], "data")
	require.Contains(t, ask(t, false, requests...)[1]["error"].(map[string]any)["message"], "files are not read")
	requests[1]["values"] = map[string]any{"x": []int{1, 2}}
	require.Contains(t, ask(t, false, requests...)[1]["error"].(map[string]any)["message"], "files are not written")
}

// What a session lacks, or cannot hold, is an error of its request, and the session goes on.
func TestSessionErrors(t *testing.T) {
	one := map[string]any{"shape": []int{1}, "data": []int{1}}
	for _, c := range []struct {
		request map[string]any
		message string
	}{
		{map[string]any{"run": "q"}, `no program "q" is kept`},
		{map[string]any{"run": "p", "wrt": "x"}, "wrt goes with the request that kept the program"},
		{map[string]any{"run": "p", "values": map[string]any{"z": one}}, "the program has no such variable"},
		{map[string]any{"run": "p", "values": map[string]any{"x": map[string]any{"stored": "s"}}}, `no tensor "s" is stored`},
		{map[string]any{"run": "p", "values": map[string]any{"x": one}, "want": []string{"hessian"}}, "hessian is wanted, but the order is 1"},
		{map[string]any{"run": "p", "values": map[string]any{"x": map[string]any{"shape": []int{2}, "data": []int{1}}}}, "1 number for the shape [2]"},
		{map[string]any{"run": "p", "values": map[string]any{"x": map[string]any{"shape": []int64{1 << 40, 1 << 40}, "data": []int{}}}}, "0 numbers for the shape"},
		{map[string]any{"run": "p", "values": map[string]any{"x": map[string]any{"entries": 3}}}, "an object has shape and data, or file, or stored"},
		{map[string]any{"run": "p"}, "x has no value"},
		{map[string]any{"keep": "p"}, "the request has no input"},
		{map[string]any{"keep": "p", "input": "x'*x", "values": map[string]any{"x": one}}, "kept for all sizes"},
		{map[string]any{"drop": "p"}, "drop is to be a list"},
	} {
		answers := ask(t, false, map[string]any{"input": "declare x[n] expression x'*x gradient wrt x", "keep": "p"}, c.request,
			map[string]any{"run": "p", "values": map[string]any{"x": one}})
		require.NotNil(t, answers[1]["error"], "%v", c.request)
		require.Contains(t, answers[1]["error"].(map[string]any)["message"], c.message)
		require.Equal(t, []any{1.0}, answers[2]["value"].(map[string]any)["data"])
	}
}
