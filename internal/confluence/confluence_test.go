package confluence

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/combinators"
	"frechet/internal/golden"
)

var (
	terms  = flag.Int("terms", 2000, "random terms to simplify")
	update = flag.Bool("update", false, "rewrite testdata/oracles/confluence.txt")
)

// Writings of one value have one normal form, but for the share that docs/confluence.md
// states and explains. None of them spends the budget. The counts are those of testdata/oracles.
func TestConfluence(t *testing.T) {
	n := *terms
	if testing.Short() {
		n = 200
	}
	var counts strings.Builder
	for _, plain := range []bool{true, false} {
		o := Options{Terms: n, Seed: 1, Steps: 8, Writings: 3, Plain: plain}
		c := Run(o)
		if c.Different > Allowed(n, plain) || c.Again+c.Broken > 0 {
			o.Show = 1 // a failure is made small, which takes time
			c = Run(o)
		}
		require.Zero(t, c.Exhausted)
		require.LessOrEqual(t, c.Different, Allowed(n, plain), "plain %v\n%v", plain, c.Failures)
		require.Zero(t, c.Again, "plain %v\n%v", plain, c.Failures)
		require.Zero(t, c.Broken, "plain %v: normal forms that are both claimed", plain)
		require.Greater(t, c.Claimed, n*60/100, "plain %v", plain)
		fmt.Fprintf(&counts, "%s%s\n%s", golden.Head, map[bool]string{true: "plain", false: "with strides and bounds"}[plain], c)
	}
	if n == 2000 {
		golden.Blocks(t, "../../testdata/oracles/confluence.txt", counts.String(), *update)
	}
}

// Which of the rules that match and are equally specific is tried first does not matter for these terms.
func TestRuleOrder(t *testing.T) {
	o := Options{Terms: 5000, Seed: 1, Steps: 8, Writings: 3, Show: 3, Rules: true, Redexes: true, Plain: true}
	if testing.Short() {
		o.Terms = 500
	}
	c := Run(o)
	require.Zero(t, c.Exhausted)
	require.Zero(t, c.Different, "%v", c.Failures)
}

// Derivatives of writings are writings of one derivative, but for the share that docs/confluence.md
// states.
func TestDerivatives(t *testing.T) {
	o := Options{Terms: 500, Seed: 1, Steps: 5, Writings: 3, Plain: true}
	if testing.Short() {
		o.Terms = 100
	}
	most := func(d Derived) int { return 2*min(d.Order, 2) - 1 }
	derived := RunDerived(o)
	if slices.ContainsFunc(derived, func(d Derived) bool { return d.Different > most(d) }) {
		o.Show = 1
		derived = RunDerived(o)
	}
	for _, d := range derived {
		require.Greater(t, d.Terms, o.Terms*9/10, d.Name)
		require.LessOrEqual(t, d.Different, most(d), "%s %v", d.Name, d.Failures)
	}
}

// The text of a normal form does not depend on how the program was written, in any format.
func TestPrinted(t *testing.T) {
	o := Options{Terms: 60, Seed: 1, Writings: 2, Show: 1}
	if testing.Short() {
		o.Terms = 20
	}
	for _, p := range RunPrinted(o, Shuffle{Operands: true, Statements: true, Letters: true}, frechet.Planned) {
		require.NotZero(t, p.Programs)
		require.Zero(t, p.Different, "%s %v", p, p.Failures)
		require.LessOrEqual(t, p.Apart, 1, "%s", p)
	}
}

func TestTexts(t *testing.T) {
	o := Options{Terms: 1000, Seed: 1, Steps: 8, Writings: 3, Show: 1}
	if testing.Short() {
		o.Terms = 200
	}
	for _, p := range RunTexts(o) {
		require.Zero(t, p.Different, "%s %v", p, p.Failures)
	}
}

// Another writing is a program of the same value.
func TestShuffle(t *testing.T) {
	const program = "declare x[n] A[n,n]\nlet u = A*x\nlet v = x .* x\nexpression u - v + einsum(ab,b->a; A, v)"
	writings := map[string]bool{}
	for seed := range uint64(30) {
		text, err := Shuffle{Operands: true, Statements: true, Letters: true, Declarations: true}.Of(program, rand.New(rand.NewPCG(seed, 0)))
		require.NoError(t, err)
		writings[text] = true
		forms := NewForms()
		first, err := newWriting(program, frechet.Planned, forms)
		require.NoError(t, err)
		other, err := newWriting(text, frechet.Planned, forms)
		require.NoError(t, err, text)
		require.Equal(t, first.forms, other.forms, text)
	}
	require.Greater(t, len(writings), 20)
}

// Two rules that are not joined are found by name.
func TestPairs(t *testing.T) {
	x := &Term{Op: Variable, Name: "x"}
	sine := &Term{Op: Elementwise, Name: "sin", Args: []*Term{{Op: Elementwise, Name: "exp", Args: []*Term{x}}}}
	lines := []string{
		"rule less [x: S] sin(x) => x",
		"rule first [x: S] sin(exp(x)) => cos(exp(x))",
		"rule apart [x: S] tan(x) => cos(x)",
		"rule other [x: S] sin(exp(x)) => x",
	}
	require.Equal(t, []Pair{{"first", "other"}}, pairs(sine, lines))
	require.Empty(t, pairs(sine, lines[:2]))
}

// Forms are told apart by what they say, and not by how they were built.
func TestForms(t *testing.T) {
	a, b, c := &Term{Op: Variable, Name: "a"}, &Term{Op: Variable, Name: "b"}, &Term{Op: Variable, Name: "c"}
	sum := &Term{Op: Sum, Args: []*Term{a, b, c}, Coefs: []*big.Rat{ratio(1, 1), ratio(2, 1), ratio(1, 1)}}
	other := &Term{Op: Sum, Args: []*Term{a, b, c}, Coefs: []*big.Rat{ratio(1, 1), ratio(2, 1), ratio(3, 1)}}
	forms := NewForms()
	first := forms.Of(sum.Build(combinators.NewStore(), nil))
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		require.Same(t, first, forms.Of(sum.Build(combinators.NewStore(), r)))
		require.NotSame(t, first, forms.Of(other.Build(combinators.NewStore(), r)))
	}
}
