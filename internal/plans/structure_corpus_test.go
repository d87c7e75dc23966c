package plans_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/corpus"
	"frechet/internal/program"
	"frechet/internal/query"
)

// hessianCases are the cases of the Einstein corpus that state a Hessian.
func hessianCases(t *testing.T) []*corpus.Case {
	cases, err := corpus.Load("../../testdata/einstein/language.jsonl", "../../testdata/reported/cases.jsonl")
	require.NoError(t, err)
	return slices.DeleteFunc(cases, func(c *corpus.Case) bool {
		return c.Expect.Hessian == nil || c.Waits != "" || c.Elsewhere != ""
	})
}

// Every Hessian of the corpus is right in every mode.
func TestHessiansInAllModes(t *testing.T) {
	cases := hessianCases(t)
	require.GreaterOrEqual(t, len(cases), 50)
	for _, mode := range frechet.Modes() {
		var in, out bytes.Buffer
		for _, c := range cases {
			c.Request["mode"], _ = json.Marshal(mode)
			in.Write(c.Line())
		}
		require.NoError(t, frechet.Batch(context.Background(), &in, &out))
		answers := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
		require.Len(t, answers, len(cases))
		for i, c := range cases {
			if bad := c.Check(answers[i]); bad != nil {
				t.Errorf("%s, %s: %s", c.ID, mode, strings.Join(bad, "\n    "))
			}
		}
	}
}

// Every Hessian of the corpus is right as a sum of products of factors and deltas: written
// out from its terms, applied to a direction, and its diagonal.
func TestHessiansInStructuredForm(t *testing.T) {
	checked := 0
	for _, c := range hessianCases(t) {
		var req struct {
			Input  string
			Dims   frechet.Dims
			Sizes  frechet.Sizes
			Values map[string][]any
			Wrt    any
		}
		require.NoError(t, json.Unmarshal(c.Line(), &req), c.ID)
		f, err := frechet.Parse(req.Input, frechet.WithDims(req.Dims), frechet.WithSizes(req.Sizes))
		require.NoError(t, err, c.ID)
		env := frechet.Env{}
		for name, vs := range req.Values {
			shape, err := query.Of(f.Value()).NumericShape(query.Of(f.Value()).Param(name), nil)
			require.NoError(t, err, c.ID)
			x := &frechet.Tensor{Shape: shape}
			for _, v := range vs {
				var d float64
				_, err := fmt.Sscan(fmt.Sprint(v), &d)
				require.NoError(t, err, c.ID)
				x.Data = append(x.Data, d)
			}
			env[name] = x
		}
		for _, mode := range []frechet.Mode{frechet.Planned, frechet.Forward, frechet.Reverse} {
			q := frechet.Query{Order: 2, Mode: mode}
			switch w := req.Wrt.(type) {
			case string:
				q.Wrt = []string{w}
			case []any:
				for _, v := range w {
					q.Wrt = append(q.Wrt, v.(string))
				}
			}
			r, err := f.Derive(context.Background(), q)
			require.NoError(t, err, c.ID)
			for _, o := range r.Outputs {
				for _, d := range o.Derivs {
					if d.Order == 2 {
						checkStructure(t, c.ID, f, d, env)
						checked++
					}
				}
			}
		}
	}
	require.GreaterOrEqual(t, checked, 150)
}

func checkStructure(t *testing.T, id string, f *frechet.Func, d frechet.Deriv, env frechet.Env) {
	t.Helper()
	n, x := query.Node(d.Term), query.Of(f.Value()).Param(d.Wrt[1])
	m := structured.New(n, n.Order()-x.Order())
	s := query.Of(f.Value()).Store
	v := s.Fresh("v", m.In)
	full := frechet.Env{}
	for name, value := range env {
		full[name] = value
	}
	shape, err := query.Of(f.Value()).NumericShape(v, nil)
	require.NoError(t, err, id)
	dir := &frechet.Tensor{Shape: shape, Data: make([]float64, program.Volume(shape))}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range dir.Data {
		dir.Data[i] = r.NormFloat64()
	}
	full[v.Name()] = dir
	nodes := []*combinators.Node{n, writtenOut(s, m), m.Apply(v)}
	square := size.Shape(m.Out) == size.Shape(m.In)
	if square {
		nodes = append(nodes, m.Diagonal())
	}
	out, err := query.Of(f.Value()).Run(context.Background(), nodes, full, nil)
	require.NoError(t, err, id)
	dense := out[0].Data
	near(t, id+" written out", dense, out[1].Data, dense)
	cols := len(dir.Data)
	if cols == 0 {
		return
	}
	applied := make([]float64, len(dense)/cols)
	for i := range applied {
		for j, w := range dir.Data {
			applied[i] += dense[i*cols+j] * w
		}
	}
	near(t, id+" applied", applied, out[2].Data, dense)
	if square {
		diagonal := make([]float64, cols)
		for i := range diagonal {
			diagonal[i] = dense[i*cols+i]
		}
		near(t, id+" diagonal", diagonal, out[3].Data, dense)
	}
}

// writtenOut is the sum of the map's terms as a dense value.
func writtenOut(s *combinators.Store, m *structured.Map) *combinators.Node {
	dims := slices.Concat(m.Out, m.In)
	total := s.Zero(dims)
	for _, u := range m.Terms() {
		first := einsum.UpTo(len(dims)) // by axis: the first that is equal to it
		for _, axes := range u.Deltas {
			for _, a := range axes {
				first[a] = axes[0]
			}
		}
		letter := map[int]int{}
		var sizes []size.Size
		for a, d := range dims {
			if first[a] == a {
				letter[a] = len(sizes)
				sizes = append(sizes, d)
			}
		}
		lettersOf := func(axes []int) []int {
			out := make([]int, len(axes))
			for i, a := range axes {
				out[i] = letter[first[a]]
			}
			return out
		}
		var ops []*combinators.Node
		var in [][]int
		for _, x := range u.Factors {
			ops, in = append(ops, x.Node), append(in, lettersOf(x.Axes))
		}
		if u.Coef.Cmp(big.NewRat(1, 1)) != 0 || len(ops) == 0 {
			ops, in = append(ops, s.Const(u.Coef)), append(in, nil)
		}
		total = s.Add(total, s.Contract(in, lettersOf(einsum.UpTo(len(dims))), sizes, ops...))
	}
	return total
}

// near compares tensors up to rounding relative to the largest entry of scale. Entries that
// are not finite must be so in both.
func near(t *testing.T, what string, want, got, scale []float64) {
	t.Helper()
	require.Len(t, got, len(want), what)
	most := 1.0
	for _, v := range scale {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			most = max(most, math.Abs(v))
		}
	}
	for i := range want {
		if math.IsNaN(want[i]) || math.IsInf(want[i], 0) {
			require.False(t, !math.IsNaN(got[i]) && !math.IsInf(got[i], 0), "%s: entry %d is %v, not %v", what, i, got[i], want[i])
			continue
		}
		require.InDelta(t, want[i], got[i], 1e-9*most, "%s: entry %d", what, i)
	}
}
