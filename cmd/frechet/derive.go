package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

// deriveOptions are the flags of the commands that work on a program.
type deriveOptions struct {
	wrt    []string
	order  int
	mode   string
	layout string
	format string
	json   bool
	data   []string
	sizes  []string
	out    string
	check  bool
	domain bool
	joint  bool
	seed   uint64

	operation string // the kind of an operation: jvp, hvp, ...; "" for derivatives
	along     string
	through   string

	free       bool
	riemannian bool
	degree     int // of a Taylor polynomial
}

func (a *app) deriveCommands() []*cobra.Command {
	return []*cobra.Command{
		a.deriveCommand(frechet.AnyOrder, "diff", "Print a derivative of any order",
			`Prints the derivatives that the program asks for, each request for itself, or the one that
--wrt and --order ask for.`),
		a.deriveCommand(1, "grad", "Print the gradient of a scalar function",
			"Prints the gradient; it has the shape of the variable."),
		a.deriveCommand(1, "jac", "Print the Jacobian",
			"Prints the first derivative; its axes are the output's, then the variable's."),
		a.deriveCommand(2, "hess", "Print the gradient (or Jacobian) and the Hessian",
			"Prints the first and the second derivative."),
		a.operationCommand("jvp", "Print the derivative along a direction",
			"Prints the derivative by the variable, along a direction of its shape."),
		a.operationCommand("vjp", "Print the pullback of a cotangent",
			"Prints the adjoint of the derivative at a cotangent of the expression's shape."),
		a.operationCommand("hvp", "Print the Hessian times a direction",
			"Prints the Hessian of a scalar times a direction of the variable's shape."),
		a.operationCommand("taylor", "Print a Taylor polynomial",
			`Prints the Taylor polynomial of the degree --order at the variable, along a direction of its
shape: f(x) + f'(x)[h] + f''(x)[h, h]/2 + ...`),
		a.operationCommand("diag-hessian", "Print the diagonal of the Hessian",
			"Prints the second derivatives by each entry of the variable twice."),
		a.operationCommand("gauss-newton", "Print the Gauss-Newton matrix",
			`Prints J' H J: J is the Jacobian of the model, the let that --through names, and H the
Hessian of the loss by it. A sum of squares needs no --through: J' J times its factor.`),
	}
}

var formatHelp = "notation of formulas: " + join(frechet.Formats()) + "; or code, as of export: " + join(frechet.Targets())

// operationCommand makes a command for a product with a derivative, or a part of it.
func (a *app) operationCommand(kind, short, long string) *cobra.Command {
	o := &deriveOptions{operation: kind, order: 0}
	cmd := &cobra.Command{
		Use:   kind + " FILE|PROGRAM|-",
		Short: short,
		Long: long + `

It is found without the Jacobian or the Hessian: nothing larger than the result is formed
where the formula does not need it. The formula comes with the legend of its axes; with
data (-d) the numbers follow, and with --check a comparison with central differences.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.derive(ctx, kind, programArg(args), o)
			})
		},
	}
	a.programFlags(cmd, o)
	a.deriveFlags(cmd, o, false)
	formulaFlags(cmd, o)
	switch kind {
	case "taylor":
		cmd.Flags().IntVar(&o.degree, "order", 2, "degree of the polynomial")
		cmd.Flags().StringVar(&o.along, "along", "", "the direction: a variable, or a new name; default: h")
	case "jvp", "vjp", "hvp":
		cmd.Flags().StringVar(&o.along, "along", "", "the direction or cotangent: a variable, or a new name")
	case "gauss-newton":
		cmd.Flags().StringVar(&o.through, "through", "", "the let at which the expression is split into model and loss")
	}
	return cmd
}

// deriveCommand makes a command for derivatives of a fixed order, or of any.
func (a *app) deriveCommand(order int, name, short, long string) *cobra.Command {
	o := &deriveOptions{order: order}
	cmd := &cobra.Command{
		Use:   name + " FILE|PROGRAM|-",
		Short: short,
		Long: long + `

The formula comes with the legend of its axes; with data (-d) the numbers follow, and
with --check a comparison with central differences and the test of the adjoint.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.derive(ctx, name, programArg(args), o)
			})
		},
	}
	a.programFlags(cmd, o)
	a.deriveFlags(cmd, o, order == frechet.AnyOrder)
	cmd.Flags().BoolVar(&o.free, "free", false, "derivatives of the function of all entries of a variable, whatever its attributes")
	cmd.Flags().BoolVar(&o.riemannian, "riemannian", false, "gradient and Hessian on the manifolds of variables that are unit, orthogonal, simplex or positive definite")
	formulaFlags(cmd, o)
	return cmd
}

