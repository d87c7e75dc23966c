package query_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/internal/query"
)

// link is a function of a chain, as it is written, with its value; ok is false outside of its domain.
type link struct {
	text string
	at   func(x float64) (y float64, ok bool)
	in   func(y float64) bool // whether y is a value of the function: 0 is none of exp
}

// links are all functions of one number that are called by name, and powers.
func links() (out []link) {
	power := func(text string, r float64) {
		out = append(out, link{text, func(x float64) (float64, bool) {
			y := math.Pow(x, r)
			return y, !math.IsNaN(y) && (x != 0 || r > 0)
		}, func(y float64) bool { return y-y == 0 }})
	}
	power("(1 ./ %s)", -1)
	power("sqrt(%s)", 0.5)
	power("(%s .^ -2)", -2)
	power("(%s .^ 3)", 3)
	for _, r := range atom.Rows() {
		if r.F1 != nil && r != atom.Power && r.LaTeX != "" {
			out = append(out, link{r.Spoken() + "(%s)", func(x float64) (float64, bool) { return r.F1(x), r.Domain.Has(x) }, r.Range.Has})
		}
	}
	return out
}

// walk reports whether a chain is left at x, and whether numbers become too large or too small for floating point.
func walk(chain []link, x float64) (left, rounded bool) {
	for _, l := range chain {
		y, ok := l.at(x)
		if !ok {
			return true, false
		}
		if !l.in(y) {
			return false, true
		}
		x = y
	}
	return false, false
}

// Whatever laws make of a chain of functions, data that leave its domain as it is written are found, with the entry; and
// where the data are in it, nothing is said.
func TestLeavingTheDomain(t *testing.T) {
	all := links()
	rapid.Check(t, func(t *rapid.T) {
		var chain []link
		text := "x"
		for range rapid.IntRange(1, 4).Draw(t, "length") {
			l := rapid.SampledFrom(all).Draw(t, "link")
			chain, text = append(chain, l), fmt.Sprintf(l.text, text)
		}
		x := &frechet.Tensor{Shape: []int{3}, Data: make([]float64, 3)}
		var left []int
		for i := range x.Data {
			x.Data[i] = rapid.SampledFrom([]float64{-800, -2, -1, -0.5, 0, 0.25, 1, 3, 900}).Draw(t, "x")
			outside, rounded := walk(chain, x.Data[i])
			if rounded {
				t.Skip("numbers are too large or too small")
			}
			if outside {
				left = append(left, i)
			}
		}
		f, err := frechet.Parse("declare x[n] expression sum(" + text + ") derivative wrt x")
		require.NoError(t, err)
		reply, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
		require.NoError(t, err, text)
		env := frechet.Env{"x": x}
		_, met, err := reply.Evaluate(context.Background(), []*frechet.Term{reply.Outputs[0].Derivs[0].Term}, env)
		require.NoError(t, err, text)
		var found []int
		for _, d := range met.Departures {
			if d.Kind == "outside" {
				found = append(found, d.Entry...)
			}
		}
		if (len(left) == 0) != (len(found) == 0) || len(left) > 0 && slices.Min(found) != left[0] {
			t.Fatalf("%s at %v: %v, not %v: %v", text, x.Data, found, left, met.Departures)
		}
		if len(left) > 0 && rapid.IntRange(0, 4).Draw(t, "check") == 0 {
			if c, err := reply.Check(context.Background(), env); err == nil && c.OK() {
				t.Fatalf("%s at %v is checked", text, x.Data)
			}
		}
	})
}

// What is said, of functions, matrices, data and large numbers.
func TestDepartures(t *testing.T) {
	for _, c := range []struct{ program, data, want string }{
		{"declare x 0 expression exp(log(x)) derivative wrt x", "x=-1", "[log(x) has no value: x is -1]"},
		{"declare x[n] expression sum(exp(-1 ./ relu(x))) derivative wrt x", "x=[2,-1,0]", "[1 ./ relu(x) has no value at entry [1]: relu(x) is 0; and at 1 entry more]"},
		{"declare A[n,n] expression tr(log(A))", "A=[[1,-2],[3,-4]]", "[log(diag(A)) has no value at entry [1]: diag(A) is -4]"},
		{"declare A[n,n] expression logdet(A)", "A=[[-1,0],[0,4]]", "[logdet(A) has no value]"},
		{"declare x[n] expression step(x) .* exp(-x)", "x=[1,-4000]", "[exp(-x) overflows at entry [1]: -x is 4000]"},
		{"declare x[n] expression norm2(x) + sum(softmax(x) + 1 ./ (1 + exp(x)))", "x=[0,0]", "[]"},
		{"declare x[4] f[i:4] = sum{k}_0^(2 - i) (log(x[i]))", "x=[1,2,3,-1]", "[]"},
	} {
		f, err := frechet.Parse(c.program)
		require.NoError(t, err)
		name, literal, _ := strings.Cut(c.data, "=")
		x, err := frechet.ParseTensor(literal)
		require.NoError(t, err)
		env := frechet.Env{name: x}
		reply, err := f.Derive(context.Background(), frechet.Query{})
		require.NoError(t, err)
		_, met, err := reply.Evaluate(context.Background(), []*frechet.Term{reply.Outputs[0].Value}, env)
		require.NoError(t, err)
		require.Equal(t, c.want, fmt.Sprint(met.Departures), c.program)
	}
}

// What looking for departures costs: nothing where a program has values everywhere, and else one more look at the operands.
func BenchmarkDomain(b *testing.B) {
	for _, text := range []string{"sum(exp(x))", "sum(log(x))", "sum(log(A*x))", "sum(log(sin(x) + 2))"} {
		f, err := frechet.Parse("declare A[m,n] x[n] expression " + text)
		require.NoError(b, err)
		env := frechet.Env{"A": ones(1000, 1000), "x": ones(1000)}
		reply, err := f.Derive(context.Background(), frechet.Query{})
		require.NoError(b, err)
		terms := []*frechet.Term{reply.Outputs[0].Value}
		b.Run(text+"/without", func(b *testing.B) {
			for range b.N {
				p, err := query.CompileAll(terms, nil)
				require.NoError(b, err)
				_, err = p.RunAll(context.Background(), env)
				require.NoError(b, err)
			}
		})
		b.Run(text+"/with", func(b *testing.B) {
			for range b.N {
				_, _, err := reply.Evaluate(context.Background(), terms, env)
				require.NoError(b, err)
			}
		})
	}
}

func ones(shape ...int) *frechet.Tensor {
	t := eval.NewTensor(shape...)
	for i := range t.Data {
		t.Data[i] = 1
	}
	return t
}
