package conformance_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"frechet"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFormulas reads formulas as people write them: the variables are assumed as the file says, and the gradient by all and the
// Hessian by one of them agree with differences.
func TestFormulas(t *testing.T) {
	text, err := os.ReadFile("../../testdata/language/formulas.txt")
	require.NoError(t, err)
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		formula, want, _ := strings.Cut(line, " =>")
		want, always := strings.CutPrefix(want, ">")
		want = want[1:]
		want, tensor := strings.CutPrefix(want, "tensor: ")
		f, err := frechet.Parse(formula, frechet.WithScalar())
		if !assert.NoError(t, err, formula) {
			continue
		}
		assert.Equal(t, "declare "+want, f.Assumed(), formula)
		if always {
			g, err := frechet.Parse(formula)
			if assert.NoError(t, err, formula) {
				assert.Equal(t, "declare "+want, g.Assumed(), formula)
			}
		}
		var all []string
		for _, p := range f.Params() {
			all = append(all, p.Name)
		}
		checkFormula(t, f, formula, all, 1)
		if i %= max(1, len(all)); len(all) > 0 && !tensor {
			checkFormula(t, f, formula, all[i:i+1], 2)
		}
	}
}

func checkFormula(t *testing.T, f *frechet.Func, formula string, wrt []string, order int) {
	ctx := context.Background()
	reply, err := f.Derive(ctx, frechet.Query{Wrt: wrt, Order: order})
	if !assert.NoError(t, err, formula) {
		return
	}
	var sizes frechet.Sizes
	if strings.Contains(f.Assumed(), "[m,n]") {
		sizes = frechet.Sizes{"m": 3, "n": 2} // X'*X is regular
	}
	env, err := f.RandomEnv(ctx, sizes, 1)
	if !assert.NoError(t, err, formula) {
		return
	}
	report, err := reply.Check(ctx, env)
	if !assert.NoError(t, err, formula) {
		return
	}
	for _, c := range report.Items {
		assert.True(t, c.OK, "%s: %s: %g", formula, c.What, c.Error)
	}
}
