package program_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// A loss of testdata/python, with its data, and what torch says of it.
type loss struct {
	Source    string
	Values    map[string]json.RawMessage
	Value     *float64
	Gradients map[string]json.RawMessage
}

// refused are those that have no meaning here, with a word of the error.
var refused = map[string]string{"sorted_residuals": "sort", "indexed_cross_entropy": "arange", "loop_of_steps": "for", "nuclear_norm": "svd", "cholesky_log_det": "cholesky"}

func tensorOf(t *testing.T, text json.RawMessage) *frechet.Tensor {
	x, err := frechet.ParseTensor(string(text))
	require.NoError(t, err)
	return x
}

// near compares with the largest entry.
func near(got, want []float64) bool {
	scale := 1.0
	for _, x := range want {
		scale = max(scale, math.Abs(x))
	}
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*scale })
}

// compare reads a loss and compares its value and gradients; "" where all agree.
func (l loss) compare(t *testing.T) string {
	f, err := frechet.Parse(l.Source, frechet.WithLanguage("numpy"))
	if err != nil {
		return err.Error()
	}
	env := frechet.Env{}
	var wrt []string
	for _, p := range f.Params() {
		name := strings.TrimSuffix(p.Name, "_") // of a word that is reserved here
		if l.Values[name] == nil {
			return "there is no argument " + p.Name
		}
		env[p.Name] = tensorOf(t, l.Values[name])
		wrt = append(wrt, p.Name)
	}
	f, err = f.Elaborate(frechet.WithDims(frechet.DimsOf(env)))
	if err != nil {
		return err.Error()
	}
	r, err := f.Derive(context.Background(), frechet.Query{Wrt: wrt, Order: 1})
	if err != nil {
		return err.Error()
	}
	terms := []*frechet.Term{r.Outputs[0].Value}
	for _, d := range r.Outputs[0].Derivs {
		terms = append(terms, d.Term)
	}
	got, _, err := r.Evaluate(context.Background(), terms, env)
	if err != nil {
		return err.Error()
	}
	if !near(got[0].Data, []float64{*l.Value}) {
		return "another value"
	}
	for i, name := range wrt {
		if !near(got[i+1].Data, tensorOf(t, l.Gradients[strings.TrimSuffix(name, "_")]).Data) {
			return "another gradient by " + name
		}
	}
	return ""
}

// TestLossesInPython: losses as public code has them are read, and have the values and gradients of torch; what has no meaning is
// refused by its name.
func TestLossesInPython(t *testing.T) {
	text, err := os.ReadFile("../../testdata/python/expected.json")
	require.NoError(t, err)
	var losses map[string]loss
	require.NoError(t, json.Unmarshal(text, &losses))
	agree := 0
	for name, l := range losses {
		wrong := l.compare(t)
		if word := refused[name]; word != "" {
			require.Contains(t, wrong, word, name)
			continue
		}
		if wrong != "" {
			t.Errorf("%s: %s", name, strings.ReplaceAll(wrong, "\n", "\n  "))
			continue
		}
		agree++
	}
	t.Logf("%d of %d agree", agree, len(losses))
	require.GreaterOrEqual(t, agree, 150)
}
