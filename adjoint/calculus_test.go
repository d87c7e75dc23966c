package adjoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// The sides of every shipped rule on closed maps have one type.
func TestShippedRulesAreTyped(t *testing.T) {
	c := Standard()
	for name := range c.files {
		require.NoError(t, c.rules(name).CheckTypes(), name)
	}
}

// Each shipped file can be given in its own place.
func TestShippedFilesStandInTheirPlace(t *testing.T) {
	for _, f := range RuleFiles()[onValues:] {
		_, err := NewCalculus(nil, f)
		require.NoError(t, err, f.Name)
	}
}

// A rule whose sides differ in type is an error when it is loaded.
func TestWrongTypesAreErrors(t *testing.T) {
	for old, wrong := range map[string]string{
		"D(g)(y) . D(f)(x)":                "D(f)(x) . D(g)(y)",
		"sum{k}(section[k](b, v) . pi[k])": "sum{k}(section[k](b, v) . iota[k])",
		"pair{k}(D(f[k])(x))":              "copair{k}(D(f[k])(x))",
		"D(f)(x) + D(g)(x)":                "f + g",
		"derivative(p, x)":                 "p",
		"delta{k}(D(f[k])(v[k]))":          "pair{k}(D(f[k])(v[k]))",
		"D(h)(x) => h":                     "D(h)(x) => h . h",
	} {
		for _, f := range RuleFiles() {
			if f.Name != DerivativeRules {
				continue
			}
			require.Contains(t, f.Text, old)
			_, err := NewCalculus(nil, RuleFile{f.Name, strings.Replace(f.Text, old, wrong, 1)})
			require.ErrorContains(t, err, "rule D-", wrong)
		}
	}
}

// Rules that do not come to an end are an error.
func TestEndlessRules(t *testing.T) {
	n := []size.Size{size.Sym("n")}
	for _, rule := range []string{
		"D(f)(x) => D(f)(x) . id",
		"D(f)(x) => D(f . id)(x)",
		"D(f)(x) => id . D(f)(x) . id",
		"D(f)(x) => D(id . f)(x) + 0",
	} {
		c, err := NewCalculus(nil, RuleFile{"own.rules", "rule own [U V, f: U -> V, x: U] " + rule})
		require.NoError(t, err)
		s := combinators.NewStore()
		x := s.Var("x", n)
		y := s.Unary(atom.Sin, x)
		_, err = c.D(&combinators.Block{Store: s, Params: []*Node{x}, Outs: []*Node{y}}, []*Node{x})
		require.ErrorContains(t, err, "come to an end", rule)
		b := &combinators.Block{Store: s, Params: []*Node{x}, Outs: []*Node{y}}
		_, err = c.ClosedSimplify(s.Derivative(combinators.Readback(b), b.ParamsValue()).Map, nil)
		require.Error(t, err, rule) // the algebra may bring it to an end, at a derivative
	}
}
