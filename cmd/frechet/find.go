package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
)

func (a *app) rulesFindCommand() *cobra.Command {
	var o frechet.FindOptions
	var corpus []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "find --over NAMES",
		Short: "Find laws between small terms",
		Long: `Enumerates terms over functions, contractions and numbers, up to a number of nodes, and prints the equations
between them that the rules of the program do not prove, as a file of rules: each was put to the test, and none
follows from the others. Names are those of functions (exp, logsumexp[1], power[2]), index groups (ij,j->i), numbers, and
  ` + strings.Join(frechet.FindWords(), " ") + `
A term of the operands a and b may stand for a name, without spaces: ein(ij->ji;minor[1](a)).

Terms of equal values at a few points are guessed to be equal. A law that holds for some values only has conditions, and one
in which a number may be another one is stated for all. --corpus ranks the laws by how many values of programs they make
smaller. What is found before an interrupt, or before the limit on time, is printed, marked as incomplete.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range corpus {
				b, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				o.Corpus = append(o.Corpus, string(b))
			}
			return a.findRules(cmd.Context(), o, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Over, "over", "", "functions, contractions and numbers, with spaces between: exp log + * inv '")
	f.StringVar(&o.Vars, "vars", "", "metavariables, as a rule declares them: 'x y: S, A: R[n,n]'")
	f.IntVar(&o.Size, "size", 5, "nodes that a side may have, attributes among them")
	f.IntVar(&o.Terms, "terms", frechet.FindTerms, "terms that are looked at")
	f.StringSliceVar(&corpus, "corpus", nil, "files of programs by which laws are ranked")
	f.BoolVar(&asJSON, "json", false, "print the laws and their reports as JSON")
	return cmd
}

func (a *app) findRules(ctx context.Context, o frechet.FindOptions, asJSON bool) error {
	report, end := a.progress("looking at term %d of at most %d")
	defer end()
	o.Progress = report
	within, stop := context.WithTimeout(ctx, a.limits.Time)
	defer stop()
	found, err := frechet.FindRules(within, o)
	if err != nil {
		return err
	}
	end()
	if asJSON {
		err = encode(a.out, "  ", found)
	} else {
		_, err = fmt.Fprint(a.out, found)
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}
