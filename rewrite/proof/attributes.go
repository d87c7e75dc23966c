package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// has decides whether all values of n have the attributes: a variable by its declaration, an inverse, a transpose and a
// product as far as these keep them.
func (s *signs) has(of atom.Attributes, n *Node) bool {
	s.work.add(1)
	same := atom.Symmetric | atom.Antisymmetric | atom.Diagonal | atom.Orthogonal
	if n.Attributes().Has(of) || n.Order() < 2 {
		return n.Attributes().Has(of)
	}
	if m, ok := untransposed(n); ok && same.Has(of) {
		return s.has(of, m)
	}
	switch {
	case of.Has(atom.Definite):
		return s.definite(n) == positiveDefinite
	case n.Is(atom.Inv) && (same | atom.Lower | atom.Upper).Has(of):
		return s.has(of, n.Arg(0))
	case of == atom.Symmetric && n.IsTransposed(1), of == atom.Antisymmetric && n.IsTransposed(-1):
		return true
	case of.Has(atom.Orthogonal) && len(combinators.SquareFactors(n)) > 1:
		return !slices.ContainsFunc(n.Args(), func(a *Node) bool { return !s.has(of, a) })
	}
	return false
}

// restricted checks that values that are linear in the direction d have at d what they have at its part in the subspace of the
// variable x: then they are the derivative of a function on the subspace, whatever it is outside of it. That is so of a value whose
// operands are, and else is found by its form.
func (k *checker) restricted(outs []*Node, x, d *Node) {
	rule := k.rules[x.Attributes().PartRule(x.Order())]
	if rule == nil {
		must.Hold(x.Attributes().PartRule(x.Order()) == "", "the rule of the subspace of %s is not given", x.Name())
		return
	}
	sizes := map[string]size.Size{}
	for i, t := range rule.Vars[0].Type.Cod.Dims {
		sizes[t.Name] = x.Shape()[i]
	}
	part := (&denotation{s: k.s, values: map[string]*Node{rule.Vars[0].Name: d}, sizes: sizes}).value(rule.Right)
	order := combinators.Topo(outs...)
	depends := combinators.Dependents(order, []*Node{d})
	same := map[*Node]bool{}
	for _, n := range order {
		k.work.add(1)
		if !depends.Get(n) {
			same[n] = true
			continue
		}
		same[n] = n != d && !slices.ContainsFunc(n.Args(), func(a *Node) bool { return !same[a] }) ||
			n != d && k.refines(combinators.Replace([]*Node{n}, d, part)[0], n, theory{sums: true}, newSigns(nil, k.work))
	}
	must.Hold(!slices.ContainsFunc(outs, func(n *Node) bool { return !same[n] }), "the derivative is not that along the subspace of %s, which is %s", x.Name(), x.Attributes())
}
