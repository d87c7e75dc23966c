package verify

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every critical pair of the shipped rules joins.
func TestCriticalPairs(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), Shipped()...)
	require.NoError(t, err)
	joins := map[Join]int{}
	for _, p := range pairs {
		assert.Empty(t, p.Skipped, "%s and %s", p.Outer, p.Inner)
		joins[p.Join]++
		assert.NotEmpty(t, p.Join, "%s and %s lead from %s to %s and to %s", p.Outer, p.Inner, p.Term, p.First, p.Second)
	}
	t.Log(joins)
	assert.Greater(t, joins[OneForm], 300)
}

// The end of a chain is a part of it: there two rules overlap, too.
func TestPairsInChains(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), File{Name: "f", Text: `
rule whole [T U V, f: U -> V[j], h: T -> U] pi[k] . pair{j}(f[j]) . h => f[k] . h
rule end [U V, f: U -> V[j], h: U -> U] pair{j}(f[j]) . h => pair{j}(f[j])
`})
	require.NoError(t, err)
	open := map[string]bool{}
	for _, p := range pairs {
		open[p.Outer+" "+p.Inner] = open[p.Outer+" "+p.Inner] || p.Join == NoJoin
	}
	require.True(t, open["whole end"])
}

// Rules that lead to different values are seen by their critical pairs.
func TestDivergingPair(t *testing.T) {
	pairs, err := CriticalPairs(context.Background(), File{Name: "f", Text: "rule a [x: S] tanh(sin(x)) => tanh(x)\nrule b [x: S] sin(cos(x)) => x\n"})
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	assert.Empty(t, pairs[0].Join)
	assert.Equal(t, Refuted, pairs[0].Equal)
}

// Pairs of a user's rules join by these rules, too; transposes that a metavariable stands for are met, and
// operands in any order.
func TestOwnPairs(t *testing.T) {
	const inverse = "rule left [A: R[n,n]] ein(ij,jk->ik; inv(A), A) => eye[n] domain widened\n"
	const product = "rule prod [A B: R[n,n]] minor[0](ein(ij,jk->ik; A, B)) => minor[0](A) .* minor[0](B)\n"
	open := func(src string) (terms []string) {
		pairs, err := CriticalPairs(context.Background(), File{Name: "f", Text: src})
		require.NoError(t, err)
		for _, p := range pairs {
			if p.Join == NoJoin {
				terms = append(terms, p.Outer+" and "+p.Inner+" at "+p.Term)
			}
		}
		return terms
	}
	// det(A inv(A)) is det(A)/det(A) or det(1): a law is missing
	require.Equal(t, []string{
		"prod and left at minor[0](ein(ij,ki->kj; A', inv(A')))",
		"prod and left at minor[0](ein(ij,jk->ki; A', inv(A')))",
	}, open(inverse+product))
	// the second rule joins what the first one leaves open
	require.Empty(t, open("rule a [x: S] sin(tan(x)) => cos(x)\nrule b [x: S] tan(exp(x)) => x\nrule c [x: S] cos(exp(x)) => sin(x)\n"))
	require.Len(t, open("rule a [x: S] sin(tan(x)) => cos(x)\nrule b [x: S] tan(exp(x)) => x\n"), 1)
	native, err := NativePairs(context.Background(), File{Name: "f", Text: product})
	require.NoError(t, err)
	joined := map[string]bool{}
	for _, p := range native {
		joined[p.Inner] = joined[p.Inner] || p.Join != NoJoin
	}
	require.True(t, joined["transpose"])
	require.True(t, joined["sum"])
}

var update = flag.Bool("update", false, "rewrite testdata/native.txt")

// Left sides that native steps bring out of the reach of their rules are listed: no others are.
func TestNativePairs(t *testing.T) {
	pairs, err := NativePairs(context.Background(), Shipped()...)
	require.NoError(t, err)
	var open []string
	for _, p := range pairs {
		if p.Join == NoJoin {
			open = append(open, p.Outer+" and "+p.Inner)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/native.txt", []byte(strings.Join(open, "\n")+"\n"), 0o644))
	}
	listed, err := os.ReadFile("testdata/native.txt")
	require.NoError(t, err)
	assert.Subset(t, strings.Split(string(listed), "\n"), open)
	assert.Greater(t, len(pairs), 800)
}
