package elab

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/einsum/size"
	"frechet/internal/programs"
	"frechet/syntax"
)

// Random well-typed programs have the shape they were drawn for, in symbols and in
// numbers, and so has what they print as.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := programs.Draw(t, true)
		var symbols, numbers []size.Size
		for _, s := range drawn.Shape {
			symbols = append(symbols, size.Sym(s))
			numbers = append(numbers, size.Const(drawn.Sizes[s]))
		}
		file, err := syntax.Parse(drawn.Text(), syntax.Limits{})
		require.NoError(t, err, drawn.Text())
		again, err := syntax.Parse(syntax.PrintFile(file), syntax.Limits{})
		require.NoError(t, err, syntax.PrintFile(file))
		for i := range file.Stmts {
			if !syntax.Equal(file.Stmts[i].Expr, again.Stmts[i].Expr) {
				t.Fatalf("%s\nprints as\n%s", drawn.Text(), syntax.PrintFile(file))
			}
		}
		dims := map[string][]int64{}
		for name, shape := range drawn.Dims {
			dims[name] = []int64{}
			for _, n := range shape {
				dims[name] = append(dims[name], int64(n))
			}
		}
		for _, f := range []*syntax.File{file, again} {
			p, err := Elaborate(f, Options{})
			require.NoError(t, err, drawn.Text())
			if got := p.Outputs[0].Node.Shape(); !slices.Equal(got, symbols) {
				t.Fatalf("%s\nhas shape %s, not %s", drawn.Text(), size.Shape(got), size.Shape(symbols))
			}
			q, err := Elaborate(f, Options{Dims: dims})
			require.NoError(t, err, drawn.Text())
			if got := q.Outputs[0].Node.Shape(); !slices.Equal(got, numbers) {
				t.Fatalf("%s\nhas shape %s, not %s", drawn.Text(), size.Shape(got), size.Shape(numbers))
			}
		}
	})
}
