package verify

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
)

func load(t *testing.T, name string) []*Report {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	reports, err := Rules(context.Background(), File{Name: name, Text: string(b)})
	require.NoError(t, err)
	return reports
}

// Every rule of the program passes, and none is assumed without a written reason.
func TestShippedRules(t *testing.T) {
	count := 0
	for _, f := range Shipped() {
		reports, err := Rules(context.Background(), f)
		require.NoError(t, err)
		for _, r := range reports {
			count++
			assert.True(t, r.Passed(), "%s: %s", f.Name, r)
			assert.NotEqual(t, Assumed, r.Equality, r.Name)
			assert.NotEmpty(t, r.Claim(), r.Name)
		}
	}
	assert.Greater(t, count, 100)
}

// Every verdict on the rules of a file.
func requireVerdicts(t *testing.T, file string, want map[string]string) {
	reports := load(t, file)
	assert.Len(t, reports, len(want))
	for _, r := range reports {
		assert.Equal(t, want[r.Name], r.Verdict(), "%s", r)
		switch r.Verdict() {
		case Refuted:
			if assert.NotNil(t, r.Witness, r.Name) {
				assert.NotEqual(t, r.Witness.Left, r.Witness.Right, r.Name)
			}
		case WrongDomain:
			if assert.NotNil(t, r.DomainWitness, r.Name) {
				assert.True(t, r.DomainWitness.Left == "undefined" || r.DomainWitness.Right == "undefined", r.Name)
			}
		case IllTyped:
			assert.NotEmpty(t, r.Reason, r.Name)
		}
	}
}

func TestWrongRules(t *testing.T) {
	requireVerdicts(t, "testdata/wrong.rules", map[string]string{
		"trace-adjoint":             Refuted,
		"trace-square":              Refuted,
		"trace-square-typed":        Refuted,
		"block-transpose":           IllTyped,
		"block-transpose-square":    Refuted,
		"product-of-traces":         Refuted,
		"capture":                   Refuted,
		"commute":                   Refuted,
		"diagonal-transposed":       Refuted,
		"diagonal-transposed-typed": IllTyped,
		"cancel":                    WrongDomain,
		"root-of-square":            Refuted,
		"scan-adjoint":              Refuted,
		"norm-bilinear":             Refuted,
		"inverse-indices":           Refuted,
	})
}

// Rules and steps that have a value where what they lose has none say so, and none else of the
// program's do.
func TestLostValues(t *testing.T) {
	want := map[string]string{"pow-const": "x", "E-zero": "every operand", "S-collect": "every operand", "M-softmax": "every operand"}
	for _, f := range Shipped() {
		reports, err := Rules(context.Background(), f)
		require.NoError(t, err)
		for _, r := range reports {
			assert.Equal(t, want[r.Name], r.Lost, r.Name)
		}
	}
	for src, lost := range map[string]string{
		`rule a "t" [x: S] step(-x) => 0 when nonneg(x)`:                        "x",
		`rule a "t" [x: S] step(-x) => 0 when nonneg(x), defined(x)`:            "",
		`rule a "t" [x y: S] x + (y - x) => y`:                                  "x",
		`rule a "t" [x: S] x + x => 2 .* x`:                                     "",
		`rule a "t" [A B: R[n,n]] ein(ij,ji->; A, B) - ein(ij,ji->; B, A) => 0`: "A, B",
	} {
		reports, err := Rules(context.Background(), File{Name: "a.rules", Text: src})
		require.NoError(t, err)
		assert.Equal(t, lost, reports[0].Lost, src)
		assert.True(t, reports[0].Passed(), src)
	}
}

func TestRightRules(t *testing.T) {
	for _, r := range load(t, "testdata/right.rules") {
		assert.True(t, r.Passed(), "%s", r)
		assert.NotEqual(t, Assumed, r.Equality, r.Name)
	}
}

// Of a hundred wrong rules none passes, and what refutes one is a point; of a hundred right ones each passes.
func TestHundredRules(t *testing.T) {
	wrong, right := load(t, "testdata/hundred-wrong.rules"), load(t, "testdata/hundred-right.rules")
	require.Len(t, wrong, 100)
	require.Len(t, right, 100)
	for _, r := range wrong {
		assert.False(t, r.Passed(), "%s", r)
		if r.Equality == Refuted && assert.NotNil(t, r.Witness, r.Name) {
			assert.NotEqual(t, r.Witness.Left, r.Witness.Right, r.Name)
		}
	}
	for _, r := range right {
		assert.True(t, r.Passed(), "%s", r)
		assert.NotEqual(t, Assumed, r.Equality, r.Name)
	}
}

