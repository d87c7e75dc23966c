package program

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

var update = flag.Bool("update", false, "write testdata/language/foreign.txt anew")

// TestForeignFormulas states what is said of formulas as people write them who come from other systems: what is assumed where they are
// read, else the error and what it says to write.
func TestForeignFormulas(t *testing.T) {
	const path = "../../testdata/language/foreign.txt"
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "    ") {
			continue
		}
		out.WriteString(line + "\n")
		if strings.HasPrefix(line, "# ") {
			continue
		}
		s, err := Parse(line, Options{})
		if err == nil {
			var f *Program
			if f, err = s.Elaborate(nil, nil); err == nil {
				fmt.Fprintf(&out, "    read: %s\n", f.Assumed())
				for _, w := range f.Warnings {
					fmt.Fprintf(&out, "    warning: %s\n", w.Help)
				}
				continue
			}
		}
		var e *syntax.Error
		require.True(t, errors.As(err, &e), "%s: %v", line, err)
		fmt.Fprintf(&out, "    %s: %s\n", e.Code, e.Message)
		for _, help := range strings.Split(strings.TrimSpace(e.Help), "\n") {
			if help != "" && help != pythonIsRead {
				fmt.Fprintf(&out, "    help: %s\n", help)
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o644))
	}
	assert.Equal(t, out.String(), string(data))
}
