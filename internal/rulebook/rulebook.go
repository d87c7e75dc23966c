// Package rulebook reads, tests and lists rule files, and applies a user's rules.
package rulebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/fault"
	"frechet/internal/words"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/verify"
	"frechet/rewrite/verify/order"
	"frechet/syntax"
)

// A File is a rule file, by its name in reports.
type File = verify.File

// Verify puts the rules of a file to the test. each, where it is not nil, gets every report as
// soon as it is there. The error is an *Error: the file cannot be read as rules.
func Verify(ctx context.Context, f verify.File, each func(*verify.Report)) (reports []*verify.Report, err error) {
	defer fault.Guard(&err)
	err = verify.EachRule(ctx, f, func(r *verify.Report) {
		reports = append(reports, r)
		if each != nil {
			each(r)
		}
	})
	return reports, located(f, err)
}

// located gives a position in a rule file its file.
func located(f verify.File, err error) error {
	var e *text.Error
	if errors.As(err, &e) {
		return &Error{Name: f.Name, Line: e.Pos.Line, Column: e.Pos.Column, Message: e.Message, Help: e.Help, width: e.Width, text: f.Text}
	}
	return err
}

// An Error is an error in a rule file, or a warning, with its place.
type Error struct {
	Name         string
	Line, Column int
	Message      string
	Help         string // what may have been meant, or ""
	Warning      bool   // the file can be used, but the rule is of no use

	width int
	text  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Message)
}

// Render shows the error with the line that it speaks of, a mark under the place, and the help.
func (e *Error) Render(color bool) string {
	at := syntax.Offset(e.text, e.Line, e.Column)
	span := syntax.Span{Start: at, End: syntax.Offset(e.text, e.Line, e.Column+max(e.width, 1))}
	s := &syntax.Error{Span: span, Line: e.Line, Column: e.Column, Message: e.Message, Help: e.Help, Warning: e.Warning}
	return s.Render(e.Name, e.text, color)
}

// A Name is a rule or a native step of a file, with where its law is stated.
type Name struct{ Name, Source string }

// List lists the rules of a file, then its native steps.
func List(f verify.File) (out []Name, err error) {
	defer fault.Guard(&err)
	parsed, err := text.ParseRules(f.Text)
	if err != nil {
		return nil, located(f, err)
	}
	for _, r := range parsed.Rules {
		out = append(out, Name{r.Name, r.Source})
	}
	for _, n := range parsed.Natives {
		out = append(out, Name{n.Name, n.Source})
	}
	return out, nil
}

