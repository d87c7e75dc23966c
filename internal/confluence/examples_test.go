package confluence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite"
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
	env := &rewrite.Env{Sizes: []rewrite.SizeBinding{{Name: "n", Size: n}}}
	for name, shape := range map[string][]size.Size{"s": nil, "t": nil, "x": {n}, "y": {n}, "A": {n, n}, "B": {n, n}} {
		env.Values = append(env.Values, rewrite.Binding{Name: name, Value: s.Var(name, shape)})
	}
	term, err := text.Parse(writing)
	require.NoError(t, err, writing)
	v, err := rewrite.Build(s, term, env)
	require.NoError(t, err, writing)
	return normal.New(s, nil).Simplify(v)[0]
}

func show(n *Node) string { return text.Printer{}.Print(text.Value(n)) }
