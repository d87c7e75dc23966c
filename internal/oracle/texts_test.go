// Package oracle freezes what is printed for the programs of the corpora, so that a change of code that is
// to change no text can show that it changes none.
package oracle

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"frechet"
	"frechet/internal/corpus"
	"frechet/internal/golden"
)

var update = flag.Bool("update", false, "rewrite testdata/oracles")

const testdata = "../../testdata/"

// A program is what is printed of: a text, and what a request says beside it.
type program struct {
	id, text  string
	Language  string
	Dims      frechet.Dims
	Sizes     frechet.Sizes
	Wrt       json.RawMessage // a name, or a list of names
	Order     *int
	Cotangent json.RawMessage
}

// corpora are the programs that no other golden file prints, by the file in testdata/oracles. The
// documents, testdata/cli and testdata/steps state what is printed for theirs.
var corpora = map[string]func(t *testing.T) []program{
	"appendix":    requests("einstein/appendix.jsonl"),
	"language":    requests("einstein/language.jsonl"),
	"errors":      requests("einstein/errors.jsonl"),
	"reported":    requests("reported/cases.jsonl"),
	"models":      requests("models/models.jsonl"),
	"edges":       requests("models/edges.jsonl"),
	"gathers":     requests("models/index.jsonl"),
	"elementwise": elementwise,
	"closed":      forms,
	"structure":   structures,
	"documents":   documents,
}

func fromCases(t *testing.T, cases []*corpus.Case) (all []program) {
	for _, c := range cases {
		if c.Request == nil || c.Elsewhere != "" {
			continue
		}
		p := program{id: c.ID}
		require.NoError(t, json.Unmarshal(c.Line(), &p), c.ID)
		require.NoError(t, json.Unmarshal(c.Request["input"], &p.text), c.ID)
		all = append(all, p)
	}
	return all
}

func requests(file string) func(t *testing.T) []program {
	return func(t *testing.T) []program {
		cases, err := corpus.Load(testdata + file)
		require.NoError(t, err)
		return fromCases(t, cases)
	}
}

func elementwise(t *testing.T) []program {
	cases, err := corpus.LoadElementwise(testdata + "index/elementwise.jsonl")
	require.NoError(t, err)
	return fromCases(t, cases)
}

func forms(t *testing.T) (all []program) {
	fs, err := corpus.LoadForms(testdata + "closed/forms.jsonl")
	require.NoError(t, err)
	for _, f := range fs {
		wrt, _ := json.Marshal(f.Wrt)
		for i, text := range f.Functions() {
			all = append(all, program{id: f.ID + []string{"", "/matrix"}[i], text: f.Program(text), Wrt: wrt, Order: &f.Order})
		}
	}
	return all
}

func structures(t *testing.T) (all []program) {
	files, err := filepath.Glob(testdata + "structure/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		require.NoError(t, err)
		p := program{id: strings.TrimSuffix(filepath.Base(file), ".txtar"), Order: new(int)}
		for line := range strings.Lines(string(ar.Comment)) {
			switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case "of":
				*p.Order = map[string]int{"jacobian": 1, "hessian": 2}[rest]
			case "wrt":
				p.Wrt, _ = json.Marshal(rest)
			}
		}
		p.text = string(ar.Files[0].Data)
		all = append(all, p)
	}
	return all
}

// documents are the programs of docs/language.md that stand there without what they print.
func documents(t *testing.T) (all []program) {
	src, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	for i, m := range regexp.MustCompile("(?s)```frechet[^\n]*\n(.*?)```").FindAllStringSubmatch(string(src), -1) {
		if !strings.HasPrefix(m[1], "expression") { // that has its declarations elsewhere
			all = append(all, program{id: fmt.Sprintf("language/%d", i+1), text: m[1]})
		}
	}
	return all
}

// notations are those that values, and but for the last one first derivatives, are printed in beside the
// default one, where the text differs.
var notations = []string{"index", "combinators", "latex", "einstein"}

