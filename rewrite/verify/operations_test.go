package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
)

// A function that is not what its row says is found: relu for abs shows at negative arguments alone.
func TestOperationsFindFaults(t *testing.T) {
	_, gaps := operations()
	assert.Empty(t, gaps)
	faulty := func(name string, change func(at *combinators.Atom)) string {
		at := combinators.AtomNamed(name)
		was := *at
		defer func() { *at = was }()
		change(at)
		_, gaps := operations()
		return strings.Join(gaps, "\n")
	}
	assert.Contains(t, faulty("abs", func(at *combinators.Atom) { at.F1 = combinators.AtomNamed("relu").F1 }), "abs(x): the derivative is")
	assert.Contains(t, faulty("max", func(at *combinators.Atom) { at.F2 = combinators.AtomNamed("min").F2 }), "max(x, y): the derivative is")
	assert.Contains(t, faulty("gt", func(at *combinators.Atom) { at.Commutes = true }), "does not commute")
	assert.Contains(t, faulty("log", func(at *combinators.Atom) { at.Domain = "" }), "log(x): has no values of the other sign")
}
