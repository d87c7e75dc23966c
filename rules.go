package frechet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/words"
	"frechet/rewrite"
	"frechet/rewrite/verify"
	"frechet/syntax"
)

// A RuleFile is a file of rewrite rules.
type RuleFile = verify.File

// A RuleReport is what was found of one rule: what may be claimed of it, and where it fails.
type RuleReport = verify.Report

// ShippedRules are the rule files that the program itself uses.
func ShippedRules() []RuleFile { return verify.Shipped() }

// VerifyRules puts the rules of a file to the test. each, where it is not nil, gets every report as
// soon as it is there. The error is a *RuleError: the file cannot be read as rules.
func VerifyRules(ctx context.Context, f RuleFile, each func(*RuleReport)) (reports []*RuleReport, err error) {
	defer guard(&err)
	err = verify.EachRule(ctx, f, func(r *RuleReport) {
		reports = append(reports, r)
		if each != nil {
			each(r)
		}
	})
	return reports, ruleError(f, err)
}

// ruleError gives a position in a rule file its file.
func ruleError(f RuleFile, err error) error {
	var e *text.Error
	if errors.As(err, &e) {
		return &RuleError{Name: f.Name, Line: e.Pos.Line, Column: e.Pos.Column, Message: e.Message, Help: e.Help, width: e.Width, text: f.Text}
	}
	return err
}

// A RuleError is an error in a rule file, or a warning, with its place.
type RuleError struct {
	Name         string
	Line, Column int
	Message      string
	Help         string // what may have been meant, or ""
	Warning      bool   // the file can be used, but the rule is of no use

	width int
	text  string
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Message)
}

// Render shows the error with the line that it speaks of, a mark under the place, and the help.
func (e *RuleError) Render(color bool) string {
	at := syntax.Offset(e.text, e.Line, e.Column)
	span := syntax.Span{Start: at, End: syntax.Offset(e.text, e.Line, e.Column+max(e.width, 1))}
	s := &syntax.Error{Span: span, Line: e.Line, Column: e.Column, Message: e.Message, Help: e.Help, Warning: e.Warning}
	return s.Render(e.Name, e.text, color)
}

// RuleVerdicts lists the verdicts on rules, best first.
func RuleVerdicts() []string { return verify.Verdicts() }

// RuleRefuted is the claim of a counterexample.
const RuleRefuted = verify.Refuted

// A RuleName is a rule or a native step of a file, with where its law is stated.
type RuleName struct{ Name, Source string }

// ListRules lists the rules of a file, then its native steps.
func ListRules(f RuleFile) (out []RuleName, err error) {
	defer guard(&err)
	parsed, err := text.ParseRules(f.Text)
	if err != nil {
		return nil, ruleError(f, err)
	}
	for _, r := range parsed.Rules {
		out = append(out, RuleName{r.Name, r.Source})
	}
	for _, n := range parsed.Natives {
		out = append(out, RuleName{n.Name, n.Source})
	}
	return out, nil
}

// ShowRule is the page of the rule or native step with a name: its statement, its source, what is
// claimed of it, and an example before and after.
func ShowRule(ctx context.Context, name string, files ...RuleFile) (page string, err error) {
	defer guard(&err)
	var names []string
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text)
		if err != nil {
			return "", ruleError(f, err)
		}
		for _, r := range parsed.Rules {
			if r.Name == name {
				return verify.Page(r, f.Name), ctx.Err()
			}
			names = append(names, r.Name)
		}
		for _, n := range parsed.Natives {
			if n.Name == name {
				return verify.NativePage(n, f.Name), nil
			}
			names = append(names, n.Name)
		}
	}
	if meant := words.Nearest(name, names); meant != "" {
		return "", fmt.Errorf("there is no rule %s; did you mean %s?", name, meant)
	}
	return "", fmt.Errorf("there is no rule %s; frechet rules list has all", name)
}

// A RuleMutant is a rule with one thing wrong, and what the verifier finds of it.
type RuleMutant = verify.Mutant

// MutateRules tests the verifier: every rule of the files with an index swapped, a sign flipped, a
// transpose dropped or an evaluation point moved. score sums it up; complete says that each mutant
// is refuted, or equivalent for a reason that was checked.
func MutateRules(ctx context.Context, files ...RuleFile) (ms []*RuleMutant, score string, complete bool, err error) {
	defer guard(&err)
	if ms, err = verify.Mutants(ctx, files...); err != nil {
		return nil, "", false, ruleError(RuleFile{Name: "rules"}, err)
	}
	score, complete = verify.MutationScore(ms)
	return ms, score, complete, nil
}

// UserRules are rules on values that were put to the test.
type UserRules struct {
	rules    *rewrite.Rules
	file     RuleFile
	warnings []*RuleError
}

// Warnings names the rules that are never applied, since the program brings terms like their left sides
// to other forms first, and says how to write them. A left side that the native steps alone rewrite,
// such as cos(x) .^ 2, needs none: it is brought to the form in which terms stand, too.
func (u *UserRules) Warnings() []*RuleError { return u.warnings }

