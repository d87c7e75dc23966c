package verify

import (
	"fmt"
	"math/big"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/verify/maps"
)

// WrongDomain is the verdict on a rule whose sides agree but that changes the domain in another way
// than it says.
const WrongDomain = "domain not as declared"

// Verdicts lists what [Report.Verdict] gives, best first.
func Verdicts() []string {
	return []string{Exact, TestedMod, FloatTested, Assumed, WrongDomain, IllTyped, Refuted}
}

// Verdict is the report in a word.
func (r *Report) Verdict() string {
	switch {
	case r.Typing == IllTyped:
		return IllTyped
	case r.Equality != Refuted && !r.DomainAsDeclared():
		return WrongDomain
	}
	return r.Equality
}

// Page is the page of one rule: statement, comment, claim, and an example before and after.
func Page(r *text.Rule, file string) string {
	rep := Rule(r)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r)
	if r.Doc != "" {
		b.WriteString("\n" + r.Doc + "\n")
	}
	if r.Source != "" {
		fmt.Fprintf(&b, "\nsource  %s", r.Source)
	}
	if file != "" {
		fmt.Fprintf(&b, "\nfile    %s", file)
	}
	if form, _ := LeftForm(r); form != nil && !r.OnMaps() {
		fmt.Fprintf(&b, "\nmet as  %s", form)
	}
	fmt.Fprintf(&b, "\nclaim   %s\n", rep.Claim())
	switch {
	case rep.Witness != nil:
		b.WriteString(indent(rep.Witness.String()))
	case rep.DomainWitness != nil:
		b.WriteString(indent(rep.DomainWitness.String()))
	}
	before, after := Example(r)
	writeExample(&b, before, after)
	return b.String()
}

// NativePage is the page of a native step: its law, its claim, and a term before and after it.
func NativePage(n *text.Native, file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "native %s %q %s\n  %q\n\nsource  %s\nfile    %s\nclaim   %s\n", n.Name, n.Source, n.Step, n.Law, n.Source, file, Native(n).Claim())
	before, after := nativeExample(n)
	writeExample(&b, before, after)
	return b.String()
}

func nativeExample(n *text.Native) (before, after string) {
	if before, after = workedMap(n.Name); before == "" {
		before, after = workedValue(n)
	}
	return before, after
}

func writeExample(b *strings.Builder, before, after string) {
	if before != "" {
		fmt.Fprintf(b, "before  %s\nafter   %s\n", hanging(before), hanging(after))
	}
}

// hanging indents the further lines of a text to where the first one stands on a page.
func hanging(s string) string { return strings.ReplaceAll(s, "\n", "\n        ") }

// Example is an instance of a rule: a rule on values applied to a term, or one on closed combinators
// with maps for its metavariables and two members for its families.
func Example(r *text.Rule) (before, after string) {
	if r.OnMaps() {
		if before, after = workedMap(r.Name); before != "" {
			return before, after
		}
		return mapExample(r)
	}
	g, err := newSignature(r)
	if err != nil {
		return "", ""
	}
	rules, err := rewrite.LoadRules(r.String(), r.Functions)
	if err != nil {
		return "", ""
	}
	for _, order := range []int{2, 1, 0} {
		for _, numbers := range g.numberChoices(numberTrials) {
			s := combinators.NewStore()
			l := g.symbolic(order, 0)
			env, err := g.env(s, l, numbers, func(name string, x *combinators.Node) *combinators.Node {
				if of := g.attributes(name) & drawn; of != 0 {
					return s.Member(x.Name(), x.Shape(), of)
				}
				return g.presumed(s, name, x, atom.Exp)
			})
			if err != nil {
				return "", ""
			}
			n, err := denote.ReadNode(s, r.Left, env)
			if err != nil {
				continue
			}
			if f, ok := rules.Fire(productsFused(n), assumptions.New()); ok {
				return text.Printer{}.Print(text.Value(f.Before)), text.Printer{}.Print(text.Value(f.After))
			}
		}
	}
	return "", ""
}

