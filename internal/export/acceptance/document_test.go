package acceptance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// TestDocument runs the example of each target in docs/export.md beside the code that is exported from its program.
func TestDocument(t *testing.T) {
	t.Chdir("../../..")
	src, err := os.ReadFile("docs/export.md")
	require.NoError(t, err)
	block := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(string(src))
		require.NotNil(t, m, language)
		return m[1]
	}
	f, err := frechet.Parse(block("frechet"))
	require.NoError(t, err)
	r, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
	require.NoError(t, err)
	module, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	sums, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	module = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(module, []byte("module example"))
	for target, how := range map[string]struct {
		files  map[string]string // the name of what is exported, and of the example
		there  []string
		run    string
		before map[string][]byte
	}{
		"numpy":  {map[string]string{"code": "loss.py", "example": "main.py"}, []string{Python("numpy"), "-c", "import numpy"}, Python("numpy") + " main.py", nil},
		"torch":  {map[string]string{"code": "loss.py", "example": "main.py"}, []string{Python("torch"), "-c", "import torch"}, Python("torch") + " main.py", nil},
		"jax":    {map[string]string{"code": "loss.py", "example": "main.py"}, []string{Python("jax"), "-c", "import jax"}, Python("jax") + " main.py", nil},
		"c":      {map[string]string{"code": "loss.c", "example": "main.c"}, []string{"gcc", "--version"}, "gcc -std=c99 -Wall -o main main.c loss.c -lm -fopenmp && ./main", nil},
		"go":     {map[string]string{"code": "loss/loss.go", "example": "main.go"}, []string{"go", "version"}, "GOFLAGS=-mod=mod GOPROXY=off go run .", map[string][]byte{"go.mod": module, "go.sum": sums}},
		"octave": {map[string]string{"code": "loss.m", "example": "main.m"}, []string{"octave-cli", "--version"}, "octave-cli -q --no-gui main.m", nil},
	} {
		t.Run(target, func(t *testing.T) {
			if exec.Command(how.there[0], how.there[1:]...).Run() != nil {
				t.Skipf("NOT RUN: %s is not there", target)
			}
			dir := t.TempDir()
			code, err := f.Code(r, frechet.ExportOptions{Target: target, Name: "loss"})
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "loss"), 0o700))
			for name, text := range map[string]string{how.files["code"]: code, how.files["example"]: block(target)} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			for name, text := range how.before {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
			}
			cmd := exec.Command("sh", "-c", how.run)
			cmd.Dir = dir
			out, err := cmd.Output()
			require.NoError(t, err, "%s", out)
			require.Equal(t, block("text"), strings.TrimSpace(string(out))+"\n")
		})
	}
}
