package verify

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rules about declared functions: a law of all functions is tested, one of some functions is assumed, one of none is refuted.
func TestDeclaredFunctions(t *testing.T) {
	reports, err := Rules(context.Background(), File{Name: "own.rules", Text: `
primitive h : R -> R derivative h1
primitive h1 : R -> R
primitive e : R -> R derivative e
primitive l : R x R -> R
primitive g : R[n] -> R[m]
primitive f : R[n] x R[m] -> R[k]
primitive L : R[n] -o R[m] adjoint Lt
primitive Lt : R[m] -o R[n]
rule all-two "sums" [x: S] h(x) + h(x) => 2 .* h(x)
rule all-linear "linearity" [x y: R[n]] L(x + y) => L(x) + L(y)
rule all-inner "the adjoint" [x: R[n], y: R[m]] ein(i,i->; L(x), y) => ein(i,i->; x, Lt(y))
rule all-adjoint "the adjoint" [] adjoint(L) => Lt
rule all-derivative "the derivative" [x: S] D(h)(x) => (h1(x) .* _)
rule all-second "the derivative" [x: S] D(h1)(x) => (h1'(x) .* _)
rule all-space "the derivative" [x: R[n]] D(g)(x) => (g'(x) *(ij,j->i) _)
rule some-odd "odd" [x: S] h(-x) => -h(x)
rule some-equation "an equation" [x: S] D(h)(x) => ((1 - h(x) .^ 2) .* _)
rule some-exp "exp" [x: S] D(e)(x) => (e(x) .* _)
rule some-symmetric "symmetric" [x y: S] l(x, y) => l(y, x)
rule some-linear "homogeneous" [x: R[n], r: Q] g(r .* x) => r .* g(x)
rule some-self "self-adjoint" [x: R[n], y: R[n]] ein(i,i->; Lt(x), y) => ein(i,i->; Lt(y), x)
rule no-shift "none" [x: S] h(x) + 1 => h(x)
rule no-derivative "none" [x: S] D(h)(x) => ((1 + h1(x)) .* _)
`})
	require.NoError(t, err)
	require.Len(t, reports, 15)
	for _, r := range reports {
		assert.Equal(t, Typed, r.Typing, "%s: %s", r.Name, r.Reason)
		switch r.Name[:3] {
		case "all":
			assert.Contains(t, []string{Exact, TestedMod, FloatTested}, r.Equality, r.Name)
		case "som":
			assert.Equal(t, Assumed, r.Equality, r.Name)
			assert.Contains(t, r.Reason, "for one", r.Name)
			assert.True(t, r.Passed(), r.Name)
		default:
			assert.Equal(t, Refuted, r.Equality, r.Name)
		}
	}
}
