package verify

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func reportOf(t *testing.T, rule string) *Report {
	reports, err := Rules(context.Background(), File{Name: "a.rules", Text: "rule a \"t\" " + rule})
	require.NoError(t, err, rule)
	return reports[0]
}

// What holds at small numbers alone is refuted, with a point that shows it.
func TestDistant(t *testing.T) {
	for _, c := range []struct{ rule, at, left, right string }{
		{"[x y z: S] pow(pow(x, y), z) => pow(x, y .* z) domain widened", "-1", "1", "-1"},
		{"[x: S] tanh(1000000 .* x) => sign(x)", "1e-06", "0.761594", "1"},
		{"[x: S] relu(x - 1000000) => 0", "1000001", "1", "0"},
		{"[x: S] max(x, -1000) => x", "-1001", "-1000", "-1001"},
		{"[x: S] step(x - 10) => 0", "11", "1", "0"},
		{"[x y: S] max(x .* y, -50) => x .* y", "", "-50", ""},
	} {
		rep := reportOf(t, c.rule)
		require.Equal(t, Refuted, rep.Equality, c.rule)
		require.NotNil(t, rep.Witness, c.rule)
		if c.at != "" {
			assert.Equal(t, c.at, rep.Witness.Values[0].Value, c.rule)
			assert.Equal(t, c.right, rep.Witness.Right, c.rule)
		}
		assert.Equal(t, c.left, rep.Witness.Left, c.rule)
	}
	// what overflows, underflows, saturates or cancels far out is no counterexample
	for _, rule := range []string{
		"[x: S] sign(exp(x)) => power[0](x) when defined(x)",
		"[x: S] sign(exp(x) .* exp(x)) => power[0](x) when defined(x)",
		"[x: S] sign(2 - 2 .* tanh(x)) => power[0](x) when defined(x)",
		"[x: S] step(1 - sigmoid(x)) => power[0](x) when defined(x)",
		"[x: S] sign(log(1 + exp(x))) => power[0](x) when defined(x)",
		"[x: S] (1 - sigmoid(x)) ./ exp(-x) => sigmoid(x)",
		"[x: S] power[-1](1 - tanh(x)) => (exp(2 .* x) + 1) ./ 2",
		"[x: S] sin(exp(x) + exp(x)) => 2 .* sin(exp(x)) .* cos(exp(x))",
		"[x: S] abs(1 + x .* x) => 1 + x .* x",
		"[x: S] power[1/2](1 + x .* x) .* power[1/2](1 + x .* x) => 1 + x .* x",
		"[x y: S] log(exp(x) .* exp(y)) => x + y",
	} {
		assert.True(t, reportOf(t, rule).Passed(), "%s: %s", rule, reportOf(t, rule))
	}
}

// Numbers that few conditions allow are found by the conditions' own numbers, and by solving equations.
func TestSolvedNumbers(t *testing.T) {
	for rule, number := range map[string]string{
		"[x: S, r: Q] power[r](x) => x when r = 1/7":                             "1/7",
		"[x: S, r: Q] r .* x => 0 when r > 1000000000":                           "1000000001",
		"[x: S, r: Q] sin(r .* x) => 0 when integer(r), r > 100, r < 102":        "101",
		"[x: S, q r: Q] q .* sin(r .* x) => sin(x) when q + r = 17, q > 3":       "33/2",
		"[x: S, q r: Q] q .* sin(r .* x) => sin(x) when 1000*r = q + 3/7, q = 2": "2",
	} {
		rep := reportOf(t, rule)
		require.Equal(t, Refuted, rep.Equality, rule)
		require.Equal(t, number, rep.Witness.Values[0].Value, rule)
	}
	for _, rule := range []string{
		"[x: S, r: Q] r .* x => 0 when r > 1, r < 0",
		"[x: S, a b c d e f g h k l m n: Q] a.*(b.*(c.*(d.*(e.*(f.*(g.*(h.*(k.*(l.*(m.*(n.*x))))))))))) => 0 when a = a + 1", // 10^12 choices
	} {
		rep := reportOf(t, rule)
		require.Equal(t, Assumed, rep.Equality)
		require.Contains(t, rep.Claim(), "its conditions hold for no numbers that were tried")
	}
}

