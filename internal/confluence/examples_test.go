package confluence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite/normal"
)

// examples are writings of one value, a line for each reason for which one might be told from
// another. s, t : R[]; x, y : R[n]; A, B : R[n,n].
var examples = []struct {
	name     string
	writings []string
}{
	{"of sums that are multiples of one another, the same stands for all", []string{
		"exp(x - y) .* x + exp(y - x) .* y",
		"exp(y - x) .* y + exp(x - y) .* x",
		"y .* exp(-x + y) + x .* exp(-y + x)",
	}},
	{"a term that is left out uses nothing", []string{
		"-1/2 .* (y + -1/2 .* x + (x - x)) + 2 .* x",
		"-1/2 .* (y + (-1/2 .* x + (x - x))) + 2 .* x",
		"2 .* x - 1/2 .* (-1/2 .* x + y)",
	}},
	{"inverses of a product and of its transpose", []string{
		"inv(A .* B)",
		"ein(ij->ji; inv(ein(ij,ij->ji; A, B)))",
	}},
	{"cofactors of a multiple", []string{
		"minor[1](3 .* A)",
		"ein(ij->ji; minor[1](ein(ij,->ji; A, 3)))",
	}},
	{"a function of a product within a product", []string{
		"ein(ij,ij->; exp(ein(i,j->ij; x, y)), A)",
		"ein(ij,ji->; A, exp(ein(i,j->ji; x, y)))",
		"ein(kj,jk->; ein(ij->ji; A), exp(ein(l,m->lm; x, y)))",
	}},
	{"a sum within a product", []string{
		"ein(i,ij->j; x, ein(ij->ji; B) - 1/2 .* B)",
		"ein(i,ji->j; x, B - 1/2 .* ein(ij->ji; B))",
	}},
	{"scalars in a shared outer product", []string{
		"let p = ein(,i,jk->ij; exp(s), x, A) in ein(ij,kj->ik; p, p)",
		"let p = ein(i,jk->ij; ein(,i->i; exp(s), x), A) in ein(ij,kj->ik; p, p)",
		"let p = ein(i,j->ij; x, ein(jk,->j; A, exp(s))) in ein(ij,kj->ik; p, p)",
	}},
	{"many equal operands", []string{
		"ein(ij,kj,kj,lj,lj->; A, A, A, A, A)",
		"ein(lj,ij,kj,kj,lj->; A, A, A, A, A)",
		"ein(ab,cb,db,db,cb->; A, A, A, A, A)",
	}},
	{"a number in front of a sum", []string{
		"3 .* (x - 1/2 .* y)",
		"3 .* x - 3/2 .* y",
	}},
	{"a number in a product with a sum", []string{
		"ein(i,,i->; x, 1/2, y - x)",
		"ein(i,,i->; x, -1/2, x - y)",
	}},
	{"a function of a sum of a matrix and a transpose", []string{
		"log(ein(ij->ji; A) + B)",
		"ein(ij->ji; log(A + ein(ij->ji; B)))",
	}},
	{"the inverse of a multiple of a transpose", []string{
		"inv(ein(ij,->ji; A, 3))",
		"ein(ij->ji; inv(3 .* A))",
	}},
	{"the square of a function of a product", []string{
		"power[-2](ein(ij,kj->ik; A, B))",
		"ein(ij->ji; power[-2](ein(ij,kj->ki; A, B)))",
	}},
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			forms := NewForms()
			first := forms.Of(simplified(t, e.writings[0]))
			for _, w := range e.writings[1:] {
				require.Equal(t, show(first), show(forms.Of(simplified(t, w))), "%s and %s", e.writings[0], w)
			}
		})
	}
}

func simplified(t *testing.T, writing string) *Node {
	s := combinators.NewStore()
	n := size.Sym("n")
	env := &denote.Env{Sizes: []denote.SizeBinding{{Name: "n", Size: n}}}
	for name, shape := range map[string][]size.Size{"s": nil, "t": nil, "x": {n}, "y": {n}, "A": {n, n}, "B": {n, n}} {
		env.Values = append(env.Values, denote.Binding{Name: name, Value: s.Var(name, shape)})
	}
	term, err := text.Parse(writing)
	require.NoError(t, err, writing)
	v, err := denote.ReadNode(s, term, env)
	require.NoError(t, err, writing)
	return normal.New(s, nil).Simplify(v)[0]
}
