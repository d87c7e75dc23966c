package syntax

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docs/language.md names every function.
func TestFunctionsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/language.md")
	require.NoError(t, err)
	for _, name := range Functions() {
		assert.Regexp(t, "`[^`\n]*"+regexp.QuoteMeta(name)+"\\b[^`\n]*`", string(doc), name)
	}
}