// Numbers and shapes that a few small ones do not stand for.
func TestNumbersAreDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var wrong []string
	for range 12 {
		low := big.NewRat(int64(r.IntN(40)-20), int64(1+r.IntN(30)))
		high := new(big.Rat).Add(low, big.NewRat(1, int64(100+r.IntN(100_000))))
		within := fmt.Sprintf(" when c > %s, c < %s", low.RatString(), high.RatString())
		wrong = append(wrong,
			"[x: S, c: Q] c .* sin(x) => c .* cos(x)"+within,
			"[x: S, c: Q] exp(c .* x) => 1 + c .* x"+within,
			"[x: S, c: Q] power[c](exp(x)) => c .* exp(x)"+within)
	}
	zeros := func(k string, most int) string { // a product that is 0 for |k| <= most
		for i := 1; i <= most; i++ {
			k += fmt.Sprintf(" .* (k - %d) .* (k + %d)", i, i)
		}
		return k
	}
	for most := 4; most < 12; most++ {
		wrong = append(wrong, "[x: S, k: Z] sin(k .* x) => sin((k + "+zeros("k", most)+") .* x)", "[x: S, k: Z] k .* x => (k + "+zeros("k", most)+") .* x")
	}
	wrong = append(wrong,
		"[r: Q] cos(r .* pi) .* sin(r .* pi) => 0",
		"[r: Q] sin(r .* pi) .* sin(2 .* r .* pi) .* cos(3 .* r .* pi) => 0",
		"[A: R[n,n]] minor[2](A) => 0",
		"[A: R[n,n]] minor[3](A) => 0",
		"[A: R[n,n]] minor[4](A) => 0",
		"[A: R[m,n]] ein(ij->; A) => ein(ij->; A) .* ein(i->; power[0](ein(ij->i; A))) ./ ein(j->; power[0](ein(ij->j; A))) when not unit(m), not unit(n)",
	)
	for _, rule := range wrong {
		rep := reportOf(t, rule)
		require.Equal(t, Refuted, rep.Equality, rule)
		require.NotNil(t, rep.Witness, rule)
		require.NotEqual(t, rep.Witness.Left, rep.Witness.Right, rule)
	}
	// a bound stands only for what was all drawn
	require.Contains(t, reportOf(t, "[x y: S] exp(x) .* exp(y) => exp(x + y)").Claim(), "error at most")
	require.NotContains(t, reportOf(t, "[x: S, r: Q] r .* x + x => (r + 1) .* x").Claim(), "error at most")
}

// Of large values the entry is shown in which the sides differ.
func TestLargeWitness(t *testing.T) {
	rep := reportOf(t, "[x: R[n,n]] minor[3](x) => 0")
	require.Equal(t, Refuted, rep.Equality)
	require.Equal(t, "1 at [0,0,1,1,2,2], one of 729 entries", rep.Witness.Left)
	require.Equal(t, "0 at [0,0,1,1,2,2], one of 729 entries", rep.Witness.Right)
}

// Rules on functions are refuted by numbers that a reader knows, and are tried where they have values.
func TestFunctionsInNumbers(t *testing.T) {
	rep := reportOf(t, "[x: R[n]] D(sin)(x) => (sin(x) .* _)")
	require.Equal(t, Refuted, rep.Equality)
	require.Equal(t, &Witness{Sizes: "n=1", Values: []Named{{"x", "[1]"}, {"argument", "[1]"}}, Left: "[0.540302]", Right: "[0.841471]"}, rep.Witness)
	require.GreaterOrEqual(t, reportOf(t, "[] sin . arcsin => id domain widened").Trials, enoughPoints)
	require.Equal(t, WrongDomain, reportOf(t, "[] power[2] . power[1/2] => id").Verdict())
	require.Contains(t, reportOf(t, "[X: R[n,n]] D(minor[0])(X) => (minor[1](X) *(ij,ij->) _)").Reason, "minor[0]: the verifier knows this operation in values only")
}

// The poles of tan, which no number hits, belong to the domain.
func TestPoles(t *testing.T) {
	for rule, domain := range map[string]string{
		"[x: S] tan(x) .* cos(x) => sin(x)":                                     Widened,
		"[x: S] sin(x) => tan(x) .* cos(x)":                                     Narrowed,
		"[x: S] sin(x) ./ cos(x) => tan(x)":                                     Kept,
		"[x: S] cos(x) ./ sin(x) => power[-1](tan(x))":                          Narrowed,
		"[x: S] power[-2](cos(x)) => 1 + tan(x) .* tan(x)":                      Kept,
		"[x: S] sin(x) .* sin(x) + cos(x) .* cos(x) => ones(x) when defined(x)": Kept,
		"[x: S] sin(2 .* x) => 2 .* sin(x) .* cos(x)":                           Kept,
	} {
		rep := reportOf(t, rule)
		require.NotEqual(t, Refuted, rep.Equality, rule)
		require.Equal(t, domain, rep.Domain, rule)
		if domain != Kept {
			require.NotNil(t, rep.DomainWitness, rule)
			require.Equal(t, "S=[]", rep.DomainWitness.Sizes)
		}
	}
}
