package elab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/einsum/size"
	"frechet/internal/corpus"
	"frechet/syntax"
)

// mustElaborate parses and elaborates, or stops the test.
func mustElaborate(t testing.TB, src string, opt Options) *Program {
	t.Helper()
	p, err := elaborate(src, opt)
	require.NoError(t, err, src)
	return p
}

func elaborate(src string, opt Options) (*Program, error) {
	f, err := syntax.Parse(src, opt.Limits)
	if err != nil {
		return nil, err
	}
	return Elaborate(f, opt)
}

// Each wrong program gives its kind of error at its place.
func TestErrorPlaces(t *testing.T) {
	data, err := os.ReadFile("../testdata/errors.json")
	require.NoError(t, err)
	var cases []struct {
		Name, Input string
		Kind        syntax.Kind
		Pos         int
		Dims        map[string][]int64
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	for _, c := range cases {
		_, err := elaborate(c.Input, Options{Dims: c.Dims})
		var e *syntax.Error
		if assert.ErrorAs(t, err, &e, c.Input) {
			assert.Equal(t, c.Kind, e.Kind, "%s: %s", c.Input, e.Message)
			assert.Equal(t, c.Pos, e.Span.Start, "%s: %s", c.Input, e.Message)
			t.Log("\n" + e.Render("", c.Input, false))
		}
	}
}

// Every documented code of elaboration is given by its example.
func TestCodeExamples(t *testing.T) {
	for _, d := range syntax.Codes {
		if !d.Typed {
			continue
		}
		_, err := elaborate(d.Example, Options{Dims: d.Dims, Sizes: d.Sizes, Limits: d.Limits, Nodes: d.Nodes})
		var e *syntax.Error
		if assert.ErrorAs(t, err, &e, "%s: %s", d.Code, d.Example) {
			assert.Equal(t, d.Code, e.Code, e.Message)
			assert.Equal(t, d.Kind, e.Kind)
			assert.NotEmpty(t, d.Text)
		}
	}
}

// All conformance programs elaborate, and the value's shape is the known one.
func TestCorpusElaborates(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/einstein/*.jsonl")
	require.NoError(t, err)
	cases, err := corpus.Load(paths...)
	require.NoError(t, err)
	n := 0
	for _, c := range cases {
		if c.Expect.Error != nil {
			continue
		}
		var input string
		var dims map[string][]int64
		require.NoError(t, json.Unmarshal(c.Request["input"], &input))
		if d := c.Request["dims"]; d != nil {
			require.NoError(t, json.Unmarshal(d, &dims))
		}
		p, err := elaborate(input, Options{Dims: dims})
		if !assert.NoError(t, err, input) {
			continue
		}
		n++
		if v, ok := c.Expect.Value.(map[string]any); ok {
			shape := []size.Size{}
			for _, d := range v["shape"].([]any) {
				f, _ := strconv.Atoi(fmt.Sprint(d))
				shape = append(shape, size.Const(int64(f)))
			}
			assert.Equal(t, size.Shape(shape), size.Shape(p.Outputs[0].Node.Shape()), input)
		}
		// Without numbers the sizes stay symbols.
		symbolic, err := elaborate(input, Options{})
		if assert.NoError(t, err, input) {
			assert.Equal(t, p.Outputs[0].Node.Order(), symbolic.Outputs[0].Node.Order(), input)
		}
	}
	t.Logf("%d programs", n)
}

// Both notations of every closed form have the same shape, and so have the forms of
// its derivative.
func TestClosedFormsElaborate(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/closed/*.jsonl")
	require.NoError(t, err)
	n := 0
	for _, path := range paths {
		forms, err := corpus.LoadForms(path)
		require.NoError(t, err)
		for _, f := range forms {
			n++
			shapes := func(texts ...string) {
				shape := ""
				for _, text := range texts {
					if text == "" {
						continue
					}
					src := "declare " + f.Declare + "\n"
					if !strings.Contains(text, "expression") {
						src += "expression "
					}
					p, err := elaborate(src+text, Options{})
					if !assert.NoError(t, err, "%s: %s", f.ID, text) {
						t.Log("\n" + err.(*syntax.Error).Render("", src+text, false))
						continue
					}
					s := size.Shape(p.Outputs[0].Node.Shape())
					if shape == "" {
						shape = s
					}
					if !slices.Contains(f.Needs, "size-from-context") && !strings.Contains(text, "delta(") {
						assert.Equal(t, shape, s, "%s: %s", f.ID, text)
					}
				}
			}
			shapes(f.Matrix, f.Einstein)
			shapes(f.ClosedMatrix, f.ClosedEinstein, f.LetMatrix, f.LetEinstein)
		}
	}
	t.Logf("%d forms", n)
}
