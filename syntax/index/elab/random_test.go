package elab_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/index"
	"frechet/syntax/index/unparse"
)

// Gradients and second derivatives of random definitions are those that exact
// infinitesimals give, in whole numbers: as built and in normal form, by both
// evaluators, and after being printed in index notation and read back.
func TestRandomDefinitions(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	ctx := context.Background()
	compared, skipped := 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		d, shapes := randomDefinition(r)
		text := index.PrintDefinition(d)
		again, err := index.ParseText(text, syntax.Limits{})
		require.NoError(t, err, text)
		require.True(t, index.EqualDefinitions(d, again), "%s\n%s", text, index.PrintDefinition(again))
		p, err := elaborate(text, shapes, nil)
		require.NoError(t, err, "%s %v", text, shapes)
		in := &interpreter{args: map[string][]jet{}, shapes: shapes}
		values := map[string][]float64{}
		for _, name := range slices.Sorted(maps.Keys(shapes)) {
			n := volume(shapes[name])
			if name == "f" {
				continue
			}
			values[name] = make([]float64, n)
			in.args[name] = make([]jet, n)
			for i := range n {
				v := float64(r.IntN(5) - 2)
				values[name][i], in.args[name][i] = v, jet{v: v}
			}
		}
		df := make([]float64, volume(shapes["f"]))
		for i := range df {
			df[i] = float64(r.IntN(5) - 2)
		}
		value := parts(in.all(d, shapes["f"]), func(j jet) float64 { return j.v })
		y := p.Outputs[0].Node
		require.Equal(t, ints(shapes["f"]), shapeOf(y))
		w := p.Store.Var("df", y.Shape())
		var wrt []*combinators.Node
		want := [][]float64{value}
		for _, v := range p.Params {
			wrt = append(wrt, v.Node)
			g := make([]float64, len(values[v.Name]))
			for i := range g {
				in.args[v.Name][i].e = 1
				g[i] = dot(df, parts(in.all(d, shapes["f"]), func(j jet) float64 { return j.e }))
				in.args[v.Name][i].e = 0
			}
			want = append(want, g)
		}
		back, err := adjoint.Standard().Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{w})
		require.NoError(t, err, text)
		nodes := append([]*combinators.Node{y}, back...)
		// the second derivative by the first variable, of the gradient by it along a direction
		if len(wrt) > 0 && len(values[p.Params[0].Name]) <= 24 {
			name := p.Params[0].Name
			dir := make([]float64, len(values[name]))
			for i := range dir {
				dir[i] = float64(r.IntN(3) - 1)
				in.args[name][i].d = dir[i]
			}
			u := p.Store.Var("u", wrt[0].Shape())
			second, err := adjoint.Standard().Pullback([]*combinators.Node{back[0]}, wrt[:1], []*combinators.Node{u})
			require.NoError(t, err, text)
			nodes = append(nodes, second[0])
			g := make([]float64, len(dir))
			for i := range g {
				in.args[name][i].e = 1
				g[i] = dot(df, parts(in.all(d, shapes["f"]), func(j jet) float64 { return j.ed }))
				in.args[name][i].e = 0
			}
			want = append(want, g)
			values["u"] = dir
			shapes["u"] = shapes[name]
		}
		values["df"], shapes["df"] = df, shapes["f"]
		env := eval.Env{}
		for name, v := range values {
			env[name] = &eval.Tensor{Shape: ints(shapes[name]), Data: v}
		}
		simple := normal.Simplify(nodes...)
		for which, ns := range map[string][]*combinators.Node{"built": nodes, "simplified": simple} {
			ref, err := eval.Reference(ctx, ns, env, nil)
			require.NoError(t, err, text)
			fast, err := eval.Run(ctx, ns, env)
			require.NoError(t, err, text)
			for i := range ns {
				exact(t, want[i], ref[i].Data, "reference", which, i, text, shapes, values)
				exact(t, want[i], fast[i].Data, "fast", which, i, text, shapes, values)
				compared++
			}
		}
		for i, n := range simple {
			stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Names: []string{"result"}})
			require.NoError(t, err, text)
			printed := syntax.PrintFile(&syntax.File{Stmts: stmts})
			q, err := elaborate(printed, occurring(n, shapes, printed), nil)
			require.NoError(t, err, "%s\n%s %v", text, printed, shapes)
			if boxes(q.Outputs[0].Node) > 1e6 {
				skipped++ // the reference visits whole boxes
				continue
			}
			out, err := eval.Reference(ctx, []*combinators.Node{q.Outputs[0].Node}, env, nil)
			require.NoError(t, err, printed)
			exact(t, want[i], out[0].Data, "printed", i, text, printed, shapes, values)
		}
	}
	t.Logf("%d values of %d definitions; %d were not read back", compared, rounds, skipped)
}

// boxes is the largest number of points that the loops of a contraction visit.
func boxes(n *combinators.Node) (most float64) {
	for _, m := range combinators.Topo(n) {
		if c := m.Ein(); c != nil {
			points := 1.0
			for _, d := range c.Vars {
				k, _ := d.Int()
				points *= float64(k)
			}
			most = max(most, points)
		}
	}
	return most
}

// An access is out of range exactly where reading the definition leaves its tensor.
func TestRandomRanges(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 600
	}
	outside := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		d, shapes := randomDefinition(r)
		for _, name := range []string{"x", "y"} {
			for k := range shapes[name] {
				if r.IntN(2) == 0 {
					shapes[name][k] = max(shapes[name][k]-int64(r.IntN(4)), 0)
				}
			}
		}
		in := &interpreter{args: map[string][]jet{}, shapes: shapes}
		for name, s := range shapes {
			in.args[name] = make([]jet, volume(s))
		}
		leaves := func() (out any) {
			defer func() { out = recover() }()
			in.all(d, shapes["f"])
			return nil
		}()
		text := index.PrintDefinition(d)
		_, err := elaborate(text, shapes, nil)
		var e *syntax.Error
		switch {
		case leaves == nil:
			require.NoError(t, err, "%s %v", text, shapes)
		default:
			outside++
			require.ErrorAs(t, err, &e, "%s %v: %v", text, shapes, leaves)
			require.Equal(t, syntax.KindOutOfRange, e.Kind, e.Message)
		}
	}
	t.Logf("%d of %d leave their tensors", outside, rounds)
}

func occurring(n *combinators.Node, shapes map[string][]int64, text string) map[string][]int64 {
	out := map[string][]int64{}
	for _, m := range combinators.Topo(n) {
		if m.Is(atom.Var) && regexp.MustCompile(`\b`+m.Name()+`\b`).MatchString(text) {
			out[m.Name()] = shapes[m.Name()]
		}
	}
	return out
}

func exact(t *testing.T, want, have []float64, msg ...any) {
	t.Helper()
	if !slices.Equal(want, have) {
		t.Fatalf("want %v\nhave %v\n%s", want, have, strings.TrimSpace(fmt.Sprintln(msg...)))
	}
}

func parts(js []jet, f func(jet) float64) []float64 {
	out := make([]float64, len(js))
	for i, j := range js {
		out[i] = f(j)
	}
	return out
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func volume(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func ints(shape []int64) []int {
	out := make([]int, len(shape))
	for i, d := range shape {
		out[i] = int(d)
	}
	return out
}
