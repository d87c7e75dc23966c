package unparse_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// drawSubscript draws a subscript or a slice that stays within an axis of size n, and the size of the result.
func drawSubscript(t *rapid.T, n int) (text string, size int) {
	i := rapid.IntRange(0, n-1).Draw(t, "first")
	if rapid.IntRange(0, 3).Draw(t, "one") == 0 {
		return fmt.Sprint(i - n*rapid.IntRange(0, 1).Draw(t, "from the end")), 0
	}
	j := rapid.IntRange(i, n).Draw(t, "stop")
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return ":", n
	case 1:
		return fmt.Sprintf("%d::-1", i), i + 1
	case 2:
		k := rapid.IntRange(2, 3).Draw(t, "step")
		return fmt.Sprintf("%d:%d:%d", i, j, k), (j - i + k - 1) / k
	}
	return fmt.Sprintf("%d:%d", i, j), j - i
}

// drawPart draws a part of x, of A or of T, all axes of size n, and its sizes.
func drawPart(t *rapid.T, n int) (text string, shape []int) {
	order := rapid.IntRange(1, 3).Draw(t, "order")
	var subs []string
	for range order {
		s, m := drawSubscript(t, n)
		subs = append(subs, s)
		if m > 0 || strings.Contains(s, ":") {
			shape = append(shape, m)
		}
	}
	return []string{"x", "A", "T"}[order-1] + "[" + strings.Join(subs, ", ") + "]", shape
}

// What is printed of slices, of what joins them, and of their derivatives to second order reads back to equal values.
func TestSlicesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 4}).Draw(t, "n")
		a, shape := drawPart(t, n)
		b, other := drawPart(t, n)
		text := a
		switch {
		case fmt.Sprint(shape) == fmt.Sprint(other) && rapid.Bool().Draw(t, "sum"):
			text = "sin(" + a + ") .* " + b + " - 2*" + b
		case len(shape) == len(other) && len(shape) == 1:
			text = "[2*" + a + "; exp(" + b + "); 0]"
			if rapid.Bool().Draw(t, "inside of another") {
				text = "sum([" + text + "; " + a + "; 1])"
			}
		case len(shape) == 1 && len(other) == 2 && shape[0] == other[0]:
			text = "[" + a + ", sin(" + b + ")]"
		}
		if fs := [][]string{nil, {"flip(%s)", "roll(%s, 1)", "var(%s)", "prod(%s)"}, {"flip(%s, axis=1)", "var(%s, axis=0)", "vec(%s)"}}; text == a && len(shape) < len(fs) && len(shape) > 0 && !slices.Contains(shape, 0) {
			text = fmt.Sprintf(rapid.SampledFrom(fs[len(shape)]).Draw(t, "function"), a)
		}
		readBackDerivatives(t, n, text)
	})
}

func readBackDerivatives(t *rapid.T, n int, text string) {
	declare := fmt.Sprintf("declare x[%[1]d] A[%[1]d,%[1]d] T[%[1]d,%[1]d,%[1]d]", n)
	file, err := syntax.Parse(declare+" expression "+text, syntax.Limits{})
	require.NoError(t, err, text)
	prog, err := elab.Elaborate(file, elab.Options{})
	require.NoError(t, err, text)
	env := eval.Env{}
	var params []*combinators.Node
	for _, p := range prog.Params {
		params = append(params, p.Node)
		x := eval.NewTensor(slices.Repeat([]int{n}, p.Node.Order())...)
		for i := range x.Data {
			x.Data[i] = float64(i*i%7)/7 + 0.1
		}
		env[p.Name] = x
	}
	y := prog.Outputs[0].Node
	outs := []*combinators.Node{y}
	for range 2 {
		wrt := rapid.SampledFrom(params).Draw(t, "wrt")
		if y.Order()+wrt.Order() > 4 {
			break
		}
		js, err := jacobian.Of(adjoint.Standard(), y, []*combinators.Node{wrt}, rapid.SampledFrom([]jacobian.Mode{jacobian.Forward, jacobian.Reverse}).Draw(t, "mode"))
		require.NoError(t, err)
		y = js[0]
		outs = append(outs, y)
	}
	if rapid.Bool().Draw(t, "simplified") {
		outs = normal.Simplify(outs...)
	}
	_, err = eval.Reference(context.Background(), outs, env, nil)
	require.NoError(t, err)
	same(t, declare, outs, env, nil)
}
