package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/internal/processor"
	"frechet/internal/requests"
)

const (
	square  = `"input":"declare x 1 expression x *(i,i->) x derivative wrt x","values":{"x":[1,2]}`
	bilin   = `"input":"declare A 2 x 1 expression x *(i,i->) (A *(ij,j->i) x) derivative wrt x","dims":{"A":[2,2]},"values":{"A":[1,2,3,4],"x":[5,6]}`
	vectorf = `"input":"declare a 1 x 1 expression a *(i,j->ij) x derivative wrt x","values":{"a":[1,2],"x":[3,4,5]}`
)

func TestBatchAnswers(t *testing.T) {
	type want map[string]string // path -> JSON
	for _, c := range []struct {
		name, line string
		want       want
	}{
		{"value and gradient", `{"id":"q",` + square + `}`, want{
			"id": `"q"`, "value": `{"shape":[],"data":[5]}`, "derivative": `{"shape":[2],"data":[2,4]}`,
			"hessian": `null`, "derivatives": `null`, "grads": `null`, "error": `null`, "conventions": `[]`}},
		{"id is a number", `{"id":7,` + square + `}`, want{"id": `7`}},
		{"no id", `{` + square + `}`, want{"id": `null`, "value.data": `[5]`}},
		{"order 2", `{` + square + `,"order":2}`, want{
			"derivative.data": `[2,4]`, "hessian": `{"shape":[2,2],"data":[2,0,0,2]}`, "derivatives": `null`}},
		{"order 3", `{` + square + `,"order":3}`, want{
			"hessian.data": `[2,0,0,2]`, "derivatives.0.data": `[2,4]`, "derivatives.1.data": `[2,0,0,2]`,
			"derivatives.2": `{"shape":[2,2,2],"data":[0,0,0,0,0,0,0,0]}`}},
		{"order 0", `{` + square + `,"order":0}`, want{"value.data": `[5]`, "derivative": `null`}},
		{"want", `{` + square + `,"want":["derivative"]}`, want{"derivative.data": `[2,4]`, "value": `null`, "text": `null`}},
		{"want the Hessian", `{` + square + `,"want":["hessian"]}`, want{"hessian.data": `[2,0,0,2]`, "derivative": `null`}},
		{"want nothing", `{"id":1,` + square + `,"want":[]}`, want{"value": `null`, "derivative": `null`, "text": `null`, "error": `null`}},
		{"wrt of the request wins", `{` + bilin + `,"wrt":"A"}`, want{"derivative": `{"shape":[2,2],"data":[25,30,30,36]}`}},
		{"wrt is a list", `{` + bilin + `,"wrt":["x"],"order":2}`, want{
			"derivative.x.data": `[40,73]`, "hessian.x.x.data": `[2,5,5,8]`}},
		{"wrt is a list of two", `{` + bilin + `,"wrt":["x","A"],"order":2,"mode":"forward"}`, want{
			"derivative.x.data": `[40,73]`, "derivative.A.data": `[25,30,30,36]`,
			"hessian.x.A.shape": `[2,2,2]`, "hessian.A.x.shape": `[2,2,2]`, "hessian.A.A.shape": `[2,2,2,2]`}},
		{"several variables in the program", `{"input":"declare a 0 b 0 expression a *(,->) b derivative wrt a, b","values":{"a":[2],"b":3}}`, want{
			"derivative.a.data": `[3]`, "derivative.b.data": `[2]`}},
		{"nothing named", `{"input":"declare x 1 expression sin(x)","values":{"x":[0]}}`, want{
			"value": `{"shape":[1],"data":[0]}`, "derivative": `null`, "conventions": `null`}},
		{"the program's order", `{"input":"declare x 0 expression x^3 hessian wrt x","values":{"x":[2]}}`, want{
			"value.data": `[8]`, "derivative.data": `[12]`, "hessian.data": `[12]`}},
		{"cotangent", `{` + vectorf + `,"cotangent":[1,0,0,0,1,0]}`, want{
			"grads.a": `{"shape":[2],"data":[3,4]}`, "grads.x": `{"shape":[3],"data":[1,2,0]}`,
			"derivative.shape": `[2,3,3]`}},
		{"cotangent of a scalar", `{` + square + `,"cotangent":2}`, want{"grads.x.data": `[4,8]`}},
		{"grads of a variable that does not occur", `{"input":"declare x 1 y 1 expression x","values":{"x":[1],"y":[1,2]},"cotangent":[1]}`, want{
			"grads.y": `{"shape":[2],"data":[0,0]}`}},
		{"wanted grads without a cotangent", `{` + square + `,"want":["value","grads"]}`, want{"value.data": `[5]`, "grads": `null`, "error": `null`}},
		{"outputs", `{"input":"declare x 1 expression f = x *(i,i->) x expression g = 3 *(,i->i) x derivative wrt x","values":{"x":[1,2]}}`, want{
			"value": `null`, "outputs.f.value.data": `[5]`, "outputs.f.derivative.data": `[2,4]`,
			"outputs.g.value.data": `[3,6]`, "outputs.g.derivative.data": `[3,0,0,3]`}},
		{"not finite", `{"input":"declare x 1 expression x + 1 derivative wrt x","values":{"x":["NaN","Infinity","-Infinity"]}}`, want{
			"value.data": `["NaN","Infinity","-Infinity"]`}},
		{"empty axis", `{"input":"declare A 2 x 1 expression A *(ij,j->i) x derivative wrt x","dims":{"A":[3,0],"x":[0]},"values":{"A":[],"x":[]}}`, want{
			"value": `{"shape":[3],"data":[0,0,0]}`, "derivative": `{"shape":[3,0],"data":[]}`}},
		{"mean of no entries", `{"input":"declare x 1 A 2 expression f = 1 + mean(x) expression g = mean(A, axis=0)","dims":{"A":[0,2],"x":[0]},"values":{"A":[],"x":[]}}`, want{
			"outputs.f.value.data": `["NaN"]`, "outputs.g.value.data": `["NaN","NaN"]`}},
		{"kink met", `{"input":"declare x 1 expression relu(x) derivative wrt x","values":{"x":[0,1]}}`, want{
			"derivative.data": `[0,0,0,1]`, "conventions": `["relu-at-0"]`}},
		{"kink at an entry that is not read", `{"input":"declare A[2,2] expression sum(log(diag(A))) + sum(abs(diag(A))) + max(A, axis=1) *(i->) derivative wrt A","values":{"A":[1,0,0,2]}}`, want{"conventions": `[]`}},
		{"kink outside of the bounds of a sum", `{"input":"f[] = sum{i}_0^1 (sum{j}_0^i (log(A[i; j])))","dims":{"A":[2,2],"f":[]},"wrt":"A","values":{"A":[1,0,3,2]}}`, want{"conventions": `[]`}},
		{"kink not met", `{"input":"declare x 1 expression relu(x) derivative wrt x","values":{"x":[-1,1]}}`, want{"conventions": `[]`}},
		{"kink in a formula", `{"input":"declare x 1 expression relu(x) derivative wrt x"}`, want{
			"value": `null`, "derivative": `null`, "conventions": `["relu-at-0"]`}},
		{"ties", `{"input":"declare x 1 y 1 expression f = max(x) expression g = min(x, y) expression h = x > y derivative wrt x","values":{"x":[1,4,4],"y":[1,5,3]}}`, want{
			"conventions": `["comparison-at-tie","max-at-tie","min-at-tie"]`, "outputs.f.derivative.data": `[0,0.5,0.5]`}},
		{"no ties", `{"input":"declare x 1 y 1 expression f = max(x) expression g = min(x, y) expression h = x > y derivative wrt x","values":{"x":[1,4,5],"y":[2,5,3]}}`, want{"conventions": `[]`}},
		{"infinite at 0", `{"input":"declare x 1 expression 1 *(i,i->) (sqrt(x) + log(x) + 1/x) derivative wrt x","values":{"x":[0,1]}}`, want{"conventions": `["log-at-0","power-at-0"]`}},
		{"norm at 0", `{"input":"declare x 1 expression norm2(x) derivative wrt x","values":{"x":[0,0]}}`, want{"conventions": `["norm2-at-0"]`, "derivative.data": `[0,0]`}},
		{"the second derivative's kinks", `{"input":"declare x 1 expression abs(x) hessian wrt x","values":{"x":[0]}}`, want{"conventions": `["abs-at-0","sign-at-0"]`}},
		{"a kink that is not differentiated", `{"input":"declare x 1 y 1 expression relu(y) + x derivative wrt x","values":{"x":[0],"y":[0]}}`, want{"conventions": `[]`}},
		{"checked alone", `{"input":"declare x 1 expression sin(x) derivative wrt x","dims":{"x":[3]}}`, want{"value": `null`, "error": `null`}},
		{"sizes alone", `{"input":"declare x[n] expression sin(x) derivative wrt x","sizes":{"n":3}}`, want{"value": `null`, "error": `null`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := requests.Ask(t, nil, c.line)[0]
			for path, text := range c.want {
				got, err := json.Marshal(requests.At(a, path))
				require.NoError(t, err)
				assert.JSONEq(t, text, string(got), "%s of %v", path, a)
			}
		})
	}
}

