package definite

import (
	_ "embed"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/rewrite"
)

//go:embed forms.rules
var formsText string

var formRules = sync.OnceValue(func() *rewrite.Rules { return rewrite.MustLoadRules(formsText) })

// complements is n with differences from 1 written as what they are.
func complements(n *combinators.Node) *combinators.Node {
	return combinators.Rebuild([]*combinators.Node{n}, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		m := n.With(args)
		if after, _, ok := formRules().Apply(m, nil); ok {
			return after
		}
		return m
	})[0]
}

// reasons tells by which laws no entry of n is below 0.
func (m *maker) reasons(n *combinators.Node) {
	if r, ok := n.Filled(); ok && r.Sign() >= 0 {
		return
	}
	at := n.Atom()
	switch {
	case n.Is(atom.Add):
		m.reasons(n.Arg(0))
		m.reasons(n.Arg(1))
	case n.Ein() != nil:
		m.product(n)
	case n.Attributes().Has(atom.Nonneg):
		m.law("declaration", "%s is declared %s", m.text(n), n.Attributes())
	case n.Is(atom.Power) && n.Rat().IsInt() && n.Rat().Num().Bit(0) == 0:
		m.law("even power", "%s >= 0", m.text(n))
	case at.Signs(atom.Signs{}).Positive:
		m.law("range", "%s > 0", m.text(n))
	case at.Signs(atom.Signs{}).Nonneg:
		m.law("range", "%s >= 0", m.text(n))
	case len(n.Args()) == 1 && m.facts.Nonneg(n.Arg(0)):
		m.reasons(n.Arg(0))
		m.law("sign", "%s >= 0", m.text(n))
	default:
		m.law("domain", "%s >= 0 where the program is defined", m.text(n))
	}
}

// product tells of the factors of a product: squares, those that are not negative, and definite matrices between equal factors.
func (m *maker) product(n *combinators.Node) {
	in, _, ok := n.Ein().IsPlain()
	if !ok {
		return
	}
	for k, a := range n.Args() {
		switch twin := slices.Index(n.Args(), a) != k || slices.Contains(n.Args()[k+1:], a); {
		case m.facts.Nonneg(a):
			m.reasons(a)
		case m.facts.Has(atom.Definite, a):
			m.law("quadratic form", "%s is positive definite", m.text(a))
		case twin && slices.Index(n.Args(), a) == k && slices.ContainsFunc(in[k+1:], func(g []int) bool { return slices.Equal(g, in[k]) }):
			m.law("square", "of %s", m.text(a))
		case twin && slices.Index(n.Args(), a) == k:
			m.law("sum of squares", "%s", m.text(n))
		}
	}
}
