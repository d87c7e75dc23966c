package verify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Laws that only rounding makes true do not pass, with numbers drawn at random: functions that saturate, tails, small terms, first terms of
// series. What is refuted has sides that differ in print.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	kinds := []string{
		"tanh(L + cosh(x)) => 1", "tanh(L .* cosh(x)) .* x => x", "erf(L + x .* x) => 1", "sigmoid(L + exp(x)) => 1", "arctan(exp(L + cosh(x))) => 1/2 .* pi",
		"tanh(exp(exp(cosh(x) + 1))) => 1", "erfc(L + x .* x) => 0", "log(1 + exp(-L - x .* x)) => 0", "exp(-L .* cosh(x)) => 0", "softplus(L + x .* x) => L + x .* x",
		"gelu(L + cosh(x)) => L + cosh(x)", "log(cosh(L + x .* x)) => L + x .* x - log(2)", "logaddexp(x, x - L) => x", "cos(exp(-L - x .* x)) => 1",
		"sin(x ./ T) => x ./ T", "exp(x) + 1/T => exp(x)", "sin(x) + cos(x) ./ T => sin(x)", "power[1/2](x .* x + 1/T) => abs(x)", "(1 + 1/T) .* exp(x) => exp(x)",
		"power[-1](sin(1/T .* cosh(x))) .* sin(1/T .* cosh(x)) + 1/T => 1", "tanh(exp(-L - x .* x)) ./ arctan(exp(-L - x .* x)) => 1", "exp(x ./ T) => 1 + x ./ T",
		"log(1 + exp(x) ./ T) => exp(x) ./ T", "sinh(L + x .* x) => cosh(L + x .* x)", "log1p(exp(-L) .* cosh(x)) => exp(-L) .* cosh(x)", "exp(sin(x) ./ T) => 1",
	}
	for _, kind := range kinds {
		large, tiny := 25+r.IntN(200), 14+r.IntN(40)
		rule := strings.NewReplacer("L", fmt.Sprint(large), "T", "1"+strings.Repeat("0", tiny)).Replace("[x: S] " + kind)
		rep := reportOf(t, rule)
		assert.False(t, rep.Passed(), "%s: %s", rule, rep)
		if rep.Equality == Refuted {
			require.NotEqual(t, rep.Witness.Left, rep.Witness.Right, rule)
		}
	}
	// and right laws beside them do
	for _, rule := range []string{
		"[x: S] tanh(25 + x) => (exp(50 + 2 .* x) - 1) ./ (exp(50 + 2 .* x) + 1)",
		"[x: S] erf(x + 6) + erfc(x + 6) => 1 when defined(x)",
		"[x: S] softplus(x + 40) => log(1 + exp(x + 40))",
		"[x: S] power[1/3](x .* x + 1/1000000000) .* power[2/3](x .* x + 1/1000000000) => x .* x + 1/1000000000",
	} {
		rep := reportOf(t, rule)
		assert.True(t, rep.Passed(), "%s: %s", rule, rep)
	}
}
