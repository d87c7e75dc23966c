package query_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/internal/corpus"
)

// TestJointReadsBack: the program of all results of a case has, read again, the values of the results, each once; a result that is
// not printed is another one with its axes exchanged.
func TestJointReadsBack(t *testing.T) {
	all, err := corpus.Programs("../..")
	require.NoError(t, err)
	programs := all["closed"]
	for _, text := range []string{
		"declare X[m,n] y[m] w[n] expression norm2(tanh(X*w) - y)^2 hessian wrt w, y",
		"declare x[d] W[h,d] b[h] V[k,h] expression sum(exp(V*tanh(W*x + b))) derivative wrt W, b, V",
		"declare x[n] A[n,n] expression f = x'*A*x expression g = sin(A*x) hessian wrt x",
		"declare value[n] u[n] expression sum(value .* exp(u)) hessian wrt value, u",
	} {
		programs = append(programs, corpus.Program{ID: text, Text: text})
	}
	texts, same := 0, 0
	for _, p := range programs {
		f, err := frechet.Parse(p.Text, frechet.WithLanguage(p.Language))
		require.NoError(t, err, p.ID)
		wrt, err := p.Variables()
		require.NoError(t, err, p.ID)
		reply, err := f.Derive(context.Background(), frechet.Query{Wrt: wrt, Order: frechet.AnyOrder})
		require.NoError(t, err, p.ID)
		named, _, err := reply.Joint("text", nil)
		require.NoError(t, err, p.ID)
		sizes, env, want := resultsAt(t, f, named)
		byName := map[string]*frechet.Tensor{}
		var printed []string
		for i, x := range named {
			if byName[x.Name] = want[i]; x.Same == "" {
				printed = append(printed, x.Name)
			}
		}
		for _, x := range named {
			if x.Same != "" {
				require.InDelta(t, norm(byName[x.Name]), norm(byName[x.Same]), 1e-9*(1+norm(byName[x.Name])), p.ID)
				same++
			}
		}
		for _, format := range []string{"text", "matrix", "einstein", "combinators"} {
			_, text, err := reply.Joint(format, nil)
			require.NoError(t, err, p.ID)
			if format != "combinators" {
				text = declared(f) + text
			}
			outputs := values(t, text, sizes, env)
			require.Len(t, outputs, len(printed), text)
			for k, out := range outputs {
				want := byName[printed[k]]
				if format != "combinators" {
					require.Equal(t, printed[k], out.name, text)
				}
				require.Equal(t, want.Shape, out.value.Shape, text)
				for i, v := range want.Data {
					require.InDelta(t, v, out.value.Data[i], 1e-8*(1+math.Abs(v)), "%s in\n%s", printed[k], text)
				}
				texts++
			}
		}
	}
	require.Greater(t, texts, 1000)
	require.Equal(t, 2, same) // of the first and the last program
}

// resultsAt are values of variables at which all results have one, and these.
func resultsAt(t *testing.T, f *frechet.Func, named []frechet.Named) (sizes frechet.Sizes, env frechet.Env, out []*frechet.Tensor) {
	var terms []*frechet.Term
	for _, x := range named {
		terms = append(terms, x.Term)
	}
	var err error
	for seed := uint64(1); seed < 20; seed++ {
		sizes = f.RandomSizes(nil, seed)
		for i, s := range f.Symbols() { // some of them square, some tall
			sizes[s] = 2 + (int64(seed)>>i)%2*2
		}
		env, err = f.RandomEnv(context.Background(), sizes, seed)
		require.NoError(t, err)
		p, e := frechet.CompileAll(terms, sizes)
		require.NoError(t, e)
		if out, err = p.RunAll(context.Background(), env); err == nil {
			return sizes, env, out
		}
	}
	require.NoError(t, err)
	return nil, nil, nil
}

type output struct {
	name  string
	value *frechet.Tensor
}

// values are those of the expressions of a program.
func values(t *testing.T, text string, sizes frechet.Sizes, env frechet.Env) (out []output) {
	f, err := frechet.Parse(text, frechet.WithSizes(sizes), frechet.WithDims(frechet.DimsOf(env)))
	require.NoError(t, err, text)
	r, err := f.Derive(context.Background(), frechet.Query{})
	require.NoError(t, err, text)
	var terms []*frechet.Term
	for _, o := range r.Outputs {
		out, terms = append(out, output{name: o.Name}), append(terms, o.Value)
	}
	vs, _, err := r.Evaluate(context.Background(), terms, env)
	require.NoError(t, err, text)
	for i := range out {
		out[i].value = vs[i]
	}
	return out
}

func norm(x *frechet.Tensor) (sum float64) {
	for _, v := range x.Data {
		sum += v * v
	}
	return sum
}

// declared are the variables of f, with their sizes.
func declared(f *frechet.Func) string {
	text := "declare"
	for _, p := range f.Params() {
		text += fmt.Sprintf(" %s[%s]", p.Name, strings.Join(p.Axes, ","))
	}
	return text + "\n"
}