// Show is the page of the rule or native step with a name: its statement, its source, what is
// claimed of it, and an example before and after.
func Show(ctx context.Context, name string, files ...verify.File) (page string, err error) {
	defer fault.Guard(&err)
	var names []string
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text)
		if err != nil {
			return "", located(f, err)
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

// Mutate tests the verifier: every rule of the files with an index swapped, a sign flipped, a
// transpose dropped or an evaluation point moved. score sums it up; complete says that each mutant
// is refuted, or equivalent for a reason that was checked.
func Mutate(ctx context.Context, files ...verify.File) (ms []*verify.Mutant, score string, complete bool, err error) {
	defer fault.Guard(&err)
	if ms, err = verify.Mutants(ctx, files...); err != nil {
		return nil, "", false, located(verify.File{Name: "rules"}, err)
	}
	score, complete = verify.MutationScore(ms)
	return ms, score, complete, nil
}

// Rules are a user's rules that were put to the test: rules on values, by which values are simplified, and
// rules on maps, by which they are differentiated.
type Rules struct {
	rules     *rewrite.Rules                      // those that are applied
	laws      func() (forth, back *rewrite.Rules) // all, for proofs: see [Laws]
	calculus  *adjoint.Calculus
	functions *atom.Scope
	claims    map[string]string // by the name of a rule
	file      verify.File
	warnings  []*Error
}

// Calculus is the rules by which a program with the rules u, which may be nil, is differentiated.
func Calculus(u *Rules) *adjoint.Calculus {
	if u == nil {
		return adjoint.Standard()
	}
	return u.calculus
}

// A Claim is what is claimed of a user's rule that was applied, in the words of `rules verify`.
type Claim struct {
	Rule  string `json:"rule"`
	Claim string `json:"claim"`
}

// Untested is the claim of a rule that was not put to the test.
const Untested = "not tested"

// Claims are those of the rules that were used; u may be nil.
func Claims(u *Rules, used *rewrite.Used) (out []Claim) {
	for _, name := range used.Names() {
		claim := Untested
		if c := u.claims[name]; c != "" {
			claim = c
		}
		out = append(out, Claim{name, claim})
	}
	return out
}

// Functions are those that the rules u, which may be nil, declare.
func Functions(u *Rules) *atom.Scope {
	if u == nil {
		return nil
	}
	return u.functions
}

// Warnings names the rules that are never applied, since the program brings terms like their left sides
// to other forms first, and says how to write them. A left side that the native steps alone rewrite,
// such as cos(x) .^ 2, needs none: it is brought to the form in which terms stand, too.
func (u *Rules) Warnings() []*Error { return u.warnings }

// Check reads the rules of a file. Those on maps are tried before the shipped ones; a file with the name of
// a shipped one on maps stands in its place. Every rule is put to the test first: one
// that is refuted or ill-typed, that changes the domain in another way than it says, or that is
// assumed without a reason, is an error that shows its counterexample, unless unsafe is set; it is
// then used as it stands.
func Check(ctx context.Context, f verify.File, unsafe bool) (rules *Rules, err error) {
	defer fault.Guard(&err)
	parsed, err := text.ParseRules(f.Text)
	if err != nil {
		return nil, located(f, err)
	}
	onValues, onMaps := parts(f, parsed)
	all, err := rewrite.LoadRules(onValues.Text, parsed.Functions)
	if err != nil {
		return nil, located(f, err)
	}
	applied, err := rewrite.CompileRules(order.Applied(all.File))
	if err != nil {
		return nil, located(f, err)
	}
	calculus, err := adjoint.NewCalculus(parsed.Functions, onMaps)
	if err != nil {
		return nil, located(f, err)
	}
	if !slices.ContainsFunc(verify.Shipped(), func(g verify.File) bool { return g.Name == f.Name }) {
		if err := ownNames(f, parsed); err != nil {
			return nil, err
		}
	}
	claims := map[string]string{}
	if !unsafe {
		reports, err := verify.Rules(ctx, f)
		if err != nil {
			return nil, located(f, err)
		}
		for _, r := range reports {
			claims[r.Name] = r.Claim()
			if !r.Passed() {
				return nil, fmt.Errorf("a rule of %s is refused: %s", f.Name, strings.TrimRight(r.String(), "\n"))
			}
		}
	}
	u := &Rules{rules: applied, calculus: calculus, functions: parsed.Functions, claims: claims, file: f}
	u.laws = sync.OnceValues(func() (forth, back *rewrite.Rules) {
		if err := verify.AddForms(all, func(*text.Rule, string) {}); err != nil {
			panic(err) // the same forms were added before, or none are
		}
		return all, rewrite.Reversed(all.File)
	})
	warn := func(r *text.Rule, why string) {
		u.warnings = append(u.warnings, &Error{Name: f.Name, Line: r.Left.Pos.Line, Column: r.Left.Pos.Column,
			Warning: true, Message: fmt.Sprintf("rule %s: %s", r.Name, why), text: f.Text})
	}
	for _, r := range all.File.Rules {
		if r.Both && !r.Lemma && !slices.ContainsFunc(applied.File.Rules, func(a *text.Rule) bool { return a.Name == r.Name }) {
			warn(r, "neither side is below the other in the path ordering: only proofs read it, as they read lemmas")
		}
	}
	err = verify.AddForms(applied, warn)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	return u, nil
}

// shippedIn tells the file of each rule and native step of the program.
var shippedIn = sync.OnceValue(func() map[string]string {
	in := map[string]string{}
	for _, f := range append(verify.Shipped(), verify.Laws()) {
		names, err := List(f)
		if err != nil {
			panic(err) // the files are the program's own
		}
		for _, n := range names {
			in[n.Name] = f.Name
		}
	}
	return in
})

// parts are a file with its rules on values alone, and with those on maps and its native steps alone: the
// others are blanks, so that what is left stands where it stood.
func parts(f verify.File, parsed *text.File) (onValues, onMaps verify.File) {
	onMap := map[text.Pos]bool{}
	proofs := map[text.Pos]bool{} // lemmas on maps, which nothing applies
	var starts []text.Pos
	for _, r := range parsed.Rules {
		onMap[r.Pos] = r.OnMaps()
		proofs[r.Pos] = r.Lemma && r.OnMaps()
		starts = append(starts, r.Pos)
	}
	for _, n := range parsed.Natives {
		onMap[n.Pos] = adjoint.Natives()[n.Step] != nil
		starts = append(starts, n.Pos)
	}
	slices.SortFunc(starts, func(a, b text.Pos) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	part := func(maps bool) verify.File {
		b := []byte(f.Text)
		for i, at := range starts {
			if onMap[at] == maps && !proofs[at] {
				continue
			}
			end := len(b)
			if i+1 < len(starts) {
				end = syntax.Offset(f.Text, starts[i+1].Line, starts[i+1].Column)
			}
			for k := syntax.Offset(f.Text, at.Line, at.Column); k < end; k++ {
				if b[k] != '\n' {
					b[k] = ' '
				}
			}
		}
		return verify.File{Name: f.Name, Text: string(b)}
	}
	return part(false), part(true)
}

// ownNames checks that a user's rules do not have names of the program's: a derivation cites rules by
// their names.
func ownNames(f verify.File, file *text.File) error {
	taken := shippedIn()
	check := func(name string, pos text.Pos) error {
		if of := taken[name]; of != "" {
			return located(f, &text.Error{Pos: pos, Message: fmt.Sprintf("the program has a rule %s of its own, in %s", name, of),
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

// Normal brings values to normal form by the user's rules and by simplify, which is the program's own
// normal form, in turn. trace, where it is not nil, is told of each application of a user's rule.
func Normal(u *Rules, nodes []*combinators.Node, facts *assumptions.Facts, simplify func(...*combinators.Node) []*combinators.Node, trace func(rewrite.Firing)) ([]*combinators.Node, error) {
	left := userFirings
	note := func(f rewrite.Firing) {
		rewrite.UsedIn(f.Before.Store()).Add(f.Rule.Name)
		if trace != nil {
			trace(f)
		}
	}
	for range userRounds {
		e := &rewrite.Engine{Rules: []*rewrite.Rules{u.rules}, Facts: facts, Budget: left, Trace: note}
		next := e.Normalize(nodes...)
		if e.Exhausted {
			return nil, endless(e)
		}
		left = max(left-e.Fired, 1)
		if next = simplify(next...); slices.Equal(next, nodes) {
			break
		}
		nodes = next
	}
	return nodes, nil
}

// Laws are all of the user's rules on values, lemmas too, as proofs read them: from left to right and, where they keep the
// domain, from right to left.
func Laws(u *Rules) (forth, back *rewrite.Rules) { return u.laws() }

// FileOf is the file of a user's rules.
func FileOf(u *Rules) verify.File { return u.file }

// An Order says by which order a rule decreases, "" where it is not shown to, or where Proofs alone use it.
type Order struct {
	Name   string `json:"name"`
	Order  string `json:"order,omitempty"`
	Proofs bool   `json:"proofs,omitempty"`
}

// Ordering says for each rule of the files by which order it decreases, and gives the critical
// pairs of all rules together; native has the left sides of rules on values in the forms that native
// steps give them, with the normal forms of both sides.
func Ordering(ctx context.Context, files ...verify.File) (orders []Order, pairs, native []*verify.CriticalPair, err error) {
	defer fault.Guard(&err)
	for _, f := range files {
		parsed, err := text.ParseRules(f.Text)
		if err != nil {
			return nil, nil, nil, located(f, err)
		}
		applied := order.Applied(parsed).Rules
		for _, r := range parsed.Rules {
			if f.Name == verify.Attributes().Name && r.Left.Op == text.Name {
				continue // no matcher applies a rule of a variable and its part in a subspace
			}
			o := Order{Name: r.Name, Proofs: true}
			if i := slices.IndexFunc(applied, func(a *text.Rule) bool { return a.Name == r.Name }); i >= 0 {
				o.Order, o.Proofs = order.Decrease(applied[i]), false
			}
			orders = append(orders, o)
		}
	}
	if pairs, err = verify.CriticalPairs(ctx, files...); err == nil {
		native, err = verify.NativePairs(ctx, files...)
	}
	return orders, pairs, native, err
}

// Orders names the orders by which rules decrease, and states them.
func Orders() []Name {
	return []Name{
		{order.PathOrdering, strings.Join(order.Precedence, " > ")},
		{order.Weights, order.ClosedWeights},
	}
}