// formulaFlags are the flags of the commands that print formulas of derivatives.
func formulaFlags(cmd *cobra.Command, o *deriveOptions) {
	cmd.Flags().StringVar(&o.format, "format", "text", formatHelp)
	cmd.Flags().BoolVar(&o.domain, "domain", false, "say where the program is defined: what is printed holds there")
	cmd.Flags().BoolVar(&o.joint, "joint", false, "one program of the value and all results, which names what they share once")
	cmd.Flags().BoolVar(&o.check, "check", false, "compare with finite differences, on the data or else on random points")
	complete(cmd, "format", slices.Concat(frechet.Formats(), []string{"json"}, frechet.Targets()))
}

// programFlags are the flags of every command that reads a program and may have data.
func (a *app) programFlags(cmd *cobra.Command, o *deriveOptions) {
	f := cmd.Flags()
	f.StringArrayVarP(&o.data, "data", "d", nil, "data: X=X.npy,y=y.csv,a=0.5,v=[1,2] or all.npz; repeatable")
	f.StringArrayVar(&o.sizes, "size", nil, "numbers for size symbols: m=3,n=4; repeatable")
	f.StringVarP(&o.out, "out", "o", "", "write the result to FILE; .npy .npz .csv .json hold the numbers, any other name the printed text; - is standard output")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the random points of a check")
	f.StringVar(&a.precision, "precision", "double", "in which numbers are computed and .npy files are written: "+join(precisions))
	complete(cmd, "precision", precisions)
	a.digitsFlag(cmd)
	a.sourceFlags(cmd)
}

// sourceFlags are the flags of every command that reads a program: its language, and rules of the user's.
func (a *app) sourceFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.language, "language", "auto", "language of the program: "+join(frechet.Languages()))
	complete(cmd, "language", frechet.Languages())
	rules := cmd.Flags().String("rules", "", "a file of rewrite rules to use, too, on values and on maps; each is put to the test first")
	unsafe := cmd.Flags().Bool("unsafe", false, "use the rules of --rules without a test")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if *rules == "" {
			return nil
		}
		return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error { return a.loadRules(ctx, *rules, *unsafe) })
	}
}

// deriveFlags are the flags that choose a derivative.
func (a *app) deriveFlags(cmd *cobra.Command, o *deriveOptions, withOrder bool) {
	f := cmd.Flags()
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables to differentiate by; default: those the program names")
	if withOrder {
		f.IntVar(&o.order, "order", frechet.AnyOrder, "order of the derivative; default: what the program says, or 1")
		f.Lookup("order").DefValue = ""
	}
	f.StringVar(&o.mode, "mode", "planned", "how to differentiate: "+join(frechet.Modes())+" (planned multiplies out by segments, or takes the cheaper)")
	f.StringVar(&o.layout, "layout", "numerator", "order of the axes: numerator (output first) or denominator (argument first)")
	complete(cmd, "mode", frechet.Modes())
	complete(cmd, "layout", []string{"numerator", "denominator"})
}

func complete(cmd *cobra.Command, flag string, words []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is one of ours
	}
}

