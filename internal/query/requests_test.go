package query_test

import (
	"context"
	"fmt"
	"frechet"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A program's requests are answered one by one: of each order that one of them names there is what the
// requests of that order say, by each sequence of the variables of one request, and nothing else; of
// another order, what is on the way. The values are those of a query for everything.
func TestRequestsGiveWhatTheyName(t *testing.T) {
	const source = "declare x[n] y[n] s[]\nexpression f = s * sum(sin(x .* y)) + sum(y .^ 3)\n"
	vars := []string{"x", "y", "s"}
	env := frechet.Env{"x": {Shape: []int{2}, Data: []float64{.3, -.4}}, "y": {Shape: []int{2}, Data: []float64{.7, .2}}, "s": {Shape: []int{}, Data: []float64{1.5}}}
	f, err := frechet.Parse(source)
	require.NoError(t, err)
	const most = 3
	whole, err := f.Derive(context.Background(), frechet.Query{Wrt: vars, Order: most})
	require.NoError(t, err)
	all := map[string]*frechet.Tensor{}
	for _, d := range whole.Outputs[0].Derivs {
		all[strings.Join(d.Wrt, " ")] = valueOf(t, d.Term, env)
	}
	rapid.Check(t, func(t *rapid.T) {
		src, byOrder := source, map[int]map[string]bool{}
		var sequences func(wrt []string, order int) []string
		sequences = func(wrt []string, order int) (out []string) {
			if order == 0 {
				return []string{""}
			}
			for _, x := range wrt {
				for _, rest := range sequences(wrt, order-1) {
					out = append(out, strings.TrimSpace(x+" "+rest))
				}
			}
			return out
		}
		asked := map[string]bool{}
		way := map[string]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "requests") {
			by := rapid.Permutation(vars).Draw(t, "variables")[:rapid.IntRange(1, 3).Draw(t, "count")]
			order := rapid.IntRange(1, most).Draw(t, "order")
			kind := map[int]string{1: "gradient wrt %s", 2: "hessian wrt %s", 3: "derivative wrt %s order 3"}[order]
			src += fmt.Sprintf(kind, strings.Join(by, ", ")) + "\n"
			if byOrder[order] == nil {
				byOrder[order] = map[string]bool{}
			}
			for k := 1; k <= order; k++ {
				for _, s := range sequences(by, k) {
					way[s] = true
					if k == order {
						byOrder[order][s], asked[s] = true, true
					}
				}
			}
		}
		want := map[string]bool{}
		for s := range way {
			if of := byOrder[1+strings.Count(s, " ")]; of == nil || of[s] {
				want[s] = true
			}
		}
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		r, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
		require.NoError(t, err, src)
		for _, d := range r.Outputs[0].Derivs {
			s := strings.Join(d.Wrt, " ")
			require.True(t, want[s], "%s by %s", src, s)
			require.Equal(t, asked[s], r.Asked(d), "%s by %s", src, s)
			delete(want, s)
			v := valueOf(t, d.Term, env)
			require.Equal(t, all[s].Shape, v.Shape)
			require.InDeltaSlice(t, all[s].Data, v.Data, 1e-12, "%s by %s", src, s)
		}
		require.Empty(t, want, src)
		require.True(t, slices.IsSortedFunc(r.Outputs[0].Derivs, func(a, b frechet.Deriv) int { return a.Order - b.Order }))
	})
}

func valueOf(t require.TestingT, term *frechet.Term, env frechet.Env) *frechet.Tensor {
	p, err := frechet.Compile(term, nil)
	require.NoError(t, err)
	v, err := p.Run(context.Background(), env)
	require.NoError(t, err)
	return v
}
