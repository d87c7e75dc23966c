// Package export prints what a query found as a function of another system: see export/code.
package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"frechet/export/code"
	"frechet/internal/derivation"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
)

// Targets lists the names of the systems.
func Targets() []string { return code.Names() }

// Options say what is printed.
type Options struct {
	Target string
	Name   string                 // of the function; "" is f
	Keep   func(query.Deriv) bool // which results; nil keeps all, the values among them
	Sizes  program.Sizes          // numbers of size symbols, by which the order of contractions is chosen
}

// Code prints one function that returns the values and derivatives of a reply. Its arguments are the variables of the
// program, in the order of their declarations. A derivative has the axes of the output first, then those of the variables,
// whatever layout the query asks for.
func Code(f *program.Program, r *query.Reply, o Options) (text string, err error) {
	defer fault.Guard(&err)
	e := &exporter{f: f, fn: &code.Function{Name: o.Name, Source: f.File.Src, Sizes: o.Sizes}, names: map[string]bool{}}
	if e.fn.Name == "" {
		e.fn.Name = "f"
	}
	for _, p := range f.Params {
		e.fn.Params = append(e.fn.Params, p.Node)
		e.names[p.Name] = true
	}
	e.names[e.fn.Name] = true
	for i, out := range query.Plain(r) {
		e.output(i, out, o.Keep)
	}
	e.describe(r)
	text, err = code.Print(o.Target, e.fn)
	var refused *code.Refusal
	if errors.As(err, &refused) {
		return "", fault.New(fault.Target, "%s", refused).Helpf("%s", refused.Help)
	}
	return text, err
}

type exporter struct {
	f     *program.Program
	fn    *code.Function
	names map[string]bool
}

// output adds the results of one expression.
func (e *exporter) output(i int, out query.Output, keep func(query.Deriv) bool) {
	all := query.Names(e.f, i, out, keep, e.names)
	for k, x := range all {
		if x.Name != "" {
			e.fn.Results = append(e.fn.Results, code.Result{Name: x.Name, Doc: doc(x.Deriv), Node: query.Node(x.Term), Check: check(all, k)})
		}
	}
}

// doc describes a result: what it is, its shape, and what its axes run over.
func doc(d query.Deriv) string {
	text := d.Name()
	if d.Operation == nil && len(d.Wrt) > 0 {
		text += " wrt " + strings.Join(d.Wrt, ", ")
	}
	axes := d.Term.Axes()
	if len(axes) == 0 {
		return text + ", a number"
	}
	owners := make([]string, len(axes))
	for i, a := range axes {
		if owners[i] = a.Var; a.Var == "" {
			owners[i] = "output"
		}
	}
	return fmt.Sprintf("%s, [%s], with the axes of %s", text, strings.Join(d.Term.Shape(), ","), strings.Join(owners, ", "))
}

// check says of what result k is a derivative, where that is a result, too.
func check(all []query.Named, k int) code.Check {
	d := all[k]
	if k == 0 {
		return code.Check{}
	}
	if op := d.Operation; op != nil {
		if all[0].Name == "" || op.Along == "" || op.Kind == "taylor" {
			return code.Check{}
		}
		return code.Check{Kind: op.Kind, Of: all[0].Name, Wrt: op.Wrt, With: op.Along}
	}
	for _, base := range all[:k] {
		if base.Name != "" && base.Operation == nil && base.Order == d.Order-1 && slices.Equal(base.Wrt, d.Wrt[:base.Order]) {
			return code.Check{Kind: "derivative", Of: base.Name, Wrt: d.Wrt[d.Order-1]}
		}
	}
	return code.Check{}
}

// describe writes the title and the notes.
func (e *exporter) describe(r *query.Reply) {
	var kinds []string
	for _, res := range e.fn.Results {
		kind, _, _ := strings.Cut(res.Doc, ",")
		kind, _, _ = strings.Cut(kind, " wrt")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	title := strings.Join(kinds, ", ") + " of"
	e.fn.Title = strings.ToUpper(title[:1]) + title[1:]
	for _, c := range derivation.Domain(e.f) {
		e.fn.Notes = append(e.fn.Notes, "Domain: "+c+".")
	}
	for _, a := range e.f.Assumptions {
		e.fn.Notes = append(e.fn.Notes, "Needs "+a.Text+".")
	}
	for _, c := range e.f.Claims() {
		e.fn.Notes = append(e.fn.Notes, "Rule "+c.Rule+": "+c.Claim+".")
	}
	for _, c := range r.Conventions() {
		e.fn.Notes = append(e.fn.Notes, "Convention: "+c.Doc+".")
	}
}