// Two hundred wrong rules and a hundred right ones that were written without knowledge of the verifier: no wrong one passes, and
// no right one is refuted. A seventh is tried; all are with -unseen.
func TestUnseen(t *testing.T) {
	every := 7
	if *unseen {
		every = 1
	}
	for _, name := range []string{"wrong", "right"} {
		src, err := os.ReadFile("testdata/unseen-" + name + ".rules")
		require.NoError(t, err)
		parsed, err := text.ParseRules(string(src))
		require.NoError(t, err)
		require.Len(t, parsed.Rules, map[string]int{"wrong": 260, "right": 140}[name])
		for i, r := range parsed.Rules {
			if i%every == 0 {
				rep := Rule(r)
				// the sine of 10^29 x is not decided
				assert.Equal(t, name == "right" && r.Name != "huge-factor", rep.Passed() && rep.Equality != Assumed, "%s", rep)
				assert.False(t, name == "right" && rep.Equality == Refuted, "%s", rep)
			}
		}
	}
}

// The rules of XLA that TensorRight states, in contractions with affine indices: all hold, and those of slices, pads and
// concatenations at all sizes.
func TestXLA(t *testing.T) {
	files, err := filepath.Glob("../../examples/rules/xla/*.rules")
	require.NoError(t, err)
	counts := map[string]int{}
	for _, name := range files {
		for _, r := range load(t, name) {
			assert.True(t, r.Passed(), "%s", r)
			counts[r.Equality]++
		}
	}
	require.Equal(t, map[string]int{Exact: 55, TestedMod: 26, FloatTested: 13}, counts)
}

var unseen = flag.Bool("unseen", false, "try all rules of testdata/unseen-wrong.rules and unseen-right.rules")

// Windows between kinks are found wherever they are, by solving for the kinks.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 6 {
		a, b := 1+r.IntN(50), r.IntN(2000)-1000
		for _, rule := range []string{
			"[x: S] relu(%[1]d .* x - %[2]d) .* relu(%[3]d - %[1]d .* x) => 0 when defined(x)",
			"[x y: S] relu(%[1]d .* x + y - %[2]d) .* step(%[3]d - %[1]d .* x - y) => 0 when defined(x), defined(y)",
			"[x: S] max(abs(%[1]d .* x - %[2]d), 1/2) => abs(%[1]d .* x - %[2]d)",
			"[x: S] step(%[1]d .* x - %[2]d) .* step(%[3]d - %[1]d .* x) => 0 when defined(x)",
		} {
			rep := reportOf(t, fmt.Sprintf(rule, a, b, b+1))
			require.Equal(t, Refuted, rep.Equality, "%s", rep.Statement)
			require.NotNil(t, rep.Witness)
		}
		// the window is empty
		rep := reportOf(t, fmt.Sprintf("[x: S] relu(%[1]d .* x - %[2]d) .* relu(%[3]d - %[1]d .* x) => 0 when defined(x)", a, b, b-1))
		require.True(t, rep.Passed(), "%s", rep)
	}
}

// Candidates of which some are sound, some sound under a condition, and some false.
func TestCandidates(t *testing.T) {
	requireVerdicts(t, "testdata/candidates.rules", map[string]string{
		"inverse-product": TestedMod, "det-sum": Refuted, "inverse-transpose": TestedMod, "trace-cyclic": Exact,
		"log-product": WrongDomain, "log-product-positive": TestedMod, "abs-square": FloatTested, "relu-square": FloatTested,
		"sign-abs": FloatTested, "sign-square": Refuted, "quotient": WrongDomain, "quotient-nonzero": TestedMod,
		"exp-sum": TestedMod, "delta-delta": TestedMod, "delta-trace": Refuted, "hadamard-distributes": Refuted,
		"adjugate-product": TestedMod, "det-scale": Refuted,
	})
}

func TestExamples(t *testing.T) {
	for _, r := range load(t, "../../examples/rules/right.rules") {
		assert.True(t, r.Passed(), "%s", r)
	}
	requireVerdicts(t, "../../examples/rules/wrong.rules", map[string]string{
		"trace-swap": Refuted, "transpose-keeps-order": Refuted, "transpose-keeps-order-typed": IllTyped,
		"hadamard-distributes": Refuted, "diag-product": Refuted, "delta-trace": Refuted, "sherman-morrison-sign": Refuted,
		"det-sum": Refuted, "det-scale": Refuted, "logdet-product-kept": WrongDomain, "softmax-scale": Refuted,
	})
}

