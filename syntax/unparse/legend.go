package unparse

import (
	"strings"

	"frechet/einsum"
)

// AxisGroup is what a group of axes of a result belongs to: the output, or an argument
// of the derivative, by name.
type AxisGroup struct {
	Name  string // "" for an output without a name
	Order int
}

// Legend says what the axes of a result are, in their order: `axes: [i of y, j of w]`.
func Legend(groups ...AxisGroup) string {
	var parts []string
	next := 0
	for _, g := range groups {
		if g.Order == 0 {
			continue
		}
		letters := make([]string, g.Order)
		for i := range letters {
			letters[i] = einsum.Letter(next)
			next++
		}
		name := g.Name
		if name == "" {
			name = "the output"
		}
		parts = append(parts, strings.Join(letters, " ")+" of "+name)
	}
	if len(parts) == 0 {
		return "axes: none, the result is a number"
	}
	return "axes: [" + strings.Join(parts, ", ") + "]"
}
