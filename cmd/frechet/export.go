package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"frechet"
)

func (a *app) exportCommand() *cobra.Command {
	o := &deriveOptions{order: frechet.AnyOrder}
	var target, name string
	cmd := &cobra.Command{
		Use:   "export FILE|PROGRAM|-",
		Short: "Print a program and its derivatives as code for another system",
		Long: `Prints one function for NumPy, PyTorch, JAX, Dask, Julia, C, Go or Octave, or a script in SQL. It returns the value, and the derivatives
that the program or --wrt and --order ask for, and computes once what they share. Beside a function
stands a check, which compares the derivatives with finite differences. The code is for all
sizes: --size only says for which ones the order of products is chosen.`,
		Example: `  frechet export --target numpy 'declare X[m,n] w[n] y[m] expression sum(log(1 + exp(-y .* (X*w)))) hessian wrt w'`,
		Args:    a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.export(ctx, programArg(args), frechet.ExportOptions{Target: target, Name: name}, o)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&target, "target", "numpy", "the system: "+join(frechet.Targets()))
	f.StringVar(&name, "name", "f", "the name of the function")
	f.StringArrayVar(&o.sizes, "size", nil, "numbers for size symbols, by which the order of products is chosen: m=3,n=4; repeatable")
	f.StringVarP(&o.out, "out", "o", "", "write the code to FILE; - is standard output")
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables to differentiate by; default: those the program names")
	f.IntVar(&o.order, "order", frechet.AnyOrder, "order of the derivative; default: what the program says, or 1")
	f.Lookup("order").DefValue = ""
	f.StringVar(&o.mode, "mode", "planned", "how to differentiate: "+join(frechet.Modes()))
	a.sourceFlags(cmd)
	complete(cmd, "target", frechet.Targets())
	complete(cmd, "mode", frechet.Modes())
	return cmd
}

func (a *app) export(ctx context.Context, arg string, to frechet.ExportOptions, o *deriveOptions) error {
	if !slices.Contains(frechet.Targets(), to.Target) {
		return fmt.Errorf("unknown target %q; known are %s", to.Target, join(frechet.Targets()))
	}
	o.layout = "numerator"
	q, err := o.query()
	if err != nil {
		return err
	}
	p, err := a.loadSizes(arg, o)
	if err != nil {
		return err
	}
	q.Sizes, to.Sizes = p.sizes, p.sizes
	reply, err := p.f.Derive(ctx, q)
	if err != nil {
		return err
	}
	return a.code(p, reply, to, o)
}

// code prints what a reply has as code for another system.
func (a *app) code(p *problem, reply *frechet.Reply, to frechet.ExportOptions, o *deriveOptions) error {
	if o.json || o.check || p.env != nil || o.layout == "denominator" {
		return fmt.Errorf("code for %s is for all data and has the output's axes first: it goes with none of --json, --check, -d, --layout denominator", to.Target)
	}
	text, err := p.f.Code(reply, to)
	if err != nil {
		return err
	}
	return a.writeTo(o.out, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
