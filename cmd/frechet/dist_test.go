package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

var updateLicences = flag.Bool("update-licences", false, "write licences.txt anew")

// graphviz is what frechet-draw has inside of go-graphviz, which does not carry its licence.
const graphviz = "\nIn frechet-draw: Graphviz 12.1.2 (https://graphviz.org), compiled to WebAssembly, under the Eclipse Public License 1.0\n" +
	"(https://www.eclipse.org/legal/epl-v10.html); its source is at https://gitlab.com/graphviz/graphviz\n"

// TestLicences: licences.txt has those of each module that a program of cmd links on any platform, of Go, and of what lies in the page.
func TestLicences(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dirs := map[string]string{"Go's standard library " + runtime.Version(): strings.TrimSpace(string(root))}
	for _, platform := range []string{"linux/amd64", "darwin/arm64", "windows/amd64", "js/wasm"} {
		system, machine, _ := strings.Cut(platform, "/")
		programs := []string{"frechet/cmd/frechet", "frechet/cmd/frechet-draw"}
		if system == "js" {
			programs = programs[:1]
		}
		cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}"}, programs...)...)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) == 3 {
				dirs[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	require.Greater(t, len(dirs), 15)
	own, err := os.ReadFile("../../LICENSE")
	require.NoError(t, err)
	temml, err := os.ReadFile("page/LICENSES.txt")
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "frechet\n\n%s\n\nIn the page\n\n%s\n", strings.TrimSpace(string(own)), strings.TrimSpace(string(temml)))
	b.WriteString(graphviz)
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		files, err := filepath.Glob(filepath.Join(dirs[name], "LICEN[CS]E*"))
		require.NoError(t, err)
		if more, _ := filepath.Glob(filepath.Join(dirs[name], "COPYING*")); files == nil {
			files = more
		}
		require.NotEmpty(t, files, "%s has no licence", name)
		others, _ := filepath.Glob(filepath.Join(dirs[name], "THIRD_PARTY_LICENSES", "*"))
		files = append(files, others...)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			fmt.Fprintf(&b, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("-", 80), name, filepath.Base(file), strings.TrimSpace(string(text)))
		}
	}
	if *updateLicences {
		require.NoError(t, os.WriteFile("licences.txt", []byte(b.String()), 0o644))
		return
	}
	if versions := regexp.MustCompile(`library go\S+`); versions.FindString(licences) != versions.FindString(b.String()) {
		t.Skip("NOT COMPARED: another version of Go")
	}
	require.Equal(t, b.String(), licences, "go test ./cmd/frechet -run TestLicences -update-licences writes them")
}

// TestMan: each command has a page, which has its flags, and no line of a text is a request.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := commandLine("", "man", dir)
	require.Equal(t, exitDone, code, errs)
	pages := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		page, err := os.ReadFile(filepath.Join(dir, manName(cmd)+".1"))
		require.NoError(t, err)
		pages++
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			require.Equal(t, !f.Hidden, strings.Contains(string(page), roff("--"+f.Name)), "%s %s", cmd.Name(), f.Name)
		})
		for line := range strings.Lines(string(page)) {
			require.Regexp(t, `^(\.(TH|SH|TP|B|nf|fi)\b|[^.'])|^\n`, line)
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newApp(streams{}).command())
	require.Greater(t, pages, 30)
}
