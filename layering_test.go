package frechet_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers lists what each package may import of ours. A package that is missing here
// fails the test: whoever adds one decides where it stands.
var layers = map[string][]string{
	"einsum/size":         {},
	"einsum/integer":      {},
	"einsum/gather":       {"einsum", "einsum/integer", "einsum/size"},
	"einsum":              {"einsum/size"},
	"einsum/order":        {},
	"combinators":         {"einsum", "einsum/size"},
	"combinators/text":    {"combinators", "einsum", "einsum/gather", "einsum/size"},
	"combinators/denote":  {"combinators", "combinators/text", "einsum", "einsum/gather", "einsum/size"},
	"combinators/atom":    {"einsum/size"}, // may be imported by all
	"combinators/rules":   {},
	"rewrite/assumptions": {"combinators", "combinators/atom", "einsum", "einsum/size"},
	"rewrite":             {"rewrite/assumptions", "combinators", "combinators/denote", "combinators/text", "einsum", "einsum/size"},
	"rewrite/search":      {"rewrite/assumptions", "rewrite", "rewrite/normal", "combinators"},
	"rewrite/normal":      {"rewrite/assumptions", "rewrite", "combinators", "combinators/rules", "einsum", "einsum/size"},
	// The checker shares the terms with what makes derivations, and the parser of rule files: neither the
	// matcher (rewrite) nor the normal form, nor the reader of terms (combinators/denote).
	"rewrite/proof":        {"combinators", "combinators/text", "einsum", "einsum/gather", "einsum/size"},
	"rewrite/proof/coq":    {"combinators", "einsum", "einsum/size", "rewrite/proof"},
	"rewrite/proof/json":   {"combinators", "combinators/text", "einsum", "einsum/size", "rewrite/proof"},
	"rewrite/verify/model": {"combinators", "combinators/atom", "combinators/denote", "combinators/text", "einsum"},
	"rewrite/verify/order": {"rewrite", "combinators/denote", "combinators/text"},
	"rewrite/verify/maps":  {"combinators", "combinators/atom", "combinators/denote", "combinators/text", "einsum", "einsum/size", "rewrite/verify/model"},
	"rewrite/verify":       {"combinators/rules", "rewrite/assumptions", "rewrite/verify/maps", "rewrite/verify/model", "rewrite/verify/order", "adjoint", "eval", "eval/digits", "combinators/denote", "rewrite", "rewrite/normal", "rewrite/proof", "combinators", "combinators/text", "einsum", "einsum/gather", "einsum/size"},
	"adjoint":              {"rewrite", "rewrite/normal", "adjoint/rules", "combinators", "combinators/denote", "combinators/rules", "combinators/text", "einsum", "einsum/size"},
	"adjoint/structured":   {"adjoint", "rewrite/normal", "combinators", "einsum", "einsum/size"},
	"adjoint/jacobian":     {"adjoint", "adjoint/structured", "rewrite/normal", "combinators", "einsum", "einsum/order", "einsum/size"},
	"adjoint/rules":        {},
	"syntax":               {}, // but the table of operations
	"syntax/index":         {"syntax"},
	"syntax/python":        {"syntax"},
	"syntax/index/unparse": {"syntax", "syntax/index", "combinators", "einsum", "einsum/gather", "einsum/integer", "einsum/size"},
	"syntax/index/elab":    {"syntax", "syntax/index", "combinators", "einsum", "einsum/integer", "einsum/size"},
	"syntax/elab":          {"syntax", "syntax/index", "syntax/index/elab", "combinators", "einsum", "einsum/size"},
	"combinators/program":  {"syntax", "syntax/elab", "combinators", "combinators/denote", "combinators/text", "einsum/size"},
	"syntax/unparse":       {"syntax", "syntax/index", "combinators", "einsum", "einsum/gather", "einsum/integer", "einsum/size"},
	"eval/plan":            {"combinators", "combinators/rules", "rewrite", "einsum", "einsum/gather", "einsum/order", "einsum/integer", "einsum/size"},
	"eval/matmul":          {},
	"eval/vecmath":         {},
	"eval":                 {"eval/matmul", "eval/optimize", "eval/plan", "eval/vecmath", "combinators", "combinators/text", "einsum", "einsum/size"},
	"eval/data":            {"eval"},
	"eval/digits":          {"combinators", "combinators/atom", "eval"},
	"eval/optimize":        {},
	"export/code":          {"combinators", "einsum", "einsum/gather", "einsum/size", "eval/plan"},
	"export/dot":           {"combinators/text", "combinators", "einsum/size"},
	"export/latex":         {"combinators/text", "combinators", "syntax", "syntax/index", "einsum", "einsum/size"},
	"internal/protocol":    {},
	"internal/words":       {}, // may be imported by all
	"internal/must":        {}, // may be imported by all
	"internal/lists":       {}, // may be imported by all
	"internal/fault":       {"adjoint", "combinators", "eval", "syntax", "syntax/elab"},
	"internal/rulebook":    {"rewrite/assumptions", "adjoint", "internal/fault", "rewrite", "rewrite/verify", "rewrite/verify/order", "combinators", "combinators/text", "syntax"},
	"internal/program": {"rewrite/normal", "rewrite", "internal/fault", "internal/rulebook", "internal/protocol", "adjoint", "combinators", "combinators/denote", "combinators/program", "combinators/text", "einsum/size",
		"eval", "export/latex", "syntax", "syntax/elab", "syntax/python", "syntax/unparse"},
	"internal/reading":    {"combinators", "einsum", "einsum/size", "rewrite/assumptions", "rewrite/normal", "syntax/unparse"},
	"internal/derivation": {"internal/reading", "adjoint", "combinators", "combinators/rules", "combinators/text", "einsum/size", "export/latex", "internal/fault", "internal/program", "internal/rulebook", "rewrite", "rewrite/assumptions", "rewrite/normal", "rewrite/proof", "rewrite/proof/coq", "rewrite/proof/json", "rewrite/verify", "syntax", "syntax/unparse"},
	"internal/check":      {"internal/fault", "internal/program", "adjoint", "combinators", "einsum/size", "eval"},
	"internal/query": {"internal/reading", "rewrite/proof/json", "rewrite/assumptions", "rewrite/normal", "internal/check", "internal/derivation", "internal/fault", "internal/program", "internal/protocol", "internal/rulebook", "adjoint", "adjoint/jacobian", "combinators", "einsum", "einsum/size", "eval", "eval/plan",
		"export/dot", "export/latex", "syntax", "syntax/elab", "syntax/index", "syntax/index/unparse"},
	"internal/equality":   {"adjoint/jacobian", "combinators", "combinators/rules", "combinators/text", "einsum/size", "internal/derivation", "internal/fault", "internal/program", "internal/rulebook", "rewrite", "rewrite/assumptions", "rewrite/normal", "rewrite/proof", "rewrite/proof/json", "rewrite/search", "rewrite/verify"},
	"internal/linear":     {"rewrite/normal", "syntax/unparse", "internal/fault", "internal/program", "internal/query", "adjoint", "adjoint/jacobian", "adjoint/structured", "combinators", "combinators/text", "einsum/size", "eval", "eval/data", "combinators/atom", "export/latex"},
	"internal/plans":      {"rewrite/normal", "internal/fault", "internal/linear", "internal/program", "internal/query", "adjoint/jacobian", "adjoint/structured", "combinators", "einsum", "einsum/size", "eval/plan", "syntax"},
	"internal/export":     {"internal/derivation", "internal/fault", "internal/program", "internal/query", "export/code"},
	"internal/minimize":   {"internal/fault", "internal/program", "internal/query", "adjoint", "adjoint/jacobian", "adjoint/structured", "combinators", "eval", "eval/data", "eval/optimize"},
	"internal/stationary": {"internal/reading", "rewrite/assumptions", "rewrite/normal", "internal/check", "internal/derivation", "internal/fault", "internal/program", "internal/query", "adjoint/structured", "combinators", "eval", "export/latex"},
	"internal/discover":   {"combinators", "combinators/denote", "combinators/rules", "combinators/text", "eval", "internal/program", "rewrite", "rewrite/assumptions", "rewrite/normal", "rewrite/search", "rewrite/verify", "rewrite/verify/model", "rewrite/verify/order"},
	"internal/definite":   {"internal/equality", "rewrite", "rewrite/assumptions", "rewrite/normal", "internal/derivation", "internal/fault", "internal/program", "internal/query", "combinators", "einsum/size"},
	"internal/batch":      {"internal/stationary", "internal/equality", "eval/data", "internal/rulebook", "internal/fault", "internal/program", "internal/protocol", "internal/query", "eval", "syntax"},
	"": {"internal/discover", "internal/definite", "internal/stationary", "internal/equality", "rewrite/verify", "internal/batch", "internal/check", "internal/derivation", "internal/export", "internal/fault", "internal/linear", "internal/minimize", "internal/plans", "internal/program",
		"internal/protocol", "internal/query", "internal/rulebook", "adjoint/jacobian", "eval", "eval/data", "rewrite/proof", "rewrite/proof/coq", "rewrite/proof/json"}, // the front door
	"cmd/frechet":      {"", "docs"},
	"cmd/frechet-draw": {},
}

