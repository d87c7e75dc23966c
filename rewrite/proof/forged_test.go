package proof_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// forged are certificates of what is false, written to pass: each by one mistake that a checker can
// make, and what is to be said of it.
var forged = map[string]string{
	// sum(exp(x)) as the constant map K(sum(exp(x))), which has the derivative 0
	"point": "the map has the variable x of its point in a constant",
	// the product rule with one term of three
	"count": "the family over k has 1 member, and there are 3 components",
	// f(n) = f(1), where n counts the points of an axis
	"points": "step 2 (F-pick): the two terms have no common form",
	// a variable of the certificate's that the checker would take for the inverse of A
	"fresh": "step 1 (M-solve): the two terms have no common form",
	// a guard that changes outside of what the rule rewrites
	"guard": "step 7 (sign-scale): the left side, instantiated, is not the term before",
	// softmax over no entries sums to 0
	"empty": "step 1 (M-softmax): the two terms have no common form",
	// the greatest of no positive numbers is -inf
	"maximum": "step 1 (sign-positive): a condition of the rule does not hold",
	// cos(pi) = -1 with a size pi := 3, which the rule does not have
	"size": "step 1 (cos-half-turns): the rule has no size pi",
	// x/x = 1 + 0/x, where the term that vanishes pays for what x/x presumes
	"widen": "step 1 (E-factor): the two terms have no common form",
	// a rule on scalar maps, of types.rules, at a matrix
	"types": "step 1 (self-adjoint): f: the shape is [n]",
}

func TestForgedCertificates(t *testing.T) {
	files, err := filepath.Glob("testdata/forged/*.json")
	require.NoError(t, err)
	require.Len(t, files, len(forged))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			var c object
			require.NoError(t, json.Unmarshal(b, &c))
			var own []frechet.RuleFile
			if text, err := os.ReadFile(filepath.Join("testdata/forged", name+".rules")); err == nil {
				own = append(own, frechet.RuleFile{Name: name + ".rules", Text: string(text)})
			}
			rejected(t, c, forged[name], own...)
		})
	}
}

// rejected checks that a certificate under the rules of the program, and more, is rejected for the reason.
func rejected(t *testing.T, c object, reason string, own ...frechet.RuleFile) {
	t.Helper()
	files := []any{}
	for _, f := range slices.Concat(frechet.ShippedRules(), own) {
		sum := sha256.Sum256([]byte(f.Text))
		files = append(files, object{"name": f.Name, "sha256": hex.EncodeToString(sum[:])})
	}
	c["rules"] = files
	b, err := json.Marshal(c)
	require.NoError(t, err)
	_, err = frechet.Replay(context.Background(), bytes.NewReader(b), own...)
	var wrong *frechet.ReplayError
	require.ErrorAs(t, err, &wrong)
	require.ErrorContains(t, err, reason)
}

