package syntax

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBinaryProductsUseTheThesisGrammar(t *testing.T) {
	for src, want := range map[string]string{
		"X *(ij->ji)":                 "X *(ij,->ji) 1",
		"X *(ij->)":                   "X *(ij,->) 1",
		"x *(i->ij)":                  "x *(i,j->ij) 1",
		"x *(i->ii)":                  "x *(i,ij->ij) delta(1)",
		"x *(i->iii)":                 "x *(i,ij->ij) delta(1) *(ij,ik->ijk) delta(1)",
		"x *(i,->ii) s":               "x *(i,->i) s *(i,ij->ij) delta(1)",
		"X *(ij->iji)":                "X *(ij,ik->ijk) delta(1)",
		"sin(X *(ij->i)) + x *(i->i)": "sin(X *(ij,->i) 1) + x *(i,->i) 1",
		"A *(ij,jk->ik) B":            "A *(ij,jk->ik) B",
	} {
		f, err := Parse("declare X 2 x 1 s 0 A 2 B 2 expression "+src, Limits{})
		require.NoError(t, err, src)
		require.Equal(t, want, Print(BinaryProducts(f.Stmts[1].Expr)), src)
	}
}
