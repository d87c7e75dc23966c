package plans_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval/plan"
	"frechet/internal/corpus"
	"frechet/internal/programs"
	"frechet/internal/query"
)

// operations counts what a term takes: multiplications, additions, function values, and entries written.
func operations(t require.TestingT, term *frechet.Term, sizes frechet.Sizes) float64 {
	o, err := plan.MakeOutline([]*combinators.Node{query.Node(term)}, sizes, true)
	require.NoError(t, err)
	total, c := 0.0, o.Total(nil)
	for _, n := range []size.Size{c.Mults, c.Adds, c.Values, c.Written} {
		total += volume(t, []size.Size{n}, sizes)
	}
	return total
}

func volume(t require.TestingT, shape []size.Size, sizes frechet.Sizes) float64 {
	v := 1.0
	for _, d := range shape {
		n, err := d.Eval(sizes)
		require.NoError(t, err)
		v *= float64(n)
	}
	return v
}

// The most operations of a gradient and of a product with a Hessian, as multiples of those of the value, with the entries of its
// variables.
const gradientBound, productBound = 5, 10

// dear says which derivatives of a scalar program by its variable x take more than they may.
func dear(t require.TestingT, declare, expr, x string, sizes frechet.Sizes) (out []string) {
	var dims string
	for _, v := range strings.Fields(declare)[1:] {
		if name, shape, _ := strings.Cut(v, "["); name == x {
			dims = "[" + shape
		}
	}
	f, err := frechet.Parse(declare + " direction" + dims + "\n" + expr)
	require.NoError(t, err, expr)
	reply, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{x}, Order: 1, Sizes: sizes,
		Operators: []frechet.Operation{{Kind: "hvp", Wrt: x, Along: "direction"}}})
	require.NoError(t, err, expr)
	out0 := reply.Outputs[0]
	value := operations(t, out0.Value, sizes)
	for _, p := range query.Of(out0.Value).Params {
		value += volume(t, p.Node.Shape(), sizes)
	}
	check := func(what string, term *frechet.Term, bound float64) {
		if slices.ContainsFunc(combinators.Topo(query.Node(term)), func(n *combinators.Node) bool { return n.Is(atom.Minor) && n.Attr() > 1 }) {
			return // the second derivative of det has n^4 entries, and no form along a direction
		}
		if c := operations(t, term, sizes); c > bound*value {
			out = append(out, fmt.Sprintf("%s %s by %s: %.1f times the value: %s", what, strings.ReplaceAll(expr, "\n", " "), x, c/value, term))
		}
	}
	g, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{x}, Order: 1, Sizes: sizes})
	require.NoError(t, err)
	check("gradient of", g.Outputs[0].Derivs[0].Term, gradientBound)
	check("product with the Hessian of", out0.Parts[0].Term, productBound)
	return out
}

// Gradients of closed forms take at most 5 times as many operations as the value, products with a Hessian at most 10 times.
func TestClosedFormsAreCheap(t *testing.T) {
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	count := 0
	for _, form := range forms {
		expr := form.Matrix
		if expr == "" || strings.Contains(expr, "expression ") || strings.Contains(form.Declare, "primitive") {
			continue
		}
		f, err := frechet.Parse(form.Program(expr))
		require.NoError(t, err)
		if len(f.Outputs()) != 1 {
			continue
		}
		sizes := frechet.Sizes{}
		for i := range 26 {
			sizes[string(rune('a'+i))] = int64(60 + 3*i)
		}
		for _, bad := range dear(t, "declare "+form.Declare, "expression sum("+expr+")", form.Wrt, sizes) {
			t.Errorf("%s: %s", form.ID, bad)
		}
		count++
	}
	t.Log(count)
}

// So do random programs.
func TestRandomProgramsAreCheap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := map[string]int64{"k": 60, "m": 70, "n": 80}
		p := programs.Draw(t, false)
		if len(p.Vars) == 0 {
			return
		}
		at := strings.LastIndex(p.Body, "expression ")
		body := p.Body[:at] + "expression sum(" + p.Body[at+len("expression "):] + ")"
		for _, bad := range dear(t, p.Declare, body, rapid.SampledFrom(p.Vars).Draw(t, "by"), sizes) {
			t.Fatalf("%s\n%s", p.Declare, bad)
		}
	})
}
