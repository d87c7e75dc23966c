package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, show and test rewrite rules",
		Long: `Derivatives and simplification work by rules that stand in files, and a file of your own
has the same form. These commands list the rules, show one, and put rules to the test.
A number that a term may lack has a default, r: Q = 1, and a rule for all odd functions is one with
f: odd. frechet help calculus explains the language and what is claimed.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), suggestion(cmd, args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(a.rulesVerifyCommand(), a.rulesListCommand(), a.rulesShowCommand(), a.rulesOrderCommand(), a.rulesFindCommand())
	return cmd
}

func (a *app) rulesVerifyCommand() *cobra.Command {
	var asJSON, brief, mutants bool
	cmd := &cobra.Command{
		Use:   "verify [FILE...|-]",
		Short: "Put rules to the test: those of the program, or those of files",
		Long: `Checks the types of each rule in all spaces, compares its sides at random points of the
integers modulo 2^61-1 and in floating-point numbers, and watches the domain. A rule that
is wrong is shown with the smallest counterexample. Exit status 1 says that a rule is
refuted, is ill-typed, or changes the domain in another way than it says.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				if mutants {
					return a.mutateRules(ctx, args, asJSON)
				}
				return a.verifyRules(ctx, args, asJSON, brief)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reports as JSON")
	cmd.Flags().BoolVar(&brief, "brief", false, "print only the summary and the rules that fail")
	cmd.Flags().BoolVar(&mutants, "mutants", false, "test the verifier: check the rules with one thing wrong in each")
	return cmd
}

// mutateRules prints the mutants that are not refuted, and the score.
func (a *app) mutateRules(ctx context.Context, names []string, asJSON bool) error {
	files, err := a.simplifying(names)
	if err != nil {
		return err
	}
	ms, score, complete, err := frechet.MutateRules(ctx, files...)
	if err != nil {
		return err
	}
	if asJSON {
		if err := encode(a.out, "  ", ms); err != nil {
			return err
		}
	} else {
		for _, m := range ms {
			if m.Refuted {
				continue
			}
			reason := "equivalent: " + m.Reason
			if m.Reason == "" {
				reason = "open"
			}
			fmt.Fprintf(a.out, "%s: %s: %s\n", m.Rule, m.Change, reason)
		}
		fmt.Fprintln(a.out, score)
	}
	if !complete {
		return errFalse
	}
	return nil
}

// ruleFiles reads the files named, "-" for standard input, or takes those of the program.
func (a *app) ruleFiles(names []string) ([]frechet.RuleFile, error) {
	if len(names) == 0 {
		return append(frechet.ShippedRules(), frechet.EqualityRules(), frechet.StableRules()), nil
	}
	return a.filesNamed(names)
}

// simplifying are the files named, or those of the program by which terms are simplified.
func (a *app) simplifying(names []string) ([]frechet.RuleFile, error) {
	if len(names) == 0 {
		return frechet.ShippedRules(), nil
	}
	return a.filesNamed(names)
}

func (a *app) filesNamed(names []string) ([]frechet.RuleFile, error) {
	var out []frechet.RuleFile
	for _, n := range names {
		f, err := a.ruleFile(n)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (a *app) ruleFile(name string) (f frechet.RuleFile, err error) {
	r := a.in
	switch f.Name = name; {
	case name != "-":
		file, err := os.Open(name)
		if err != nil {
			return f, err
		}
		defer file.Close()
		r = file
	case a.source.name == "<stdin>":
		return f, errors.New("the program has used up standard input; the rules need a file")
	default:
		f.Name = "<stdin>"
	}
	b, err := io.ReadAll(io.LimitReader(r, a.limits.Input+1))
	if err != nil {
		return f, err
	}
	if int64(len(b)) > a.limits.Input {
		return f, fmt.Errorf("%s: the file is larger than %d bytes", f.Name, a.limits.Input)
	}
	f.Text = string(b)
	return f, nil
}

func (a *app) verifyRules(ctx context.Context, names []string, asJSON, brief bool) error {
	files, err := a.ruleFiles(names)
	if err != nil {
		return err
	}
	var all []*frechet.RuleReport
	passed := true
	counts := map[string]int{}
	for _, f := range files {
		reports, err := frechet.VerifyRules(ctx, f, func(r *frechet.RuleReport) {
			counts[r.Verdict()]++
			passed = passed && r.Passed()
			if !asJSON && (!brief || !r.Passed()) {
				fmt.Fprint(a.out, r)
			}
		})
		if err != nil {
			return err
		}
		all = append(all, reports...)
	}
	if asJSON {
		if err := encode(a.out, "  ", all); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.out, summary(len(all), counts))
		if len(names) == 0 {
			line, gaps := frechet.RuleCoverage()
			for _, g := range gaps {
				fmt.Fprintln(a.out, g)
			}
			fmt.Fprintln(a.out, line)
			passed = passed && len(gaps) == 0
		}
	}
	if !passed {
		return errFalse
	}
	return nil
}

// summary counts the verdicts: 83 rules: 12 exact, 50 tested mod p, ...
func summary(total int, counts map[string]int) string {
	var parts []string
	for _, v := range frechet.RuleVerdicts() {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	if len(parts) == 0 {
		return "no rules"
	}
	return words.Count(total, "rule") + ": " + strings.Join(parts, ", ")
}

func (a *app) rulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [FILE...]",
		Short: "List the rules by name, with where each law is stated",
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := a.ruleFiles(args)
			if err != nil {
				return err
			}
			for i, f := range files {
				rules, err := frechet.ListRules(f)
				if err != nil {
					return err
				}
				if i > 0 {
					fmt.Fprintln(a.out)
				}
				fmt.Fprintln(a.out, f.Name)
				for _, r := range rules {
					fmt.Fprintf(a.out, "  %-24s %s\n", r.Name, r.Source)
				}
			}
			return nil
		},
	}
}