func TestBatchErrors(t *testing.T) {
	for _, c := range []struct{ line, id, kind, place, message string }{
		{``, `null`, "request", "", "empty"},
		{`[]`, `null`, "request", "", "list"},
		{`{"id":"q"}`, `"q"`, "request", "", "no input"},
		{`{"id":"q","input":"declare x 1 expression x $ x"}`, `"q"`, "lexical", "1:26", ""},
		{`{"id":"q","input":"declare x 1\nexpression x + y"}`, `"q"`, "undeclared-variable", "2:16", "y"},
		{`{"input":"declare x 1 expression x derivative wrt a"}`, `null`, "undeclared-argument", "1:41", "a"},
		{`{"input":"declare x 1 expression x","wrt":"a"}`, `null`, "undeclared-argument", "", "a"},
		{`{"input":"declare x 1 expression x","want":["gradient"]}`, `null`, "request", "", "unknown want"},
		{`{` + square + `,"want":["hessian"],"order":1}`, `null`, "request", "", "order is 1"},
		{`{` + square + `,"want":["jvp"]}`, `null`, "request", "", "the program does not ask for one"},
		{`{"input":"declare x 1 expression x","values":{"x":[1]},"want":["derivative"]}`, `null`, "request", "", "names a variable"},
		{`{"input":"declare x 1 y 1 expression x + y","values":{"x":[1]}}`, `null`, "missing-value", "1:13", "y has no value"},
		{`{"input":"declare x 1 expression x","values":{}}`, `null`, "missing-value", "1:9", "x has no value"},
		{`{"input":"declare x 1 expression x","dims":{"x":[2]},"want":["value"]}`, `null`, "missing-value", "1:9", "x"},
		{`{"input":"declare x 1 expression x","values":{"z":[1]}}`, `null`, "request", "", "z"},
		{`{"input":"declare x 1 expression x","dims":{"x":[3]},"values":{"x":[1]}}`, `null`, "request", "", "1 number"},
		{`{"input":"declare x 1 expression x","values":{"x":3}}`, `null`, "request", "", "a list is needed"},
		{`{"input":"declare x 0 expression x","values":{"x":[1,2]}}`, `null`, "request", "", "scalar"},
		{`{"input":"declare x[3] expression x","values":{"x":[1,2]}}`, `null`, "dimension-mismatch", "1:11", ""},
		{`{"input":"declare X 2 expression X","dims":{"X":[3]}}`, `null`, "order-mismatch", "1:9", ""},
		{`{"input":"declare X 2 expression X","values":{"X":[1,2]}}`, `null`, "undetermined-dimension", "1:9", ""},
		{`{"input":"declare X[3,2] expression X","values":{"X":[1,2,3,4,5]}}`, `null`, "request", "", "shape [3,2]"},
		{`{"input":"declare x 1 y 1 expression x","dims":{"x":[1]},"values":{"x":[1]},"wrt":"y"}`, `null`, "undetermined-dimension", "1:13", "axis 0 of y"},
		{`{"input":"declare A 2 expression inv(A)","dims":{"A":[2,2]},"values":{"A":[1,2,2,4]}}`, `null`, "singular", "1:24", "inv"},
		{`{` + vectorf + `,"cotangent":[1]}`, `null`, "order-mismatch", "", "[2,3]"},
		{`{` + vectorf + `,"cotangent":[1,2,3]}`, `null`, "dimension-mismatch", "", "[2,3]"},
		{`{` + square + `,"order":65}`, `null`, "limit", "", "order"},
		{`{"input":"declare X 40 expression X","wrt":"X"}`, `null`, "limit", "", "axes"},
		{`{"input":"declare a 0 b 0 expression a","wrt":["a","b"],"order":40}`, `null`, "limit", "", "derivatives"},
		{`{"input":"declare x 1 expression x","language":"index"}`, `null`, "syntax", "1:13", "index"},
		{`{"input":"f[i] = x[i]","language":"einstein","dims":{"x":[3]}}`, `null`, "syntax", "1:1", "index"},
		{`{"input":"f[i] = x[i]","values":{"x":[3]}}`, `null`, "missing-shape", "1:8", "x"},
		{`{"input":"f[i] = x[i]","dims":{"x":[1]},"values":{"x":[3],"y":[1]}}`, `null`, "request", "", "y"},
	} {
		a := requests.Ask(t, nil, c.line)[0]
		id, _ := json.Marshal(a["id"])
		assert.Equal(t, c.id, string(id), c.line)
		assert.Equal(t, c.kind, requests.At(a, "error.kind"), "%s: %v", c.line, a)
		assert.NotEmpty(t, requests.At(a, "error.code"), c.line)
		assert.Contains(t, requests.At(a, "error.message"), c.message, c.line)
		place := ""
		if line := requests.At(a, "error.line"); line != nil {
			place = fmt.Sprintf("%v:%v", line, requests.At(a, "error.column"))
		}
		assert.Equal(t, c.place, place, "%s: %v", c.line, a)
		for field := range a {
			assert.Contains(t, []string{"id", "error"}, field, c.line)
		}
	}
}