// Identities that a user would write pass, with their domains.
func TestIdentities(t *testing.T) {
	reports := load(t, "testdata/identities.rules")
	assert.Len(t, reports, 44)
	for _, r := range reports {
		assert.True(t, r.Passed(), "%s", r)
		assert.NotEqual(t, Assumed, r.Equality, r.Name)
	}
}

// Slips do not, and are shown at sizes of at most 2.
func TestSlips(t *testing.T) {
	requireVerdicts(t, "testdata/slips.rules", map[string]string{
		"woodbury-sign": Refuted, "woodbury-C": Refuted, "det-lemma-minus": Refuted, "det-lemma-transposed": Refuted,
		"lse-scale": Refuted, "lse-sum": Refuted, "trace3-swap": Refuted, "trace3-swap-typed": IllTyped,
		"kron-order": Refuted, "vec-no-transpose": Refuted, "inv-product-order": Refuted, "inv-sum": Refuted,
		"det-scale-n": Refuted, "norm-scale-sign": Refuted, "norm-triangle": Refuted, "norm-cross": Refuted,
		"max-diff": Refuted, "max-neg": Refuted, "abs-sum": Refuted, "root-square": Refuted, "quotient": WrongDomain,
		"log-sum": Refuted, "log-prod": WrongDomain, "exp-prod": Refuted, "sigmoid-neg": Refuted, "tanh-sigmoid": Refuted,
		"softplus-neg": Refuted, "tanh-sum": Refuted, "matrix-commute": Refuted, "size-one": Refuted, "equal-size": IllTyped,
		"equal-size-square": Refuted, "solve-transposed": Refuted, "logdet-sum": Refuted, "adjugate-t": Refuted,
		"sqrt-sum": Refuted, "sqrt-prod": WrongDomain, "pow-pow": Refuted, "chain-order": IllTyped,
		"chain-point": Refuted, "adjoint-order": Refuted, "dsquare": Refuted, "relu-relu": Refuted, "log-slope": Refuted,
		"inverse-slope": Refuted, "gradient-side": IllTyped, "gradient-side-square": Refuted, "sum-inside": Refuted,
		"pair-turned": IllTyped,
	})
	for _, r := range load(t, "testdata/slips.rules") {
		if r.Witness != nil {
			assert.NotRegexp(t, "=[3-9]", r.Witness.Sizes, r.Name)
		}
	}
}

// The smallest counterexample of a rule on matrices is 2 by 2, with entries 0 and 1.
func TestSmallestWitness(t *testing.T) {
	r := load(t, "testdata/wrong.rules")
	for _, rep := range r {
		if rep.Name == "product-of-traces" {
			assert.Equal(t, "n=2", rep.Witness.Sizes)
			assert.Equal(t, []Named{{"A", "[[0 1] [1 0]]"}}, rep.Witness.Values)
			assert.Equal(t, "2", rep.Witness.Left)
			assert.Equal(t, "0", rep.Witness.Right)
		}
	}
}

// What is found of a rule on closed terms is the same in every run.
func TestSameFindings(t *testing.T) {
	src := `
rule three [a b c: R[n]] (a .* _) . (b .* _) . (c .* _) => (a .* _) . (c .* _)
rule root [a b c d: R[n]] arcsin . (a .* _) . (b .* _) . (c .* _) . (d .* _) => (b .* _) . (a .* _) . (c .* _) . (d .* _) . arcsin
`
	find := func() (found []string) {
		reports, err := Rules(context.Background(), File{Name: "three", Text: src})
		require.NoError(t, err)
		for _, r := range reports {
			require.Equal(t, Refuted, r.Equality)
			found = append(found, fmt.Sprint(*r.Witness))
		}
		return found
	}
	first := find()
	for range 20 {
		require.Equal(t, first, find())
	}
}