func (a *app) rulesShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME [FILE...]",
		Short: "Show one rule: statement, source, claim, an example before and after",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := a.ruleFiles(args[1:])
			if err != nil {
				return err
			}
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				page, err := frechet.ShowRule(ctx, args[0], files...)
				if err != nil {
					return err
				}
				fmt.Fprint(a.out, page)
				return nil
			})
		},
	}
}

func (a *app) rulesOrderCommand() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "order [FILE...]",
		Short: "Show that rules come to an end, and where two of them lead to different terms",
		Long: `Proves that each rule decreases an order without infinite descent: on values the recursive
path ordering, on closed terms a weight. Then computes the critical pairs, terms to which two
rules apply at overlapping places, and says how their results are shown to be equal; those
that are not are listed with what the verifier finds of them. Exit status 1 says that some
rule is not shown to decrease, or that a pair has different values.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := a.simplifying(args)
			if err != nil {
				return err
			}
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.orderRules(ctx, files, asJSON, all)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the orders and all pairs as JSON")
	cmd.Flags().BoolVar(&all, "all", false, "list the pairs that join, too, and the left sides with a normal form of their own")
	return cmd
}

func (a *app) orderRules(ctx context.Context, files []frechet.RuleFile, asJSON, all bool) error {
	orders, pairs, native, err := frechet.OrderRules(ctx, files...)
	if err != nil {
		return err
	}
	good := true
	decrease, joins := map[string]int{}, map[string]int{}
	var proofs []string
	for _, o := range orders {
		if o.Proofs {
			proofs = append(proofs, o.Name)
			continue
		}
		decrease[o.Order]++
		good = good && o.Order != ""
		if o.Order == "" && !asJSON {
			fmt.Fprintf(a.out, "%s: the right side is not shown to be below the left one: the rule need not come to an end\n", o.Name)
		}
	}
	skipped := 0
	for _, p := range pairs {
		if p.Skipped != "" {
			skipped++
		} else {
			joins[string(p.Join)]++
		}
		good = good && (p.Join != "" || p.Equal != frechet.RuleRefuted)
		if !asJSON && (all || p.Join == "") {
			fmt.Fprint(a.out, p)
		}
	}
	apart := 0
	for _, p := range native {
		if p.Join == "" {
			if apart++; all && !asJSON {
				fmt.Fprint(a.out, p)
			}
		}
	}
	if asJSON {
		if err := encode(a.out, "  ", map[string]any{"orders": orders, "pairs": pairs, "native": native}); err != nil {
			return err
		}
	} else {
		for _, o := range frechet.RuleOrders() {
			if decrease[o.Name] > 0 {
				verb := "decrease"
				if decrease[o.Name] == 1 {
					verb = "decreases"
				}
				fmt.Fprintf(a.out, "%s %s by %s:\n  %s\n", words.Count(decrease[o.Name], "rule"), verb, o.Name, o.Source)
			}
		}
		if len(proofs) > 0 {
			fmt.Fprintf(a.out, "%s that proofs alone use: %s\n", words.Count(len(proofs), "rule"), strings.Join(proofs, ", "))
		}
		fmt.Fprintf(a.out, "%s, %d open, %d not computed\n", words.Count(len(pairs), "critical pair"), joins[""], skipped)
		for _, j := range frechet.RuleJoins() {
			if joins[j] > 0 {
				fmt.Fprintf(a.out, "%d have %s\n", joins[j], j)
			}
		}
		if len(native) > 0 {
			fmt.Fprintf(a.out, "%s in the forms of native steps, %d with a normal form of their own\n", words.Count(len(native), "left side"), apart)
		}
	}
	if !good {
		return errFalse
	}
	return nil
}

// loadRules reads the rules of --rules.
func (a *app) loadRules(ctx context.Context, name string, unsafe bool) error {
	files, err := a.ruleFiles([]string{name})
	if err != nil {
		return err
	}
	if a.rules, err = frechet.CheckRules(ctx, files[0], unsafe); err != nil {
		return err
	}
	for _, w := range a.rules.Warnings() {
		fmt.Fprint(a.err, w.Render(a.colour()))
	}
	return nil
}