// One answer a line, in order, whatever the lines are.
func TestBatchGoesOn(t *testing.T) {
	answers := requests.Ask(t, nil, `{"id":1,`+square+`}`, `nonsense`, ``, `{"id":2,`+square+`}`)
	assert.Equal(t, 1.0, answers[0]["id"])
	assert.Equal(t, "request", requests.At(answers[1], "error.kind"))
	assert.Equal(t, "request", requests.At(answers[2], "error.kind"))
	assert.Equal(t, 2.0, answers[3]["id"])
	assert.NotNil(t, answers[3]["value"])
}

func TestBatchLongLine(t *testing.T) {
	lim := frechet.DefaultLimits()
	lim.Input = 200
	long := `{"id":"x","input":"` + strings.Repeat(" ", 100_000) + `"}`
	answers := requests.Ask(t, []frechet.Option{frechet.WithLimits(lim)}, long, `{"id":"after",`+square+`}`)
	assert.Equal(t, "limit", requests.At(answers[0], "error.kind"))
	assert.Nil(t, answers[0]["id"])
	assert.Equal(t, "after", answers[1]["id"])
	assert.Nil(t, answers[1]["error"])
}

// An answer comes before the next request is read.
func TestBatchFlushes(t *testing.T) {
	in, feed := io.Pipe()
	read, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- frechet.Batch(context.Background(), in, out) }()
	dec := json.NewDecoder(read)
	for i := range 3 {
		fmt.Fprintf(feed, `{"id":%d,%s}`+"\n", i, square)
		var a map[string]any
		require.NoError(t, dec.Decode(&a))
		require.Equal(t, float64(i), a["id"])
	}
	feed.Close()
	require.NoError(t, <-done)
}