func TestStaticErrors(t *testing.T) {
	for src, want := range map[string]string{
		"rule r [x y: S] sin(x) => y":                          "y does not occur on the left side",
		"rule r [x: S] sin(x) => z":                            "z on the right side is not declared",
		"rule r [A: R[m,n]] A .* A => ein(ij->ji; A)":          "shape",
		"rule r [U V, f: U -> V] adjoint(f) => f":              "not linear",
		"rule r [U V W, f: U -> V, g: V -> W] f . g => g":      "arbitrary",
		"rule r [U V, f: U -> V[k]] copair{k}(f[k]) => id":     "not linear",
		"rule r [U V, f: U -> V, g: U -> V] f + f => g":        "g does not occur on the left side",
		"rule r [U V, f: U -> V] f . id => unheard":            "unheard has no meaning",
		"rule r [U V, f: U -> V, g: U -> V] <f, g> => pi3 . f": "meets one of V",
	} {
		f, err := text.ParseRules(src)
		require.NoError(t, err, src)
		rep := Rule(f.Rules[0])
		assert.Equal(t, IllTyped, rep.Typing, "%s: %s", src, rep)
		if want != "arbitrary" {
			assert.Contains(t, rep.Reason, want, src)
		}
	}
}

// Nothing is left out: constructors of linear maps have adjoints, operations derivatives.
func TestCoverage(t *testing.T) {
	line, gaps := Coverage()
	assert.Empty(t, gaps)
	assert.Contains(t, line, "constructors")
	t.Log(line)
}

// What cannot be tried is not called tested, and no size or attribute is too strange.
func TestUntried(t *testing.T) {
	for src, want := range map[string]string{
		"rule r [x: R[n-9]] sin(x) => cos(x)":                              Assumed,
		"rule r [x: R[400,400]] inv(inv(x)) => x":                          Assumed,
		"rule r [k: Z, x: S] power[k](x) => x when k > 100":                Refuted,
		"rule r [k: Z, x: S] power[k](x) => x when k > 100, k < 50":        Assumed,
		"rule r [x: S] softmax[-1](x) => x":                                IllTyped,
		"rule r [x: S] softmax[9](x) => x":                                 IllTyped,
		"rule r [x: R[n,n]] minor[1000000000](x) => x":                     IllTyped,
		"rule r [U V, f: U -> V] D(f) => f":                                IllTyped,
		"rule r [U V, f: U -> V] <f> => f":                                 IllTyped,
		"rule r [x: R[n]] D(abs)(x) => (sign(x) .* _)":                     FloatTested,
		"rule r [x: R[n]] D(abs)(x) => (abs(x) .* _)":                      Refuted,
		"rule r [x: R[n]] D(log)(x) => (power[-1](x) .* _)":                WrongDomain,
		"rule r [x: R[n]] D(log)(x) => (power[-1](x) .* _) domain widened": TestedMod,
		"rule r [U V, f: U -> V] 0 . f => 0":                               WrongDomain,
		"rule r [] exp . log => id":                                        WrongDomain,
		"rule r [x: S] tanh(x) ./ tanh(x) => 1 domain widened":             TestedMod,
		"rule r [U, f: U -> U] pi0 . f => f":                               IllTyped,
		// too close for floating-point numbers, not for the field
		"rule r [x: S] x => x + 1/1000000000000 .* x":                      IllTyped,
		"rule r [x: S] sin(sin(x)) .* x => x .* sin(sin(x))":               FloatTested,
		"rule r [x: S] power[2](x) => power[2](x) .* (1 + 1/100000000000)": Refuted,
		"rule r [x: S] log(x) .* power[-1](x) => log(x) ./ x":              FloatTested,
		"rule r [x: R[40,40]] ein(ij->ji; x) .* 2 => 2 .* ein(ij->ji; x)":  Exact,
	} {
		f, err := text.ParseRules(src)
		require.NoError(t, err, src)
		rep := Rule(f.Rules[0])
		assert.Equal(t, want, rep.Verdict(), "%s: %s", src, rep)
	}
	reason, err := text.ParseRules("# r: assumed: by hand.\nrule r [k: Z, x: S] power[k](x) => x when k > 100, k < 50")
	require.NoError(t, err)
	rep := Rule(reason.Rules[0])
	assert.Equal(t, "by hand.", rep.Reason)
	assert.True(t, rep.Passed())
}

