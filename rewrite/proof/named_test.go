package proof_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

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
