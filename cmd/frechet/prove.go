package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

// proveOptions are the flags of prove.
type proveOptions struct {
	declare     string
	wrt         []string
	certificate string
	brief       bool
	all         bool
	full        bool
	json        bool
}

func (a *app) proveCommand() *cobra.Command {
	o := &proveOptions{}
	cmd := &cobra.Command{
		Use:   "prove LEFT RIGHT | prove FILE|PROGRAM|-",
		Short: "Decide whether two values are equal",
		Long: `Decides whether two formulas have one value wherever both are defined, at all sizes: by the normal
forms of both, of their difference and of their quotient; by points at which they differ; or by a search
for a chain of rules from one to the other, which may multiply the difference by what it is divided by.
The sides are given as two texts, in any of the languages, or as the two expressions of one program. With
--wrt the derivative of the left side is compared with the right one.

A proof is printed as a calculation, rule by rule, with the conditions under which it holds; --certificate
writes it for frechet replay, which shares no code with the search. Exit status 0 says proved, 1 refuted,
with a point at which the sides differ, 3 not decided, with what was tried. --limit-search bounds the
search.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if n := len(args); n == 0 || n > 2 {
				return fmt.Errorf("%s compares two texts, or the two expressions of one program, but %s", cmd.CommandPath(), words.Given(n, "argument"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error { return a.prove(ctx, args, o) })
		},
	}
	a.sourceFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.declare, "declare", "", "declarations that both texts share, as in 'A[n,n] x[n]'")
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables by which the left side is differentiated, in turn, before it is compared")
	f.StringVar(&o.certificate, "certificate", "", "a file to write the proof to, as JSON; - is standard output, and then nothing else is printed")
	f.BoolVar(&o.brief, "brief", false, "print the verdict without its derivation")
	f.BoolVar(&o.all, "all", false, "show steps that only change an order")
	f.BoolVar(&o.full, "full", false, "show all steps of a long part, not its beginning and its end")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (a *app) prove(ctx context.Context, args []string, o *proveOptions) error {
	v, err := a.verdict(ctx, args, o)
	if err != nil {
		return err
	}
	if o.certificate != "" && v.Derivation != nil {
		if err := a.writeTo(o.certificate, v.Derivation.Certificate); err != nil || o.certificate == "-" {
			return err
		}
	}
	if o.json {
		err = encode(a.out, "", map[string]any{"schema": schema, "command": "prove", "verdict": v})
	} else {
		err = a.writeVerdict(v, o)
	}
	return cmp.Or(err, statuses[v.Outcome])
}

// statuses are the errors of verdicts, which say the exit status.
var statuses = map[frechet.EqualityOutcome]error{frechet.EqualityRefuted: errFalse, frechet.EqualityUndecided: errUndecided}

// verdict decides whether two texts, or the two expressions of one program, are equal.
func (a *app) verdict(ctx context.Context, args []string, o *proveOptions) (*frechet.Verdict, error) {
	report, end := a.progress("searching: term %d of at most %d")
	defer end()
	p := frechet.ProveOptions{Declare: o.declare, Wrt: o.wrt, Progress: report}
	if len(args) == 2 {
		for _, text := range args { // of a side that cannot be read by itself, the error is in its own text
			var e *frechet.Error
			if _, err := frechet.Parse(text, frechet.WithLimits(a.limits), frechet.WithLanguage(a.language), frechet.WithRules(a.rules)); errors.As(err, &e) && e.Code[0] == 'S' && !strings.Contains(o.declare, "primitive") {
				a.source = source{"<expression>", text, true}
				return nil, err
			}
		}
		a.source = source{"<sides>", frechet.ProveText(args[0], args[1], o.declare), true}
		return frechet.Prove(ctx, args[0], args[1], p, frechet.WithLimits(a.limits), frechet.WithLanguage(a.language), frechet.WithRules(a.rules))
	}
	if err := a.readSource(args[0]); err != nil {
		return nil, err
	}
	f, err := a.parse()
	if err != nil {
		return nil, err
	}
	return f.Prove(ctx, p)
}

// writeVerdict prints the verdict, where it holds, and why.
func (a *app) writeVerdict(v *frechet.Verdict, o *proveOptions) error {
	var b strings.Builder
	if v.Assumed != "" {
		fmt.Fprintf(&b, "# assumed: %s\n\n", v.Assumed)
	}
	fmt.Fprintln(&b, v)
	switch v.Outcome {
	case frechet.EqualityRefuted:
		b.WriteString(v.Witness.String())
	case frechet.EqualityUndecided:
		for _, t := range v.Tried {
			fmt.Fprintf(&b, "  tried: %s\n", t)
		}
	}
	if len(v.Domain) > 0 {
		b.WriteString("\n" + domainText("#", v.Domain))
	}
	if len(v.Rules) > 0 {
		b.WriteString("\n" + claimsText("#", v.Rules))
	}
	_, err := fmt.Fprint(a.out, b.String())
	if err == nil && v.Derivation != nil && !o.brief {
		if _, err = fmt.Fprintln(a.out); err == nil {
			err = v.Derivation.Write(a.out, "text", o.all, o.full)
		}
	}
	return err
}
