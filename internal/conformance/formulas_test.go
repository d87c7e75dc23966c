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
// Hessian by each of them agree with differences.
func TestFormulas(t *testing.T) {
	text, err := os.ReadFile("../../testdata/language/formulas.txt")
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		formula, want, _ := strings.Cut(line, " => ")
		want, tensor := strings.CutPrefix(want, "tensor: ")
		f, err := frechet.Parse(formula, frechet.WithScalar())
		if !assert.NoError(t, err, formula) {
			continue
		}
		assert.Equal(t, "declare "+want, f.Assumed(), formula)
		var all []string
		for _, p := range f.Params() {
			all = append(all, p.Name)
		}
		checkFormula(t, f, formula, all, 1)
		for i := range all {
			if !tensor {
				checkFormula(t, f, formula, all[i:i+1], 2)
			}
		}
	}
}

func checkFormula(t *testing.T, f *frechet.Func, formula string, wrt []string, order int) {
	ctx := context.Background()
	reply, err := f.Derive(ctx, frechet.Query{Wrt: wrt, Order: order})
	if !assert.NoError(t, err, formula) {
		return
	}
	env, err := f.RandomEnv(ctx, nil, 1)
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