// leaves may be imported by tests and commands only, and import what they like.
var leaves = []string{"internal/", "docs", "bench", "examples"}

// TestLayering compares the imports of every package, those of its tests aside, with
// the table above. gonum is for eval and pictures alone, participle for the languages alone.
func TestLayering(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := local(fields[0])
		allowed, known := layers[pkg]
		if !known {
			if !slices.ContainsFunc(leaves, func(l string) bool { return strings.HasPrefix(pkg, l) }) {
				t.Errorf("package %s has no place in the table of layers", pkg)
			}
			continue
		}
		for _, imp := range fields[1:] {
			switch {
			case imp == "frechet" || strings.HasPrefix(imp, "frechet/"):
				if !slices.Contains(allowed, local(imp)) && !slices.Contains([]string{"internal/words", "internal/must", "internal/lists", "combinators/atom"}, local(imp)) {
					t.Errorf("%s imports %s, which its layer may not", pkg, imp)
				}
			case strings.HasPrefix(imp, "gonum.org/"):
				if !strings.HasPrefix(pkg, "eval") && pkg != "cmd/frechet-draw" {
					t.Errorf("%s imports %s; gonum is for eval, and for pictures, alone", pkg, imp)
				}
			case strings.HasPrefix(imp, "github.com/alecthomas/participle"):
				if !slices.Contains([]string{"syntax", "syntax/index", "syntax/python", "combinators/text", "rewrite"}, pkg) {
					t.Errorf("%s imports %s; participle is for the languages alone", pkg, imp)
				}
			}
		}
	}
}

// TestLayeringOfTheChecker: neither the checker of derivations nor anything that it imports is part of what
// finds steps. Its terms, and the parser of rule files, are all that they share.
func TestLayeringOfTheChecker(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./rewrite/proof").Output()
	require.NoError(t, err)
	shared := []string{"einsum", "einsum/gather", "einsum/integer", "einsum/size", "combinators", "combinators/atom", "combinators/text", "internal/lists", "internal/must", "internal/words"}
	for _, pkg := range strings.Fields(string(out)) {
		if path, ours := strings.CutPrefix(pkg, "frechet/"); ours && path != "rewrite/proof" {
			require.Contains(t, shared, path)
		}
	}
}

// local is a package's path in the module, "" for the module's root.
func local(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "frechet"), "/")
}
