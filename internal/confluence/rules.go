package confluence

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"frechet/combinators"
	"frechet/combinators/rules"
	"frechet/rewrite"
	"frechet/rewrite/normal"
)

// Of the equally specific rules that match a value, simplification applies the first in their file.
// An order of the rules is that file with its lines in another order; order 0 is the file as it is.

// orders is the number of orders that are tried.
const orders = 40

var (
	orderOnce [orders]sync.Once
	orderOf   [orders]*rewrite.Rules
)

// inOrder is the rules of the program in one of the orders.
func inOrder(k int) *rewrite.Rules {
	orderOnce[k].Do(func() { orderOf[k] = load(ordered(ruleLines(), k)) })
	return orderOf[k]
}

func ordered(lines []string, k int) []string {
	lines = slices.Clone(lines)
	if k > 0 {
		r := rand.New(rand.NewPCG(uint64(k), 3))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	return lines
}

func load(lines []string) *rewrite.Rules { return rewrite.MustLoadRules(strings.Join(lines, "\n")) }

// ruleLines are the rules of the program, a line each.
var ruleLines = sync.OnceValue(func() []string {
	var out []string
	for line := range strings.Lines(rules.Algebra) {
		if strings.HasPrefix(line, "rule ") {
			out = append(out, line)
		}
	}
	return out
})

// Pair is two rules of which it matters which is tried first.
type Pair struct{ First, Other string }

// pairs lists the pairs of the rules, a line each, whose exchange alone gives t another normal form,
// among those that are applied in one of the orders.
func pairs(t *Term, lines []string) []Pair {
	forms, applied := NewForms(), map[string]bool{}
	form := func(laws *rewrite.Rules) *Node {
		s := combinators.NewStore()
		z := normal.NewBy(s, nil, laws)
		z.Trace = func(s normal.Step) { applied[s.Rule] = true }
		return forms.Of(z.Simplify(t.Build(s, nil))[0])
	}
	for k := range orders {
		form(load(ordered(lines, k)))
	}
	first := form(load(lines))
	var out []Pair
	for i, a := range lines {
		for j := i + 1; j < len(lines); j++ {
			if b := lines[j]; applied[ruleName(a)] && applied[ruleName(b)] {
				other := slices.Insert(slices.Delete(slices.Clone(lines), j, j+1), i, b)
				if form(load(other)) != first {
					out = append(out, Pair{ruleName(a), ruleName(b)})
				}
			}
		}
	}
	return out
}

func ruleName(line string) string { return strings.Fields(line)[1] }