// The end of the context ends a batch that waits for input.
func TestBatchStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	in, _ := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- frechet.Batch(ctx, in, io.Discard) }()
	stop()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		t.Fatal("the batch went on")
	}
}

// The limit of time holds where the work does not look at the clock.
func TestBatchTime(t *testing.T) {
	lim := frechet.Limits{Time: time.Millisecond}
	terms := make([]string, 300)
	for i := range terms {
		terms[i] = fmt.Sprintf("sin(%d*x)", i)
	}
	line := `{"input":"declare x 0 expression ` + strings.Join(terms, " + ") + ` derivative wrt x","values":{"x":[1]}}`
	a := requests.Ask(t, []frechet.Option{frechet.WithLimits(lim)}, line)[0]
	assert.Equal(t, "limit", requests.At(a, "error.kind"), "%v", a)
}

func zeros(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }

// What would be too large is refused at once, with a message that names the limit.
func TestBatchHostile(t *testing.T) {
	program := func(expr string) string {
		b, _ := json.Marshal("declare x 0 expression " + expr + " derivative wrt x")
		return `{"input":` + string(b) + `,"values":{"x":[1]}}`
	}
	for name, line := range map[string]string{
		"parentheses":   program(strings.Repeat("(", 200_000) + "x" + strings.Repeat(")", 200_000)),
		"functions":     program(strings.Repeat("sin(", 200_000) + "x" + strings.Repeat(")", 200_000)),
		"minus signs":   program(strings.Repeat("-", 200_000) + "x"),
		"digits":        program(strings.Repeat("9", 100_000) + " * x"),
		"powers":        program("9^9^9^9 * x"),
		"order":         `{"input":"declare x 1000 expression x","wrt":"x"}`,
		"size":          `{"input":"declare s 0 expression s * ones(1000000000)","values":{"s":[1]}}`,
		"product":       `{"input":"declare x 1 y 1 expression x *(i,j->ij) y","dims":{"x":[100000],"y":[100000]},"values":{"x":` + zeros(100_000) + `,"y":` + zeros(100_000) + `}}`,
		"Jacobian":      `{"input":"declare x 1 expression sin(x) derivative wrt x","values":{"x":` + zeros(120_000) + `}}`,
		"Hessian":       `{"input":"declare x 1 expression sum(sin(x) .* x) hessian wrt x","values":{"x":` + zeros(120_000) + `}}`,
		"nested arrays": strings.Repeat("[", 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			start := processor.Time()
			a := requests.Ask(t, nil, line)[0]
			assert.Less(t, processor.Time()-start, 5*time.Second)
			want := "limit"
			if name == "nested arrays" {
				want = "request" // JSON's own limit of nesting
			}
			assert.Equal(t, want, requests.At(a, "error.kind"), "%v", a["error"])
			t.Log(requests.At(a, "error.message"))
		})
	}
}

