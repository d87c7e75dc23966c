package derivation

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/syntax"
	"frechet/syntax/unparse"
)

// Guards do not print: 1 ./ x is written alike whether its infinite values lose against a factor that is
// exactly 0 or not. A line in which one formula stands for functions with different guards says so, in
// the words of the rule language:
//
//	where 1 ./ x is power[-1](x) and weak(power[-1](x))

// guardNotes are what the formulas of a line hide. Nothing is built for them: what a store has decides
// the order of operands.
func (s Step) guardNotes(ns []*combinators.Node) (notes []string) {
	var guarded []*combinators.Node
	nodes := combinators.Topo(ns...)
	mixed := false
	for _, n := range nodes {
		if n.CanBeInfinite() {
			mixed = mixed || len(guarded) > 0 && n.Guard() != guarded[0].Guard()
			guarded = append(guarded, n)
		}
	}
	if !mixed {
		return nil
	}
	class := guardless(nodes)
	for i, n := range guarded {
		var as []*combinators.Node
		for _, m := range guarded {
			if class[m] == class[n] && !slices.ContainsFunc(as, func(o *combinators.Node) bool { return o.Guard() == m.Guard() }) {
				as = append(as, m)
			}
		}
		first := slices.IndexFunc(guarded, func(m *combinators.Node) bool { return class[m] == class[n] })
		if len(as) < 2 || first != i {
			continue
		}
		slices.SortFunc(as, func(a, b *combinators.Node) int { return int(a.Guard()) - int(b.Guard()) })
		var words []string
		for _, m := range as {
			words = append(words, guardWord(m))
		}
		notes = append(notes, s.formula(n)+" is "+strings.Join(words, " and "))
	}
	return notes
}

// guardless numbers nodes so that those that differ in guards alone have one number.
func guardless(nodes []*combinators.Node) map[*combinators.Node]int {
	class, known := map[*combinators.Node]int{}, map[string]int{}
	for _, n := range nodes {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s %d %v %v", n.Atom().Name, n.Name(), n.Attr(), n.Rat(), n.Sizes())
		if n.Ein() != nil {
			b.WriteString(n.Ein().Key())
		}
		for _, a := range n.Args() {
			fmt.Fprintf(&b, " %d", class[a])
		}
		k, ok := known[b.String()]
		if !ok {
			k = len(known)
			known[b.String()] = k
		}
		class[n] = k
	}
	return class
}

// guardWord is a function as rules write it, with its guard.
func guardWord(n *combinators.Node) string {
	t := text.Printer{}.Print(text.Value(n))
	if len(t) > longFormula || strings.Contains(t, "let ") {
		t = n.Atom().Name + "(..)"
		if n.Rat() != nil {
			t = fmt.Sprintf("%s[%s](..)", n.Atom().Name, n.Rat().RatString())
		}
	}
	switch n.Guard() {
	case combinators.GuardWeak:
		return "weak(" + t + ")"
	case combinators.GuardZero:
		return "zero(" + t + ")"
	}
	return t
}

// longFormula is what a note does not repeat.
const longFormula = 60

// formula is a function as the line writes it.
func (s Step) formula(n *combinators.Node) string {
	stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Taken: s.taken, Open: s.f.Unwritten(), Known: s.f.KnownSizes()})
	if err == nil && len(stmts) == 1 {
		if t := syntax.Print(stmts[0].Expr); len(t) <= longFormula {
			return t
		}
	}
	return "one " + n.Atom().Name
}
