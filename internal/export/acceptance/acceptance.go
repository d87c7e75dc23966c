// Package acceptance runs what is exported from all programs of the corpora in the systems that it is for, and compares
// the results with those of frechet's own evaluation.
package acceptance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"frechet"
	"frechet/internal/corpus"
)

// Tolerance is how far results may differ, relative to the largest entry of a tensor, or to 1.
const Tolerance = 1e-9

// A Case is a program with its derivatives, and points at which it is compared.
type Case struct {
	ID     string
	Func   *frechet.Func
	Reply  *frechet.Reply
	Points []Point
}

// A Point has the arguments of a function, the sizes that they do not show, and the results.
type Point struct {
	Env   frechet.Env
	Sizes frechet.Sizes // all symbols
	Want  []*frechet.Tensor
}

// An Outcome is what a target made of a case.
type Outcome struct {
	Case    string
	Verdict string // passed, parsed, refused, failed
	Why     string
}

// Cases reads the programs of the corpora below root, one in every so many of them. Programs that frechet itself refuses, or
// cannot evaluate at any point, are none.
func Cases(root string, every int) ([]*Case, error) {
	corpora, err := corpus.Programs(root)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range corpora {
		names = append(names, name)
	}
	slices.Sort(names)
	var cases []*Case
	count := 0
	for _, name := range names {
		for _, p := range corpora[name] {
			if count++; count%every != 0 {
				continue
			}
			if c := newCase(name, p); c != nil && len(c.Points) > 0 {
				cases = append(cases, c)
			}
		}
	}
	return cases, nil
}

// newCase derives what a program asks for, to the second order at most.
func newCase(name string, p corpus.Program) *Case {
	var opts []frechet.Option
	if p.Language != "" {
		opts = append(opts, frechet.WithLanguage(p.Language))
	}
	f, err := frechet.Parse(p.Text, opts...)
	if err != nil {
		if f, err = frechet.Parse(p.Text, append(opts, frechet.WithDims(p.Dims), frechet.WithSizes(p.Sizes))...); err != nil {
			return nil
		}
	}
	q := frechet.Query{Order: frechet.AnyOrder}
	if p.Order != nil {
		q.Order = *p.Order
	}
	if q.Wrt, err = p.Variables(); err != nil {
		return nil
	}
	if q.Wrt == nil && len(f.Wrt()) == 0 && len(f.Operations()) == 0 { // a value alone: its derivative, too
		q.Wrt, q.Order = []string{}, 1
		for _, x := range f.Params() {
			q.Wrt = append(q.Wrt, x.Name)
		}
	}
	ctx := context.Background()
	c := &Case{ID: name + "/" + p.ID, Func: f}
	if c.Reply, err = f.Derive(ctx, q); err != nil {
		return nil
	}
	if env := given(f, p); env != nil {
		c.add(ctx, env, frechet.Sizes{})
	}
	symbols := f.Symbols()
	for _, choose := range []func(i int) int64{
		func(i int) int64 { return int64(i) + 2 }, func(int) int64 { return 1 }, func(int) int64 { return 0 }, func(i int) int64 { return int64(i % 2 * 3) }} {
		sizes := frechet.Sizes{}
		for i, s := range symbols {
			sizes[s] = choose(i)
		}
		if env, err := f.RandomEnv(ctx, sizes, 7); err == nil {
			c.add(ctx, env, sizes)
		}
		if len(symbols) == 0 {
			break
		}
	}
	return c
}

// given are the values that the program stands with, nil where there are none.
func given(f *frechet.Func, p corpus.Program) frechet.Env {
	var values map[string]json.RawMessage
	if p.Values == nil || json.Unmarshal(p.Values, &values) != nil {
		return nil
	}
	env := frechet.Env{}
	for _, x := range f.Params() {
		var flat []float64
		if json.Unmarshal(values[x.Name], &flat) != nil {
			return nil
		}
		shape := make([]int, x.Order())
		dims, ok := p.Dims[x.Name]
		if !ok && x.Order() == 1 {
			dims, ok = []int64{int64(len(flat))}, true
		}
		if !ok && x.Order() > 0 || len(dims) != x.Order() {
			return nil
		}
		n := 1
		for i, d := range dims {
			shape[i] = int(d)
			n *= shape[i]
		}
		if n != len(flat) {
			return nil
		}
		env[x.Name] = &frechet.Tensor{Shape: shape, Data: flat}
	}
	return env
}

