package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

// linearOptions are the flags of linear and adjoint.
type linearOptions struct {
	wrt     []string
	format  string
	unicode bool
	json    bool
	pair    bool
	data    []string
}

func (a *app) linearCommand() *cobra.Command {
	return a.closedCommand("linear", "d", "Print a derivative as a linear map", `Prints a derivative as a linear map in combinators, with its type, and as a formula at a
direction: nothing is multiplied out. The program is an expression, which is differentiated
by the variables of --wrt or those that it names; or a linear map in combinator notation, in
which derivatives and adjoints may stand: they are worked out.

With --pair the value stands beside the map, as one term: the map <K(value), derivative> of a
direction, with what both are made of computed once. With data (-d) the coefficients are
numbers: those of order 0 stand in the term, the others are declared above it and given below.

  frechet linear 'declare A[m,n] x[n] expression sin(A*x)' --wrt x
  frechet linear 'declare x[n] L : R[n] -o R[n] = D(sin)(x) . D(exp)(x) + adjoint(scan)'`)
}

func (a *app) adjointCommand() *cobra.Command {
	return a.closedCommand("adjoint", "w", "Print the adjoint of a linear map", `Prints the adjoint L* of a linear map L, the map with <L v, w> = <v, L* w>, in combinators
with its type and as a formula. L is the map of a program in combinator notation, where it is
linear by the way it is built; else it is the derivative of the program, by the variables of
--wrt or those that the program names. --pair and -d are those of linear: with --pair the value
of the program stands beside the adjoint of its derivative.

  frechet adjoint 's : R[n] -o R[n] = scan'
  frechet adjoint 'declare A[m,n] x[n] expression sin(A*x)' --wrt x`)
}

// closedCommand makes a command that prints a linear map, and its value at variables named base.
func (a *app) closedCommand(name, base, short, long string) *cobra.Command {
	o := &linearOptions{}
	cmd := &cobra.Command{
		Use:   name + " FILE|PROGRAM|-",
		Short: short,
		Long:  long,
		Args:  a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.linear(ctx, name, base, programArg(args), o)
			})
		},
	}
	a.sourceFlags(cmd)
	cmd.Flags().StringSliceVar(&o.wrt, "wrt", nil, "variables of the derivative; default: those the program names")
	cmd.Flags().BoolVar(&o.pair, "pair", false, "print the value and the map as one term, with common lets")
	cmd.Flags().StringArrayVarP(&o.data, "data", "d", nil, "data: X=X.npy,y=y.csv,a=0.5,v=[1,2] or all.npz; repeatable")
	cmd.Flags().StringVar(&o.format, "format", "text", "notation: "+join(stepFormats))
	cmd.Flags().BoolVar(&o.unicode, "unicode", false, "print the symbols of the literature: --format unicode")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON: --format json")
	complete(cmd, "format", stepFormats)
	return cmd
}

// A closedReport is a linear map, at data or at symbols, with its formulas at variables.
type closedReport struct {
	f           *frechet.Func
	m           *frechet.ClosedMap
	args        []string
	results     []*frechet.Term
	titles      []string              // of the results
	values      []frechet.NamedTensor // those that the map is over, with data
	conventions []frechet.Convention
}

func (a *app) linear(ctx context.Context, name, base, arg string, o *linearOptions) error {
	if !slices.Contains(stepFormats, o.format) {
		return fmt.Errorf("unknown format %q; known are %s", o.format, join(stepFormats))
	}
	p, err := a.load(arg, &deriveOptions{data: o.data})
	if err != nil {
		return err
	}
	r := &closedReport{f: p.f}
	if p.env != nil {
		if r.f, err = p.numbers(p.env); err != nil {
			return err
		}
	}
	if err := r.find(ctx, name, base, p.env, o); err != nil {
		return err
	}
	return r.print(a, name, o)
}