// A law may hold up to some size, or for all sizes but 0, or in so many digits.
func TestSizesOfWitnesses(t *testing.T) {
	sizes := map[string]string{"hall": "n=3", "skew-cube": "n=4", "det-skew": "n=2", "softmax-total": "n=0", "erf-digits": "S=[]", "gelu-digits": "S=[]"}
	for _, r := range load(t, "testdata/sizes.rules") {
		want, wrong := sizes[r.Name]
		if !wrong {
			assert.True(t, r.Passed(), "%s", r)
			continue
		}
		if assert.Equal(t, Refuted, r.Equality, r.Name) {
			assert.Equal(t, want, r.Witness.Sizes, r.Name)
			assert.NotEqual(t, r.Witness.Left, r.Witness.Right, r.Name)
		}
	}
}

// What a random search finds is made small: Hall's identity fails at three matrices of one entry.
func TestWitnessesAreShrunk(t *testing.T) {
	for _, r := range load(t, "testdata/sizes.rules") {
		if r.Name == "hall" && assert.NotNil(t, r.Witness) {
			for _, v := range r.Witness.Values {
				assert.Equal(t, 1, strings.Count(v.Value, "1"), v)
			}
		}
	}
}

// Every rule and native step has a term before and after it, in what a user writes: no native step by its
// name.
func TestPages(t *testing.T) {
	for _, file := range Shipped() {
		parsed, err := text.ParseRules(file.Text)
		require.NoError(t, err)
		check := func(name, before, after string) {
			assert.NotEmpty(t, before, name)
			assert.NotEqual(t, before, after, name)
			assert.NotRegexp(t, `#|\b(leaf|atom|contraction|lift|share|swap|transpose|derivative|section|join|extract|gather|select|push)[(\[]`, before+" "+after, name)
		}
		for _, r := range parsed.Rules {
			before, after := Example(r)
			check(r.Name, before, after)
		}
		for _, n := range parsed.Natives {
			before, after := nativeExample(n)
			check(n.Name, before, after)
		}
	}
}

// Numbers that are 0 in the field, powers that are 1 there, and laws that hold for most numbers alone are
// no proof.
func TestNumbers(t *testing.T) {
	for src, want := range map[string]string{
		"[x: S] 2305843009213693951 .* x => 0":                                                                      Refuted,
		"[x: S] 2305843009213693952 .* x => x":                                                                      Refuted,
		"[x: S] 1048576 .* 1048576 .* 2097152 .* x => x":                                                            Refuted,
		"[x: S] (2305843009213693951/1298074214633706907132624082305024) .* x => 0":                                 Refuted,
		"[x: S] power[2305843009213693950](x) => 1 when nonzero(x)":                                                 Refuted,
		"[x: S] sin(x) => let a = 1048576 .* 1048576 in sin(x) + (a .* 2097152 .* x - x)":                           Refuted,
		"[x: S] x .* (1 + 1/1000000000000000) => x":                                                                 Refuted,
		"[x: S] 12345 .* x .* sin(x) .* 54321 => 670592745 .* sin(x) .* x":                                          TestedMod,
		"[A: R[m,n], B: R[n,m]] minor[0](eye[m] + ein(ij,jk->ik; A, B)) => minor[0](eye[n] + ein(ij,jk->ik; B, A))": TestedMod,
		"[A: R[n,n]] minor[0](eye[n] - A) => minor[0](A - eye[n])":                                                  Refuted,
		"[x: S] power[20](x) .* power[30](x) => power[50](x)":                                                       TestedMod,
		"[x: S, a b: Q] power[a](power[b](x)) => power[a*b](x)":                                                     Refuted,
		"[x: S, a b: Q] power[a](power[b](x)) => power[a*b](x) when positive(x)":                                    FloatTested,
	} {
		reports, err := Rules(context.Background(), File{Name: "a.rules", Text: `rule a "t" ` + src})
		require.NoError(t, err)
		assert.Equal(t, want, reports[0].Equality, src)
	}
	reports, err := Rules(context.Background(), File{Name: "a.rules", Text: `rule a "t" [x: S, a b: Q] power[a](x) .* power[b](x) => power[a + b](x)`})
	require.NoError(t, err)
	assert.Equal(t, Widened, reports[0].Domain)
	assert.False(t, reports[0].Passed())
}

// What unfolds the program's forms is tested as its rules are.
func TestDefinitions(t *testing.T) {
	reports, err := Rules(context.Background(), File{Name: "definitions.rules", Text: definitionRules})
	require.NoError(t, err)
	for _, r := range reports {
		assert.True(t, r.Passed(), "%s", r)
		assert.NotEqual(t, Assumed, r.Equality, r.Name)
	}
}
