package atom

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is known of a function stands in its row: as a string, the name of an element-wise function stands in at most three
// places of the project's code, tests aside. Not counted is the reader of Python, whose names are those of NumPy.
func TestNamesStandInTheTable(t *testing.T) {
	const root, most = "../..", 3
	places := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && path == filepath.Join(root, "syntax", "python") {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && byName[s] != nil {
					places[s] = append(places[s], files.Position(lit.Pos()).String())
				}
			}
			return true
		})
		return nil
	}))
	for _, r := range Rows() {
		if r.Class == ClassElementwise {
			assert.NotEmpty(t, places[r.Name], "the scan finds the row of %s itself", r.Name)
			assert.LessOrEqual(t, len(places[r.Name]), most, "%s: %v", r.Name, places[r.Name])
		}
	}
}
