package frechet_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"frechet/internal/programs"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Properties of the whole, on random programs, through the batch protocol. Sizes with
// different names differ, and 0 and 1 are among them.

// TestDerivativesAgreeWithDifferences compares a directional derivative with central
// differences, extrapolated once.
func TestDerivativesAgreeWithDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		x := rapid.SampledFrom(p.Vars).Draw(t, "wrt")
		rng := rand.New(rand.NewPCG(1, 2))
		v := random(rng, len(p.Values[x]))
		r := askProgram(p)
		r["wrt"] = x
		var a result
		run(t, p, r, &a)
		var in bytes.Buffer
		const h = 1e-3
		for _, k := range []float64{1, -1, 2, -2} {
			moved := askProgram(p)
			values := map[string][]float64{}
			for name := range p.Values {
				values[name] = p.Values[name]
			}
			values[x] = slices.Clone(values[x])
			for i := range v {
				values[x][i] += k * h * v[i]
			}
			moved["values"] = values
			request(&in, moved)
		}
		var at [4]result
		for i, line := range batch(t, in.Bytes()) {
			require.NoError(t, json.Unmarshal(line, &at[i]))
		}
		n := len(v)
		for i, y := range a.Value.Data {
			got, scale := 0.0, 1.0
			for j := range n {
				d := a.Derivative.Data[i*n+j]
				got += d * v[j]
				scale = max(scale, math.Abs(d))
			}
			d1 := (at[0].Value.Data[i] - at[1].Value.Data[i]) / (2 * h)
			d2 := (at[2].Value.Data[i] - at[3].Value.Data[i]) / (4 * h)
			want := (4*d1 - d2) / 3
			scale = max(scale, math.Abs(y))
			require.InDelta(t, want, got, 1e-5*scale*float64(n), "entry %d of the derivative wrt %s of\n%s", i, x, p.Text())
		}
	})
}

// TestModesAndPullbackAgree: the Jacobian is the same in forward and in reverse mode, and
// the pullback of w is w contracted with it, so that <Lv, w> = <v, L*w> for all v.
func TestModesAndPullbackAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		w := random(rand.New(rand.NewPCG(3, 4)), p.Count(p.Shape))
		var forward, reverse, back result
		r := askProgram(p)
		r["wrt"] = p.Vars
		r["mode"] = "forward"
		run(t, p, r, &forward)
		r["mode"] = "reverse"
		run(t, p, r, &reverse)
		r = askProgram(p)
		r["cotangent"] = w
		run(t, p, r, &back)
		for _, x := range p.Vars {
			var f, b tensor
			require.NoError(t, json.Unmarshal(forward.Derivatives[x], &f))
			require.NoError(t, json.Unmarshal(reverse.Derivatives[x], &b))
			require.LessOrEqual(t, distance(&f, &b), 1e-9, "forward and reverse mode wrt %s of\n%s", x, p.Text())
			n := len(p.Values[x])
			want := &tensor{Shape: p.Dims[x], Data: make([]float64, n)}
			for i := range w {
				for j := range n {
					want.Data[j] += w[i] * b.Data[i*n+j]
				}
			}
			require.LessOrEqual(t, distance(back.Grads[x], want), 1e-9, "the pullback to %s of\n%s", x, p.Text())
		}
	})
}

// result is an answer; with a list of variables Derivatives holds their derivatives.
type result struct {
	Value       *tensor                    `json:"value"`
	Derivative  *tensor                    `json:"-"`
	Derivatives map[string]json.RawMessage `json:"-"`
	Raw         json.RawMessage            `json:"derivative"`
	Grads       map[string]*tensor         `json:"grads"`
	Text        map[string]any             `json:"text"`
	Error       json.RawMessage            `json:"error"`
}

func askProgram(p *programs.Program) map[string]any {
	return map[string]any{"input": p.Text(), "dims": p.Dims, "values": p.Values}
}

func run(t *rapid.T, p *programs.Program, r map[string]any, a *result) {
	var in bytes.Buffer
	request(&in, r)
	line := batch(t, in.Bytes())[0]
	require.NoError(t, json.Unmarshal(line, a))
	require.Empty(t, string(a.Error), "of\n%s\nasked as\n%s", p.Text(), r["input"])
	if a.Raw == nil {
		return
	}
	if _, list := r["wrt"].([]string); list {
		require.NoError(t, json.Unmarshal(a.Raw, &a.Derivatives))
		return
	}
	require.NoError(t, json.Unmarshal(a.Raw, &a.Derivative))
}

func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}
