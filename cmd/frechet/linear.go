package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
)

// linearOptions are the flags of linear and adjoint.
type linearOptions struct {
	wrt     []string
	format  string
	unicode bool
	json    bool
}

func (a *app) linearCommand() *cobra.Command {
	return a.closedCommand("linear", "d", "Print a derivative as a linear map", `Prints a derivative as a linear map in combinators, with its type, and as a formula at a
direction: nothing is multiplied out. The program is an expression, which is differentiated
by the variables of --wrt or those that it names; or a linear map in combinator notation, in
which derivatives and adjoints may stand: they are worked out.

  frechet linear 'declare A[m,n] x[n] expression sin(A*x)' --wrt x
  frechet linear 'declare x[n] L : R[n] -o R[n] = D(sin)(x) . D(exp)(x) + adjoint(scan)'`)
}

func (a *app) adjointCommand() *cobra.Command {
	return a.closedCommand("adjoint", "w", "Print the adjoint of a linear map", `Prints the adjoint L* of a linear map L, the map with <L v, w> = <v, L* w>, in combinators
with its type and as a formula. L is the map of a program in combinator notation, where it is
linear by the way it is built; else it is the derivative of the program, by the variables of
--wrt or those that the program names.

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
		Args:  oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(context.Context) error {
				return a.linear(name, base, args[0], o)
			})
		},
	}
	a.sourceFlags(cmd)
	cmd.Flags().StringSliceVar(&o.wrt, "wrt", nil, "variables of the derivative; default: those the program names")
	cmd.Flags().StringVar(&o.format, "format", "text", "notation: "+join(stepFormats))
	cmd.Flags().BoolVar(&o.unicode, "unicode", false, "print the symbols of the literature: --format unicode")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON: --format json")
	complete(cmd, "format", stepFormats)
	return cmd
}

func (a *app) linear(name, base, arg string, o *linearOptions) error {
	if !slices.Contains(stepFormats, o.format) {
		return fmt.Errorf("unknown format %q; known are %s", o.format, join(stepFormats))
	}
	if err := a.readSource(arg); err != nil {
		return err
	}
	f, err := a.parse()
	if err != nil {
		return err
	}
	l, err := f.Map()
	if err != nil {
		return err
	}
	wrt := o.wrt
	if wrt == nil {
		wrt = f.Wrt()
	}
	if !l.Linear() || wrt != nil {
		if l, err = f.DerivativeMap(wrt...); err != nil {
			return err
		}
	}
	work := l.Simplify
	if name == "adjoint" {
		work = l.Adjoint
	}
	if l, err = work(); err != nil {
		return err
	}
	args, results, err := l.Apply(base)
	if err != nil {
		return err
	}
	used, err := f.Conventions(wrt...)
	if err != nil {
		return err
	}
	show, notation, comment := l.String, "text", commentOf(o.format)
	switch {
	case o.format == "latex":
		show, notation = l.LaTeX, "latex"
	case o.unicode || o.format == "unicode":
		show = l.Unicode
	}
	formulas := make([]string, len(results))
	for i, r := range results {
		if formulas[i], err = r.Text(notation); err != nil {
			return err
		}
	}
	if o.json || o.format == "json" {
		return encode(a.out, "", withClaims(map[string]any{"schema": schema, "command": name, "type": l.Type(), "combinators": show(),
			"arguments": args, "formulas": formulas, "conventions": conventionIDs(used)}, a.claims()))
	}
	fmt.Fprintln(a.out, assumed(comment, f)+show())
	for i, s := range formulas {
		fmt.Fprintf(a.out, "\n%s %s at %s\n%s\n", comment, component(i, len(formulas)), strings.Join(args, ", "), s)
	}
	if len(used) > 0 {
		fmt.Fprint(a.out, "\n"+conventionsText(comment, used))
	}
	if claims := a.claims(); len(claims) > 0 {
		fmt.Fprint(a.out, "\n"+claimsText(comment, claims))
	}
	return nil
}

// component names one of n results.
func component(i, n int) string {
	if n == 1 {
		return "value"
	}
	return fmt.Sprintf("component %d", i+1)
}
