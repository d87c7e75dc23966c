package derivation_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// chain is a program of n functions, one after the other.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("declare x[n]\n")
	x := "x"
	for i := range n {
		fmt.Fprintf(&b, "let a%d = %s(%s)\n", i+1, []string{"sin", "tanh", "exp"}[i%3], x)
		x = fmt.Sprintf("a%d", i+1)
	}
	return b.String() + "expression sum(" + x + ") derivative wrt x"
}

// lets is a program of n lets that share values and are of many operations.
func lets(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("declare x[n] A[n,n]\n")
	names := []string{"x", "x"}
	one := []string{"sin(%[1]s)", "tanh(%[1]s)", "exp(-(%[1]s .* %[1]s))", "log(1 + %[1]s .* %[1]s)", "A*%[1]s", "2*%[1]s + 1", "%[1]s/(1 + %[1]s'*%[1]s)", "sum(%[1]s)*%[1]s"}
	two := []string{"%s + %s", "%s - 3*%s", "%s .* %s", "sin(%s) + cos(%s)", "%s ./ (1 + exp(%s))"}
	for i := range n {
		recent := names[max(0, len(names)-6):]
		k := r.IntN(len(recent) - 1)
		e := fmt.Sprintf(one[r.IntN(len(one))], recent[k])
		if r.IntN(2) == 0 {
			e = fmt.Sprintf(two[r.IntN(len(two))], recent[k], recent[k+1])
		}
		names = append(names, fmt.Sprintf("b%d", i))
		fmt.Fprintf(&b, "let %s = %s\n", names[len(names)-1], e)
	}
	return b.String() + "expression sum(" + strings.Join(names[len(names)-3:], " + ") + ") derivative wrt x"
}

// maps is a map of n functions, one after the other.
func maps(n int) string {
	return "f : R[n] -> R[n] = " + strings.Join(slices.Repeat([]string{"sin", "tanh"}, n/2), " . ")
}

// derived is the derivation of a program, and how many bytes of it are shown.
func derived(t *testing.T, src string) (*frechet.Derivation, int) {
	language := "auto"
	if strings.HasPrefix(src, "f :") {
		language = "combinators"
	}
	f, err := frechet.Parse(src, frechet.WithLanguage(language))
	require.NoError(t, err)
	d, err := f.Steps(f.Wrt()...)
	require.NoError(t, err)
	var shown bytes.Buffer
	require.NoError(t, d.Write(&shown, "text", false, false))
	return d, shown.Len()
}

// Derivations and certificates grow with the program, and what is shown of a long one hardly grows.
func TestDerivationsAreLinear(t *testing.T) {
	text := func(src string) map[string]int {
		d, shown := derived(t, src)
		out := map[string]int{"shown": shown, "full": len(d.Text("text", false))}
		for range d.Steps() {
			out["lines"]++
		}
		return out
	}
	certificate := func(src string) map[string]int {
		d, _ := derived(t, src)
		var proof bytes.Buffer
		require.NoError(t, d.Certificate(&proof))
		size := proof.Len()
		sum, err := frechet.Replay(context.Background(), &proof)
		require.NoError(t, err)
		return map[string]int{"bytes": size, "steps": sum.Steps, "terms": sum.Terms}
	}
	for name, program := range map[string]func(n int) string{"chain": chain, "lets": lets, "maps": maps} {
		for n, sizes := range map[int]func(string) map[string]int{200: text, 100: certificate} {
			small, large := sizes(program(n)), sizes(program(4*n))
			for what, size := range large {
				require.Less(t, float64(size), math.Pow(4, 1.25)*float64(small[what]), "%s: %s of %d and of %d", name, what, n, 4*n)
			}
		}
	}
}

// What is shown of long derivations is at most 2 MB.
func TestLongDerivations(t *testing.T) {
	for _, src := range []string{chain(10_000), lets(1_000), maps(10_000)} {
		_, shown := derived(t, src)
		require.Less(t, shown, 2_000_000)
	}
}

// What is long in a map, and what is shared, has one name in all lines.
func TestLongMapsAreNamed(t *testing.T) {
	d, _ := derived(t, maps(400))
	text := d.Text("text", false)
	require.Equal(t, 1, strings.Count(text, "f1 = tanh . sin . tanh . sin . tanh . sin . tanh . sin . tanh"))
	for _, line := range strings.Split(text, "\n") {
		require.Less(t, len(line), 4_000)
	}
}

