package elab

import (
	"testing"

	"frechet/einsum/size"
	"frechet/syntax"

	"github.com/stretchr/testify/require"
)

func TestReshapes(t *testing.T) {
	for _, c := range []struct{ expr, shape, code string }{
		{"minor(A, 0)", "[]", ""},
		{"minor(A, 2)", "[n,n,n,n]", ""},
		{"minor(X, 1)", "", "T013"},
		{"minor(A, 33)", "", "T008"},
		{"minor(A, -1)", "", "T008"},
		{"minor(A, t)", "", "T008"},
		{"merge(X, 0)", "[m*n]", ""},
		{"merge(X, 1)", "", "T008"},
		{"split(y, 1, 2, 3)", "", "T008"},
		{"merge(y, 0)", "", "T007"},
		{"split(merge(X, 0), 0, m, n)", "[m,n]", ""},
		{"split(merge(X, 0), 0, n, m)", "[n,m]", ""},
		{"split(v, 0, 2, 3)", "[2,3]", ""},
		{"split(v, 0, 2, 2)", "", "T012"},
		{"split(v, 0, 2, q)", "", "N002"},
		{"split(t, 0, 1, 1)", "", "T007"},
	} {
		file, err := syntax.Parse("declare A[n,n] X[m,n] y[m] v[6] t[] expression "+c.expr, syntax.Limits{})
		require.NoError(t, err, c.expr)
		p, err := Elaborate(file, Options{})
		if c.code != "" {
			var e *syntax.Error
			require.ErrorAs(t, err, &e, c.expr)
			require.Equal(t, syntax.Code(c.code), e.Code, c.expr)
			continue
		}
		require.NoError(t, err, c.expr)
		require.Equal(t, c.shape, size.Shape(p.Outputs[0].Node.Shape()), c.expr)
	}
}