// Each program prints what it has printed: the value, and the derivatives that are asked for, in the
// default notation, and in testdata/oracles/notations in all others. Sizes are symbols where the program
// lets them be.
func TestTexts(t *testing.T) {
	for name, programs := range corpora {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var texts, others strings.Builder
			seen := map[string]bool{} // programs whose value is printed in all notations
			for _, p := range programs(t) {
				p.print(&texts, &others, seen[p.text])
				seen[p.text] = true
			}
			golden.Blocks(t, testdata+"oracles/"+name+".txt", texts.String(), *update)
			golden.Blocks(t, testdata+"oracles/notations/"+name+".txt", others.String(), *update)
		})
	}
}

// print writes a block for the program in the default notation, and one in the others, there without the
// value where it is known.
func (p program) print(texts, others *strings.Builder, known bool) {
	fmt.Fprintf(texts, "%s%s\n%s\n", golden.Head, p.id, strings.TrimSpace(p.text))
	fmt.Fprintf(others, "%s%s\n", golden.Head, p.id)
	terms, err := p.derive()
	if err != nil {
		fmt.Fprintf(texts, "error: %v\n", err)
		return
	}
	for _, x := range terms {
		text, err := x.Text("text")
		if err != nil {
			text = "error: " + err.Error()
		}
		fmt.Fprintf(texts, "  %s%s\n%s\n", x.title, legend(x.Axes()), indented(text))
		if x.order > 1 || x.order == 0 && known || strings.HasSuffix(p.id, "/matrix") {
			continue
		}
		said := map[string]bool{text: true}
		for _, notation := range notations[:len(notations)-x.order] {
			if s, err := x.Text(notation); err == nil && !said[s] {
				said[s] = true
				fmt.Fprintf(others, "  %s, %s\n%s\n", x.title, notation, indented(s))
			}
		}
	}
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// legend lists the axes as the command does: sizes, and whose they are.
func legend(axes []frechet.Axis) string {
	if len(axes) == 0 {
		return ""
	}
	var sizes, of []string
	for _, a := range axes {
		sizes, of = append(sizes, a.Size), append(of, cmp.Or(a.Var, "output"))
	}
	return fmt.Sprintf(", axes [%s]: %s", strings.Join(sizes, ","), strings.Join(of, ", "))
}

type titled struct {
	title string
	order int // of the derivative
	*frechet.Term
}

func (p program) derive() (terms []titled, err error) {
	opts := []frechet.Option{frechet.WithLanguage(p.Language)}
	if p.Language == "" {
		opts = nil
	}
	f, err := frechet.Parse(p.text, opts...)
	if err != nil {
		if f, err = frechet.Parse(p.text, append(opts, frechet.WithDims(p.Dims), frechet.WithSizes(p.Sizes))...); err != nil {
			return nil, err
		}
	}
	q := frechet.Query{Order: frechet.AnyOrder}
	if p.Order != nil {
		q.Order = *p.Order
	}
	if p.Wrt != nil && json.Unmarshal(p.Wrt, &q.Wrt) != nil {
		q.Wrt = []string{""}
		if err := json.Unmarshal(p.Wrt, &q.Wrt[0]); err != nil {
			return nil, err
		}
	}
	r, err := f.Derive(context.Background(), q)
	if err != nil {
		return nil, err
	}
	for _, out := range r.Outputs {
		name := ""
		if out.Name != "" {
			name = " of " + out.Name
		}
		terms = append(terms, titled{"value" + name, 0, out.Value})
		for _, d := range append(out.Derivs, out.Parts...) {
			wrt := ""
			if len(d.Wrt) > 0 {
				wrt = " wrt " + strings.Join(d.Wrt, ", ")
			}
			terms = append(terms, titled{d.Name() + name + wrt, d.Order, d.Term})
		}
	}
	if p.Cotangent == nil {
		return terms, nil
	}
	back, err := f.Pullback()
	if err != nil {
		return nil, err
	}
	for i, name := range back.Names {
		terms = append(terms, titled{"pullback of " + back.Cotangent + " to " + name, 1, back.Terms[i]})
	}
	return terms, nil
}
