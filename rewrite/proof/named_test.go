package proof_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// A certificate of the program src, as it is read.
func certified(t *testing.T, src string) (c object) {
	require.NoError(t, json.Unmarshal(certificate(t, src), &c))
	return c
}

// node is the number of the first node that is so.
func node(c object, is func(n object) bool) int {
	for i, n := range c["nodes"].([]any) {
		if is(n.(object)) {
			return i
		}
	}
	return -1
}

func variable(c object, name string) object {
	return c["nodes"].([]any)[node(c, func(n object) bool { return n["name"] == name })].(object)
}

func addNode(c, n object) float64 {
	ns := c["nodes"].([]any)
	c["nodes"] = append(ns, n)
	return float64(len(ns))
}

func part(c object, kind string) object {
	for _, p := range c["parts"].([]any) {
		if p.(object)["kind"] == kind {
			return p.(object)
		}
	}
	return nil
}

// What is proved is read by its names: of the program's variables, of its lets and sizes, and of what is fresh.
func TestForgedNames(t *testing.T) {
	for name, src := range map[string]string{
		"u": "declare x[n] let u = sin(x) expression sum(u .* u) derivative wrt x",
		"y": "declare x[n] y[n] expression sum(sin(x)) derivative wrt x",
		"m": "declare x[n] y[m] expression sum(sin(x)) derivative wrt x",
	} {
		c := certified(t, src)
		variable(c, "d")["name"] = name
		rejected(t, c, "the variable "+name+" is not fresh: the program has the name")
	}

	// 2 x + 0 x, where the second x is another one, which is positive: a reader of 2 x + 0 abs(x) + .. takes it for the first
	c := certified(t, "declare x[n] expression x'*x derivative wrt x")
	gradient := part(c, "gradient")
	end := int(gradient["end"].(object)["nodes"].([]any)[0].(float64))
	double := c["nodes"].([]any)[end].(object)
	other := addNode(c, object{"op": "var", "name": "x", "shape": []any{"n"}, "of": "positive"})
	zero := addNode(c, object{"op": "const", "rat": "0"})
	args := []any{}
	for _, a := range double["args"].([]any) {
		if c["nodes"].([]any)[int(a.(float64))].(object)["op"] == "const" {
			args = append(args, zero)
		} else {
			args = append(args, other)
		}
	}
	sum := addNode(c, object{"op": "add", "args": []any{float64(end), addNode(c, object{"op": double["op"], "args": args, "ein": double["ein"]})}})
	steps, _ := gradient["steps"].([]any)
	gradient["steps"] = append(steps, object{"rule": "S-collect", "before": float64(end), "after": sum})
	gradient["end"].(object)["nodes"] = []any{sum}
	rejected(t, c, "its last line has a variable x that is none of the program")
}

// A derivative by a variable whose values are a subspace is that of the function there: a certificate of the same program without the
// attribute has derivatives of another one, at which directions out of the subspace are seen.
func TestForgedSubspaces(t *testing.T) {
	for _, of := range []string{"symmetric", "antisymmetric", "diagonal", "lower", "upper", "positive definite"} {
		for _, f := range []string{"tr(S*X)", "tr(S*X*S)", "sum(exp(S) .* X)", "logdet(S + X)", "x'*S*X*S*x"} {
			src := "declare S[n,n] X[n,n] x[n] expression " + f + " derivative wrt S"
			c := certified(t, src)
			program := c["program"].(object)
			program["text"] = strings.Replace(program["text"].(string), "S[n,n]", "S[n,n] "+of, 1)
			variable(c, "S")["of"] = of
			rejected(t, c, "the derivative is not that along the subspace of S")
			_, err := replayed(certificate(t, program["text"].(string)))
			require.NoError(t, err, program["text"])
		}
	}
}

// Nothing is known of what is fresh, nor of the operands of a law: the sum of w would be 1 where w were shares of a whole.
func TestForgedAttributes(t *testing.T) {
	for _, of := range []string{"simplex", "unit", "binary", "positive", "nonnegative"} {
		c := certified(t, "declare x[] y[n] expression x*y + ones(n)*x derivative wrt x")
		variable(c, "w")["of"] = of
		rejected(t, c, "the fresh variable w has attributes")
	}
	for _, of := range []string{"symmetric", "antisymmetric", "diagonal", "positive definite", "orthogonal"} {
		c := certified(t, "declare A[n,n] x[n] expression x'*A*x derivative wrt x")
		for _, l := range c["laws"].([]any) {
			for _, p := range l.(object)["points"].([]any) {
				if n := c["nodes"].([]any)[int(p.(float64))].(object); n["shape"] != nil && len(n["shape"].([]any)) == 2 {
					n["of"] = of
				}
			}
		}
		rejected(t, c, "its operands are not different variables, of which nothing is known")
	}
}

// A comment of a program is no part of what is proved, and does not look like one.
func TestForgedComments(t *testing.T) {
	for _, comment := range []string{"\n# gradient\n# 4*x", "\r# gradient", "\n# a\u2028# gradient", "\n# a \x1b[2J# gradient"} {
		c := certified(t, "declare x[n] expression x'*x derivative wrt x")
		c["program"].(object)["text"] = c["program"].(object)["text"].(string) + comment
		b, err := json.Marshal(c)
		require.NoError(t, err)
		p, err := replayed(b)
		if err != nil {
			continue
		}
		for _, line := range strings.FieldsFunc(p.String(), func(r rune) bool { return r != ' ' && (unicode.IsControl(r) || r == '\u2028') }) {
			require.False(t, line == "# 4*x" || strings.HasPrefix(line, "# gradient") && line != "# gradient", line)
		}
		require.Equal(t, 1, strings.Count("\n"+p.String(), "\n# gradient"))
		require.NotContains(t, p.String(), "\x1b")
		require.NotContains(t, p.String(), "\r")
	}
}

// A function of the certificate is the one that the program declares.
func TestForgedPrimitives(t *testing.T) {
	for _, declared := range [][]any{
		{"primitive h : R -> R derivative h"}, {"primitive h : R -> R", "primitive h' : R -> R"}, {"primitive sin : R -> R"},
		{"primitive h : R -> R derivative g", "primitive g : R -> R"}, {"primitive h : R -o R"}, {},
	} {
		c := certified(t, "primitive h : R -> R\ndeclare x[n] expression sum(h(x)) derivative wrt x")
		c["primitives"] = declared
		b, err := json.Marshal(c)
		require.NoError(t, err)
		_, err = replayed(b)
		require.Error(t, err, declared)
	}
}

// By what is differentiated is said, and the same for all orders.
func TestForgedPoints(t *testing.T) {
	f := parseAny(t, "declare x[n] y[n] expression x'*y derivative wrt x")
	d, err := f.Steps("y")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, d.Certificate(&b))
	sum, err := replayed(b.Bytes())
	require.NoError(t, err)
	require.Contains(t, sum.String(), "# by\ny\n")

	c := certified(t, "declare x[n] y[n] expression sum(x .* x .* exp(y)) hessian wrt x")
	y := node(c, func(n object) bool { return n["name"] == "y" })
	parts := c["parts"].([]any)
	parts[3].(object)["point"] = []any{float64(y)}
	rejected(t, c, "a derivative of higher order is taken by other variables")
}
