package frechet_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// What is printed in combinators reads back as a program with the same values.
func TestCombinatorsReadBack(t *testing.T) {
	ctx := context.Background()
	for _, src := range []string{
		"declare x 1 expression sum(sin(x)) derivative wrt x",
		"declare X[m,n] y[m] w[n] expression sum(log(exp(-y .* (X*w)) + 1)) derivative wrt w",
		"declare A[n,n] x[n] expression x'*A*x derivative wrt x order 2",
		"declare A[n,n] expression logdet(A) derivative wrt A",
		"declare A[n,n] expression A *(ii->) derivative wrt A",
		"declare A[m,n] expression softmax(A, axis=1) derivative wrt A",
		"declare x[n] expression norm2(x) derivative wrt x order 2",
		"declare x[] expression 3 derivative wrt x",
		"declare x[n] expression relu(x) .^ 3 derivative wrt x",
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		r, err := f.Derive(ctx, frechet.Query{Order: frechet.AnyOrder})
		require.NoError(t, err, src)
		for _, d := range append(r.Outputs[0].Derivs, frechet.Deriv{Term: r.Outputs[0].Value}) {
			printed, err := d.Term.Text("combinators")
			require.NoError(t, err, src)
			require.Equal(t, numbers(t, src, d), numbers(t, printed, frechet.Deriv{}), printed)
		}
	}
}

// numbers evaluates the value or a derivative of a program at a fixed point.
func numbers(t *testing.T, src string, d frechet.Deriv) []float64 {
	ctx := context.Background()
	language := frechet.WithLanguage("auto")
	if strings.Contains(src, " : ") {
		language = frechet.WithLanguage("combinators")
	}
	f, err := frechet.Parse(src, language)
	require.NoError(t, err, src)
	sizes := frechet.Sizes{}
	for _, s := range f.Symbols() {
		sizes[s] = 2
	}
	env := frechet.Env{}
	for _, p := range f.Params() {
		x := &frechet.Tensor{Data: []float64{1}}
		for range p.Axes {
			x.Shape = append(x.Shape, 2)
			x.Data = append(x.Data, x.Data...)
		}
		for i := range x.Data {
			x.Data[i] = 1 / float64(i+len(p.Name)) // the determinant is positive
		}
		env[p.Name] = x
	}
	f, err = frechet.Parse(src, language, frechet.WithDims(frechet.DimsOf(env)))
	require.NoError(t, err, src)
	r, err := f.Derive(ctx, frechet.Query{Wrt: d.Wrt[:min(1, len(d.Wrt))], Order: d.Order})
	require.NoError(t, err, src)
	term := r.Outputs[0].Value
	if d.Order > 0 {
		term = r.Outputs[0].Derivs[d.Order-1].Term
	}
	values, _, err := r.Evaluate(ctx, []*frechet.Term{term}, env)
	require.NoError(t, err, src)
	out := make([]float64, len(values[0].Data))
	for i, v := range values[0].Data {
		out[i] = math.Round(v*1e8) / 1e8
	}
	return out
}

func TestCombinatorsInBatch(t *testing.T) {
	answers := ask(t, nil,
		`{"language":"combinators","input":"f(x) : R[n] -> R = *(i,i->) . dup . sin","values":{"x":[0,1]},"wrt":"x"}`,
		`{"language":"combinators","input":"f(x) : R[n] -> R = *(i,i->) . dup . sine","values":{"x":[0,1]},"wrt":"x"}`,
		`{"language":"combinators","input":"declare A[2,2] f : R[2] -o R[2] = (A *(ij,j->i) _)","values":{"A":[1,2,3,4],"x":[1,1]},"wrt":"x","format":"combinators"}`,
		`{"language":"combinators","input":"f(x) : R[n] -> R[n] = sin","dims":{"x":[2,3]}}`)
	assert.InDeltaSlice(t, []any{0.0, 0.9092974268256817}, at(answers[0], "derivative.data"), 1e-12)
	assert.Equal(t, "undeclared-variable", at(answers[1], "error.kind"))
	assert.Equal(t, 37.0, at(answers[1], "error.column"))
	assert.Equal(t, []any{3.0, 7.0}, at(answers[2], "value.data"))
	assert.Equal(t, []any{1.0, 2.0, 3.0, 4.0}, at(answers[2], "derivative.data"))
	assert.Equal(t, "T016", at(answers[3], "error.code"))
}

// Every kind of wrong program is an error of the user with a place, never a crash.
func TestCombinatorErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                          "defines nothing",
		"f : R[n] -> R[n] =":                        "ends too early",
		"f : R[n] -> = sin":                         "ends too early",
		"sin":                                       "space of the argument is not known",
		"f : S -> R = sin":                          "is no space",
		"f : R[n] -> R[n] = g":                      "g is no map",
		"f : R[n] -> R[m] = sin":                    "R[n] -> R[n]",
		"f : R[n] -o R[n] = cos":                    "only known as a map",
		"sin : R -> R = cos":                        "a meaning already",
		"f(a, b) : R -> R = sin":                    "2 names",
		"f : R x R -> R = sin":                      "1 operands are open",
		"f : R[n] -> R[n] = sin wrt":                "cannot stand here",
		"declare x[n] f : R[n] -> R[n] = x":         "is a value",
		"f : R -> R = sin derivative wrt y":         "neither declared",
		"f : R[2] -> R[2] = red{(0)}":               "1 indices",
		"f : R[2] -> R[2] = red{0,1":                "a relation is written",
		"f : R[2] -> R[2] = red{(i,j) | i}":         "is no condition",
		"f : R -> R = let x = sin . x in x":         "defined by itself",
		"f : R -> R = adjoint()":                    "needs an argument",
		"f : R[n] -> R[n] = scan[k]":                "",
		"f : R[n] -> R = D(sin)":                    "",
		"f : R[n] -> R[n] = adjoint(sin)":           "not linear",
		"f : R -> R = " + strings.Repeat("(", 2000): "nested",
	} {
		_, err := frechet.Parse(src, frechet.WithLanguage("combinators"))
		var e *frechet.Error
		require.ErrorAs(t, err, &e, src)
		assert.Contains(t, e.Message, want, src)
		assert.NotEqual(t, "L010", string(e.Code), src)
	}
	long := "f : R -> R = sin" + strings.Repeat(" . sin", 50_000)
	_, err := frechet.Parse(long, frechet.WithLanguage("combinators"))
	require.NoError(t, err)
}