// oneProgram wants one program: an argument, or standard input where something is piped into it.
func (a *app) oneProgram(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 && !isPiped(a.in):
		return fmt.Errorf("%s needs a program: a FILE, its text in quotes, or - for standard input", cmd.CommandPath())
	case len(args) > 1:
		return fmt.Errorf("%s takes one program, but %s; put the program's text in quotes", cmd.CommandPath(), words.Given(len(args), "argument"))
	}
	return nil
}

// programArg is the argument that gives the program, - where it is piped.
func programArg(args []string) string {
	if len(args) == 0 {
		return "-"
	}
	return args[0]
}

// query turns the flags into a question.
func (o *deriveOptions) query() (frechet.Query, error) {
	q := frechet.Query{Wrt: o.wrt, Order: o.order, Free: o.free, Riemannian: o.riemannian}
	if (o.free || o.riemannian) && o.check || o.free && o.riemannian {
		return q, fmt.Errorf("--check compares with differences among the values that a variable is declared to have, and so not with --free or --riemannian, which exclude each other")
	}
	var err error
	if q.Mode, err = frechet.ParseMode(o.mode); err != nil {
		return q, err
	}
	switch o.layout {
	case "numerator":
	case "denominator":
		q.Denominator = true
	default:
		return q, fmt.Errorf("unknown layout %q; known are numerator and denominator", o.layout)
	}
	if o.operation != "" {
		for _, x := range o.wrt {
			q.Operators = append(q.Operators, o.operationBy(x))
		}
	}
	if q.Order != frechet.AnyOrder && q.Order < 0 {
		return q, fmt.Errorf("--order %d: the order of a derivative is a whole number from 0", q.Order)
	}
	return q, nil
}

func (o *deriveOptions) operationBy(x string) frechet.Operation {
	return frechet.Operation{Kind: o.operation, Wrt: x, Along: o.along, Through: o.through, Degree: o.degree}
}

func (a *app) derive(ctx context.Context, name, arg string, o *deriveOptions) error {
	byDefault := name == "taylor" && o.along == ""
	if byDefault {
		o.along = "h"
	}
	q, err := o.query()
	if err != nil {
		return err
	}
	if o.format == "json" {
		o.format, o.json = "text", true
	}
	if !slices.Contains(frechet.Formats(), o.format) && !o.isCode() {
		return fmt.Errorf("unknown format %q; known are %s, json, %s", o.format, join(frechet.Formats()), join(frechet.Targets()))
	}
	if a.operations = q.Operators; len(o.wrt) == 0 && o.operation != "" {
		a.operations = []frechet.Operation{o.operationBy("")}
	}
	a.scalar = slices.Contains([]string{"grad", "hess", "hvp", "diag-hessian", "gauss-newton"}, name)
	p, err := a.load(arg, o)
	if err != nil {
		return err
	}
	if name == "diff" {
		q.Order = p.order(q.Order)
	}
	if o.operation != "" && q.Operators == nil {
		for _, op := range p.f.Operations() {
			if op.Kind == o.operation {
				q.Operators = append(q.Operators, op)
			}
		}
		if only := p.f.Arguments(); q.Operators == nil && len(only) == 1 {
			q.Operators = []frechet.Operation{o.operationBy(only[0])}
		}
		if q.Operators == nil {
			return byNothing(p.f)
		}
	}
	if byDefault && !slices.ContainsFunc(p.f.Params(), func(x frechet.Param) bool { return x.Name == o.along && !slices.Contains(p.f.Arguments(), x.Name) }) {
		return fmt.Errorf("%s has a meaning in the program; give the direction another name by --along", o.along)
	}
	reply, err := p.f.Derive(ctx, q)
	if err != nil {
		return err
	}
	if reply.Order == 0 && o.operation == "" && len(reply.Outputs[0].Parts) == 0 {
		return byNothing(p.f)
	}
	if name == "grad" {
		if err := reply.RequireScalar(); err != nil {
			return err
		}
	}
	keep := func(d frechet.Deriv) bool {
		if d.Operation != nil {
			return o.operation == "" || d.Operation.Kind == o.operation
		}
		return (d.Order > 0 || o.joint) && o.operation == "" && (name != "diff" || d.Order == 0 || reply.Asked(d))
	}
	if o.isCode() {
		return a.code(p, reply, frechet.ExportOptions{Target: o.format, Keep: func(d frechet.Deriv) bool { return keep(d) || d.Order == 0 && d.Operation == nil }}, o)
	}
	r := newReport(name, reply, keep)
	r.conventions = reply.Conventions()
	if o.domain {
		r.domain = p.f.Domain()
	}
	r.assumed = p.f.Assumed()
	if o.joint {
		err = r.printJoint(o.format, reply, keep)
	} else {
		err = r.print(o.format, p.env != nil)
	}
	if err != nil {
		return err
	}
	return a.conclude(ctx, p, q, r, keep, o)
}

