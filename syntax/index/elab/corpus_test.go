package elab_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	syntaxelab "frechet/syntax/elab"
)

type tensorData struct {
	Shape []int
	Data  []float64
}

type elementwiseCase struct {
	Name, Input string
	Dims        map[string][]int64
	Values      map[string][]float64
	Cotangent   []float64
	Value       tensorData
	Grads       map[string]tensorData
}

func elementwiseCases(t testing.TB) (cases []elementwiseCase) {
	f, err := os.Open("../../../testdata/index/elementwise.jsonl")
	require.NoError(t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var c elementwiseCase
		require.NoError(t, json.Unmarshal(s.Bytes(), &c))
		cases = append(cases, c)
	}
	return cases
}

func elaborate(src string, dims map[string][]int64, sizes map[string]int64) (*syntaxelab.Program, error) {
	f, err := syntax.Parse(src, syntax.Limits{})
	if err != nil {
		return nil, err
	}
	return syntaxelab.Elaborate(f, syntaxelab.Options{Dims: dims, Sizes: sizes})
}

func environment(p *syntaxelab.Program, values map[string][]float64) eval.Env {
	env := eval.Env{}
	for _, v := range p.Params {
		if data, ok := values[v.Name]; ok {
			env[v.Name] = &eval.Tensor{Shape: shapeOf(v.Node), Data: data}
		}
	}
	return env
}

func shapeOf(n *combinators.Node) []int {
	out := make([]int, n.Order())
	for i, d := range n.Shape() {
		v, _ := d.Int()
		out[i] = int(v)
	}
	return out
}

// near compares to 1e-9 of the larger of 1 and the reference.
func near(t testing.TB, want, have []float64, msg ...any) {
	t.Helper()
	if !assert.Len(t, have, len(want), msg...) {
		return
	}
	for i := range want {
		if !(math.Abs(want[i]-have[i]) <= 1e-9*(1+math.Abs(want[i]))) {
			t.Errorf("%v: entry %d is %v, not %v", msg, i, have[i], want[i])
			return
		}
	}
}

// Values and all gradients of the conformance cases, by both evaluators, as built and in
// normal form.
func TestElementwise(t *testing.T) {
	ctx := context.Background()
	for _, c := range elementwiseCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			p, err := elaborate(c.Input, c.Dims, nil)
			require.NoError(t, err)
			y := p.Outputs[0].Node
			require.Equal(t, c.Value.Shape, shapeOf(y))
			w := p.Store.Var("cotangent", y.Shape())
			var wrt []*combinators.Node
			for _, v := range p.Params {
				wrt = append(wrt, v.Node)
			}
			back, err := adjoint.Standard().Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{w})
			require.NoError(t, err)
			env := environment(p, c.Values)
			env["cotangent"] = &eval.Tensor{Shape: shapeOf(y), Data: c.Cotangent}
			nodes := append([]*combinators.Node{y}, back...)
			for name, ns := range map[string][]*combinators.Node{"built": nodes, "simplified": normal.Simplify(nodes...)} {
				ref, err := eval.Reference(ctx, ns, env, nil)
				require.NoError(t, err)
				fast, err := eval.Run(ctx, ns, env)
				require.NoError(t, err)
				for which, out := range map[string][]*eval.Tensor{"reference": ref, "fast": fast} {
					near(t, c.Value.Data, out[0].Data, name, which, "value")
					for i, v := range p.Params {
						near(t, c.Grads[v.Name].Data, out[i+1].Data, name, which, v.Name)
					}
				}
			}
		})
	}
}

// Each wrong definition gives its kind of error at its place.
func TestErrorPlaces(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/index/errors.json")
	require.NoError(t, err)
	var cases []struct {
		Name, Input string
		Kind        syntax.Kind
		Pos         int
		Dims        map[string][]int64
		Message     string
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	for _, c := range cases {
		_, err := elaborate(c.Input, c.Dims, nil)
		var e *syntax.Error
		if assert.ErrorAs(t, err, &e, c.Input) {
			assert.Equal(t, c.Kind, e.Kind, "%s: %s", c.Input, e.Message)
			assert.Equal(t, c.Pos, e.Span.Start, "%s: %s", c.Input, e.Message)
			assert.Contains(t, e.Message, c.Message)
			t.Log("\n" + e.Render("", c.Input, false))
		}
	}
}
