package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"frechet/internal/corpus"

	"github.com/stretchr/testify/require"
)

// TestClosedForms differentiates every function of testdata/closed in both notations and
// compares the derivative at two random points with every closed form that the file gives.
func TestClosedForms(t *testing.T) {
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	type question struct {
		form *corpus.Form
		text string
		p    *corpus.Point
	}
	var first []question
	var in bytes.Buffer
	for _, f := range forms {
		for seed := range uint64(2) {
			p, err := f.Draw(seed + 1)
			require.NoError(t, err)
			for _, text := range f.Functions() {
				first = append(first, question{f, text, p})
				request(&in, map[string]any{"input": f.Program(text), "dims": p.Dims, "values": p.Values,
					"wrt": f.Wrt, "order": f.Order})
			}
		}
	}
	var second []question
	var derivatives []*tensor
	answers := batch(t, in.Bytes())
	in.Reset()
	for i, q := range first {
		var a answer
		require.NoError(t, json.Unmarshal(answers[i], &a))
		d := a.Derivative
		if q.form.Order == 2 {
			d = a.Hessian
		}
		if d == nil {
			t.Errorf("%s: %s: %s", q.form.ID, q.text, answers[i])
			continue
		}
		for _, closed := range q.form.Closed() {
			second = append(second, question{q.form, closed, q.p})
			derivatives = append(derivatives, d)
			request(&in, evaluation(q.form, closed, q.p, d.Shape))
		}
	}
	failed := map[string]bool{}
	answers = batch(t, in.Bytes())
	for i, q := range second {
		var a answer
		require.NoError(t, json.Unmarshal(answers[i], &a))
		if a.Value == nil {
			t.Errorf("%s: %s: %s", q.form.ID, q.text, answers[i])
			failed[q.form.ID] = true
		} else if e := distance(derivatives[i], a.Value); !(e <= 1e-8) {
			t.Errorf("%s: %s: off by %.1e", q.form.ID, q.text, e)
			failed[q.form.ID] = true
		}
	}
	t.Logf("%d functions, %d texts, %d closed forms compared; %d fail", len(forms), len(first), len(second), len(failed))
}

// evaluation asks for the value of a closed form. A zero of the derivative's shape is
// added, because a closed form may leave sizes to its context: delta(2), 2.
func evaluation(f *corpus.Form, closed string, p *corpus.Point, shape []int) map[string]any {
	const zero = "Zero"
	dims, values := map[string][]int{zero: shape}, map[string][]float64{}
	n := 1
	for _, d := range shape {
		n *= d
	}
	values[zero] = make([]float64, n)
	for name := range p.Dims {
		dims[name], values[name] = p.Dims[name], p.Values[name]
	}
	lets, expr, found := strings.Cut(closed, "expression ")
	if !found {
		lets, expr = "", closed
	}
	return map[string]any{
		"input": fmt.Sprintf("declare %s %s %d\n%sexpression (%s) + %s", f.Declare, zero, len(shape), lets, expr, zero),
		"dims":  dims, "values": values,
	}
}

type tensor struct {
	Shape []int     `json:"shape"`
	Data  []float64 `json:"data"`
}

type answer struct {
	Value      *tensor `json:"value"`
	Derivative *tensor `json:"derivative"`
	Hessian    *tensor `json:"hessian"`
}

// distance is the largest difference of two tensors, relative to the largest entry.
func distance(a, b *tensor) float64 {
	if fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) {
		return math.Inf(1)
	}
	scale, worst := 1.0, 0.0
	for i := range a.Data {
		scale = max(scale, math.Abs(b.Data[i]))
		if d := math.Abs(a.Data[i] - b.Data[i]); !(d <= worst) {
			worst = d // also NaN
		}
	}
	return worst / scale
}

// request appends one line of the batch protocol.
func request(w *bytes.Buffer, r map[string]any) {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	w.Write(append(line, '\n'))
}
