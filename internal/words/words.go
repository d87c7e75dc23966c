// Package words has what messages have in common: counted nouns, and the name that was meant.
package words

import (
	"strconv"
	"strings"
)

// plurals are those that are not made by an s.
var plurals = map[string]string{"axis": "axes", "entry": "entries", "index": "indices"}

// Noun is a noun for n things: operand, operands.
func Noun(n int, noun string) string {
	switch {
	case n == 1:
		return noun
	case plurals[noun] != "":
		return plurals[noun]
	}
	return noun + "s"
}

// Count says how many: 1 operand, 2 operands.
func Count(n int, noun string) string { return strconv.Itoa(n) + " " + Noun(n, noun) }

// Steps is how many steps are taken.
func Steps(n int) string { return Count(n, "step") }

// Given says how many are given: 1 size is given, 2 sizes are given.
func Given(n int, noun string) string {
	if n == 1 {
		return Count(n, noun) + " is given"
	}
	return Count(n, noun) + " are given"
}

// Spelled is Count with small numbers as words: no operands, one operand, two operands.
func Spelled(n int, noun string) string {
	if small := [...]string{"no", "one", "two", "three"}; n >= 0 && n < len(small) {
		return small[n] + " " + Noun(n, noun)
	}
	return Count(n, noun)
}

// Nearest returns the name that name is most likely a misspelling of: at most
// one edit in three letters away, swapped neighbours counting as one edit. It is
// empty if there is none.
func Nearest(name string, candidates []string) string {
	best, bestCost := "", len(name)/3+1
	if len(name) <= 1 {
		return ""
	}
	for _, c := range candidates {
		if len(c) > 64 || len(name) > 64 || abs(len(c)-len(name)) > bestCost {
			continue
		}
		cost := edits(strings.ToLower(name), strings.ToLower(c))
		if cost < bestCost || cost == bestCost && (best == "" || c < best) {
			if cost <= len(name)/3+boolInt(len(name) == 2) {
				best, bestCost = c, cost
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// edits counts insertions, deletions, replacements and swaps of neighbours.
func edits(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+boolInt(a[i-1] != b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// List names the first of several: a, b, c, and 5 more.
func List(names []string) string {
	const most = 12
	if n := len(names); n > most+1 {
		return strings.Join(names[:most], ", ") + ", and " + strconv.Itoa(n-most) + " more"
	}
	return strings.Join(names, ", ")
}

// Quote is a name in quotes, shortened where it is long.
func Quote(name string) string {
	if len(name) > 40 {
		name = name[:40] + "..."
	}
	return strconv.Quote(name)
}

// Shape is a shape in brackets: [2,3].
func Shape[T int | int64](shape []T) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.FormatInt(int64(n), 10)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
