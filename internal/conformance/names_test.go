package conformance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"frechet"
	"frechet/combinators"
	"frechet/eval"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Names of sizes, variables and indices say nothing: a program and its derivatives have the values that they have under
// any other names, those among them that the program itself gives to loops, axes, tangents and letters.

// named are programs with names to be chosen: SIZES are in capitals, variables in small letters, indices in bold.
var named = []struct{ text, wrt string }{
	{"declare $x[@N] $z[@K] $w[@M]\n$s[] = sum{%i}_0^(@M-1) ($x[%i]*$w[%i]) - sum{%i}_0^(@M-1) ($x[@K]*$w[%i]) + sum{%i}_0^(@K-1) ($z[%i])", "x"},
	{"declare $x[@N] $z[@K] $w[@M]\n$s[] = sum{%i}_0^(@K-1) sum{%j}_0^(@M-1) ($x[%i + %j]*$x[@M]*$z[%i])", "x"},
	{"declare $x[@N] $z[@K]\n$y[%i:@K] = sum{%j}_0^%i (exp($x[%j])*$x[@K - %i]*$z[%j])", "x"},
	{"declare $x[@N] $z[@K] $w[@M]\n$y[%i:@M] = $x[%i]*$x[@M - %i] + sum{%j}_0^(@K - 1) ($x[%j]*$z[%j]*$x[%i])", "x"},
	{"declare $a[@M,@K] $b[@K]\nexpression sum(exp($a)*$b) + norm2($a*$b)^2 + tr($a*$a')", "a"},
	{"declare $a[@M,@K] $b[@K]\nexpression softmax($a*$b)", "b"},
	{"declare $a[@M,@K] $b[@K]\nexpression sum(log(1 + exp($a*$b)) .* ($a*$b))", "a"},
}

// internal are names that stand for something else somewhere, or look like it.
var internal = []string{"t0", "t1", "t2", "t", "i", "j", "k", "l", "m", "n", "p", "q", "x", "y", "d", "dx", "h", "u", "v", "w",
	"e", "i1", "d0", "d1", "n1", "x1", "hole", "one", "size", "k1", "X", "U", "V", "S", "R", "D", "a", "b", "c", "f", "T0", "v0", "dim", "axis"}

var slots = regexp.MustCompile(`[$@%][A-Za-z]`)

// instance has the slots of a text filled, each by its name.
func instance(text string, names map[string]string) string {
	return slots.ReplaceAllStringFunc(text, func(s string) string { return names[s] })
}

func TestNamesSayNothing(t *testing.T) {
	numbers := map[string]int64{"@M": 2, "@K": 2, "@N": 4}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(named).Draw(t, "program")
		seen := map[string]bool{}
		names, plain := map[string]string{}, map[string]string{}
		for _, s := range slots.FindAllString(p.text, -1) {
			if names[s] != "" {
				continue
			}
			names[s] = rapid.SampledFrom(internal).Filter(func(n string) bool { return !seen[n] }).Draw(t, s)
			seen[names[s]] = true
			plain[s] = "plain" + map[byte]string{'$': "Value", '@': "Size", '%': "Index"}[s[0]] + s[1:]
		}
		values := func(names map[string]string) []*eval.Tensor {
			src := instance(p.text, names)
			sizes := map[string]int64{}
			for s, n := range numbers {
				sizes[names[s]] = n
			}
			prog := elaborated(t, src)
			env, rng := eval.Env{}, rand.New(rand.NewPCG(7, 7))
			for _, q := range prog.Params {
				v := eval.NewTensor(shapeAt(t, q.Node, sizes)...)
				for i := range v.Data {
					v.Data[i] = rng.Float64()
				}
				env[q.Name] = v
			}
			f, err := frechet.Parse(src)
			require.NoError(t, err, src)
			r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{names["$"+p.wrt]}, Order: 1})
			require.NoError(t, err, src)
			declare, _, _ := strings.Cut(src, "\n")
			var out []*eval.Tensor
			for _, term := range []*frechet.Term{r.Outputs[0].Value, r.Outputs[0].Derivs[0].Term} {
				text := asProgram(declare, term.String())
				again := elaborated(t, text)
				got, err := eval.Reference(context.Background(), []*combinators.Node{again.Outputs[len(again.Outputs)-1].Node}, env, sizes)
				require.NoError(t, err, text)
				out = append(out, got[0])
			}
			return out
		}
		want, got := values(plain), values(names)
		for k := range want {
			require.Equal(t, want[k].Shape, got[k].Shape)
			require.InDeltaSlice(t, want[k].Data, got[k].Data, 1e-12, fmt.Sprintf("derivative %d of\n%s", k, instance(p.text, names)))
		}
	})
}
