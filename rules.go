package frechet

import (
	"context"
	"maps"
	"slices"

	"frechet/internal/discover"
	"frechet/internal/fault"
	"frechet/internal/rulebook"
	"frechet/rewrite/verify"
)

type (
	// A RuleFile is a file of rewrite rules.
	RuleFile = verify.File
	// A RuleReport is what was found of one rule: what may be claimed of it, and where it fails.
	RuleReport = verify.Report
	// A RuleError is an error in a rule file, or a warning, with its place.
	RuleError = rulebook.Error
	// A RuleClaim is what is claimed of a user's rule that was applied, in the words of `rules verify`.
	RuleClaim = rulebook.Claim
	// A RuleName is a rule or a native step of a file, with where its law is stated.
	RuleName = rulebook.Name
	// A RuleMutant is a rule with one thing wrong, and what the verifier finds of it.
	RuleMutant = verify.Mutant
	// UserRules are rules on values and on maps that were put to the test.
	UserRules = rulebook.Rules
	// A RulePair is a term to which two rules apply at overlapping places, with the two results.
	RulePair = verify.CriticalPair
	// FindOptions say over what functions laws are looked for, and how far.
	FindOptions = discover.Options
	// FoundRules are laws that were found, as a file of rules.
	FoundRules = discover.Found
	// A FoundRule is one of them, with what the verifier says of it.
	FoundRule = discover.Law
	// A RuleOrder says by which order a rule decreases, "" where it is not shown to.
	RuleOrder = rulebook.Order
)

// RuleRefuted is the claim of a counterexample.
const RuleRefuted = verify.Refuted

// ShippedRules are the rule files that the program itself uses.
func ShippedRules() []RuleFile { return verify.Shipped() }

// EqualityRules are the rules by which [Prove] searches, beside those of [ShippedRules]: they need not make a term simpler.
func EqualityRules() RuleFile { return verify.Laws() }

// StableRules are the rules by which terms are computed, not read: equal in the reals, they neither overflow nor cancel on the way.
func StableRules() RuleFile { return verify.Stable() }

// CheckRules reads the rules of a file for [WithRules]: rules on values and on maps. Those on maps are tried
// before the shipped ones; a file with the name of a shipped one on maps stands in its place. Every rule is put
// to the test first; one that fails is an error that shows its counterexample, unless unsafe is set. The sides of
// a rule on maps must have one type all the same.
func CheckRules(ctx context.Context, f RuleFile, unsafe bool) (*UserRules, error) {
	return rulebook.Check(ctx, f, unsafe)
}

// VerifyRules puts the rules of a file to the test. each, where it is not nil, gets every report as
// soon as it is there. The error is a *RuleError: the file cannot be read as rules.
func VerifyRules(ctx context.Context, f RuleFile, each func(*RuleReport)) ([]*RuleReport, error) {
	return rulebook.Verify(ctx, f, each)
}

// MutateRules tests the verifier: every rule of the files with one thing wrong must be refuted, or
// equivalent for a reason that was checked. score sums it up.
func MutateRules(ctx context.Context, files ...RuleFile) (ms []*RuleMutant, score string, complete bool, err error) {
	return rulebook.Mutate(ctx, files...)
}

// ListRules lists the rules of a file, then its native steps.
func ListRules(f RuleFile) ([]RuleName, error) { return rulebook.List(f) }

// ShowRule is the page of a rule or native step: its statement, its source, what is claimed of it, and
// an example before and after.
func ShowRule(ctx context.Context, name string, files ...RuleFile) (page string, err error) {
	return rulebook.Show(ctx, name, files...)
}

// OrderRules says for each rule of the files by which order it decreases, and gives the critical
// pairs of all rules together, and those with native steps.
func OrderRules(ctx context.Context, files ...RuleFile) (orders []RuleOrder, pairs, native []*RulePair, err error) {
	return rulebook.Ordering(ctx, files...)
}

// RuleVerdicts lists the verdicts on rules, best first.
func RuleVerdicts() []string { return verify.Verdicts() }

// RuleOrders names the orders by which rules decrease, and states them.
func RuleOrders() []RuleName { return rulebook.Orders() }

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

// FindTerms bounds the terms that [FindRules] looks at where [FindOptions] give no other bound.
const FindTerms = discover.MaxTerms

// FindRules finds laws between small terms that the program's rules do not prove, and puts them to the test. Where ctx ends,
// what was found before is returned, and its Limit says so.
func FindRules(ctx context.Context, o FindOptions) (found *FoundRules, err error) {
	defer fault.Guard(&err)
	return discover.Laws(ctx, o)
}

// FindWords are names in [FindOptions] that are no functions of the table.
func FindWords() []string { return slices.Sorted(maps.Keys(discover.Words)) }
