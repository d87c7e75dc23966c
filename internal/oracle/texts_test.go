// Package oracle freezes what is printed for the programs of the corpora, so that a change of code that is
// to change no text can show that it changes none.
package oracle

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/internal/corpus"
	"frechet/internal/golden"
)

var update = flag.Bool("update", false, "rewrite testdata/oracles")

const testdata = "../../testdata/"

// A program is what is printed of.
type program struct{ corpus.Program }

// notations are those that values, and but for the last one first derivatives, are printed in beside the
// default one, where the text differs.
var notations = []string{"index", "combinators", "latex", "einstein"}

// Each program prints what it has printed: the value, and the derivatives that are asked for, in the
// default notation, and in testdata/oracles/notations in all others. Sizes are symbols where the program
// lets them be.
func TestTexts(t *testing.T) {
	// the documents, testdata/cli and testdata/steps state what is printed for theirs
	corpora, err := corpus.Programs("../..")
	require.NoError(t, err)
	for name, programs := range corpora {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var texts, others strings.Builder
			seen := map[string]bool{} // programs whose value is printed in all notations
			for _, p := range programs {
				program{p}.print(&texts, &others, seen[p.Text])
				seen[p.Text] = true
			}
			golden.Blocks(t, testdata+"oracles/"+name+".txt", texts.String(), *update)
			golden.Blocks(t, testdata+"oracles/notations/"+name+".txt", others.String(), *update)
		})
	}
}

// print writes a block for the program in the default notation, and one in the others, there without the
// value where it is known.
func (p program) print(texts, others *strings.Builder, known bool) {
	fmt.Fprintf(texts, "%s%s\n%s\n", golden.Head, p.ID, strings.TrimSpace(p.Text))
	fmt.Fprintf(others, "%s%s\n", golden.Head, p.ID)
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
		if x.order > 1 || x.order == 0 && known || strings.HasSuffix(p.ID, "/matrix") {
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
	f, err := frechet.Parse(p.Text, opts...)
	if err != nil {
		if f, err = frechet.Parse(p.Text, append(opts, frechet.WithDims(p.Dims), frechet.WithSizes(p.Sizes))...); err != nil {
			return nil, err
		}
	}
	q := frechet.Query{Order: frechet.AnyOrder}
	if p.Order != nil {
		q.Order = *p.Order
	}
	if q.Wrt, err = p.Variables(); err != nil {
		return nil, err
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
