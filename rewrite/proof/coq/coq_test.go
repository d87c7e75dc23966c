package coq_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

var update = flag.Bool("update", false, "write the theorems of testdata anew")

// theorems are the text of a program's derivation.
func theorems(t require.TestingT, src string) (string, error) {
	f, err := frechet.Parse(src)
	require.NoError(t, err)
	d, err := f.Steps(f.Wrt()...)
	require.NoError(t, err)
	var b strings.Builder
	err = d.Coq(&b)
	return b.String(), err
}

// The theorems of the programs of testdata are as they stand there; internal/coq has them checked.
func TestTheorems(t *testing.T) {
	files, err := filepath.Glob("testdata/*.fr")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			got, err := theorems(t, string(src))
			require.NoError(t, err)
			golden := strings.TrimSuffix(file, ".fr") + ".v"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// What has no term is withheld with the reason, and nothing is written.
func TestWithheld(t *testing.T) {
	for src, why := range map[string]string{
		"declare x[n] expression sum(lgamma(x)) derivative wrt x":     "lgamma has no definition in the prelude",
		"declare x[n] expression 123456*sum(x .* x) derivative wrt x": "a number with more than 1000 in it",
	} {
		got, err := theorems(t, src)
		require.ErrorContains(t, err, why)
		require.Empty(t, got)
	}
}
