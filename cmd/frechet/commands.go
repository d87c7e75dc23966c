package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

func (a *app) evalCommand() *cobra.Command {
	o := &deriveOptions{order: frechet.AnyOrder, format: "text"}
	cmd := &cobra.Command{
		Use:   "eval FILE|PROGRAM|-",
		Short: "Evaluate a program on data",
		Long: `Prints the numbers of what the program states: its value, and the derivatives that it
or --wrt and --order ask for.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.eval(ctx, programArg(args), o)
			})
		},
	}
	a.programFlags(cmd, o)
	a.deriveFlags(cmd, o, true)
	cmd.Flags().BoolVar(&o.check, "check", false, "compare the derivatives with finite differences")
	return cmd
}

func (a *app) eval(ctx context.Context, arg string, o *deriveOptions) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	p, err := a.load(arg, o)
	if err != nil {
		return err
	}
	if p.env == nil {
		p.env = frechet.Env{} // a program without variables needs no data
	}
	reply, err := p.f.Derive(ctx, q)
	if err != nil {
		return err
	}
	all := func(frechet.Deriv) bool { return true }
	return a.conclude(ctx, p, q, newReport("eval", reply, all), all, o)
}

func (a *app) checkCommand() *cobra.Command {
	o := &deriveOptions{order: frechet.AnyOrder, check: true}
	cmd := &cobra.Command{
		Use:   "check FILE|PROGRAM|-",
		Short: "Check derivatives against finite differences",
		Long: `Compares the derivatives with central differences, and tests that the adjoint satisfies
<L v, w> = <v, L* w>, on the data given or else on random points. Exit status 1 says
that a check failed.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.check(ctx, programArg(args), o)
			})
		},
	}
	a.programFlags(cmd, o)
	a.deriveFlags(cmd, o, true)
	return cmd
}

func (a *app) check(ctx context.Context, arg string, o *deriveOptions) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	p, err := a.load(arg, o)
	if err != nil {
		return err
	}
	q.Order = p.order(q.Order)
	reply, err := p.f.Derive(ctx, q)
	if err != nil {
		return err
	}
	if reply.Order == 0 && len(reply.Outputs[0].Parts) == 0 {
		return byNothing(p.f)
	}
	none := func(frechet.Deriv) bool { return false }
	return a.conclude(ctx, p, q, newReport("check", reply, none), none, o)
}

// byNothing is the error where neither the program nor its caller says by which variable to differentiate.
func byNothing(f *frechet.Func) error {
	names := f.Arguments()
	if len(names) == 0 {
		return errors.New("the program has no variables: there is nothing to differentiate by")
	}
	return fmt.Errorf("the program does not say by which variable to differentiate; give --wrt with one of %s", words.List(names))
}

func (a *app) simplifyCommand() *cobra.Command {
	o := &deriveOptions{}
	cmd := &cobra.Command{
		Use:   "simplify FILE|PROGRAM|-",
		Short: "Print a program's expressions in normal form",
		Args:  a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.simplify(ctx, programArg(args), o)
			})
		},
	}
	a.programFlags(cmd, o)
	cmd.Flags().StringVar(&o.format, "format", "text", formatHelp)
	complete(cmd, "format", append(frechet.Formats(), frechet.Targets()...))
	return cmd
}

func (a *app) simplify(ctx context.Context, arg string, o *deriveOptions) error {
	q := frechet.Query{Order: 0}
	p, err := a.load(arg, o)
	if err != nil {
		return err
	}
	reply, err := p.f.Derive(ctx, q)
	if err != nil {
		return err
	}
	all := func(frechet.Deriv) bool { return true }
	if o.isCode() {
		return a.code(p, reply, frechet.ExportOptions{Target: o.format}, o)
	}
	r := newReport("simplify", reply, all)
	r.assumed = p.f.Assumed()
	if err := r.print(o.format, p.env != nil); err != nil {
		return err
	}
	return a.conclude(ctx, p, q, r, all, o)
}

func (a *app) batchCommand() *cobra.Command {
	var files bool
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Answer JSON requests, one a line, from standard input",
		Long: `Reads one JSON object a line and answers one a line, in order, and goes on after an
error. docs/batch.md describes requests and answers. The exit status is 0 when every line
was answered.`,
		Example: `  echo '{"input": "declare x[n] expression sum(sin(x)) gradient wrt x"}' | frechet batch`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if files {
				return frechet.BatchFiles(cmd.Context(), a.in, a.out, frechet.WithLimits(a.limits))
			}
			return frechet.Batch(cmd.Context(), a.in, a.out, frechet.WithLimits(a.limits))
		},
	}
	cmd.Flags().BoolVar(&files, "files", false, "requests may name files that are read and written")
	return cmd
}

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain CODE",
		Short: "Explain an error code, such as T012; without a code, list all",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, c := range frechet.ErrorCodes() {
					fmt.Fprintf(a.out, "%s  %-24s %s\n", c.Code, c.Kind, c.Title)
				}
				return nil
			}
			c, ok := frechet.ExplainCode(strings.ToUpper(args[0]))
			if !ok {
				return fmt.Errorf("there is no error code %s; frechet explain lists all", args[0])
			}
			fmt.Fprintf(a.out, "%s: %s (%s)\n\n%s\n", c.Code, c.Title, c.Kind, c.Text)
			if c.Example != "" {
				fmt.Fprintf(a.out, "\nExample%s: %s\n", c.Under(), c.Example)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, c := range frechet.ErrorCodes() {
				codes = append(codes, string(c.Code)+"\t"+c.Title)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(a.out, "frechet", version())
			return nil
		},
	}
}

// version comes from the build: the module's version, or the revision of its sources.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
