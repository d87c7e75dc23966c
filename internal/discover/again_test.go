package discover

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frechet/combinators/rules"
	"frechet/combinators/text"

	"github.com/stretchr/testify/require"
)

var (
	whole = flag.Bool("whole", false, "TestFoundAgain over all signatures")
	seed  = flag.Uint64("seed", 1, "which third of the rules TestFoundAgain leaves out")
)

// given are the rules of the program on values.
func given(t *testing.T) (all []*text.Rule) {
	for _, src := range []string{rules.Algebra, rules.Laws} {
		f, err := text.ParseRules(src)
		require.NoError(t, err)
		all = append(all, f.Rules...)
	}
	return all
}

// speaks reports whether all functions of a rule are in the signature, and its sides are no larger than what is looked at.
func speaks(g Signature, r *text.Rule) bool {
	words, is := strings.Fields(g.Over), max(nodes(r.Left), nodes(r.Right)) <= g.Size
	for _, side := range []*text.Term{r.Left, r.Right} {
		text.Walk(side, func(t *text.Term) bool {
			is = is && (t.Op != text.Call || slices.Contains(words, t.Name))
			return true
		})
	}
	return is
}

// TestFoundAgain: of the rules of the program of at most 7 nodes a side, when a third of all rules is left out at random, at
// least half are found again: what is known proves them with what is found, and does not without. A sample is a third of the
// rules of one signature; -whole is all, for the third that -seed says.
func TestFoundAgain(t *testing.T) {
	all, signatures := given(t), Signatures
	counts := func(r *text.Rule) bool { return max(nodes(r.Left), nodes(r.Right)) <= 7 }
	if !*whole {
		signatures = []Signature{{"abs sign step relu .* -", "x: S", 5}}
		all = slices.DeleteFunc(all, func(r *text.Rule) bool { return !speaks(signatures[0], r) })
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	left := all[:len(all)/3]
	var without []string
	for _, r := range left {
		without = append(without, r.Name)
	}
	known, err := NewKnown(rules.Algebra, rules.Laws, without...)
	require.NoError(t, err)
	var missing, laws []*text.Rule
	follow := 0
	for _, r := range left {
		switch {
		case !counts(r):
		case known.Proves(context.Background(), r):
			follow++
		default:
			missing = append(missing, r)
		}
	}
	for _, g := range signatures {
		start := time.Now()
		f, err := Laws(context.Background(), Options{Over: g.Over, Vars: g.Vars, Size: g.Size, Known: known})
		require.NoError(t, err)
		for _, l := range f.Laws {
			l.Name = fmt.Sprintf("%s-%d", l.Name, len(laws))
			laws = append(laws, l.Rule)
		}
		t.Logf("%v: %d laws, %d terms, %v %s", g, len(f.Laws), f.Terms, time.Since(start), f.Limit)
	}
	require.NoError(t, known.learn(laws, nil))
	again := 0
	for _, r := range missing {
		if known.Proves(context.Background(), r) {
			again++
		} else {
			t.Logf("not found again: %s", r)
		}
	}
	t.Logf("%d rules left out; of the small ones %d follow from the others; of %d more %d are found again", len(left), follow, len(missing), again)
	require.NotEmpty(t, missing)
	require.GreaterOrEqual(t, 2*again, len(missing))
}