// A long part shows its beginning and its end, and says how much it leaves out; in full it has all lines, and in
// other notations, too.
func TestLeftOut(t *testing.T) {
	f, err := frechet.Parse(chain(200))
	require.NoError(t, err)
	d, err := f.Steps()
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, d.Write(&b, "text", false, false))
	require.Contains(t, b.String(), "steps left out here, which --full shows")
	require.Contains(t, b.String(), "   v1 = sin(x)\n")
	require.Contains(t, b.String(), "   dv201 = sum(dv200)\n")
	require.NotContains(t, b.String(), "   v100 = ")
	require.Contains(t, d.Text("text", false), "   v100 = sin(v99)\n")
	require.Equal(t, d.Text("text", false), d.Text("text", false))
	require.Contains(t, d.Text("latex", false), `v_{100}`)
}

// A writer's error ends the writing.
func TestWriteEnds(t *testing.T) {
	f, err := frechet.Parse(chain(20))
	require.NoError(t, err)
	d, err := f.Steps()
	require.NoError(t, err)
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	require.ErrorIs(t, d.Write(w, "text", false, true), io.ErrClosedPipe)
}

// A program that asks for a Hessian, or a derivative of higher order, gets the derivation of it: the last line is the
// derivative as results have it, each line has its rules, and the certificate replays.
func TestHigherOrders(t *testing.T) {
	for src, last := range map[string]string{
		"declare x[n] expression sum(exp(x)) hessian wrt x":                        "diag(exp(x))",
		"declare A[n,n] x[n] expression x'*A*x hessian wrt x":                      "A + A'",
		"declare x[n] expression sum(exp(x)) derivative wrt x order 2":             "diag(exp(x))",
		"declare u[n] v[n] expression sum(exp(u) .* v) hessian wrt u, v":           "",
		"declare x[0] expression sum(x .* x .* x) hessian wrt x":                   "",
		"declare x[1] expression sum(x .* x .* x) hessian wrt x":                   "",
		"declare x[n] A[n,n] expression logsumexp(A*x) + norm2(x)^2 hessian wrt x": "",
		"declare A[n,n] x[n] b[n] expression norm2(A*x - b) hessian wrt x":         "(A - v*v'*A)'*A/norm2(u)\nwhere u = A*x - b\n      v = u/norm2(u)",
		"f(x) : R -> R = ln . sin hessian wrt x":                                   "",
		"declare x[n] A[m,n] expression sin(A*x) hessian wrt x":                    "",
		"declare x[n] expression sum(x .* x .* x .* x) derivative wrt x order 3":   "",
	} {
		f, err := frechet.Parse(src)
		if err != nil && strings.Contains(src, " : ") {
			f, err = frechet.Parse(src, frechet.WithLanguage("combinators"))
		}
		require.NoError(t, err, src)
		d, err := f.Steps(f.Wrt()...)
		require.NoError(t, err, src)
		parts := map[string]bool{}
		text := ""
		for s := range d.Steps() {
			parts[s.Part] = true
			text = s.Text("text")
		}
		require.True(t, parts["order 2: derivative"], "%s: %v", src, parts)
		if last != "" {
			require.Equal(t, last, text, src)
		}
		var proof bytes.Buffer
		require.NoError(t, d.Certificate(&proof), src)
		text = proof.String()
		_, err = frechet.Replay(context.Background(), &proof)
		require.NoError(t, err, src)
		for _, kind := range []string{"gradient", "adjoint at", "program"} { // entries are those of a derivative
			if forged := regexp.MustCompile(`"kind": ?"`+kind+`"`).ReplaceAllString(text, `"kind":"entries"`); forged != text {
				_, err = frechet.Replay(context.Background(), strings.NewReader(forged))
				require.Error(t, err, src)
			}
		}
		forged := regexp.MustCompile(`"kind": ?"entries"`).ReplaceAllString(text, `"kind":"gradient"`)
		require.NotEqual(t, text, forged, src)
		_, err = frechet.Replay(context.Background(), strings.NewReader(forged))
		require.Error(t, err, src)
	}
}