// Changes of true certificates that would prove what is false.
func TestForgedSteps(t *testing.T) {
	add := func(c object, n object) float64 {
		ns := c["nodes"].([]any)
		c["nodes"] = append(ns, n)
		return float64(len(ns))
	}
	read := func(src string) (c object) {
		require.NoError(t, json.Unmarshal(certificate(t, src), &c))
		return c
	}
	program := func(c object) (part, first object) {
		part = c["parts"].([]any)[0].(object)
		return part, part["steps"].([]any)[0].(object)
	}

	t.Run("a number that is a value as well", func(t *testing.T) {
		// abs(-3 x) = 3 abs(x), with a value r that is no number: abs(x)
		c := read("declare x[n] expression sum(abs(-3*x))")
		part, step := program(c)
		u := step["subst"].(object)
		require.Contains(t, u["numbers"], "r")
		u["values"].(object)["r"] = u["values"].(object)["x"]
		part["steps"] = []any{step}
		rejected(t, c, "the rule has no metavariable r of values")
	})
	t.Run("a fresh variable of the program", func(t *testing.T) {
		c := read("declare x[n] d[n] expression sum(x .* d) derivative wrt x")
		for _, p := range c["parts"].([]any) {
			p := p.(object)
			if fresh, ok := p["fresh"].([]any); ok {
				fresh[0] = c["parts"].([]any)[1].(object)["point"].([]any)[0]
			}
		}
		rejected(t, c, "is not fresh")
	})
	t.Run("a variable that comes in by 0", func(t *testing.T) {
		c := read("declare x[n] y[n] expression sum(x .* y) - sum(x .* y) + sum(exp(x)) derivative wrt x")
		for _, p := range c["parts"].([]any) {
			if p := p.(object); p["kind"] == "derivative at" {
				p["fresh"] = []any{add(c, object{"op": "var", "name": "y", "shape": []any{"n"}})}
			}
		}
		rejected(t, c, "the variable y is not fresh")
	})
	t.Run("the inverse of an inverse under a guard", func(t *testing.T) {
		c := read("declare x[n] expression norm2(x) derivative wrt x")
		var zero float64 = -1
		for i, n := range c["nodes"].([]any) {
			if n.(object)["guard"] == "zero" {
				zero = float64(i)
			}
		}
		require.GreaterOrEqual(t, zero, 0.0)
		parts := c["parts"].([]any)
		last := parts[len(parts)-1].(object)
		base := c["nodes"].([]any)[int(zero)].(object)["args"].([]any)[0]
		plain := add(c, object{"op": "power", "rat": "-1", "args": []any{base}})
		steps := last["steps"].([]any)
		last["steps"] = append(steps, object{"rule": "F-power", "before": zero, "after": plain})
		rejected(t, c, "the two terms have no common form")
	})
	t.Run("a fact that the program does not say", func(t *testing.T) {
		c := read("declare x[n] expression sum(sin(x) .* x .* x) derivative wrt x")
		parts := c["parts"].([]any)
		last := parts[len(parts)-1].(object)
		steps := last["steps"].([]any)
		s := steps[len(steps)-1].(object)
		x := parts[1].(object)["point"].([]any)[0]
		s["facts"] = []any{object{"sign": "positive", "node": x}}
		rejected(t, c, "the program does not say that a value is positive")
	})
}

// Another reader of the JSON sees what is checked: a key that stands twice in an object, or in capitals, is no key of a certificate.
func TestKeysOfCertificates(t *testing.T) {
	cert := string(certificate(t, "declare A[n,n] a[n] expression sum(exp(A*a)) derivative wrt a"))
	_, err := replayed([]byte(cert))
	require.NoError(t, err)
	for old, now := range map[string]string{
		`"format": `:  `"format": "another", "format": `,
		`"nodes": [`:  `"nodes": [], "nodes": [`,
		`"parts": [`:  `"Parts": [], "parts": [`,
		`"version": `: `"VERSION": `,
		`"rules": `:   `"rul\u0065s": `,
		`"op":"exp"`:  `"op":"sin","op":"exp"`,
		`"values":{`:  `"values":{"x":0,"x":1,`,
		`"before":`:   `"before":0,"before":`,
	} {
		altered := strings.Replace(cert, old, now, 1)
		if altered == cert {
			continue
		}
		_, err := replayed([]byte(altered))
		require.ErrorContains(t, err, "for the second time", now)
	}
	_, err = replayed([]byte(strings.Replace(cert, `{"vars":[`, `{0:[`, 1)))
	require.ErrorContains(t, err, "looking for beginning of object key")
	// a name that is the number pi, and one that is a size, would be read as these
	for _, name := range []string{"pi", "n", "#d", "exp"} {
		var c object
		require.NoError(t, json.Unmarshal([]byte(cert), &c))
		for _, n := range c["nodes"].([]any) {
			if n := n.(object); n["name"] == "d" {
				n["name"] = name
			}
		}
		b, err := json.Marshal(c)
		require.NoError(t, err)
		_, err = replayed(b)
		require.Error(t, err, name)
		require.True(t, strings.Contains(err.Error(), "is not fresh") || strings.Contains(err.Error(), "is no name of a variable"), err)
	}
}
