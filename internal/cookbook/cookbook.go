// Package cookbook makes docs/cookbook.md: derivatives of the Matrix Cookbook and of the tables of Magnus and Neudecker, each with our
// answer beside the book's form, conditions, and a comparison in numbers.
package cookbook

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"frechet"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

//go:embed testdata/entries.txt
var entriesText string

// An entry is a derivative of a book.
type entry struct {
	source, wrt    string
	order          int
	declare, input string
	book           string // its form, in our notation
	remark         string
}

// program is an expression with the declarations of the entry.
func (e entry) program(expression string) string {
	return "declare " + e.declare + " expression " + expression
}

// A section is a heading with its entries.
type section struct {
	title   string
	entries []entry
}

func sections() (all []section, err error) {
	for line := range strings.Lines(entriesText) {
		line = strings.TrimSpace(line)
		title, heading := strings.CutPrefix(line, "## ")
		switch {
		case heading:
			all = append(all, section{title: title})
			continue
		case line == "" || line[0] == '#':
			continue
		}
		f := strings.Split(line+" ", ";")
		if len(f) < 7 {
			return nil, fmt.Errorf("an entry of %d fields: %s", len(f), line)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		order, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, err
		}
		last := &all[len(all)-1]
		last.entries = append(last.entries, entry{f[0], f[1], order, f[3], f[4], f[5], strings.Join(f[6:], ";")})
	}
	return all, nil
}

// An answer is what we say of an entry.
type answer struct {
	text        string
	domain      []string
	ours, books int // nodes
}

// ask derives an entry, checks the derivative, and compares it with the book's form.
func (e entry) ask(ctx context.Context) (a answer, err error) {
	f, err := frechet.Parse(e.program(e.input))
	if err != nil {
		return a, err
	}
	q := frechet.Query{Wrt: []string{e.wrt}, Order: e.order}
	r, err := f.Derive(ctx, q)
	if err != nil {
		return a, err
	}
	d := r.Outputs[0].Derivs[e.order-1]
	if a.text, err = d.Term.Text("text"); err != nil {
		return a, err
	}
	a.domain = f.Domain()
	shaped := a.text
	if !strings.Contains(a.text, "expression ") {
		shaped = "expression " + a.text
	}
	if a.ours, err = nodes("declare " + e.declare + "\n" + shaped); err != nil {
		return a, err
	}
	if a.books, err = nodes(e.program(e.book)); err != nil {
		return a, err
	}
	return a, e.compare(ctx, f, q)
}

// nodes counts those of a program's expression, as the closed forms are counted.
func nodes(program string) (int, error) {
	file, err := syntax.Parse(program, syntax.Limits{})
	if err != nil {
		return 0, err
	}
	p, err := elab.Elaborate(file, elab.Options{})
	if err != nil {
		return 0, err
	}
	return unparse.CountNodes(p.Outputs[0].Node)
}

// sizesTried are numbers for the size symbols, in turn: tall, wide and square matrices.
var sizesTried = [][]int64{{3, 2, 4}, {2, 3, 4}, {4, 3, 2}, {2, 4, 3}}

// compare checks the derivative at random points of the first two sizes at which both forms have a value.
func (e entry) compare(ctx context.Context, f *frechet.Func, q frechet.Query) error {
	done := 0
	var last error
	for seed, sizes := range sizesTried {
		named := frechet.Sizes{}
		for i, s := range f.Symbols() {
			named[s] = sizes[i%len(sizes)]
		}
		err := e.compareAt(ctx, f, q, named, uint64(seed+1))
		var singular *frechet.Error
		switch {
		case err == nil:
			done++
		case !errors.As(err, &singular) || singular.Code != "V003":
			return err
		}
		if last = err; done == 2 {
			return nil
		}
	}
	return fmt.Errorf("there are not two sizes at which both forms have a value: %w", last)
}

// compareAt checks the derivative at a random point, by central differences and with the book's form.
func (e entry) compareAt(ctx context.Context, f *frechet.Func, q frechet.Query, named frechet.Sizes, seed uint64) error {
	env, err := f.RandomEnv(ctx, named, seed)
	if err != nil {
		return err
	}
	at := []frechet.Option{frechet.WithSizes(named), frechet.WithDims(frechet.DimsOf(env))}
	g, err := f.Elaborate(at...)
	if err != nil {
		return err
	}
	r, err := g.Derive(ctx, q)
	if err != nil {
		return err
	}
	ours, err := run(ctx, r.Outputs[0].Derivs[e.order-1].Term, env)
	if err != nil {
		return err
	}
	b, err := frechet.Parse(e.program(e.book), at...)
	if err != nil {
		return fmt.Errorf("the book's form: %w", err)
	}
	books, err := run(ctx, b.Value(), env)
	if err != nil {
		return err
	}
	if len(ours.Data) != len(books.Data) {
		return fmt.Errorf("the book's form has the shape %v, ours %v", books.Shape, ours.Shape)
	}
	for i, x := range ours.Data {
		if y := books.Data[i]; math.Abs(x-y) > tolerance*(1+math.Abs(x)) {
			return fmt.Errorf("entry %d is %v, in the book's form %v", i, x, y)
		}
	}
	report, err := r.Check(ctx, env)
	if err == nil && !report.OK() {
		err = errors.New(report.String())
	}
	return err
}

// tolerance is that of the comparison with the book's form, relative to entries above 1.
const tolerance = 1e-8

func run(ctx context.Context, t *frechet.Term, env frechet.Env) (*frechet.Tensor, error) {
	c, err := frechet.Compile(t, nil)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, env)
}

// Page is docs/cookbook.md. The error has all entries that fail.
func Page(ctx context.Context) (string, error) {
	all, err := sections()
	if err != nil {
		return "", err
	}
	var b, body strings.Builder
	var failed []error
	count, longer := 0, 0
	for _, s := range all {
		fmt.Fprintf(&body, "\n## %s\n\n| no. | function | by | our answer | the book, where it is another form | holds where |\n|---|---|---|---|---|---|\n", s.title)
		for _, e := range s.entries {
			a, err := e.ask(ctx)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s, %s: %w", s.title, e.source, err))
				continue
			}
			count++
			if a.ours > a.books {
				longer++
			}
			fmt.Fprintf(&body, "| %s | `%s` | `%s`%s | %s | %s | %s |\n", cell(e.source), e.input, e.wrt, map[int]string{2: ", twice"}[e.order], code(a.text), e.beside(a), cell(strings.Join(a.domain, ", ")))
		}
	}
	fmt.Fprintf(&b, preface, count, count-longer, count, longer)
	return b.String() + body.String() + epilogue, errors.Join(failed...)
}

// beside is the book's form where it is another one than ours, which is the shorter one, and the remark.
func (e entry) beside(a answer) string {
	text := ""
	if e.book != a.text {
		text = code(e.book)
	}
	if a.ours != a.books {
		text += fmt.Sprintf(" %d nodes, ours %d", a.books, a.ours)
	}
	if a.ours > a.books {
		text += ": **the book's is shorter**"
	}
	if e.remark != "" {
		text = strings.TrimSpace(text + "; " + e.remark)
	}
	return cell(strings.TrimPrefix(strings.TrimSpace(text), "; "))
}

func code(text string) string {
	text = strings.Replace(strings.ReplaceAll(strings.TrimSpace(text), "\nlet ", "; let "), "\nexpression ", "; ", 1)
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
