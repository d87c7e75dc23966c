package query

import (
	"fmt"
	"frechet/adjoint"
	"slices"
	"strings"
)

// ModeNames are the names of the modes, by their numbers.
var ModeNames = []string{adjoint.Planned: "planned", adjoint.Reverse: "reverse", adjoint.Forward: "forward"}

// ParseMode finds a mode by its name.
func ParseMode(name string) (adjoint.Mode, error) {
	if i := slices.Index(ModeNames, name); i >= 0 {
		return adjoint.Mode(i), nil
	}
	return 0, fmt.Errorf("unknown mode %q; known are %s", name, strings.Join(ModeNames, ", "))
}
