package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocuments runs the commands of the console blocks in README.md and docs/*.md from
// the top of the repository and compares what they print. A block is a line
// `$ frechet ARGS` (or `$ go run ./cmd/frechet ARGS`, or `$ echo 'TEXT' | frechet ARGS`),
// continued while lines end in a backslash, then the output. -update rewrites it.
func TestDocuments(t *testing.T) {
	t.Chdir("../..")
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.Remove("proof.json") }) // of docs/certificates.md
	count := 0
	for _, file := range append(files, "README.md") {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		blocks := strings.Split(string(src), "```console\n")
		for i, block := range blocks[1:] {
			body, rest, ok := strings.Cut(block, "```")
			require.True(t, ok, "%s: a block without an end", file)
			got := runConsole(t, file, body)
			if sameOutput(body, got) {
				got = body // -update changes no last digits
			}
			if *update {
				blocks[i+1] = got + "```" + rest
				continue
			}
			require.Equal(t, body, got, file)
			count++
		}
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(blocks, "```console\n")), 0o644))
		}
	}
	require.True(t, *update || count > 5, "the documents have no examples")
}

// runConsole runs the commands of a block and returns it with their true output.
func runConsole(t *testing.T, file, body string) string {
	var out strings.Builder
	lines := strings.SplitAfter(body, "\n")
	for i := 0; i < len(lines); i++ {
		line, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue // output, to be written anew
		}
		out.WriteString(lines[i])
		for strings.HasSuffix(line, "\\\n") && i+1 < len(lines) {
			i++
			out.WriteString(lines[i])
			line = strings.TrimSuffix(line, "\\\n") + lines[i]
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "go test") {
			continue
		}
		stdin := ""
		for print, between := range map[string]string{"echo ": " ", `printf '%s\n' `: "\n"} {
			if rest, ok := strings.CutPrefix(line, print); ok {
				stdin, line, ok = strings.Cut(rest, " | ")
				require.True(t, ok, "%s: %s", file, rest)
				stdin = strings.Join(splitWords(stdin), between) + "\n"
			}
		}
		words := splitWords(strings.TrimPrefix(line, "go run ./cmd/"))
		require.Equal(t, "frechet", words[0], "%s: only frechet commands are run: %s", file, line)
		var result bytes.Buffer // both streams, as a terminal shows them
		run(context.Background(), words[1:], streams{strings.NewReader(stdin), &result, &result})
		out.Write(result.Bytes())
	}
	return out.String()
}
