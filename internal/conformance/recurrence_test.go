package conformance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Recurrences are what their steps written out are: values, gradients, products with the Hessian, and the texts of all of these.

const declared = "declare A[n,n] X[T,n] b[n] w[] h0[n] V[n,n] "

// drawStep is a step of the state h, at X[t,:].
func drawStep(t *rapid.T, depth int) string {
	leaves := []string{"h", "X[t,:]", "b", "A*h", "w*h", "h[::-1]", "[h[1]; b[0]]"}
	if depth == 0 {
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	sub := func() string { return drawStep(t, depth-1) }
	switch rapid.IntRange(0, 6).Draw(t, "op") {
	case 0:
		return "tanh(" + sub() + ")"
	case 1:
		return "(" + sub() + " + " + sub() + ")"
	case 2:
		return "(" + sub() + " .* cos(" + sub() + "))"
	case 3:
		return "(A*" + sub() + ")"
	case 4:
		return "(h ./ (1 + " + sub() + " .^ 2))"
	case 5:
		return "softmax(" + sub() + ")"
	}
	return "(b - " + sub() + ")"
}

// unrolled is the program with a let for each step.
func unrolled(step string, steps int) string {
	text := "let s0 = h0 "
	for t := range steps {
		x := strings.NewReplacer("h", fmt.Sprintf("s%d", t), "X[t,:]", fmt.Sprintf("X[%d,:]", t), "tanh", "tanh").Replace(step)
		text += fmt.Sprintf("let s%d = %s ", t+1, x)
	}
	return text
}

// results are the value of the program's expression, its gradients, and those of the product of the Hessian by A with V.
func results(t require.TestingT, src string, dims map[string][]int64) (p *elab.Program, nodes []*combinators.Node) {
	file, err := syntax.Parse(src, syntax.Limits{})
	require.NoError(t, err, src)
	p, err = elab.Elaborate(file, elab.Options{Dims: dims})
	require.NoError(t, err, src)
	y := p.Outputs[0].Node
	var wrt []*combinators.Node
	for _, x := range p.Params[:5] {
		wrt = append(wrt, x.Node)
	}
	s := p.Store
	c := adjoint.Standard()
	back, err := c.VJP([]*combinators.Node{y}, wrt, []*combinators.Node{s.Int(1)})
	require.NoError(t, err, src)
	hvp, err := c.HVP(y, wrt[0], p.Params[5].Node)
	require.NoError(t, err, src)
	return p, append(append([]*combinators.Node{normal.Simplify(y)[0]}, back...), hvp)
}

// readAgain is a node as its text is read.
func readAgain(t require.TestingT, n *combinators.Node, dims map[string][]int64, notation unparse.Notation) *combinators.Node {
	stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Notation: notation, Taken: map[string]bool{"A": true, "X": true, "b": true, "w": true, "h0": true, "V": true, "T": true, "n": true}})
	if err != nil && combinators.Bodied(n) == "" {
		return n // of a step without a state: what it is for T = 0 and beyond has a form in index notation
	}
	require.NoError(t, err)
	src := declared + "\n" + syntax.PrintFile(&syntax.File{Stmts: stmts})
	file, err := syntax.Parse(src, syntax.Limits{})
	require.NoError(t, err, src)
	p, err := elab.Elaborate(file, elab.Options{Dims: dims})
	require.NoError(t, err, src)
	require.Equal(t, syntax.PrintFile(file), syntax.PrintFile(must(syntax.Parse(syntax.PrintFile(file), syntax.Limits{}))))
	return p.Outputs[0].Node
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// tensors are some numbers for variables.
func tensors(dims map[string][]int64) eval.Env {
	env := eval.Env{}
	for name, d := range dims {
		x := &eval.Tensor{Data: []float64{}}
		n := 1
		for _, k := range d {
			x.Shape, n = append(x.Shape, int(k)), n*int(k)
		}
		for i := range n {
			x.Data = append(x.Data, float64((i*7+len(name)*3)%11)/11-0.4)
		}
		env[name] = x
	}
	return env
}

