package frechet

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var updateStructures = flag.Bool("update-structures", false, "rewrite the expected output in testdata/structure")

// TestStructures plans the programs of testdata/structure/*.txtar. The comment of an archive
// says of what, by which variable, and which sizes; the plan with symbols and the structure
// with numbers are sections that -update-structures rewrites.
func TestStructures(t *testing.T) {
	files, err := filepath.Glob("testdata/structure/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			var of string
			var q Query
			sizes := Sizes{}
			for line := range strings.Lines(string(ar.Comment)) {
				word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch word {
				case "of":
					of = rest
				case "wrt":
					q.Wrt = strings.Split(rest, ",")
				case "size":
					for _, s := range strings.Split(rest, ",") {
						name, number, _ := strings.Cut(s, "=")
						var n int64
						_, err := fmt.Sscan(number, &n)
						require.NoError(t, err)
						sizes[name] = n
					}
				}
			}
			src := string(section(t, ar, "program").Data)
			f, err := Parse(src)
			require.NoError(t, err)
			p, err := f.Plan(background, of, q, nil)
			require.NoError(t, err)
			f, err = Parse(src, WithSizes(sizes))
			require.NoError(t, err)
			numbers, err := f.Plan(background, of, q, nil)
			require.NoError(t, err)
			for name, text := range map[string]string{"plan": p.String(), "numbers": numbers.Results[0].Structure.String()} {
				s := section(t, ar, name)
				if *updateStructures {
					s.Data = []byte(text)
					continue
				}
				require.Equal(t, string(s.Data), text, "%s; go test -update-structures rewrites it", name)
			}
			if *updateStructures {
				require.NoError(t, os.WriteFile(file, txtar.Format(ar), 0o644))
			}
		})
	}
}

func section(t *testing.T, ar *txtar.Archive, name string) *txtar.File {
	for i := range ar.Files {
		if ar.Files[i].Name == name {
			return &ar.Files[i]
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}
