package frechet_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateAPI = flag.Bool("update-api", false, "write docs/api.md from the declarations of the package")

// apiSections are the parts of docs/api.md: what the names of each file of the package are for.
var apiSections = []struct{ file, title string }{
	{"func.go", "Read a program"},
	{"options.go", "Options of reading"},
	{"derive.go", "Differentiate"},
	{"evaluate.go", "Compute and check"},
	{"linear.go", "Derivatives as linear maps"},
	{"steps.go", "Derivations and certificates"},
	{"prove.go", "Equality"},
	{"minimize.go", "Minimise"},
	{"stationary.go", "Stationary points"},
	{"definite.go", "Convexity"},
	{"plan.go", "What a result costs"},
	{"export.go", "Code for other systems"},
	{"batch.go", "Requests, one a line"},
	{"rules.go", "Rule files"},
	{"data.go", "Data"},
	{"errors.go", "Errors and limits"},
}

// TestAPIDocument: docs/api.md has every exported name with its declaration and the first sentence of
// its documentation. A type that is another name for a type below has the methods of that.
func TestAPIDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The library by what it is for\n\nWhat package `frechet` exports, with the first sentence of each documentation; `go test . -run TestAPIDocument -update-api`\nwrites this page. `go doc frechet` leads with what to know first; [example_test.go](../example_test.go) has programs.\n")
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") && f != "doc.go" {
			require.True(t, slices.ContainsFunc(apiSections, func(s struct{ file, title string }) bool { return s.file == f }), "%s has no section in docs/api.md", f)
		}
	}
	front := aliases(t)
	for _, s := range apiSections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		for _, d := range declarations(t, s.file) {
			require.NotEmpty(t, d.doc, "%s has no documentation", d.name)
			fmt.Fprintf(&b, "- `%s`: %s\n", front.of(".", d.text), d.doc)
			for _, m := range d.methods {
				fmt.Fprintf(&b, "  - %s\n", strings.TrimSuffix(fmt.Sprintf("`%s`: %s", front.of(d.in, m.text), m.doc), ": "))
			}
		}
	}
	if *updateAPI {
		require.NoError(t, os.WriteFile("docs/api.md", []byte(b.String()), 0o644))
	}
	page, err := os.ReadFile("docs/api.md")
	require.NoError(t, err)
	require.Equal(t, b.String(), string(page), "go test . -run TestAPIDocument -update-api writes it")
}

// A declaration is an exported name with its text, the first sentence of its documentation, and, of a
// type that is another name, the methods of the type below.
type declaration struct {
	name, text, doc string
	in              string // the directory of the type below
	methods         []declaration
}

// fronts are the names that types below have in the package, by directory and name.
type fronts map[[2]string]string

// aliases reads them.
func aliases(t *testing.T) fronts {
	out := fronts{}
	u := declared(t, ".")
	for name, s := range u.types {
		f := u.in[name]
		for s.Assign.IsValid() {
			sel, ok := s.Type.(*ast.SelectorExpr)
			if !ok {
				break
			}
			dir := directory(f, sel)
			v := declared(t, dir)
			s, f = v.types[sel.Sel.Name], v.in[sel.Sel.Name]
			require.NotNil(t, s, "%s has no type %s", dir, sel.Sel.Name)
			out[[2]string{dir, sel.Sel.Name}] = name
		}
	}
	return out
}

var typeName = regexp.MustCompile(`\b(?:(\w+)\.)?([A-Z]\w*)\b`)

// of writes a declaration of the package in a directory with the names of the front.
func (f fronts) of(dir, text string) string {
	i := strings.IndexAny(text, "({") + 1
	return text[:i] + typeName.ReplaceAllStringFunc(text[i:], func(s string) string {
		m := typeName.FindStringSubmatch(s)
		for key, name := range f {
			if key[1] == m[2] && (m[1] == "" && key[0] == dir || m[1] != "" && filepath.Base(key[0]) == m[1]) {
				return name
			}
		}
		return s
	})
}

// A unit is a package as its files declare it.
type unit struct {
	types   map[string]*ast.TypeSpec
	docs    map[string]string
	in      map[string]*ast.File // the file of each type
	methods map[string][]declaration
}

// declared reads the package of a directory.
func declared(t *testing.T, dir string) *unit {
	u := &unit{map[string]*ast.TypeSpec{}, map[string]string{}, map[string]*ast.File{}, map[string][]declaration{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.IsExported() {
					of := d.Recv.List[0].Type
					if s, ok := of.(*ast.StarExpr); ok {
						of = s.X
					}
					if id, ok := of.(*ast.Ident); ok {
						u.methods[id.Name] = append(u.methods[id.Name], function(d))
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						u.types[s.Name.Name], u.in[s.Name.Name] = s, f
					}
				}
			}
		}
	}
	return u
}

// declarations are the exported declarations of a file of the package, in order.
func declarations(t *testing.T, name string) (out []declaration) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	require.NoError(t, err)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				out = append(out, function(d))
			}
		case *ast.GenDecl:
			var names []string
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if !s.Name.IsExported() {
						continue
					}
					text := d.Doc.Text()
					if s.Doc != nil {
						text = s.Doc.Text()
					}
					below, dir, methods := resolve(t, f, s)
					out = append(out, declaration{s.Name.Name, s.Name.Name + fields(below), synopsis(text), dir, methods})
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							names = append(names, n.Name)
						}
					}
				}
			}
			if len(names) > 0 {
				out = append(out, declaration{names[0], strings.Join(names, ", "), synopsis(d.Doc.Text()), ".", nil})
			}
		}
	}
	return out
}

// directory is that of the package which a selector names.
func directory(f *ast.File, sel *ast.SelectorExpr) string {
	name := sel.X.(*ast.Ident).Name
	for _, imp := range f.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if imp.Name != nil && imp.Name.Name == name || imp.Name == nil && strings.HasSuffix(path, "/"+name) {
			return local(path)
		}
	}
	return ""
}

// resolve is the type that another name stands for, with its directory and methods.
func resolve(t *testing.T, f *ast.File, s *ast.TypeSpec) (_ *ast.TypeSpec, dir string, methods []declaration) {
	for s.Assign.IsValid() {
		sel, ok := s.Type.(*ast.SelectorExpr)
		if !ok {
			break
		}
		dir = directory(f, sel)
		u := declared(t, dir)
		s, f = u.types[sel.Sel.Name], u.in[sel.Sel.Name]
		require.NotNil(t, s, "%s has no type %s", dir, sel.Sel.Name)
		methods = u.methods[s.Name.Name]
	}
	return s, dir, methods
}

// fields are the exported fields of a struct.
func fields(s *ast.TypeSpec) string {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	var names []string
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			if n.IsExported() {
				names = append(names, n.Name)
			}
		}
	}
	if names == nil {
		return ""
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// function is the declaration of a function or method.
func function(d *ast.FuncDecl) declaration {
	c := *d
	c.Doc, c.Body, c.Recv = nil, nil, nil
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), &c); err != nil {
		panic(err) // the declaration was parsed
	}
	text := strings.Join(strings.Fields(strings.TrimPrefix(b.String(), "func ")), " ")
	if d.Recv != nil {
		of := d.Recv.List[0].Type
		if s, ok := of.(*ast.StarExpr); ok {
			of = s.X
		}
		text = fmt.Sprint(of) + "." + text
	}
	return declaration{d.Name.Name, text, synopsis(d.Doc.Text()), ".", nil}
}

func synopsis(text string) string { return new(doc.Package).Synopsis(text) }
