package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A metavariable with a default meets terms without it: factors, exponents, addends, operands of contractions, and
// either of r and -r.
func TestDefaults(t *testing.T) {
	w := newWorld()
	for _, c := range []struct{ rule, term, result string }{
		{"[x: S, r: Q = 1] sin(r .* x) => r .* cos(x)", "sin(y)", "cos(y)"},
		{"[x: S, r: Q = 1] sin(r .* x) => r .* cos(x)", "sin(2 .* y)", "2 .* cos(y)"},
		{"[x: S, r: Q = 1] sin(power[r](x)) => power[r](cos(x))", "sin(y)", "cos(y)"},
		{"[x: S, r: Q = 1] sin(power[r](x)) => power[r](cos(x))", "sin(power[3](y))", "power[3](cos(y))"},
		{"[x: S, r: Q = 0] sin(r + exp(x)) => r + x", "sin(exp(y))", "y"},
		{"[x: S, r: Q = 0] sin(r + exp(x)) => r + x", "sin(2 + exp(y))", "2 + y"},
		{"[x: S, r: Q = 1] sin(r .* x) .* exp(-r .* x) => r .* x", "sin(y) .* exp(-y)", "y"},
		{"[x: S, r: Q = 1] sin(r .* x) .* exp(-r .* x) => r .* x", "sin(-y) .* exp(y)", "-y"},
		{"[x: S, r: Q = 1] sin(r .* x) .* exp(-r .* x) => r .* x", "sin(3 .* y) .* exp(-3 .* y)", "3 .* y"},
		{"[x: S, r: Q = 1] sin(r .* x) .* exp(-r .* x) => r .* x", "sin(3 .* y) .* exp(-2 .* y)", ""},
		{"[x: S, r: Q = 1] sin(r .* exp(x)) => x when r > 1", "sin(exp(y))", ""},
		{"[x: S, r: Q = 1] log(r .* exp(x)) => x + log(r)", "log(exp(y))", "y"},
		{"[x: R[n], w: R[] = 1] log(ein(,i->; w, exp(x))) => log(w) + ein(i->; x)", "log(ein(i->; exp(y)))", "ein(i->; y)"},
		{"[x: R[n], w: R[] = 1] log(ein(,i->; w, exp(x))) => log(w) + ein(i->; x)", "log(ein(,i->; pi, exp(y)))", "log(pi) + ein(i->; y)"},
	} {
		rules, err := LoadRules("rule r " + c.rule)
		require.NoError(t, err, c.rule)
		n := w.term(t, c.term)
		f, ok := rules.Fire(n, nil)
		require.Equal(t, c.result != "", ok, "%s at %s", c.rule, c.term)
		if ok {
			require.Same(t, w.term(t, c.result), f.After, "%s at %s", c.rule, c.term)
		}
	}
}

// The substitution of a firing says the default; a default that leaves nothing out is an error.
func TestDefaultsAreSaid(t *testing.T) {
	w := newWorld()
	f, ok := MustLoadRules("rule r [x: S, r: Q = 1] sin(r .* x) => r .* cos(x)").Explain(w.term(t, "sin(y)"), nil)
	require.True(t, ok)
	require.Equal(t, "r", f.Numbers[0].Name)
	require.Equal(t, "1", f.Numbers[0].Value.RatString())
	require.Equal(t, "rule r [x: S, r: Q = 1]\n  sin(r .* x) => r .* cos(x)", f.Rule.String())
	for _, rule := range []string{
		"[x: S, r: Q = 2] sin(r .* x) => x", "[x: S, r: Q = 0] sin(r .* x) => x", "[x: S, r: Q = 1] sin(r + x) => x",
		"[x: R[n,n], r: Z = 1] minor[r](x) => x", "[x: S = 1] sin(x) => 1",
	} {
		_, err := LoadRules("rule r " + rule)
		require.ErrorContains(t, err, "nothing on the left side can be left out", rule)
	}
	_, err := LoadRules("rule r [a b c d e: Q = 1, x: S] sin(a .* b .* c .* d .* e .* x) => x")
	require.ErrorContains(t, err, "at most 4 metavariables with defaults")
	_, err = LoadRules("rule r [U V, f: U -> V = 1] f => f")
	require.ErrorContains(t, err, "f is a map")
}
