package protocol

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	r, err := Decode([]byte(`{"id":"a","input":"declare x 1 expression x","dims":{"x":[2]},"sizes":{"m":3},
		"values":{"x":[1, -2.5e0 ,"NaN","Infinity", "-Infinity"],"s":7},"wrt":"x","order":2,"mode":"forward",
		"cotangent":[],"format":"matrix","language":"einstein","want":["value","text"]}`))
	require.Nil(t, err)
	assert.Equal(t, `"a"`, string(r.ID))
	assert.Equal(t, []int64{2}, r.Dims["x"])
	assert.Equal(t, int64(3), r.Sizes["m"])
	x := r.Values["x"].Data
	assert.Equal(t, []float64{1, -2.5}, x[:2])
	assert.True(t, math.IsNaN(x[2]) && math.IsInf(x[3], 1) && math.IsInf(x[4], -1))
	assert.True(t, r.Values["s"].Scalar)
	assert.Equal(t, []string{"x"}, r.Wrt)
	assert.False(t, r.WrtList)
	assert.Equal(t, 2, r.Order)
	assert.Equal(t, "forward", r.Mode)
	assert.NotNil(t, r.Cotangent)
	assert.Empty(t, r.Cotangent.Data)
	assert.True(t, r.Wants("value"))
	assert.False(t, r.Wants("derivative"))
}

func TestDecodeDefaults(t *testing.T) {
	r, err := Decode([]byte(`{"input":"x","wrt":["a","b"],"order":null,"values":null,"id":17,"input":"y"}`))
	require.Nil(t, err)
	assert.Equal(t, `17`, string(r.ID))
	assert.Equal(t, "y", r.Input) // the last of duplicate keys
	assert.Nil(t, r.Values)
	assert.Equal(t, -1, r.Order)
	assert.True(t, r.WrtList)
	assert.Equal(t, []string{"a", "b"}, r.Wrt)
	assert.Equal(t, "planned", r.Mode)
	assert.Equal(t, "auto", r.Language)
	assert.True(t, r.Wants("hessian"))
	assert.False(t, r.Names("hessian"))
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ line, id, message string }{
		{``, `null`, "empty line"},
		{`   `, `null`, "empty line"},
		{`{`, `null`, "not JSON"},
		{`{} {}`, `null`, "not JSON"},
		{`[1]`, `null`, "not a list"},
		{`"x"`, `null`, "not a string"},
		{`3`, `null`, "not a number"},
		{`null`, `null`, "not null"},
		{`{"id":"q"}`, `"q"`, "no input"},
		{`{"id":"q","input":null}`, `"q"`, "not null"},
		{`{"id":"q","input":3}`, `"q"`, "input is to be a string, not a number"},
		{`{"id":{},"input":"x"}`, `null`, "id is to be a string or a number"},
		{`{"id":true,"input":"x"}`, `null`, "id is to be"},
		{`{"id":1,"input":"x","wrt":3}`, `1`, "wrt is to be a string or a list"},
		{`{"id":1,"input":"x","wrt":[]}`, `1`, "empty list"},
		{`{"id":1,"input":"x","wrt":""}`, `1`, "wrt is empty"},
		{`{"id":1,"input":"x","wrt":["a","a"]}`, `1`, "twice"},
		{`{"id":1,"input":"x","wrt":["a",1]}`, `1`, "not a number"},
		{`{"id":1,"input":"x","order":-1}`, `1`, "whole number"},
		{`{"id":1,"input":"x","order":1.5}`, `1`, "whole number"},
		{`{"id":1,"input":"x","order":"1"}`, `1`, "whole number"},
		{`{"id":1,"input":"x","mode":"sideways"}`, `1`, "unknown mode"},
		{`{"id":1,"input":"x","format":"html"}`, `1`, "unknown format"},
		{`{"id":1,"input":"x","language":"french"}`, `1`, "unknown language"},
		{`{"id":1,"input":"x","want":"value"}`, `1`, "want is to be a list"},
		{`{"id":1,"input":"x","want":["values"]}`, `1`, "unknown want"},
		{`{"id":1,"input":"x","wants":[]}`, `1`, "unknown field"},
		{`{"id":1,"input":"x","dims":{"x":2}}`, `1`, "dims of x is to be a list"},
		{`{"id":1,"input":"x","dims":{"x":[-2]}}`, `1`, "size"},
		{`{"id":1,"input":"x","dims":[2]}`, `1`, "object by name"},
		{`{"id":1,"input":"x","sizes":{"m":"3"}}`, `1`, "size"},
		{`{"id":1,"input":"x","sizes":{"m":99999999999999999999}}`, `1`, "size"},
		{`{"id":1,"input":"x","values":{"x":[[1],[2]]}}`, `1`, "nested"},
		{`{"id":1,"input":"x","values":{"x":[1,null]}}`, `1`, "entry 1 is null"},
		{`{"id":1,"input":"x","values":{"x":[true]}}`, `1`, "entry 0 is true"},
		{`{"id":1,"input":"x","values":{"x":["inf"]}}`, `1`, "not a number"},
		{`{"id":1,"input":"x","values":{"x":[1e400]}}`, `1`, "not a number"},
		{`{"id":1,"input":"x","values":{"x":["1,2"]}}`, `1`, "not a number"},
		{`{"id":1,"input":"x","values":{"x":"NaNs"}}`, `1`, "flat list"},
		{`{"id":1,"input":"x","values":3}`, `1`, "object by name"},
		{`{"id":1,"input":"x","cotangent":{}}`, `1`, "flat list"},
	} {
		r, err := Decode([]byte(c.line))
		if assert.NotNil(t, err, c.line) {
			assert.Equal(t, "request", err.Kind, c.line)
			assert.Contains(t, err.Message, c.message, c.line)
			assert.Equal(t, c.id, string(r.ID), c.line)
		}
	}
}

func TestUnknownWordHint(t *testing.T) {
	_, err := Decode([]byte(`{"input":"x","want":["hesian"]}`))
	require.NotNil(t, err)
	assert.Equal(t, "did you mean hessian?", err.Hint)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"a","input":"declare x 1 expression x","dims":{"x":[2]},"values":{"x":[1,"NaN"]},"wrt":["x"],"want":["value"]}`))
	f.Add([]byte(`{"id":1,"input":"x","cotangent":[1,2e3],"order":3,"sizes":{"m":1.0}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := Decode(line)
		a := Answer{ID: r.ID, Error: err}
		_, again := Decode(a.Append(nil)) // an answer is no request, but it is JSON
		require.NotNil(t, again)
		require.NotContains(t, again.Message, "not JSON")
	})
}