// productsFused is n with the products of products in it made one, as terms stand.
func productsFused(n *combinators.Node) *combinators.Node {
	return combinators.Rebuild([]*combinators.Node{n}, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		m := n.With(args)
		if fused, ok := fuse(m, true); ok {
			return fused
		}
		return m
	})[0]
}

// mapExample writes families out and puts maps for metavariables.
func mapExample(r *text.Rule) (before, after string) {
	count := maps.Counts(r)[0]
	if count == 1 {
		count = 2
	}
	choices := maps.ComponentChoices(r, count)
	if len(choices) == 0 {
		return "", ""
	}
	e := &expansion{count: count, ks: choices[0], maps: map[string]*text.Term{}, types: map[string]*text.Type{}}
	for _, v := range r.Vars {
		if v.Type != nil {
			e.types[v.Name] = v.Type
		}
	}
	p := text.Printer{}
	return p.Print(e.expand(r.Left)), p.Print(e.expand(r.Right))
}

type expansion struct {
	count int
	ks    map[string]int
	maps  map[string]*text.Term
	types map[string]*text.Type
}

// example is a map for a metavariable: a different one for each.
func (e *expansion) example(name string, t *text.Type) *text.Term {
	if m := e.maps[name]; m != nil {
		return m
	}
	k := len(e.maps)
	m := text.NewName(maps.Smooth[k%len(maps.Smooth)].Name)
	if t.Arrow == text.LinearTo {
		m = text.New(text.Mul, text.NewName([]string{"a", "b", "c", "d", "e", "g"}[k%6]), text.New(text.Hole))
	}
	if t.Arrow == text.BilinearTo {
		m = nil
	}
	e.maps[name] = m
	return m
}

func (e *expansion) expand(t *text.Term) *text.Term {
	typ := e.types[t.Name]
	if t.Op == text.Name && typ != nil && typ.Arrow != text.NoArrow {
		name := t.Name
		if len(t.Attrs) == 1 {
			name = fmt.Sprintf("%s#%d", name, e.component(t.Attrs[0]))
		}
		if m := e.example(name, typ); m != nil {
			return m
		}
		return t
	}
	if head, k := text.Component(t); head != "" {
		return text.NewName(fmt.Sprintf("%s%d", head, e.component(k)))
	}
	if t.Op == text.Name && len(t.Attrs) == 1 && typ != nil {
		return text.NewName(fmt.Sprintf("%s%d", t.Name, e.component(t.Attrs[0])))
	}
	if t.Op == text.Family {
		var members []*text.Term
		for k := range e.count {
			e.ks[t.Names[0]] = k + 1
			members = append(members, e.expand(t.Args[0]))
		}
		delete(e.ks, t.Names[0])
		switch t.Name {
		case "pair":
			return text.New(text.Pair, members...)
		case "copair":
			return text.New(text.Copair, members...)
		case "sum":
			sum := members[0]
			for _, m := range members[1:] {
				sum = text.New(text.Add, sum, m)
			}
			return sum
		}
		return text.New(text.Product, members...)
	}
	u := *t
	if len(t.Args) > 0 {
		u.Args = make([]*text.Term, len(t.Args))
		for i, a := range t.Args {
			u.Args[i] = e.expand(a)
		}
	}
	if t.Op == text.Call && typ != nil && typ.Arrow != text.NoArrow {
		name := t.Name
		if len(t.Attrs) == 1 {
			name = fmt.Sprintf("%s#%d", name, e.component(t.Attrs[0]))
		}
		if m := e.example(name, typ); m != nil {
			return text.NewApply(m, u.Args...)
		}
	}
	if len(t.Attrs) == 1 && t.Name == "section" {
		u.Attrs = []*text.Term{text.NewInt(int64(e.component(t.Attrs[0])))}
	}
	return &u
}

func (e *expansion) component(t *text.Term) int {
	if t.Op == text.Num {
		return int(new(big.Int).Set(t.Rat.Num()).Int64())
	}
	return e.ks[t.Name]
}
