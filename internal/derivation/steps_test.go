package derivation_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/internal/golden"
)

var updateSteps = flag.Bool("update-steps", false, "rewrite the derivations in testdata/steps")

// TestDerivations compares the derivations of the examples of Elsman et al. with testdata/steps, a
// file for each: the program, and its calculation. What is derived is compared with finite
// differences, and the adjoint with the derivative.
func TestDerivations(t *testing.T) {
	golden.Run(t, "../../testdata/steps/*.txtar", *updateSteps, func(t *testing.T, ar *golden.Archive) {
		src := ar.Section("program")
		f := parseEither(t, src)
		d, err := f.Steps(f.Wrt()...)
		require.NoError(t, err)
		ar.Check("derivation", d.Text("text", false))
		for s := range d.Steps() {
			assert.NotContains(t, s.Text("latex"), `\mathtt{ein`)
			assert.True(t, s.Rule == "" || s.Source != "", "%s has no source", s.Rule)
		}
		requireChecked(t, src)
	})
}

// parseEither parses a program in either language.
func parseEither(t *testing.T, src string, opts ...frechet.Option) *frechet.Func {
	if strings.Contains(src, " : ") {
		opts = append(opts, frechet.WithLanguage("combinators"))
	}
	f, err := frechet.Parse(src, opts...)
	require.NoError(t, err)
	return f
}

// requireChecked compares all derivatives of a program with finite differences, at random points.
func requireChecked(t *testing.T, src string) {
	ctx := context.Background()
	f := parseEither(t, src)
	sizes := frechet.Sizes{}
	for i, s := range f.Symbols() {
		sizes[s] = int64(2 + i%3)
	}
	env, err := f.RandomEnv(ctx, sizes, 3)
	require.NoError(t, err)
	f = parseEither(t, src, frechet.WithSizes(sizes), frechet.WithDims(frechet.DimsOf(env)))
	var wrt []string
	for _, p := range f.Params() {
		wrt = append(wrt, p.Name)
	}
	r, err := f.Derive(ctx, frechet.Query{Wrt: wrt, Order: 1})
	require.NoError(t, err)
	c, err := r.Check(ctx, env)
	require.NoError(t, err)
	require.True(t, c.OK(), "%+v", c)
}

// The last line of a derivation is what the commands print.
func TestDerivationsEndInTheGradient(t *testing.T) {
	for _, src := range []string{
		"declare X[m,n] y[m] w[n] expression sum(log(1 + exp(-(y .* (X*w))))) derivative wrt w",
		"declare A[n,n] x[n] expression x'*A*x derivative wrt x",
		"declare A[n,n] expression logdet(A) derivative wrt A",
		"declare x[n] expression norm2(x) derivative wrt x",
		"h(x) : R -> R = ln . sin derivative wrt x",
	} {
		f := parseEither(t, src)
		d, err := f.Steps(f.Wrt()...)
		require.NoError(t, err, src)
		var last frechet.Step
		for s := range d.Steps() {
			last = s
		}
		require.Equal(t, "gradient", last.Part, src)
		g, err := f.Gradient(f.Wrt()[0])
		require.NoError(t, err)
		assert.Equal(t, strings.Fields(g.String())[0] == "let", strings.Contains(last.Text("text"), "where"), src)
		if !strings.Contains(g.String(), "let ") {
			assert.Equal(t, g.String(), last.Text("text"), src)
		}
	}
}

// Ordering steps are hidden, and the line before them shows what they lead to.
func TestDerivationOrdering(t *testing.T) {
	f := parseEither(t, "h : R -> R = (sin . cos) . (exp . tanh)")
	d, err := f.Steps()
	require.NoError(t, err)
	assert.Contains(t, d.Text("text", true), "{ C-assoc")
	assert.NotContains(t, d.Text("text", false), "{ C-assoc")
}

// A long chain of maps shows each step alone: the first map that a step rewrites is the whole chain, whose parts have their names
// from the line before, and none that it makes is the whole term.
func TestLongChainOfMaps(t *testing.T) {
	f := parseEither(t, "h : R -> R = sin"+strings.Repeat(" . sin", 500))
	d, err := f.Steps()
	require.NoError(t, err)
	var lines []frechet.Step
	for s := range d.Steps() {
		if lines = append(lines, s); len(lines) == 5 {
			break
		}
	}
	require.Equal(t, "D-chain", lines[2].Rule)
	require.True(t, strings.HasSuffix(lines[0].Text("text"), "\nin "+lines[1].Text("text")))
	require.Empty(t, lines[3].Rule)
	require.NotEqual(t, lines[2].Text("text"), lines[3].Text("text"))
}

// Lines say where one formula stands for functions that meet an exact 0 in different ways, and only there.
func TestGuardsShow(t *testing.T) {
	lines := func(src, part, format string) (out []string) {
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		d, err := f.Steps("x")
		require.NoError(t, err)
		for s := range d.Steps() {
			if strings.HasPrefix(s.Part, part) {
				out = append(out, s.Text(format))
			}
		}
		return out
	}
	// the reciprocal of the program, and that of the logarithm's derivative
	src := "declare x[n] expression sum(log(x) ./ x) derivative wrt x"
	const note = "where 1 ./ x is power[-1](x) and weak(power[-1](x))"
	program, gradient := lines(src, "program", "text"), lines(src, "gradient", "text")
	require.Equal(t, "1 ./ x^2 - x^-2 .* log(x)\n"+note, gradient[0])
	require.Equal(t, "(1 - log(x)) ./ x^2", gradient[len(gradient)-1]) // joined by the step before
	require.NotContains(t, strings.Join(program, "\n"), "where")
	require.Contains(t, lines(src, "gradient", "latex")[0], `\text{where 1 ./ x is power`)
	// what is 0 where the norm is 0, and the reciprocal of the program
	norms := lines("declare x[n] expression norm2(x)^3/norm2(x) + 1/norm2(x) derivative wrt x", "gradient", "text")
	require.Contains(t, norms[0], " 1/norm2(x) is power[-1](norm2(x)) and zero(power[-1](norm2(x)))")
	// one guard alone is no ambiguity
	for _, line := range lines("declare x[n] expression sum(x .* log(x)) + norm2(x) derivative wrt x", "", "text") {
		require.NotContains(t, line, "weak")
		require.NotContains(t, line, "zero(")
	}
}