// find works the map out.
func (r *closedReport) find(ctx context.Context, name, base string, env frechet.Env, o *linearOptions) (err error) {
	wrt := o.wrt
	if wrt == nil {
		wrt = r.f.Wrt()
	}
	if r.m, err = r.f.Map(); err != nil {
		return err
	}
	derivative := !r.m.Linear() || wrt != nil
	if derivative {
		if r.m, err = r.f.DerivativeMap(wrt...); err != nil {
			return err
		}
	}
	if o.pair && !derivative {
		return fmt.Errorf("--pair is of a value and a derivative, but the program is a linear map itself; give --wrt")
	}
	work := r.m.Simplify
	if name == "adjoint" {
		work = r.m.Adjoint
	}
	if r.m, err = work(); err != nil {
		return err
	}
	if o.pair {
		if r.m, err = r.m.WithValue(wrt...); err != nil {
			return err
		}
	}
	if r.conventions, err = r.f.Conventions(wrt...); err != nil {
		return err
	}
	if env != nil {
		if r.m, r.values, err = r.m.AtData(ctx, env); err != nil {
			return err
		}
		if r.conventions, err = r.met(ctx, wrt, derivative, env); err != nil {
			return err
		}
	}
	if r.args, r.results, err = r.m.Apply(base); err != nil {
		return err
	}
	r.name(base, o.pair)
	return nil
}

// name gives the results their titles: with a pair those of the value come first.
func (r *closedReport) name(base string, pair bool) {
	values, what := 0, "value"
	if pair {
		values, what = len(r.f.Outputs()), map[string]string{"d": "derivative", "w": "adjoint"}[base]
	}
	for i := range r.results {
		if i < values {
			r.titles = append(r.titles, component("value", i, values))
			continue
		}
		r.titles = append(r.titles, component(what, i-values, len(r.results)-values)+" at "+strings.Join(r.args, ", "))
	}
}

// met are the conventions that the data met.
func (r *closedReport) met(ctx context.Context, wrt []string, derivative bool, env frechet.Env) ([]frechet.Convention, error) {
	if !derivative {
		return nil, nil
	}
	reply, err := r.f.Derive(ctx, frechet.Query{Wrt: wrt, Order: 1})
	if err != nil {
		return nil, err
	}
	_, met, err := reply.Evaluate(ctx, nil, env)
	return met.Conventions, err
}

func (r *closedReport) print(a *app, name string, o *linearOptions) error {
	show, notation, comment := r.m.String, "text", commentOf(o.format)
	switch {
	case o.format == "latex":
		show, notation = r.m.LaTeX, "latex"
	case o.unicode || o.format == "unicode":
		show = r.m.Unicode
	}
	formulas := make([]string, len(r.results))
	for i, t := range r.results {
		var err error
		if formulas[i], err = t.Text(notation); err != nil {
			return err
		}
	}
	if o.json || o.format == "json" {
		out := map[string]any{"schema": schema, "command": name, "type": r.m.Type(), "combinators": show(),
			"arguments": r.args, "formulas": formulas, "conventions": conventionIDs(r.conventions)}
		if r.values != nil {
			values := map[string]jsonTensor{}
			for _, v := range r.values {
				values[v.Name] = jsonTensor{v.Tensor}
			}
			out["values"] = values
		}
		return encode(a.out, "", withClaims(out, a.claims()))
	}
	var b strings.Builder
	b.WriteString(assumed(comment, r.f))
	if d := r.declaration(); d != "" {
		if notation == "latex" {
			d = comment + " " + d
		}
		b.WriteString(d + "\n")
	}
	b.WriteString(show() + "\n")
	for i, s := range formulas {
		fmt.Fprintf(&b, "\n%s %s\n%s\n", comment, r.titles[i], s)
	}
	if len(r.values) > 0 {
		b.WriteString("\n" + comment + " at\n")
	}
	for _, v := range r.values {
		fmt.Fprintf(&b, "%s   %s=%s\n", comment, v.Name, literal(v.Tensor.Shape, v.Tensor.Data))
	}
	if len(r.conventions) > 0 {
		b.WriteString("\n" + conventionsText(comment, r.conventions))
	}
	if claims := a.claims(); len(claims) > 0 {
		b.WriteString("\n" + claimsText(comment, claims))
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// declaration declares the variables that a map at data is over.
func (r *closedReport) declaration() string {
	if len(r.values) == 0 {
		return ""
	}
	parts := make([]string, len(r.values))
	for i, v := range r.values {
		parts[i] = v.Name + words.Shape(v.Tensor.Shape)
	}
	return "declare " + strings.Join(parts, " ")
}

// component names one of n results.
func component(what string, i, n int) string {
	switch {
	case n == 1:
		return what
	case what == "value":
		return fmt.Sprintf("component %d", i+1)
	}
	return fmt.Sprintf("%s, component %d", what, i+1)
}
