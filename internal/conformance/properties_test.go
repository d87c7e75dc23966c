package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/internal/programs"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Properties of the whole, on random programs, through the batch protocol. Sizes with
// different names differ, and 0 and 1 are among them.

// TestPrintedTextReadsBack: what is printed, of a program and of its derivative, is read
// as what was printed, in every notation that can be read: as a term of the same type and
// value. Nearly all are also one node, and the test says how many: normal forms that were
// reached on different ways may differ.
func TestPrintedTextReadsBack(t *testing.T) {
	texts, same := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		x := rapid.SampledFrom(p.Vars).Draw(t, "wrt")
		for _, format := range []string{"text", "matrix", "einstein"} {
			r := map[string]any{"input": p.Text(), "wrt": x, "format": format}
			var a result
			run(t, p, r, &a)
			for order, field := range []string{"value", "derivative"} {
				text := a.Text[field].(string)
				printed, want := readBack(t, p, x, text, order)
				require.True(t, slices.Equal(want.Shape(), printed.Shape()))
				texts++
				if isOne(printed, want) {
					same++
				}
				values := evaluate(t, p, printed, want)
				require.LessOrEqual(t, distance(values[0], values[1]), 1e-9, "the %s wrt %s of\n%s\nprints in %s as\n%s\nread as\n%s",
					field, x, p.Text(), format, text, nodeText(printed))
			}
		}
	})
	t.Logf("%d of %d texts are read as the node that was printed", same, texts)
}

// TestScalarsBesideMatrices: a sum of numbers is one text in both orientations of the
// matrix that follows it, and the two must not take their terms from each other.
func TestScalarsBesideMatrices(t *testing.T) {
	p := &programs.Program{
		Declare: "declare s[] t[] A[k,m] B[k,m] C[k,m]", Body: "expression (((s - sin(t) + t + exp(s)) + (A - B)) - B) + C",
		Sizes: map[string]int64{"k": 1, "m": 2}, Dims: map[string][]int{"s": {}, "t": {}, "A": {1, 2}, "B": {1, 2}, "C": {1, 2}},
		Values: map[string][]float64{"s": {1}, "t": {2}, "A": {3, 4}, "B": {5, 6}, "C": {7, 8}},
	}
	var a result
	run(t, p, map[string]any{"input": p.Text(), "format": "matrix"}, &a)
	printed, want := readBack(t, p, "s", a.Text["value"].(string), 0)
	values := evaluate(t, p, printed, want)
	require.LessOrEqual(t, distance(values[0], values[1]), 1e-12, a.Text["value"])
}

// readBack reads a text beside the program, and gives it in normal form with the value of
// the program, or its derivative.
func readBack(t require.TestingT, p *programs.Program, x, text string, order int) (printed, want *combinators.Node) {
	if !strings.HasPrefix(text, "let ") {
		text = "expression " + text
	}
	for _, let := range regexp.MustCompile(`let (\w+)(?: =|\()`).FindAllStringSubmatch(text, -1) { // those of the program get names of their own
		if strings.Contains(p.Text(), let[0]) {
			text = regexp.MustCompile(`\b`+let[1]+`\b`).ReplaceAllString(text, let[1]+"_again")
		}
	}
	src := strings.Replace(p.Text(), "expression ", "expression program = ", 1) + "\n" +
		strings.Replace(text, "expression ", "expression printed = ", 1)
	file, err := syntax.Parse(src, syntax.Limits{})
	require.NoError(t, err, src)
	prog, err := elab.Elaborate(file, elab.Options{})
	require.NoError(t, err, src)
	var wrt []*combinators.Node
	for _, q := range prog.Params {
		if q.Name == x {
			wrt = append(wrt, q.Node)
		}
	}
	d, err := jacobian.Derive(prog.Outputs[0].Node, wrt, order, jacobian.Planned)
	require.NoError(t, err)
	if want = d.Value; order > 0 {
		want = d.ByOrder[order-1][0]
	}
	return normal.SimplifyWithin([]*combinators.Node{d.Value}, prog.Outputs[1].Node)[0], want
}

