package query_test

import (
	"context"
	"frechet"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// checked is the report of a check of operations on an expression.
func checked(t require.TestingT, f *frechet.Func, env frechet.Env, ops ...frechet.Operation) *frechet.CheckReport {
	ctx := context.Background()
	r, err := f.Derive(ctx, frechet.Query{Operators: ops})
	require.NoError(t, err)
	report, err := r.Check(ctx, env)
	require.NoError(t, err)
	return report
}

// The results of all operations on random programs agree with differences.
func TestChecksOfOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawOperated(t)
		src := c.text("r")
		numbers := func(f *frechet.Func) *frechet.Func {
			f, err := f.Elaborate(frechet.WithDims(frechet.DimsOf(c.env)))
			require.NoError(t, err)
			return f
		}
		agrees := func(r *frechet.CheckReport, items int) {
			require.Len(t, r.Items, items)
			for _, i := range r.Items { // differences have few digits where a function is nearly flat
				require.True(t, i.OK || i.Error < 0.02, "%s\n%s", r, src)
			}
		}
		report := checked(t, numbers(c.parse(src)), c.env, frechet.Operation{Kind: "jvp", Wrt: c.x, Along: "along"}, frechet.Operation{Kind: "vjp", Wrt: c.x, Along: "back"})
		agrees(report, 2)
		outer := rapid.SampledFrom([]string{"sum(square(r))", "sum(softplus(r))", "sum(r .* r .* back)", "sum(back .* sin(r))"}).Draw(t, "outer")
		src = c.text(outer)
		report = checked(t, numbers(c.parse(src)), c.env, frechet.Operation{Kind: "hvp", Wrt: c.x, Along: "along"},
			frechet.Operation{Kind: "diag-hessian", Wrt: c.x}, frechet.Operation{Kind: "gauss-newton", Wrt: c.x, Through: "r"})
		agrees(report, 4)
	})
}

// A wrong rule of derivatives or of adjoints makes the check of every operation fail that uses it.
func TestWrongRulesFailChecksOfOperations(t *testing.T) {
	const source = "declare A[3,3] x[3] v[3]\nlet z = sin(A*x) + exp(x)\nexpression "
	const scalar = "sum(z .^ 3) + sum(sin(z))"
	env := frechet.Env{"A": sample(make([]string, 2), 1), "x": sample(make([]string, 1), 2), "v": sample(make([]string, 1), 3)}
	rules := map[string]string{
		"D":       "rule wrong [U V, f g: U -> V, x: U] D(f + g)(x) => D(f)(x)",
		"adjoint": "rule wrong [U V, f g: U -o V] adjoint(f + g) => adjoint(f)",
	}
	for _, c := range []struct {
		op         frechet.Operation
		expression string
		by         []string
	}{
		{frechet.Operation{Kind: "jvp", Wrt: "x", Along: "v"}, "z", []string{"D"}},
		{frechet.Operation{Kind: "vjp", Wrt: "x", Along: "v"}, "z", []string{"D", "adjoint"}},
		{frechet.Operation{Kind: "hvp", Wrt: "x", Along: "v"}, scalar, []string{"D", "adjoint"}},
		{frechet.Operation{Kind: "diag-hessian", Wrt: "x"}, scalar, []string{"D", "adjoint"}},
		{frechet.Operation{Kind: "gauss-newton", Wrt: "x", Through: "z"}, scalar, []string{"D", "adjoint"}},
	} {
		f, err := frechet.Parse(source + c.expression)
		require.NoError(t, err)
		report := checked(t, f, env, c.op)
		require.True(t, report.OK(), "%s: %s", c.op.Kind, report)
		for _, by := range c.by {
			wrong, err := calculus(frechet.RuleFile{Name: "own.rules", Text: rules[by]})
			require.NoError(t, err)
			f, err := frechet.Parse(source+c.expression, frechet.WithRules(wrong))
			require.NoError(t, err)
			report := checked(t, f, env, c.op)
			require.False(t, report.OK(), "%s with a wrong rule of %s: %s", c.op.Kind, by, report)
		}
	}
}
