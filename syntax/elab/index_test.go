package elab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

// Subscripts and blocks are their definitions in index notation, or other subscripts and blocks.
func TestSubscriptsMean(t *testing.T) {
	for _, c := range [][2]string{
		{"x[0]", "let u[] = x[0]"},
		{"x[-1]", "let u[] = x[n - 1]"},
		{"x[1:]", "let u[i:n - 1] = x[i + 1]"},
		{"x[:-1]", "let u[i:n - 1] = x[i]"},
		{"x[:]", "let u[i:n] = x[i]"},
		{"x[::-1]", "let u[i:n] = x[n - 1 - i]"},
		{"A[0, :]", "let u[j:n] = A[0; j]"},
		{"A[:, -1]", "let u[i:m] = A[i; n - 1]"},
		{"A[1:, :2]", "let u[i:m - 1; j:2] = A[i + 1; j]"},
		{"(2*x)[1:]", "let w[i:n] = 2*x[i] let u[i:n - 1] = w[i + 1]"},
	} {
		p, err := elaborate(declarations+c[1]+" expression u expression "+c[0], Options{})
		if assert.NoError(t, err, c) {
			assert.Same(t, p.Outputs[0].Node, p.Outputs[1].Node, c)
		}
	}
	for _, c := range [][2]string{
		{"[x]", "x"},
		{"[A, B]", "concat(A, B, axis=1)"},
		{"[A; B]", "concat(A, B)"},
		{"[x, x]", "stack(x, x, axis=1)"},
		{"[x'; x']", "stack(x, x)"},
		{"[s; s]", "stack(s, s)"},
		{"[x; y]", "concat(x, y, axis=-1)"},
		{"[A, 0]", "[A, zeros(m, 1)]"},
		{"[A, 0; 0, A]", "[A, zeros(m, n); zeros(m, n), A]"},
		{"[0; A]", "[zeros(1, n); A]"},
	} {
		p, err := elaborate(declarations+"expression "+c[0]+" expression "+c[1], Options{})
		if assert.NoError(t, err, c) {
			assert.Same(t, p.Outputs[1].Node, p.Outputs[0].Node, c)
		}
	}
}

func TestSubscriptErrors(t *testing.T) {
	for _, c := range []struct{ text, code, at, message string }{
		{"A[0]", "T002", "[0]", "A has order 2, but 1 subscript is given here"},
		{"x[0, 0]", "T002", "[0, 0]", "x has order 1, but 2 subscripts are given here"},
		{"s[0]", "T002", "[0]", "s has order 0, but 1 subscript is given here"},
		{"x[0.5]", "T008", "0.5", "a size is a whole number, a size symbol, or a sum or product of these"},
		{"x[i]", "T008", "i", "a subscript is made of whole numbers and sizes, and i is neither"},
		{"x[y]", "T008", "y", "a subscript is made of whole numbers and sizes, and y is neither"},
		{"x[::0]", "T008", "0", "the step of a slice is a whole number other than 0, written out"},
		{"x[::2]", "T008", "::2", "::2 has no size of whole numbers and products of sizes: it is n over 2, rounded up"},
		{"x[n]", "I005", "n", "n leaves x, whose axis has size n"},
		{"x[n + 1:]", "I005", "n + 1:", "n + 1: leaves x, whose axis has size n"},
		{"ones(3)[3]", "I005", "3", "3 leaves ones(3), whose axis has size 3"},
		{"ones(3)[-4]", "I005", "-4", "-4 leaves ones(3), whose axis has size 3"},
		{"ones(3)[:4]", "I005", ":4", ":4 leaves ones(3), whose axis has size 3"},
		{"ones(3)[2:1]", "I005", "2:1", "2:1 ends before it begins"},
		{"[A, x]", "T011", "x", "sizes differ in blocks: the height is n here and m in the row beside it"},
		{"[A; B, B]", "T011", "B, B", "sizes differ in blocks: the width is 2*n here and n in the row beside it"},
		{"[T, T]", "T007", "T", "a block is a matrix, a vector or a number, but T has order 3"},
		{"concat(A, x)", "T007", "x", "concat joins tensors of one order, but x has order 1"},
		{"concat(s, s)", "T007", "s", "concat joins tensors of order 1 or more"},
		{"concat(A, A, axis=2)", "T007", "axis=2", "the result has no axis 2: its order is 2"},
		{"stack(x, v)", "T011", "v", "sizes differ in blocks: the size of axis 1 is m here and n in the argument beside it"},
	} {
		src := declarations + "expression " + c.text
		_, err := elaborate(src, Options{})
		var e *syntax.Error
		require.ErrorAs(t, err, &e, c.text)
		assert.Equal(t, c.code, string(e.Code), c.text)
		assert.Equal(t, c.message, e.Message, c.text)
		if assert.LessOrEqual(t, e.Span.End, len(src)) {
			assert.Equal(t, c.at, src[e.Span.Start:e.Span.End], c.text)
		}
	}
}

// Arguments in brackets are the habit of others.
func TestBracketsAreNoParentheses(t *testing.T) {
	for text, help := range map[string]string{"Exp[x]": "exp(...)", "Tr[A]": "tr(...)"} {
		_, err := elaborate(declarations+"expression "+text, Options{})
		var e *syntax.Error
		require.ErrorAs(t, err, &e, text)
		assert.Contains(t, e.Help, help)
	}
}

// What symbols leave open is assumed, and decided with numbers.
func TestSubscriptsAreDecidedWithNumbers(t *testing.T) {
	src := "declare x[n] expression x[2:4]"
	p, err := elaborate(src, Options{})
	require.NoError(t, err)
	assert.NotEmpty(t, p.Assumptions)
	for n, right := range map[int64]bool{0: false, 3: false, 4: true, 9: true} {
		_, err := elaborate(src, Options{Dims: map[string][]int64{"x": {n}}})
		assert.Equal(t, right, err == nil, n)
	}
}
