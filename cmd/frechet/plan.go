package main

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"frechet"
)

func (a *app) planCommand() *cobra.Command {
	o := &deriveOptions{order: frechet.AnyOrder}
	var of string
	cmd := &cobra.Command{
		Use:   "plan FILE|PROGRAM|-",
		Short: "Print how a result is computed, and what that costs",
		Long: `Prints the steps of the program: which contractions, in which order, how many
multiplications and bytes each takes, what is computed without being stored, and for
derivatives the factors in which they stay where they are not multiplied out. Counts are
numbers where --size or data (-d) give all sizes, else polynomials in size symbols;
orders are then chosen as if the unknown sizes were equal. Nothing is computed.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.plan(ctx, programArg(args), of, o)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&of, "of", "", "what to plan: "+join(frechet.PlanKinds())+"; default: what the program asks for")
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables to differentiate by; default: those the program names")
	f.StringVar(&o.mode, "mode", "planned", "how to differentiate: "+join(frechet.Modes())+" (planned multiplies out by segments, or takes the cheaper)")
	f.StringVar(&o.along, "along", "", "jvp, vjp, hvp: the direction or cotangent, a variable or a new name")
	f.StringVar(&o.through, "through", "", "gauss-newton: the let at which the expression is split")
	f.StringArrayVarP(&o.data, "data", "d", nil, "data whose sizes count: X=X.npy,y=y.csv; repeatable")
	f.StringArrayVar(&o.sizes, "size", nil, "numbers for size symbols: m=3,n=4; repeatable")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVarP(&o.out, "out", "o", "", "write the plan to FILE; - is standard output")
	a.sourceFlags(cmd)
	complete(cmd, "of", frechet.PlanKinds())
	complete(cmd, "mode", frechet.Modes())
	return cmd
}

func (a *app) plan(ctx context.Context, arg, of string, o *deriveOptions) error {
	o.layout = "numerator"
	if slices.Contains(frechet.OperationKinds(), of) {
		o.operation = of
	}
	q, err := o.query()
	if err != nil {
		return err
	}
	a.operations = q.Operators
	p, err := a.load(arg, o)
	if err != nil {
		return err
	}
	if of == "" {
		of = asked(p.f, len(o.wrt) > 0)
	}
	f, sizes := p.f, p.sizes
	known := func(s string) bool { _, ok := sizes[s]; return ok }
	if p.env != nil || len(sizes) > 0 && !slices.ContainsFunc(f.Symbols(), func(s string) bool { return !known(s) }) {
		if f, err = p.numbers(p.env); err != nil {
			return err
		}
	}
	plan, err := f.Plan(ctx, of, q, maps.Clone(sizes))
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		text := assumed("#", f) + plan.String()
		if claims := a.claims(); len(claims) > 0 {
			text += "\n" + claimsText("#", claims)
		}
		_, err := io.WriteString(w, text)
		return err
	}
	if o.json {
		write = func(w io.Writer) error {
			return encode(w, "  ", struct {
				Schema  int    `json:"schema"`
				Command string `json:"command"`
				*frechet.Plan
				Rules []frechet.RuleClaim `json:"rules,omitempty"`
			}{schema, "plan", plan, a.claims()})
		}
	}
	return a.writeTo(o.out, write)
}

// asked is what a program asks for: its first operation, or the derivative of the order that
// it names; the value where it names none.
func asked(f *frechet.Func, wrt bool) string {
	if ops := f.Operations(); len(ops) > 0 && !wrt {
		return ops[0].Kind
	}
	switch order := f.Order(); {
	case order >= 2:
		return "hessian"
	case order == 1 || wrt:
		return "jacobian"
	}
	return "value"
}
