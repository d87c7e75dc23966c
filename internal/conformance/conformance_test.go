package conformance_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frechet"
	"frechet/internal/corpus"

	"github.com/stretchr/testify/require"
)

// The conformance cases are requests of the batch protocol, so they say nothing about how
// the project is built. All of a file's requests run as one batch, which is also how the
// protocol is meant to be used: an error in one line must not touch the next.

func TestThesisAppendix(t *testing.T) { runCorpus(t, "../../testdata/einstein/appendix.jsonl") }
func TestEinstein(t *testing.T)       { runCorpus(t, "../../testdata/einstein/language.jsonl") }
func TestErrors(t *testing.T)         { runCorpus(t, "../../testdata/einstein/errors.jsonl") }
func TestReported(t *testing.T)       { runCorpus(t, "../../testdata/reported/cases.jsonl") }

// TestModels: objectives of statistics, learning and control, whose numbers a separate evaluator
// in arithmetic of 60 digits has found. TestEdges: kinks, poles, empty and singular things,
// products, and errors, with numbers and places by hand. TestGathers: random definitions in index
// notation, with the pullback of a cotangent.
func TestModels(t *testing.T)     { runCorpus(t, "../../testdata/models/models.jsonl") }
func TestObjectives(t *testing.T) { runCorpus(t, "../../testdata/objectives/cases.jsonl") }
func TestSpectral(t *testing.T)   { runCorpus(t, "../../testdata/spectral/cases.jsonl") }
func TestImplicit(t *testing.T)   { runCorpus(t, "../../testdata/implicit/cases.jsonl") }
func TestLanguage(t *testing.T)   { runCorpus(t, languageCases...) }
func TestSlices(t *testing.T)     { runCorpus(t, "../../testdata/slices/cases.jsonl") }
func TestEdges(t *testing.T)      { runCorpus(t, "../../testdata/models/edges.jsonl") }
func TestGathers(t *testing.T)    { runCorpus(t, "../../testdata/models/index.jsonl") }

// languageCases have the items of the language, its functions, and its functions of matrices.
var languageCases = []string{"../../testdata/language/items.jsonl", "../../testdata/language/functions.jsonl", "../../testdata/language/matrices.jsonl"}

// runCorpus sends every case that can run, reports each that fails, and prints the counts.
func runCorpus(t *testing.T, paths ...string) {
	cases, err := corpus.Load(paths...)
	require.NoError(t, err)
	var in bytes.Buffer
	var run []*corpus.Case
	waits, elsewhere := map[string][]string{}, 0
	for _, c := range cases {
		switch {
		case c.Waits != "":
			id := c.ID
			if c.Request != nil && c.Check(batch(t, c.Line())[0]) == nil {
				id += " (passes)"
			}
			waits[c.Waits] = append(waits[c.Waits], id)
		case c.Elsewhere != "":
			elsewhere++
		default:
			run = append(run, c)
			in.Write(c.Line())
		}
	}
	answers := batch(t, in.Bytes())
	require.Len(t, answers, len(run), "one answer a request")
	failed := 0
	for i, c := range run {
		bad := c.Check(answers[i])
		if bad == nil {
			continue
		}
		failed++
		t.Errorf("%s: %s\n    input: %s", c.ID, strings.Join(bad, "\n    "), c.Request["input"])
	}
	t.Logf("%d cases: %d passed, %d failed, %d stated by other tests", len(cases), len(run)-failed, failed, elsewhere)
	for _, why := range slices.Sorted(maps.Keys(waits)) {
		t.Logf("%d wait for %s: %s", len(waits[why]), why, strings.Join(waits[why], " "))
	}
}

// TestElsewhereExists: a case that another test states names a test that is there.
func TestElsewhereExists(t *testing.T) {
	cases, err := corpus.Load("../../testdata/reported/cases.jsonl")
	require.NoError(t, err)
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(src, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	for _, c := range cases {
		if c.Elsewhere != "" && !tests[c.Elsewhere] {
			t.Errorf("%s is said to be stated by %s, which is not there", c.ID, c.Elsewhere)
		}
	}
}

// batch answers the requests, one line each.
func batch(t require.TestingT, in []byte) [][]byte {
	var out bytes.Buffer
	require.NoError(t, frechet.Batch(context.Background(), bytes.NewReader(in), &out))
	return bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
}

// TestElementwise: definitions in index notation, with the pullback of a random cotangent
// to every argument.
func TestElementwise(t *testing.T) {
	cases, err := corpus.LoadElementwise("../../testdata/index/elementwise.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	var in bytes.Buffer
	for _, c := range cases {
		in.Write(c.Line())
	}
	for i, answer := range batch(t, in.Bytes()) {
		if bad := cases[i].Check(answer); bad != nil {
			t.Errorf("%s: %s\n    input: %s", cases[i].ID, strings.Join(bad, "\n    "), cases[i].Request["input"])
		}
	}
	t.Logf("%d cases", len(cases))
}
