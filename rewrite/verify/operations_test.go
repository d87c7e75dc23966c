package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators/atom"
)

// A function that is not what its row says is found: relu for abs shows at negative arguments alone.
func TestOperationsFindFaults(t *testing.T) {
	_, gaps := operations()
	assert.Empty(t, gaps)
	faulty := func(name string, change func(at *atom.Row)) string {
		at := atom.Named(name)
		was := *at
		defer func() { *at = was }()
		change(at)
		_, gaps := operations()
		return strings.Join(gaps, "\n")
	}
	assert.Contains(t, faulty("abs", func(at *atom.Row) { at.F1 = atom.Relu.F1 }), "abs(x): the derivative is")
	assert.Contains(t, faulty("max", func(at *atom.Row) { at.F2 = atom.Min.F2 }), "max(x, y): the derivative is")
	assert.Contains(t, faulty("gt", func(at *atom.Row) { at.Commutes = true }), "does not commute")
	assert.Contains(t, faulty("log", func(at *atom.Row) { at.Domain = atom.Exp.Domain }), "log(x): has no values of the other sign")
}
