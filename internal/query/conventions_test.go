package query

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators/atom"
)

// The table of conventions is closed: every atom's kink stands in it.
func TestConventionsOfAtoms(t *testing.T) {
	for _, a := range atom.Rows() {
		if a.Kink != "" {
			assert.True(t, slices.ContainsFunc(conventions, func(c Convention) bool { return c.ID == a.Kink }), "%s: %s", a.Name, a.Kink)
		}
	}
}