// TestFixpointsIterated: a fixed point, and the root that says the same, are what a step comes to that is repeated, with gradients, products with the Hessian, and the texts of all of these; they do not depend on where they begin.
func TestFixpointsIterated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := "0.1*" + strings.ReplaceAll(drawStep(t, rapid.IntRange(0, 1).Draw(t, "depth")), "X[t,:]", "X[0,:]")
		dims := map[string][]int64{"A": {2, 2}, "X": {1, 2}, "b": {2}, "w": {}, "h0": {2}, "V": {2, 2}}
		env := tensors(dims)
		notation := rapid.SampledFrom([]unparse.Notation{unparse.Auto, unparse.Einstein}).Draw(t, "notation")
		last := " expression norm2(s + 1)^2 + 0*sum(h0 + w*b) + 0*sum(A)*sum(X)"
		_, want := results(t, declared+"let s = iterate(t: 30, h = h0) "+step+" + 0.1*h"+last, dims)
		a, err := eval.Run(context.Background(), want, env)
		require.NoError(t, err)
		form := rapid.SampledFrom([]string{"fixpoint(h = h0) # + 0.1*h", "root(h = h0) sin(# - 0.9*h)"}).Draw(t, "form")
		src := declared + "let s = " + strings.ReplaceAll(form, "#", step) + last
		_, ours := results(t, src, dims)
		b, err := eval.Run(context.Background(), ours, env)
		require.NoError(t, err, src)
		for k := range a {
			require.InDeltaSlice(t, a[k].Data, b[k].Data, 1e-9, src)
			c, err := eval.Run(context.Background(), []*combinators.Node{readAgain(t, ours[k], dims, notation)}, env)
			require.NoError(t, err, src)
			require.InDeltaSlice(t, a[k].Data, c[0].Data, 1e-9, src)
		}
		reference, err := eval.Reference(context.Background(), ours[:2], env, nil, nil)
		require.NoError(t, err, src)
		require.InDeltaSlice(t, a[1].Data, reference[1].Data, 1e-9, src)
	})
}

func TestRecurrencesUnrolled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := drawStep(t, rapid.IntRange(0, 2).Draw(t, "depth"))
		steps := rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "T")
		dims := map[string][]int64{"A": {2, 2}, "X": {int64(steps), 2}, "b": {2}, "w": {}, "h0": {2}, "V": {2, 2}}
		env := tensors(dims)
		notation := rapid.SampledFrom([]unparse.Notation{unparse.Auto, unparse.Einstein}).Draw(t, "notation")
		kind := rapid.SampledFrom([]string{"iterate", "scan", "states"}).Draw(t, "kind")
		last := map[string]string{"iterate": "norm2(# + 1)^2", "scan": "sum(sin(#))", "states": "sum(# .* #)"}[kind]
		src := declared + "let s = " + kind + "(t: T, h = h0) " + step + " expression " + strings.ReplaceAll(last, "#", "s")
		var terms []string
		for k := range steps + 1 {
			if s := fmt.Sprintf("s%d", k); kind == "states" || kind == "scan" && k > 0 || kind == "iterate" && k == steps {
				terms = append(terms, strings.ReplaceAll(last, "#", s))
			}
		}
		want := declared + unrolled(step, steps) + "expression " + strings.Join(append(terms, "0*w"), " + ")
		_, ours := results(t, src, dims)
		_, theirs := results(t, want, dims)
		a, err := eval.Run(context.Background(), ours, env)
		require.NoError(t, err, src)
		b, err := eval.Run(context.Background(), theirs, env)
		require.NoError(t, err, want)
		reference, err := eval.Reference(context.Background(), ours, env, nil)
		require.NoError(t, err, src)
		for k := range ours {
			text := nodeText(ours[k])
			require.InDeltaSlice(t, b[k].Data, a[k].Data, 1e-9, "%s\n%s\n%s", src, want, text)
			require.InDeltaSlice(t, a[k].Data, reference[k].Data, 1e-9, src)
			again := readAgain(t, ours[k], dims, notation)
			c, err := eval.Run(context.Background(), []*combinators.Node{again}, env)
			require.NoError(t, err, text)
			require.InDeltaSlice(t, a[k].Data, c[0].Data, 1e-9, "%s\n%s", src, text)
		}
	})
}

// TestRecurrencesDoNotGrow: a derivative has as many nodes and as long a text, whatever the number of steps is.
func TestRecurrencesDoNotGrow(t *testing.T) {
	sizes := map[int]bool{}
	for _, steps := range []int64{100, 900} {
		dims := map[string][]int64{"A": {2, 2}, "X": {steps, 2}, "b": {2}, "w": {}, "h0": {2}, "V": {2, 2}}
		_, nodes := results(t, declared+"expression norm2(iterate(t: T, h = h0) tanh(A*h + w*X[t,:]))^2", dims)
		size := len(combinators.Topo(nodes...))
		for _, n := range nodes {
			stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{})
			require.NoError(t, err)
			size += 1000 * len(syntax.PrintFile(&syntax.File{Stmts: stmts}))
		}
		sizes[size] = true
	}
	require.Len(t, sizes, 1)
}
