package verify

import (
	"context"
	"slices"
	"strings"
	"sync"

	"frechet/adjoint"
	"frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/internal/must"
	"frechet/rewrite/verify/model"
)

// A File is a rule file, by its name in reports.
type File = adjoint.RuleFile

// Shipped are the rule files of the program itself.
func Shipped() []File { return adjoint.RuleFiles() }

// Laws are the equations of the program by which values are shown to be equal, beside those of Shipped: they need not
// decrease.
func Laws() File { return File{Name: "laws.rules", Text: rules.Laws} }

// Stable are the forms in which the program computes terms: they need not decrease either.
func Stable() File { return File{Name: "stable.rules", Text: rules.Stable} }

// Attributes are the laws of variables with attributes; some of them restrict derivatives to subspaces: see [adjoint.Restrict].
func Attributes() File { return File{Name: "attributes.rules", Text: rules.Attributes} }

// parts are the rules of Attributes: the calculus applies them, to variables, and no matcher does.
var parts = sync.OnceValue(func() []*text.Rule {
	f, err := text.ParseRules(rules.Attributes)
	if err != nil {
		panic(err)
	}
	return f.Rules
})

// Rules checks the rules of a file, in order, and then its native steps. The error is an *[text.Error], where the file cannot
// be read, or that of ctx.
func Rules(ctx context.Context, f File) (out []*Report, err error) {
	err = EachRule(ctx, f, func(rep *Report) { out = append(out, rep) })
	return out, err
}

// EachRule is Rules that gives each report as soon as it is there.
func EachRule(ctx context.Context, f File, each func(*Report)) (err error) {
	defer must.Recover(&err)
	parsed := must.Get(text.ParseRules(f.Text))
	for _, r := range parsed.Rules {
		must.Do(ctx.Err())
		rep := Rule(r)
		rep.File = f.Name
		each(rep)
	}
	for _, n := range parsed.Natives {
		must.Do(ctx.Err())
		rep := Native(n)
		rep.File = f.Name
		each(rep)
	}
	return nil
}

// Rule checks one rule. One that is read from both sides must hold from each.
func Rule(r *text.Rule) *Report {
	rep := oneWay(r)
	if r.Both && rep.Passed() {
		if back := oneWay(r.Reversed()); !back.Passed() || back.Equality == FloatTested && rep.Equality == TestedMod {
			rep = back
		}
	}
	return rep
}

func oneWay(r *text.Rule) *Report {
	rep := ruleWith(r, nil)
	if rep.Equality == Refuted || rep.Equality == Assumed && rep.Reason == "" {
		if which := satisfied(r); which != "" {
			rep = newReport(r)
			rep.Typing, rep.Equality = Typed, Assumed
			if rep.Reason = assumption(r); rep.Reason == "" {
				rep.Reason = "it holds where " + which + ", for one, and is not known to hold of all functions"
			}
		}
	}
	return rep
}

func ruleWith(r *text.Rule, choice model.Choice) *Report {
	if r.OnMaps() {
		return closedRule(r, choice)
	}
	return valueRule(r, choice)
}

// satisfied says of which functions the rule holds, in the place of the declared ones in it: h = 0. It is "" where no such were
// found, or where the rule has no declared functions.
func satisfied(r *text.Rule) string {
	var names []string
	for _, side := range []*text.Term{r.Left, r.Right} {
		text.Walk(side, func(t *text.Term) bool {
			if t.Function != nil {
				if root, _, _, _ := t.Function.Root(); !slices.Contains(names, root) {
					names = append(names, root)
				}
			}
			return true
		})
	}
	kinds := model.Specials()
	total := 1
	for range names {
		total = min(total*len(kinds), mostSpecial)
	}
	if len(names) == 0 {
		return ""
	}
	for i := range total {
		choice := model.Choice{}
		var which []string
		for _, name := range names {
			choice[name] = kinds[i%len(kinds)]
			which = append(which, name+" is "+choice[name].String())
			i /= len(kinds)
		}
		if rep := ruleWith(r, choice); rep.Typing == Typed && rep.Equality != Refuted && (rep.Equality != Assumed || rep.Reason != "") {
			return strings.Join(which, " and ")
		}
	}
	return ""
}

// mostSpecial bounds the choices of functions for declared ones that are tried.
const mostSpecial = 64
