package derivation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"frechet/combinators/text"
	"frechet/internal/program"
	"frechet/rewrite/proof"
	"frechet/rewrite/verify"
)

// A Proved says what a certificate proves: that the last line of each part equals the first one wherever the
// program is defined, at the sizes that are given, and at all where none is.
type Proved struct {
	proof.Summary
	Program proof.Program `json:"program"`
	// Domain has the conditions under which the program is defined; there are none where it always is.
	Domain      []string     `json:"domain"`
	Conclusions []Conclusion `json:"conclusions"`
	// Rules are the user's rules that steps use. The proof is worth what they are.
	Rules []UsedRule `json:"rules,omitempty"`

	by []string // the variables by which is differentiated, where the text of the program names no or other ones
}

// A Conclusion is the last line of a part.
type Conclusion struct {
	Part string `json:"part"` // program, derivative, derivative at d, adjoint, gradient, adjoint at w
	Text string `json:"text"`
}

// A UsedRule is a rule of the user's with what may be claimed of it.
type UsedRule struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Claim string `json:"claim"`
}

// proves sums up a derivation that was checked, of the program f, by rules of the user's among others.
func proves(f *program.Program, d *proof.Derivation, sum proof.Summary, rules []verify.File) (*Proved, error) {
	p := &Proved{Summary: sum, Program: d.Program, Domain: append([]string{}, Domain(f)...)} // an empty list in JSON, too
	if p.by = d.Program.Wrt; f.Closed == nil && slices.Equal(p.by, f.Wrt()) {
		p.by = nil
	}
	for i := range d.Parts {
		q := &d.Parts[i]
		line := Step{f: f, taken: f.Names(), ns: q.End.Nodes}
		if m := q.End.Map; m != nil {
			line.m = *m
		}
		name := string(q.Kind)
		for k, v := range q.Fresh {
			name += []string{" ", ", "}[min(k, 1)] + v.Name()
		}
		p.Conclusions = append(p.Conclusions, Conclusion{name, line.Text("text")})
	}
	used := map[string]bool{}
	for _, steps := range d.Steps() {
		for _, s := range steps {
			used[s.Rule] = true
		}
	}
	for _, file := range rules {
		name := ruleSource(file).Name
		if !slices.ContainsFunc(d.Rules, func(r proof.RuleFile) bool { return r.Name == name }) {
			continue
		}
		parsed, err := text.ParseRules(file.Text)
		if err != nil {
			return nil, err
		}
		for _, r := range parsed.Rules {
			if used[r.Name] {
				p.Rules = append(p.Rules, UsedRule{r.Name, name, verify.Rule(r).Claim()})
			}
		}
	}
	return p, nil
}

// statement is the text of a program among headings: a comment is none, and nothing in it moves the cursor.
func statement(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.TrimSpace(text))
	return strings.ReplaceAll("\n"+text, "\n#", "\n   #")[1:]
}

// String states what is proved.
func (p *Proved) String() string {
	var b strings.Builder
	section := func(title, text string) {
		b.WriteString("# " + title + "\n" + text + "\n")
	}
	section("of the program", statement(p.Program.Text))
	if len(p.by) > 0 {
		section("by", strings.Join(p.by, ", "))
	}
	var given []string
	for _, name := range slices.Sorted(maps.Keys(p.Program.Sizes)) {
		given = append(given, fmt.Sprintf("%s = %d", name, p.Program.Sizes[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Program.Dims)) {
		given = append(given, fmt.Sprintf("%s of shape %v", name, p.Program.Dims[name]))
	}
	if len(given) > 0 {
		section("at the sizes", strings.Join(given, ", "))
	}
	if len(p.Domain) > 0 {
		section("holds where", strings.Join(p.Domain, ", "))
	}
	for _, c := range p.Conclusions {
		section(c.Part, c.Text)
	}
	for _, r := range p.Rules {
		section("by rule "+r.Name+" of "+r.File, r.Claim)
	}
	return b.String()
}
