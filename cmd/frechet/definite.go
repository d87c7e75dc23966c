package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
)

func (a *app) definiteCommand() *cobra.Command {
	o := &proveOptions{}
	cmd := &cobra.Command{
		Use:   "definite FILE|PROGRAM|-",
		Short: "Decide whether a Hessian is positive semidefinite",
		Long: `Decides whether the Hessian of a scalar by the variables of --wrt together is positive semidefinite wherever the program is
defined, and so whether the scalar is convex there, where it has no kink. It is proved by a form of the second
derivative along a direction that is not negative: by sums, compositions with affine maps, squares, quadratic forms of definite
matrices, the ranges of functions, what is declared, and the inequality of Cauchy and Schwarz. That the form is
equal to the second derivative, and that it is its own absolute value, is proved as by frechet prove, and --certificate
writes it for frechet replay. It is refuted by a point at which the second derivative along a direction is negative.

Exit status 0 says proved, 1 refuted, 3 not decided.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error { return a.definite(ctx, programArg(args), o) })
		},
	}
	a.sourceFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables of the Hessian; default: those the program names, or all")
	f.StringVar(&o.certificate, "certificate", "", "a file to write the proof to, as JSON; further parts go to FILE.2, FILE.3, ..")
	f.BoolVar(&o.brief, "brief", false, "print the verdict without the derivation of the equality")
	f.BoolVar(&o.full, "full", false, "show all steps of a long part, not its beginning and its end")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (a *app) definite(ctx context.Context, arg string, o *proveOptions) error {
	a.scalar = true
	if err := a.readSource(arg); err != nil {
		return err
	}
	f, err := a.parse()
	if err != nil {
		return err
	}
	v, err := f.Definite(ctx, o.wrt...)
	if err != nil {
		return err
	}
	conventions, err := f.Conventions(v.Wrt...)
	if err != nil {
		return err
	}
	for i, p := range v.Proofs {
		if o.certificate == "" {
			break
		}
		name := o.certificate
		if i > 0 {
			ext := filepath.Ext(name)
			name = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ext), i+1, ext)
		}
		if p.Derivation == nil {
			return errors.New("the proof has no certificate")
		}
		if err := a.writeTo(name, p.Derivation.Certificate); err != nil {
			return err
		}
	}
	if o.json {
		err = encode(a.out, "", map[string]any{"schema": schema, "command": "definite", "verdict": v, "conventions": conventionIDs(conventions)})
	} else {
		err = a.writeDefinite(f, v, conventions, o)
	}
	return cmp.Or(err, statuses[v.Outcome])
}

// writeDefinite prints the verdict, the forms, the laws or the point, where it holds, and the derivations.
func (a *app) writeDefinite(f *frechet.Func, v *frechet.DefiniteVerdict, conventions []frechet.Convention, o *proveOptions) error {
	var b strings.Builder
	if assumed := f.Assumed(); assumed != "" {
		fmt.Fprintf(&b, "# assumed: %s\n\n", assumed)
	}
	fmt.Fprintf(&b, "%s\n\n# second derivative wrt %s along %s\n%s\n", v, join(v.Wrt), join(v.Along), v.Form)
	if v.Squares != "" && v.Squares != v.Form {
		fmt.Fprintf(&b, "# equal to it, and not negative\n%s\n", v.Squares)
	}
	if len(v.Laws) > 0 {
		b.WriteString("# laws\n")
	}
	for _, l := range v.Laws {
		fmt.Fprintf(&b, "#   %s: %s\n", l.Name, l.Says)
	}
	switch {
	case v.Outcome == frechet.EqualityRefuted:
		w := v.Against.Witness
		fmt.Fprintf(&b, "# it is %s at\n%s", w.Left, a.point(v))
	case v.Outcome == frechet.EqualityUndecided:
		b.WriteString("# tried: forms that are not negative by the laws of frechet definite\n")
		if tried := v.Against.Tried; len(tried) > 1 {
			fmt.Fprintf(&b, "# tried: %s\n", strings.ReplaceAll(tried[1], "the sides agree", "it is not negative"))
		}
	}
	if len(v.Domain) > 0 {
		b.WriteString("\n" + domainText("#", v.Domain))
	}
	if len(conventions) > 0 {
		b.WriteString("\n" + conventionsText("#", conventions))
	}
	_, err := fmt.Fprint(a.out, b.String())
	for _, p := range v.Proofs {
		if err == nil && p.Derivation != nil && !o.brief {
			if _, err = fmt.Fprintln(a.out); err == nil {
				err = p.Derivation.Write(a.out, "text", false, o.full)
			}
		}
	}
	return err
}

// point is the point of a refutation as data of a command line, with the direction.
func (a *app) point(v *frechet.DefiniteVerdict) string {
	var parts []string
	for _, x := range v.Against.Witness.Values {
		parts = append(parts, x.Name+"="+strings.ReplaceAll(x.Value, " ", ","))
	}
	text := fmt.Sprintf("-d \"%s\"\n", strings.Join(parts, ","))
	if len(v.Wrt) == 1 {
		text += fmt.Sprintf("# frechet hvp --wrt %s --along %s, with this, has the Hessian times %s\n", v.Wrt[0], v.Along[0], v.Along[0])
	}
	return text
}
