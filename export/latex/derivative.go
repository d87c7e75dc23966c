package latex

import (
	"slices"
	"strconv"
	"strings"
)

// Derivative names the derivative of a function by variables in turn: \nabla_x f and \nabla^2_x f of a
// scalar, \frac{\partial f}{\partial x} of others.
func Derivative(function string, wrt []string, scalar bool) string {
	f, power := Symbol(function), ""
	if len(wrt) > 1 {
		power = "^" + group(strconv.Itoa(len(wrt)))
	}
	by := make([]string, len(wrt))
	for i, x := range wrt {
		by[i] = Symbol(x)
	}
	if !scalar {
		return `\frac{\partial` + power + " " + f + `}{\partial ` + strings.Join(by, ` \partial `) + "}"
	}
	if len(slices.Compact(slices.Clone(by))) == 1 {
		by = by[:1]
	}
	return `\nabla` + power + "_" + group(strings.Join(by, " ")) + " " + f
}

// group puts braces around all but a single character.
func group(s string) string {
	if len(s) == 1 {
		return s
	}
	return "{" + s + "}"
}