// isCode: the format is a system that functions are exported to.
func (o *deriveOptions) isCode() bool { return slices.Contains(frechet.Targets(), o.format) }

// conclude adds numbers and the check to a report, where there is data or they are asked
// for, and prints it.
func (a *app) conclude(ctx context.Context, p *problem, q frechet.Query, r *report, keep func(frechet.Deriv) bool, o *deriveOptions) error {
	r.assumed = p.f.Assumed()
	env := p.env
	if env == nil && o.check {
		var err error
		p.sizes = p.f.RandomSizes(p.sizes, o.seed)
		if env, err = p.f.RandomEnv(ctx, p.sizes, o.seed); err != nil {
			return err
		}
		r.random = true
	}
	if env != nil {
		show, end := a.progress("evaluating: step %d of %d")
		defer end()
		f, err := p.numbers(env, frechet.WithProgress(show))
		if err != nil {
			return err
		}
		reply, err := f.Derive(ctx, q)
		if err != nil {
			return err
		}
		if p.env != nil {
			if err := r.evaluate(ctx, reply, env, keep); err != nil {
				return err
			}
		}
		if o.check {
			if r.check, err = reply.Check(ctx, env); err != nil {
				return err
			}
		}
		end()
	}
	if err := a.emit(r, o); err != nil {
		return err
	}
	if r.check != nil && !r.check.OK() {
		return errFalse
	}
	return nil
}

// A problem is a program with symbolic sizes, for formulas, and the data for numbers,
// which come from the same program elaborated anew with the sizes of the data.
type problem struct {
	f     *frechet.Func
	env   frechet.Env // nil: no data
	sizes frechet.Sizes
}

// order is the order of the derivatives of a command that has them: 1 where nobody says another.
func (p *problem) order(asked int) int {
	if asked == frechet.AnyOrder && p.f.Order() == 0 && len(p.f.Operations()) == 0 {
		return 1
	}
	return asked
}

// load reads the program and its data. Sizes that do not fit are found before anything
// else happens.
func (a *app) load(arg string, o *deriveOptions) (*problem, error) {
	p, err := a.loadSizes(arg, o)
	if err != nil {
		return nil, err
	}
	if p.env, err = a.loadData(p.f, o.data); err != nil {
		return nil, err
	}
	if p.env != nil {
		_, err = p.numbers(p.env)
	}
	return p, err
}

// numbers is the program with the sizes of data.
func (p *problem) numbers(env frechet.Env, opts ...frechet.Option) (*frechet.Func, error) {
	return p.f.Elaborate(append(opts, frechet.WithSizes(p.sizes), frechet.WithDims(frechet.DimsOf(env)))...)
}

// loadSizes reads the program and the numbers of its size symbols.
func (a *app) loadSizes(arg string, o *deriveOptions) (*problem, error) {
	if err := a.readSource(arg); err != nil {
		return nil, err
	}
	sizes, err := parseSizes(o.sizes)
	if err != nil {
		return nil, err
	}
	f, err := a.parse()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if !slices.Contains(f.Symbols(), name) {
			return nil, fmt.Errorf("--size %s: the program has no such size symbol; it has %s", name, join(f.Symbols()))
		}
	}
	return &problem{f: f, sizes: sizes}, nil
}
