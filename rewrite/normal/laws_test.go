package normal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// forms are the normal forms of expressions of one program, which the first presumes to have values.
func forms(t require.TestingT, declare string, expressions ...string) []*combinators.Node {
	src := "declare " + declare
	for _, e := range expressions {
		src += " expression " + e
	}
	file, err := syntax.Parse(src, syntax.Limits{})
	require.NoError(t, err, src)
	prog, err := elab.Elaborate(file, elab.Options{})
	require.NoError(t, err, src)
	var out []*combinators.Node
	for _, o := range prog.Outputs {
		out = append(out, normal.SimplifyWithin([]*combinators.Node{prog.Outputs[0].Node}, o.Node)...)
	}
	return out
}

// A part of a word cancels beside the inverse of the word, on either side, however the word is bracketed.
func TestInversesMeetProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.Permutation([]string{"A", "B", "C'", "D"}).Draw(t, "letters")[:rapid.IntRange(2, 4).Draw(t, "length")]
		k := rapid.IntRange(1, len(letters)-1).Draw(t, "k")
		left, right := strings.Join(letters[:k], "*"), strings.Join(letters[k:], "*")
		scalar := rapid.SampledFrom([]string{"", "c*", "pi*", "c*d*"}).Draw(t, "scalar")
		inverse := fmt.Sprintf("inv(%s(%s)*%s)", scalar, left, right)
		f := forms(t, "A[n,n] B[n,n] C[n,n] D[n,n] c[] d[]", inverse,
			fmt.Sprintf("%s*(%s)", inverse, left), fmt.Sprintf("inv(%s(%s))", scalar, right),
			fmt.Sprintf("(%s)*%s", right, inverse), fmt.Sprintf("inv(%s(%s))", scalar, left))
		require.Same(t, f[2], f[1], inverse)
		require.Same(t, f[4], f[3], inverse)
	})
}

// What is centred along an axis sums to 0 along it, whatever it is multiplied by.
func TestCentredValuesSumToZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom([]string{"x", "exp(x)", "3*x", "(x + y)", "x .* y", "A*z"}).Draw(t, "x")
		centred := rapid.SampledFrom([]string{
			"%[1]s - mean(%[1]s)", "2*(%[1]s) - 2*sum(%[1]s)/n", "sum(%[1]s)/n - %[1]s", "%[1]s - sum(%[1]s)/n",
			"softmax(%[1]s) .* (y - y'*softmax(%[1]s))", "(eye(n) - ones(n,n)/n)*(%[1]s)", "(diag(softmax(%[1]s)) - softmax(%[1]s)*softmax(%[1]s)')*y",
		}).Draw(t, "centred")
		value := fmt.Sprintf(rapid.SampledFrom([]string{"sum(%s)", "sum(c*(%s))", "sum((%s)/norm2(y))", "c*sum(%s)*y", "(%s)'*ones(n)"}).Draw(t, "sum"), fmt.Sprintf(centred, x))
		f := forms(t, "x[n] y[n] c[] A[n,m] z[m]", value)
		require.True(t, normal.IsZero(f[0]), value)
	})
}

// Squares of trigonometric and hyperbolic functions add up, with any number and any factor before them.
func TestSquaresOfTrigonometricFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SampledFrom([]string{"x", "x .* y", "exp(x)", "tanh(2*x)"}).Draw(t, "u")
		law := rapid.SampledFrom([][2]string{
			{"sin(u) .* sin(u) + cos(u)^2", "ones(n)"}, {"ones(n) - sin(u)^2", "cos(u)^2"}, {"ones(n) - cos(u)^2", "sin(u)^2"}, {"sin(u)^2 - ones(n)", "-cos(u)^2"},
			{"cosh(u)^2 - sinh(u)^2", "ones(n)"}, {"ones(n) + sinh(u)^2", "cosh(u)^2"}, {"cosh(u)^2 - ones(n)", "sinh(u)^2"},
		}).Draw(t, "law")
		k := rapid.SampledFrom([]string{"", "y .* ", "3*", "-", "sum(y)*"}).Draw(t, "k")
		text := func(side string) string { return strings.ReplaceAll(k+"("+side+")", "(u)", "("+u+")") }
		f := forms(t, "x[n] y[n]", text(law[0])+" - "+text(law[1]))
		require.True(t, normal.IsZero(f[0]), text(law[0]))
	})
}

// A multiple of the identity and a diagonal are one diagonal.
func TestDiagonalsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SampledFrom([]string{"x", "sin(x)", "x .* y", "exp(x)/sum(y)"}).Draw(t, "u")
		c := rapid.SampledFrom([]string{"1", "2", "-1", "1/3"}).Draw(t, "c")
		sum := fmt.Sprintf("%s*eye(n) + diag(%s)", c, u)
		if rapid.Bool().Draw(t, "turned") {
			sum = fmt.Sprintf("diag(%s) + %s*eye(n)", u, c)
		}
		f := forms(t, "x[n] y[n] A[n,n]", sum, fmt.Sprintf("diag(%s + %s)", u, c), "A*("+sum+")", fmt.Sprintf("A*diag(%s + %s)", u, c))
		require.Same(t, f[1], f[0], sum)
		require.Same(t, f[3], f[2], sum)
	})
}