func FuzzBatch(f *testing.F) {
	f.Add(`{"id":"q",` + square + `}`)
	f.Add(`{` + bilin + `,"wrt":["x","A"],"order":2,"mode":"forward","format":"einstein"}`)
	f.Add(`{` + vectorf + `,"cotangent":[1,0,0,0,1,0],"want":["grads","text"]}`)
	f.Add(`{"input":"declare X[m,n] w[n] expression sum(softplus(X*w)) hessian wrt w","sizes":{"m":2,"n":2},"format":"latex"}`)
	f.Add("\n\n{")
	lim := frechet.Limits{Input: 1 << 12, Nesting: 100, Order: 8, Nodes: 10_000, Elements: 1 << 12, Memory: 1 << 22, Time: 2 * time.Second}
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		require.NoError(t, frechet.Batch(context.Background(), strings.NewReader(in), &out, frechet.WithLimits(lim)))
		lines := strings.Count(in, "\n")
		if !strings.HasSuffix(in, "\n") && in != "" {
			lines++
		}
		require.Equal(t, lines, strings.Count(out.String(), "\n"))
		for line := range strings.Lines(out.String()) {
			var a map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &a))
			require.NotEqual(t, "internal", requests.At(a, "error.kind"), "%s", line)
		}
	})
}
