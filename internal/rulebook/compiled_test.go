package rulebook_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/rewrite/verify"
)

var updateCompiled = flag.Bool("update-compiled", false, "write the parsed rule files of the program anew")

// The rule files of the program are compiled as they stand, and read back they are what the parser makes of them.
func TestRuleFilesAreCompiled(t *testing.T) {
	const path = "../../combinators/text/compiled.bin"
	var texts []string
	for _, f := range append(verify.Shipped(), verify.Laws(), verify.Stable(), verify.Attributes()) {
		texts = append(texts, f.Text)
	}
	want, err := text.CompileRuleFiles(texts...)
	require.NoError(t, err)
	if *updateCompiled {
		require.NoError(t, os.WriteFile(path, want, 0o644))
		return
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, have, "go test ./internal/rulebook -run TestRuleFilesAreCompiled -update-compiled")
	for _, src := range texts {
		compiled, err := text.ParseRules(src)
		require.NoError(t, err)
		parsed, err := text.ParseRules(src + "\n") // another text
		require.NoError(t, err)
		require.Equal(t, parsed, compiled)
	}
}
