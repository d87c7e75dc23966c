package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

func (a *app) replayCommand() *cobra.Command {
	var rules []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay FILE|-",
		Short: "Check a derivation that steps --certificate wrote",
		Long: `Checks a certificate: that it begins with its program, and that each line follows from the
one before by the rule named, with the substitution given. The checker shares no code with
what found the derivation. Exit status 1 says that a step does not follow, and which is the
first; 2 that the file is no certificate, or was made by rules that are not given; 3 that a limit
was reached.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fmt.Errorf("%s needs a certificate: a FILE that frechet steps --certificate wrote, or - for standard input", cmd.CommandPath())
			case 1:
				return nil
			}
			return fmt.Errorf("%s takes one certificate, but %s", cmd.CommandPath(), words.Given(len(args), "argument"))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.replay(ctx, args[0], rules, asJSON)
			})
		},
	}
	cmd.Flags().StringSliceVar(&rules, "rules", nil, "the files of rewrite rules with which the derivation was made")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) replay(ctx context.Context, name string, rules []string, asJSON bool) error {
	var files []frechet.RuleFile
	if len(rules) > 0 {
		var err error
		if files, err = a.ruleFiles(rules); err != nil {
			return err
		}
	}
	r := a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
	}
	sum, err := frechet.Replay(ctx, r, files...)
	var wrong *frechet.ReplayError
	if err != nil && !errors.As(err, &wrong) {
		return ofCertificate(name, err)
	}
	if asJSON {
		answer := map[string]any{"schema": schema, "command": "replay", "valid": wrong == nil}
		if wrong != nil {
			answer["part"], answer["step"], answer["rule"], answer["reason"] = wrong.Part, wrong.Step, wrong.Rule, wrong.Reason
		} else {
			answer["parts"], answer["steps"], answer["facts"] = sum.Parts, sum.Steps, sum.Facts
			answer["program"], answer["domain"], answer["conclusions"], answer["rules"] = sum.Program, sum.Domain, sum.Conclusions, sum.Rules
		}
		if err := encode(a.out, "", answer); err != nil {
			return err
		}
	} else if wrong != nil {
		fmt.Fprintf(a.out, "wrong: %v\n", wrong)
	} else {
		fmt.Fprintf(a.out, "valid: %s in %s", words.Steps(sum.Steps), words.Count(sum.Parts, "part"))
		if sum.Facts > 0 {
			fmt.Fprintf(a.out, ", presuming %s of the program's domain", words.Count(sum.Facts, "fact"))
		}
		fmt.Fprintf(a.out, "\n%s", sum)
	}
	if wrong != nil {
		return errFalse
	}
	return nil
}

// ofCertificate names the file in the error.
func ofCertificate(name string, err error) error {
	if name == "-" {
		name = "<stdin>"
	}
	var malformed *frechet.CertificateError
	var limit *frechet.Error
	var rules *frechet.ReplayRulesError
	switch {
	case errors.As(err, &malformed):
		return fmt.Errorf("%s: not a certificate: %w", name, err)
	case errors.As(err, &rules):
		return fmt.Errorf("%s: %w; give the files with --rules", name, err)
	case errors.As(err, &limit):
		e := *limit
		e.Message = name + ": " + e.Message
		if e.Code != "L008" { // of a program, the help says what to change in it
			e.Help = ""
		}
		return &e
	}
	return err
}
