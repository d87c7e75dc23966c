package order_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/internal/processor"
	"frechet/rewrite/verify"
	"frechet/rewrite/verify/order"
)

// Every shipped rule decreases a declared order.
func TestOrder(t *testing.T) {
	for _, f := range verify.Shipped() {
		parsed, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range parsed.Rules {
			assert.NotEmpty(t, order.Decrease(r), "%s", r)
		}
	}
	for _, src := range []string{
		"rule r [x y: S] x + y => y + x",
		"rule r [x: S] relu(x) => x .* step(x)",
		"rule r [x: S, r: Q] power[r](ein(~,~->; x, x)) => power[2*r](norm2(x))",
		"rule r [x: S, r: Q] power[r](ein(~,~->; x, x)) => power[2*r](norm2(x)) when odd(r)",
		"rule r [x: S, r: Q] power[r](ein(~,~->; x, x)) => power[r/2](norm2(x)) when odd(2*r)",
		"rule r [T U V W, f: T -> U, g: U -> V, h: V -> W] h . (g . f) => (h . g) . f",
		"rule r [U V, f: U -> V] f => f . id",
		"rule r [U V W, f: U -o V, g: V -o W] adjoint(f) . adjoint(g) => adjoint(g . f)",
		"rule r [U V W, f: V[k] -> W[k], g: U -> V[k]] pair{k}(f[k] . g[k]) => prod{k}(f[k]) . pair{k}(g[k])",
		"rule r [U V, f: U -> V[k], x: U] pair{k}(D(f[k])(x)) => D(pair{k}(f[k]))(x)",
		"rule r [U V, f: U -> V] f => adjoint(adjoint(f))",
	} {
		parsed, err := text.ParseRules(src)
		require.NoError(t, err)
		assert.Empty(t, order.Decrease(parsed.Rules[0]), src)
	}
}

// Deep terms are compared in polynomial time.
func TestOrderOfDeepTerms(t *testing.T) {
	nest := func(in string, d int) string {
		return strings.Repeat(in, d) + "x" + strings.Repeat(")", strings.Count(in, "(")*d)
	}
	parsed, err := text.ParseRules("rule r [x: S] " + nest("sin(tanh(x + ", 40) + " => " + nest("tanh(sin(x + ", 40))
	require.NoError(t, err)
	begin := processor.Time()
	order.Decrease(parsed.Rules[0])
	require.Less(t, processor.Time()-begin, 5*time.Second)
}
