package query

import (
	"fmt"
	"frechet/adjoint/jacobian"
	"slices"
	"strings"
)

// ModeNames are the names of the modes, by their numbers.
var ModeNames = []string{jacobian.Planned: "planned", jacobian.Reverse: "reverse", jacobian.Forward: "forward"}

// ParseMode finds a mode by its name.
func ParseMode(name string) (jacobian.Mode, error) {
	if i := slices.Index(ModeNames, name); i >= 0 {
		return jacobian.Mode(i), nil
	}
	return 0, fmt.Errorf("unknown mode %q; known are %s", name, strings.Join(ModeNames, ", "))
}
