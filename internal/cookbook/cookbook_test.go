package cookbook

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/cookbook.md")

// TestCookbook: each derivative agrees with central differences and with the book's form, and the page has what they are.
func TestCookbook(t *testing.T) {
	page, err := Page(context.Background())
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("../../docs/cookbook.md", []byte(page), 0o644))
	}
	have, err := os.ReadFile("../../docs/cookbook.md")
	require.NoError(t, err)
	require.Equal(t, string(have), page, "go test ./internal/cookbook -update writes it")
}
