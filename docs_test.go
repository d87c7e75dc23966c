package frechet_test

import (
	"frechet/internal/requests"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// The document of the batch protocol lists every convention and every kind of error.
func TestBatchDocument(t *testing.T) {
	b, err := os.ReadFile("docs/batch.md")
	require.NoError(t, err)
	doc := string(b)
	for _, c := range frechet.Conventions() {
		assert.Contains(t, doc, "| `"+c.ID+"` | "+c.Doc+" |")
	}
	for _, c := range frechet.ErrorCodes() {
		if c.Kind != "internal" {
			assert.Contains(t, doc, "`"+string(c.Kind)+"`")
		}
	}
	for _, f := range frechet.Formats() {
		assert.Contains(t, doc, "`"+f+"`")
	}
}

// Every error code's example in a request gives that error.
func TestCodeExamples(t *testing.T) {
	for _, c := range frechet.ErrorCodes() {
		assert.NotEmpty(t, c.Title, c.Code)
		assert.NotEmpty(t, c.Text, c.Code)
		if !strings.HasPrefix(c.Example, "{") {
			continue
		}
		a := requests.Ask(t, nil, c.Example)[0]
		assert.Equal(t, string(c.Code), requests.At(a, "error.code"), "%v", a)
	}
}

// The default limits are what the table says, and flags set them.
func TestLimits(t *testing.T) {
	l := frechet.DefaultLimits()
	for _, row := range frechet.LimitTable() {
		require.NoError(t, row.Set(&l, row.Get(&l)), row.Name)
		for _, bad := range []string{"", "-1", "0", "many", "1e400", "99999999999999999999"} {
			assert.Error(t, row.Set(&l, bad), "%s %s", row.Name, bad)
		}
	}
	assert.Equal(t, frechet.DefaultLimits(), l)
	assert.Equal(t, int64(64e6), l.Input)
	assert.Equal(t, 64, l.Order)
}
