package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"frechet"
	"frechet/internal/corpus"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHessians has every Hessian of the cases in each mode, and, of scalars, as a linear
// map: its entries multiplied out, the map and its transpose applied, and its diagonal.
func TestHessians(t *testing.T) {
	cases, err := corpus.Load("../../testdata/einstein/appendix.jsonl", "../../testdata/einstein/language.jsonl")
	require.NoError(t, err)
	var in bytes.Buffer
	var run []*corpus.Case
	maps := 0
	for _, c := range cases {
		if c.Expect.Hessian == nil {
			continue
		}
		for _, mode := range frechet.Modes() {
			m := *c
			m.ID += " " + mode
			m.Request = map[string]json.RawMessage{}
			for k, v := range c.Request {
				m.Request[k] = v
			}
			m.Request["mode"], _ = json.Marshal(mode)
			in.Write(m.Line())
			run = append(run, &m)
		}
		if checkHessianMap(t, c) {
			maps++
		}
	}
	for i, answer := range batch(t, in.Bytes()) {
		assert.Nil(t, run[i].Check(answer), run[i].ID)
	}
	require.Greater(t, maps, 20)
	t.Logf("%d Hessians in %d modes, %d as linear maps", len(run)/len(frechet.Modes()), len(frechet.Modes()), maps)
}

// checkHessianMap compares a Hessian as a map with the entries that the case gives; false
// where the expression is no scalar.
func checkHessianMap(t *testing.T, c *corpus.Case) bool {
	ctx := context.Background()
	var src string
	require.NoError(t, json.Unmarshal(c.Request["input"], &src))
	f, err := frechet.Parse(src)
	require.NoError(t, err, c.ID)
	wrt := f.Wrt()
	if len(wrt) != 1 || f.Value().Order() != 0 {
		return false
	}
	env := caseEnv(t, c, f)
	h, err := f.HessianMap(wrt[0])
	require.NoError(t, err, c.ID)
	x := env[wrt[0]]
	n := len(x.Data)
	want := make([]float64, n*n)
	for i, v := range c.Expect.Hessian.(map[string]any)["data"].([]any) {
		want[i], _ = v.(float64)
	}
	same := func(want, got []float64, what string) {
		require.Len(t, got, len(want), "%s of %s", what, c.ID)
		for i := range want {
			assert.LessOrEqual(t, math.Abs(want[i]-got[i]), 1e-8*(1+math.Abs(want[i])), "%s of %s at %d", what, c.ID, i)
		}
	}
	number := func(term *frechet.Term) []float64 {
		p, err := frechet.Compile(term, nil)
		require.NoError(t, err, c.ID)
		out, err := p.Run(ctx, env)
		require.NoError(t, err, c.ID)
		return out.Data
	}
	same(want, number(h.Entries()), "entries")
	d, err := h.Diagonal()
	require.NoError(t, err, c.ID)
	diagonal, applied, pulled := make([]float64, n), make([]float64, n), make([]float64, n)
	v := &frechet.Tensor{Shape: x.Shape, Data: random(rand.New(rand.NewPCG(1, 1)), n)}
	for i := range n {
		diagonal[i] = want[i*n+i]
		for j := range n {
			applied[i] += want[i*n+j] * v.Data[j]
			pulled[j] += want[i*n+j] * v.Data[i]
		}
	}
	same(diagonal, number(d), "diagonal")
	got, err := h.ApplyTo(ctx, v, env)
	require.NoError(t, err, c.ID)
	same(applied, got.Data, "application")
	ht, err := h.Transpose()
	require.NoError(t, err, c.ID)
	got, err = ht.ApplyTo(ctx, v, env)
	require.NoError(t, err, c.ID)
	same(pulled, got.Data, "transpose")
	return true
}

// caseEnv has the values of a case with the shapes of its dims, or as vectors.
func caseEnv(t *testing.T, c *corpus.Case, f *frechet.Func) frechet.Env {
	var values map[string]any
	dims := map[string][]int{}
	require.NoError(t, json.Unmarshal(c.Request["values"], &values))
	if c.Request["dims"] != nil {
		require.NoError(t, json.Unmarshal(c.Request["dims"], &dims))
	}
	env := frechet.Env{}
	for _, p := range f.Params() {
		x := &frechet.Tensor{Shape: []int{}}
		switch v := values[p.Name].(type) {
		case float64:
			x.Data = []float64{v}
		case []any:
			for _, e := range v {
				number, ok := e.(float64)
				require.True(t, ok, fmt.Sprint(e))
				x.Data = append(x.Data, number)
			}
		}
		if d, ok := dims[p.Name]; ok {
			x.Shape = d
		} else if p.Order() == 1 {
			x.Shape = []int{len(x.Data)}
		}
		env[p.Name] = x
	}
	return env
}
