package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// The commands for products with derivatives print what the derivative has, in every mode, and check
// finds nothing wrong.
func TestOperatorsOfRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.DrawOf(t, map[string]int64{"k": 2, "m": 3, "n": 2, "o": 1})
		x := rapid.SampledFrom(p.Vars).Draw(t, "wrt")
		axes := strings.Split(strings.Split(p.Declare, " "+x+"[")[1], "]")[0]
		src := fmt.Sprintf("%s along[%s] back[%s]\n%s", p.Declare, axes, strings.Join(p.Shape, ","), strings.Replace(p.Body, "expression ", "let r = ", 1))
		var data []string
		give := func(name string, shape []int, v []float64) {
			b, err := json.Marshal(v)
			require.NoError(t, err)
			text := string(b)
			for _, d := range slices.Backward(shape[1:]) { // in rows
				var nested []json.RawMessage
				var rows []json.RawMessage
				require.NoError(t, json.Unmarshal([]byte(text), &rows))
				for row := range slices.Chunk(rows, d) {
					b, err := json.Marshal(row)
					require.NoError(t, err)
					nested = append(nested, b)
				}
				b, err := json.Marshal(nested)
				require.NoError(t, err)
				text = string(b)
			}
			data = append(data, "-d", name+"="+text)
		}
		flat := func(shape []int) int {
			n := 1
			for _, d := range shape {
				n *= d
			}
			return n
		}
		nested := func(name string, shape []int, v []float64) {
			if len(shape) == 0 {
				data = append(data, "-d", fmt.Sprintf("%s=%v", name, v[0]))
				return
			}
			give(name, shape, v)
		}
		out := make([]int, len(p.Shape))
		for i, s := range p.Shape {
			out[i] = int(p.Sizes[s])
		}
		along, back := make([]float64, flat(p.Dims[x])), make([]float64, flat(out))
		for i := range along {
			along[i] = math.Sin(float64(i + 1))
		}
		for i := range back {
			back[i] = math.Cos(float64(i + 1))
		}
		for _, name := range p.Vars {
			nested(name, p.Dims[name], p.Values[name])
		}
		nested("along", p.Dims[x], along)
		nested("back", out, back)
		ask := func(expression string, args ...string) []float64 {
			var out, errs bytes.Buffer
			args = slices.Concat([]string{args[0], src + "\nexpression " + expression}, args[1:], []string{"--wrt", x, "--json"}, data)
			require.Zero(t, run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}), "%v\n%s%s", args, out.String(), errs.String())
			var a struct {
				Results []struct{ Value struct{ Data []float64 } }
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &a), out.String())
			if len(a.Results) == 0 {
				return nil
			}
			return a.Results[len(a.Results)-1].Value.Data
		}
		same := func(want, got []float64, what string) {
			require.Len(t, got, len(want), what)
			scale := 1.0
			for _, v := range want {
				scale = max(scale, math.Abs(v))
			}
			for i := range want {
				require.InDelta(t, want[i], got[i], 1e-8*scale, "%s by %s of\n%s", what, x, src)
			}
		}
		n := len(along)
		scalar := "sum(back .* sin(r))"
		mode := rapid.SampledFrom(frechet.Modes()).Draw(t, "mode")
		j, h := ask("r", "jac", "--mode", mode), ask(scalar, "hess", "--mode", mode)
		jv, ju, hv := make([]float64, len(back)), make([]float64, n), make([]float64, n)
		for i := range back {
			for k := range n {
				jv[i] += j[i*n+k] * along[k]
				ju[k] += j[i*n+k] * back[i]
			}
		}
		for i := range n {
			for k := range n {
				hv[i] += h[i*n+k] * along[k]
			}
		}
		same(jv, ask("r", "jvp", "--along", "along", "--mode", mode), "jvp")
		same(ju, ask("r", "vjp", "--along", "back", "--mode", mode), "vjp")
		same(hv, ask(scalar, "hvp", "--along", "along", "--mode", mode), "hvp")
		same(h, ask(scalar, "eval", "--order", "2", "--mode", mode), "eval")
		same(ju, ask("sum(back .* r)", "grad", "--mode", mode), "grad")
		ask(scalar, "eval", "--order", "2", "--check")
	})
}
