package verify

import (
	"context"

	"frechet/adjoint"
	"frechet/combinators/text"
)

// A File is a rule file, by its name in reports.
type File = adjoint.RuleFile

// Shipped are the rule files of the program itself.
func Shipped() []File { return adjoint.RuleFiles() }

// Rules checks the rules of a file, in order, and then its native steps. The error is an *[text.Error], where the file cannot
// be read, or that of ctx.
func Rules(ctx context.Context, f File) (out []*Report, err error) {
	err = EachRule(ctx, f, func(rep *Report) { out = append(out, rep) })
	return out, err
}

// EachRule is Rules that gives each report as soon as it is there.
func EachRule(ctx context.Context, f File, each func(*Report)) error {
	parsed, err := text.ParseRules(f.Text)
	if err != nil {
		return err
	}
	for _, r := range parsed.Rules {
		if err := ctx.Err(); err != nil {
			return err
		}
		rep := Rule(r)
		rep.File = f.Name
		each(rep)
	}
	for _, n := range parsed.Natives {
		if err := ctx.Err(); err != nil {
			return err
		}
		rep := Native(n)
		rep.File = f.Name
		each(rep)
	}
	return nil
}

// Rule checks one rule.
func Rule(r *text.Rule) *Report {
	if r.OnMaps() {
		return closedRule(r)
	}
	return valueRule(r)
}
