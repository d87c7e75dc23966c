package normal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite/normal"
)

// Functions that may have no finite value are at the entries that are read, unless something reads all. Others
// stay on the whole.
func TestFunctionsAreAtTheEntriesThatAreRead(t *testing.T) {
	three := size.Const(3)
	for src, want := range map[string]string{
		"ein(ii->i; log(A))":                             "log(ein(ii->i; A))",
		"ein(ii->i; sin(A))":                             "ein(ii->i; sin(A))",
		"ein(ii->i; sin(log(A)))":                        "sin(log(ein(ii->i; A)))",
		"ein(ii->; log(A)) + ein(ij->; log(A))":          "let v1 = log(A) in ein(ii->; v1) + ein(ij->; v1)",
		"ein(ii->i; log(A) + B)":                         "ein(ii->i; B) + log(ein(ii->i; A))",
		"ein(ii,i->ii; exp(A), x)":                       "ein(i,i->ii; x, exp(ein(ii->i; A)))",
		"ein(ii->i; max(log(A), B))":                     "max(ein(ii->i; B), log(ein(ii->i; A)))",
		"ein([i:3,2*i:3]->[i:2]|i=2; log(A))":            "log(ein([i:3,2*i:3]->[i:2]|i=2; A))",
		"ein([i:3,j:3]->[i:3]|i=3,j=3,i-j>=0; log(A))":   "ein([i:3,j:3]->[i:3]|i=3,j=3,i-j>=0; log(ein([i:3,j:3]->[i:3,j:3]|i=3,j=3,i-j>=0; A)))",
		"ein(ii,ii->i; power[-1](A), A) + ein(ij->i; B)": "ein(ij->i; B) + ein(ii,i->i; A, power[-1](ein(ii->i; A)))",
	} {
		s := combinators.NewStore()
		env := &denote.Env{Values: []denote.Binding{{Name: "x", Value: s.Var("x", []size.Size{three})},
			{Name: "A", Value: s.Var("A", []size.Size{three, three})}, {Name: "B", Value: s.Var("B", []size.Size{three, three})}}}
		term, err := text.Parse(src)
		require.NoError(t, err, src)
		n, err := denote.ReadNode(s, term, env)
		require.NoError(t, err, src)
		got := normal.New(s, nil).Simplify(n)[0]
		assert.Equal(t, want, text.Printer{}.Print(text.Value(got)), src)
		require.Same(t, got, normal.New(s, nil).Simplify(got)[0], "%s is simplified further", src)
	}
}
