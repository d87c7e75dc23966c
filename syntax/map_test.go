package syntax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

// The definition of a map runs to the next statement, and prints as it was read.
func TestMapStatements(t *testing.T) {
	for src, want := range map[string][]string{
		"map L : R[n] -o R[m] = (A *(ij,j->i) _)\nlet y = L(x) expression y":                         {"L : R[n] -o R[m] = (A *(ij,j->i) _)"},
		"map f : R[n] -> R[n] = let g = sin . cos; h = g in h . g let y = f(x) expression y":         {"f : R[n] -> R[n] = let g = sin . cos; h = g in h . g"},
		"map f : R[n] -> R[n] = let g = let h = sin in h . h in g\nexpression f(x)":                  {"f : R[n] -> R[n] = let g = let h = sin in h . h in g"},
		"map f : R -> R = sin map g : R -> R = red{(i,j) | i = 2*j} . f # a remark\nexpression g(x)": {"f : R -> R = sin", "g : R -> R = red{(i,j) | i = 2*j} . f"},
		"map f : R[n] → R[n] = sin ∘ cos derivative wrt x expression f(x)":                           {"f : R[n] → R[n] = sin ∘ cos"},
		"map f : R[n] -> R[n] = <sin, cos> y[i] = x[i] expression f(x)":                              {"f : R[n] -> R[n] = <sin, cos>"},
		"map f : R[n] -> R[n] expression f(x)":                                                       {"f : R[n] -> R[n] expression f(x)"}, // no term
		"expression map(x)":                                                                          nil,
		"let map = x expression map":                                                                 nil,
	} {
		f, err := syntax.Parse("declare x[n] A[m,n] "+src, syntax.Limits{})
		if want != nil && src == "map f : R[n] -> R[n] expression f(x)" {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, src)
		var maps []string
		for _, s := range f.Stmts {
			if s.Kind == syntax.Map {
				maps = append(maps, s.Text)
			}
		}
		require.Equal(t, want, maps, src)
		printed := syntax.PrintFile(f)
		again, err := syntax.Parse(printed, syntax.Limits{})
		require.NoError(t, err, printed)
		require.Equal(t, printed, syntax.PrintFile(again))
	}
}
