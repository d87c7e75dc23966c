package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
)

// A rule that loses a factor which is 0 where a guarded one is infinite is refuted, with a point; not where it does
// not fire on guarded functions.
func TestGuards(t *testing.T) {
	for _, rule := range []string{
		"[x: S] step(x) .* power[-1](relu(x)) => power[-1](relu(x))",
		"[x: S] sign(x) .* power[-1](abs(x)) => power[-1](x)",
		"[x: S] sinh(x) .* power[-1](tanh(x)) => cosh(x)",
		"[x: S] x .* power[-1](x) => power[0](x)",
		"[x: R[n,n]] minor[0](x) .* power[-1](minor[0](x)) => power[0](minor[0](x))",
	} {
		rep := reportOf(t, rule)
		if assert.True(t, rep.Guard && rep.Equality == Refuted || rep.Domain != Kept, "%s: %s", rule, rep) && rep.Guard {
			require.NotEqual(t, rep.Witness.Left, rep.Witness.Right, rule)
			require.False(t, reportOf(t, rule+" when unguarded(x)").Guard, rule)
		}
	}
	for _, rule := range []string{
		"[x: S] x .* power[-1](x) .* x => x .* x .* power[-1](x)",
		"[x: S] power[-1](power[2](x)) => power[-2](x)",
		"[x: S, r: Q] power[-1](r .* x) => power[-1](x) ./ r when r > 0",
	} {
		require.True(t, reportOf(t, rule).Passed(), "%s: %s", rule, reportOf(t, rule))
	}
}

// No rule of the program asks for no guard that could do with one.
func TestUnguardedIsNeeded(t *testing.T) {
	count := 0
	for _, f := range Shipped() {
		file, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range file.Rules {
			if strings.Contains(r.String(), "unguarded(") {
				count++
				without := strings.Replace(r.String(), "when unguarded(x)", "", 1)
				require.True(t, reportOf(t, without[strings.Index(without, "["):]).Guard, without)
			}
		}
	}
	require.Positive(t, count)
}