// isOne reports whether two values are one node, sharing and guards aside.
func isOne(a, b *combinators.Node) bool {
	both := normal.Simplify(unshared(withoutGuards(a, b)...)...)
	return both[0] == both[1]
}

// evaluate evaluates nodes at the values of the program's variables.
func evaluate(t require.TestingT, p *programs.Program, nodes ...*combinators.Node) []*tensor {
	env := eval.Env{}
	for name, v := range p.Values {
		x, err := eval.Of(p.Dims[name], v)
		require.NoError(t, err)
		env[name] = x
	}
	out, err := eval.Run(context.Background(), nodes, env, eval.WithSizes(p.Sizes))
	require.NoError(t, err)
	values := make([]*tensor, len(out))
	for i, x := range out {
		values[i] = &tensor{x.Shape, x.Data}
	}
	return values
}

// TestSimplifyKeepsValueAndType compares a program and its derivative in normal form with
// what elaboration and differentiation made of them.
func TestSimplifyKeepsValueAndType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		file, err := syntax.Parse(p.Text(), syntax.Limits{})
		require.NoError(t, err)
		prog, err := elab.Elaborate(file, elab.Options{})
		require.NoError(t, err)
		var wrt []*combinators.Node
		for _, q := range prog.Params {
			wrt = append(wrt, q.Node)
		}
		y := prog.Outputs[0].Node
		js, err := jacobian.Of(adjoint.Standard(), y, wrt, jacobian.Planned)
		require.NoError(t, err)
		raw := append(js, y)
		short := append(normal.SimplifyWithin([]*combinators.Node{y}, js...), normal.Simplify(y)...)
		for i := range raw {
			require.True(t, slices.Equal(raw[i].Shape(), short[i].Shape()), p.Text())
			values := evaluate(t, p, raw[i], short[i])
			require.LessOrEqual(t, distance(values[0], values[1]), 1e-9, "output or derivative %d of\n%s\nsimplifies to\n%s",
				i, p.Text(), nodeText(short[i]))
		}
	})
}

// unshared writes products of products, and whole powers, as one product of many
// operands. A normal form keeps the parts that have several users, and text names a part
// that had one; this takes the difference away.
func unshared(nodes ...*combinators.Node) []*combinators.Node {
	return combinators.Rebuild(nodes, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		n = n.With(args)
		s := n.Store()
		if n.Is(atom.Power) && n.Rat().IsInt() {
			if k := n.Rat().Num().Int64(); 1 < max(k, -k) && max(k, -k) <= 4 {
				x := s.Power(n.Arg(0), big.NewRat(k/max(k, -k), 1))
				product := x
				for range max(k, -k) - 1 {
					product = s.Mul(product, x)
				}
				n = product
			}
		}
		c, ops := n.Ein(), n.Args()
		for k := 0; c != nil && k < len(ops); {
			if a := ops[k]; a.Ein() != nil {
				c, ops = s.Fuse(c, k, a.Ein()), slices.Concat(ops[:k], a.Args(), ops[k+1:])
			} else {
				k++
			}
		}
		if c == nil {
			return n
		}
		return s.Ein(c, ops...)
	})
}

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
			if math.Abs(d1-d2) > 1e-4*scale {
				continue // a kink lies between the points
			}
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
	Hessian     *tensor                    `json:"hessian"`
	Jvp         *tensor                    `json:"jvp"`
	Derivatives map[string]json.RawMessage `json:"-"`
	Raw         json.RawMessage            `json:"derivative"`
	Grads       map[string]*tensor         `json:"grads"`
	Text        map[string]any             `json:"text"`
	Error       json.RawMessage            `json:"error"`
}

func askProgram(p *programs.Program) map[string]any {
	return map[string]any{"input": p.Text(), "dims": p.Dims, "values": p.Values}
}

func run(t require.TestingT, p *programs.Program, r map[string]any, a *result) {
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