// CheckRules reads the rules of a file for simplification. Every rule is put to the test first: one
// that is refuted or ill-typed, that changes the domain in another way than it says, or that is
// assumed without a reason, is an error that shows its counterexample, unless unsafe is set; it is
// then used as it stands.
func CheckRules(ctx context.Context, f RuleFile, unsafe bool) (rules *UserRules, err error) {
	defer guard(&err)
	loaded, err := rewrite.LoadRules(f.Text)
	if err != nil {
		return nil, ruleError(f, err)
	}
	if err := ownNames(f, loaded.File); err != nil {
		return nil, err
	}
	if !unsafe {
		reports, err := verify.Rules(ctx, f)
		if err != nil {
			return nil, ruleError(f, err)
		}
		for _, r := range reports {
			if !r.Passed() {
				return nil, fmt.Errorf("a rule of %s is refused: %s", f.Name, strings.TrimRight(r.String(), "\n"))
			}
		}
	}
	u := &UserRules{rules: loaded, file: f}
	err = verify.AddForms(loaded, func(r *text.Rule, why string) {
		u.warnings = append(u.warnings, &RuleError{Name: f.Name, Line: r.Left.Pos.Line, Column: r.Left.Pos.Column,
			Warning: true, Message: fmt.Sprintf("rule %s: %s", r.Name, why), text: f.Text})
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	return u, nil
}

// ownNames checks that a user's rules do not have names of the program's: a derivation cites rules by
// their names.
func ownNames(f RuleFile, file *text.File) error {
	taken := map[string]string{}
	for _, g := range ShippedRules() {
		names, err := ListRules(g)
		if err != nil {
			return err
		}
		for _, n := range names {
			taken[n.Name] = g.Name
		}
	}
	check := func(name string, pos text.Pos) error {
		if of := taken[name]; of != "" {
			return ruleError(f, &text.Error{Pos: pos, Message: fmt.Sprintf("the program has a rule %s of its own, in %s", name, of),
				Help: "derivations cite rules by name: give it another one"})
		}
		return nil
	}
	for _, r := range file.Rules {
		if err := check(r.Name, r.Pos); err != nil {
			return err
		}
	}
	for _, n := range file.Natives {
		if err := check(n.Name, n.Pos); err != nil {
			return err
		}
	}
	return nil
}

// userFirings bounds how often a user's rules are applied in one expression, and userRounds how often
// they take turns with those of the program: they need not end.
const (
	userFirings = 10_000
	userRounds  = 16
)

// endless is the error of rules that e could not bring to an end.
func endless(e *rewrite.Engine) error {
	err := syntax.NewError("L006", "the rules were applied %d times and did not come to an end", userFirings)
	if e.Fired < e.Budget {
		err = syntax.NewError("L006", "the rules do not come to an end: what %s makes of a term holds the term again", e.Last)
	}
	return err.Helpf("frechet rules order FILE names the rules that do not make a term smaller")
}

// apply brings n to normal form by the user's rules and those of the program in turn.
func (u *UserRules) apply(n *combinators.Node) (*combinators.Node, error) {
	left := userFirings
	for range userRounds {
		e := &rewrite.Engine{Rules: []*rewrite.Rules{u.rules}, Facts: rewrite.NewFacts(), Budget: left}
		m := e.Normalize(n)[0]
		if e.Exhausted {
			return nil, endless(e)
		}
		left = max(left-e.Fired, 1)
		if m = adjoint.Simplify(m)[0]; m == n {
			break
		}
		n = m
	}
	return n, nil
}

// A RulePair is a term to which two rules apply at overlapping places, with the two results.
type RulePair = verify.CriticalPair

// A RuleOrder says by which order a rule decreases, "" where it is not shown to.
type RuleOrder struct {
	Name  string `json:"name"`
	Order string `json:"order,omitempty"`
}

// OrderRules says for each rule of the files by which order it decreases, and gives the critical
// pairs of all rules together; native has the left sides of rules on values in the forms that native
// steps give them, with the normal forms of both sides.
func OrderRules(ctx context.Context, files ...RuleFile) (orders []RuleOrder, pairs, native []*RulePair, err error) {
	defer guard(&err)
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text)
		if err != nil {
			return nil, nil, nil, ruleError(f, err)
		}
		for _, r := range parsed.Rules {
			orders = append(orders, RuleOrder{r.Name, verify.Decrease(r)})
		}
	}
	if pairs, err = verify.CriticalPairs(ctx, files...); err == nil {
		native, err = verify.NativePairs(ctx, files...)
	}
	return orders, pairs, native, err
}

// RuleOrders names the orders by which rules decrease, and states them.
func RuleOrders() []RuleName {
	return []RuleName{
		{verify.PathOrdering, strings.Join(verify.Precedence, " > ")},
		{verify.Weights, verify.ClosedWeights},
	}
}

// RuleJoins lists the ways in which a critical pair joins, strongest first.
func RuleJoins() []string {
	var out []string
	for _, j := range verify.Joins() {
		out = append(out, string(j))
	}
	return out
}

// RuleCoverage checks that the program's rules leave nothing out: every constructor of linear maps
// has an adjoint, every operation a derivative. The gaps are named.
func RuleCoverage() (line string, gaps []string) { return verify.Coverage() }