// Terms are the results in the order in which the exported function returns them.
func (c *Case) Terms() []*frechet.Term {
	var terms []*frechet.Term
	for _, out := range c.Reply.Outputs {
		for _, d := range slices.Concat([]frechet.Deriv{{Term: out.Value}}, out.Derivs, out.Parts) {
			terms = append(terms, d.Term)
		}
	}
	return terms
}

// maxEntries bounds the results of a point.
const maxEntries = 1 << 16

// add adds a point if frechet has values there.
func (c *Case) add(ctx context.Context, env frechet.Env, sizes frechet.Sizes) {
	p, err := frechet.CompileAll(c.Terms(), sizes)
	if err != nil {
		return
	}
	want, err := p.RunAll(ctx, env)
	if err != nil {
		return
	}
	entries := 0
	for _, t := range want {
		entries += len(t.Data)
	}
	if entries > maxEntries {
		return
	}
	all := frechet.Sizes{}
	maps.Copy(all, sizes)
	for _, x := range c.Func.Params() { // of the values that stand with a program
		for k, axis := range x.Axes[:len(env[x.Name].Shape)] { // an array of whole numbers has no bound among its axes
			if slices.Contains(c.Func.Symbols(), axis) {
				all[axis] = int64(env[x.Name].Shape[k])
			}
		}
	}
	c.Points = append(c.Points, Point{env, all, want})
}

// compare says how results differ from those of a point; "" is not at all.
func (p *Point) compare(got []*frechet.Tensor) string {
	if len(got) != len(p.Want) {
		return fmt.Sprintf("%d results, want %d", len(got), len(p.Want))
	}
	for k, want := range p.Want {
		if got[k].Shape != nil && !slices.Equal(got[k].Shape, want.Shape) || len(got[k].Data) != len(want.Data) {
			return fmt.Sprintf("result %d has shape %v, want %v", k, got[k].Shape, want.Shape)
		}
		scale := 1.0
		for _, x := range want.Data {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				scale = math.Max(scale, math.Abs(x))
			}
		}
		for i, x := range want.Data {
			y := got[k].Data[i]
			if x != y && !(math.IsNaN(x) && math.IsNaN(y)) && !(math.Abs(x-y) <= Tolerance*scale) {
				return fmt.Sprintf("entry %d of result %d is %g, want %g", i, k, y, x)
			}
		}
	}
	return ""
}

// printed is the code of a case, or the outcome that there is none.
func (c *Case) printed(target, name string) (string, *Outcome) {
	code, err := c.Func.Code(c.Reply, frechet.ExportOptions{Target: target, Name: name})
	if err == nil {
		return code, nil
	}
	verdict := "failed"
	if e, ok := err.(*frechet.Error); ok && e.Code == "R002" {
		verdict = "refused"
	}
	return "", &Outcome{c.ID, verdict, strings.SplitN(err.Error(), "\n", 2)[0]}
}

// Run runs all cases through a target: julia, and matlab, which is octave, are only parsed; sql in SQLite, duckdb and postgres in these; postgres is the database that
// FRECHET_POSTGRES names, in a schema of its own.
func Run(target string, cases []*Case) ([]Outcome, error) {
	switch target {
	case "numpy", "torch", "jax", "dask":
		return runPython(target, cases)
	case "c":
		return runC(cases)
	case "go":
		return runGo(cases)
	case "octave":
		return runOctave(cases)
	case "julia":
		return runParsed("julia", "julia", cases)
	case "matlab":
		return runParsed("octave", "matlab", cases)
	case "sql":
		return runSQL("sqlite", cases)
	case "duckdb", "postgres":
		return runSQL(target, cases)
	}
	return nil, fmt.Errorf("no runner for the target %s", target)
}
