package conformance_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"frechet"
	"frechet/internal/corpus"
	"frechet/internal/programs"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const itemDeclarations = "declare x[n] y[n] A[m,n] B[m,n] S[n,n] v[m] s[] T[2,m,n]"

// TestItems asks all that can be asked for every item of the language: derivatives of orders 1 and 2 in each mode, beside
// differences and the adjoint's law; texts in each notation, of which those that can be read are read as the same value; a
// derivation whose certificate replays; the derivative and its adjoint as maps.
func TestItems(t *testing.T) {
	for _, line := range itemLines(t) {
		item, rest, _ := strings.Cut(line, ": ")
		x, body, _ := strings.Cut(rest, ": ")
		if !strings.HasPrefix(body, "let ") {
			body = "expression " + body
		}
		t.Run(item, func(t *testing.T) { askItem(t, body, x) })
	}
}

func askItem(t *testing.T, body, x string) {
	ctx := context.Background()
	f, err := frechet.Parse(itemDeclarations + " " + body)
	require.NoError(t, err)
	env, err := f.RandomEnv(ctx, frechet.Sizes{"m": 2, "n": 3}, 1)
	require.NoError(t, err)
	p := &programs.Program{Declare: itemDeclarations, Body: body, Sizes: map[string]int64{"m": 2, "n": 3},
		Dims: map[string][]int{}, Values: map[string][]float64{}}
	for name, v := range env {
		p.Dims[name], p.Values[name] = v.Shape, v.Data
	}
	for _, name := range frechet.Modes() {
		mode, err := frechet.ParseMode(name)
		require.NoError(t, err)
		reply, err := f.Derive(ctx, frechet.Query{Wrt: []string{x}, Order: 2, Mode: mode})
		require.NoError(t, err)
		report, err := reply.Check(ctx, env)
		require.NoError(t, err)
		for _, c := range report.Items {
			assert.True(t, c.OK, "%s: %s: %g", name, c.What, c.Error)
		}
		if mode != frechet.Planned {
			continue
		}
		for _, format := range frechet.Formats() {
			for _, d := range reply.Outputs[0].Derivs {
				_, err := d.Text(format)
				assert.NoError(t, err, format)
			}
		}
	}
	for _, format := range []string{"text", "matrix", "einstein"} {
		var a result
		run(t, p, map[string]any{"input": p.Text(), "wrt": x, "format": format}, &a)
		for order, field := range []string{"value", "derivative"} {
			printed, want := readBack(t, p, x, a.Text[field].(string), order)
			values := evaluate(t, p, printed, want)
			assert.LessOrEqual(t, distance(values[0], values[1]), 1e-9, "the %s prints in %s as\n%s", field, format, a.Text[field])
		}
	}
	d, err := f.Steps(x)
	require.NoError(t, err)
	var proof bytes.Buffer
	require.NoError(t, d.Certificate(&proof))
	_, err = frechet.Replay(ctx, &proof)
	assert.NoError(t, err)
	m, err := f.DerivativeMap(x)
	require.NoError(t, err)
	_, err = m.Adjoint()
	assert.NoError(t, err)
}

// TestEveryItemHasACase: each item, and each function of the table in docs/language.md, stands in a case whose value and derivatives
// to second order torch has computed.
func TestEveryItemHasACase(t *testing.T) {
	cases, err := corpus.Load(languageCases...)
	require.NoError(t, err)
	named, used := map[string]bool{}, map[string]bool{}
	word := regexp.MustCompile(`[A-Za-z]\w*`)
	for _, c := range cases {
		name, _, _ := strings.Cut(c.ID, "/")
		named[name] = true
		if c.Expect.Hessian != nil {
			for _, w := range word.FindAllString(string(c.Request["input"]), -1) {
				used[w] = true
			}
		}
	}
	for _, line := range itemLines(t) {
		item, _, _ := strings.Cut(line, ": ")
		assert.True(t, named[item], "no case has the item %s", item)
	}
	doc, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(doc), "## Functions\n")
	table, _, _ = strings.Cut(table, "\n## ")
	functions := 0
	for _, row := range strings.Split(table, "\n") {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(row, "| "), " | "); ok && strings.HasPrefix(row, "| `") {
			for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(cell, -1) {
				names := strings.Fields(strings.Trim(code, "`"))
				if strings.Contains(code, "(") {
					names = word.FindAllString(code, 1)
				}
				for _, name := range names {
					functions++
					assert.True(t, used[name], "no case has the function %s", name)
				}
			}
		}
	}
	assert.Greater(t, functions, 70)
}

func itemLines(t *testing.T) []string {
	text, err := os.ReadFile("../../testdata/language/items.txt")
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
}
