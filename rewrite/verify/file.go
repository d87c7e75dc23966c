package verify

import (
	"context"

	"frechet/adjoint"
	"frechet/combinators/text"
)

// A File is a rule file.
type File struct {
	Name string // for reports
	Text string
}

// Shipped are the rule files of the program itself.
func Shipped() []File {
	var out []File
	for _, f := range adjoint.RuleFiles() {
		out = append(out, File{f.Name, f.Text})
	}
	return out
}

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
	if onMaps(r) {
		return closedRule(r)
	}
	return valueRule(r)
}

// onMaps reports whether a rule is on closed combinators: it has metavariables for maps or spaces,
// or constructors of maps.
func onMaps(r *text.Rule) bool {
	found := false
	for _, v := range r.Vars {
		found = found || v.Type != nil && v.Type.Arrow != text.NoArrow
	}
	look := func(t *text.Term) bool {
		switch t.Op {
		case text.Compose, text.Product, text.Pair, text.Copair, text.Copower, text.Family, text.Apply, text.Hole:
			found = true
		case text.Ein:
			found = found || len(t.Args) == 0 && len(t.Index.In) > 0
		case text.Call:
			found = found || t.Name == "adjoint" || t.Name == "D"
		}
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	return found
}
