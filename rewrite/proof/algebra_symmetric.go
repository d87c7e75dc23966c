package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// isSymmetric reports whether the matrix n equals its transpose by its form.
func (z *algebra) isSymmetric(n *Node) bool {
	s := n.Shape()
	if len(s) != 2 || s[0] != s[1] {
		return false
	}
	if n.Is(atom.Var) {
		return n.Attributes().Has(atom.Symmetric)
	}
	if r, ok := z.symmetric[n]; ok {
		return r
	}
	z.symmetric[n] = false
	r := z.decideSymmetric(n)
	z.symmetric[n] = r
	return r
}

// Forms are what the form of a value says: whether a matrix equals its transpose, and a sign. They say no where it takes too
// long to be found.
func Forms(s *combinators.Store) (symmetric func(*Node) bool, sign func(*Node) atom.Signs) {
	k := &checker{s: s, work: &work{stop: s.Stop}, symmetric: map[*Node]bool{}}
	signs := newSigns(nil, k.work)
	symmetric = func(n *Node) (ok bool) {
		defer unlessLimit(&ok)
		return (&algebra{s: s, work: k.work, symmetric: k.symmetric}).isSymmetric(n)
	}
	return symmetric, func(n *Node) (is atom.Signs) {
		defer unlessLimit(&is)
		return signs.of(n)
	}
}

func (z *algebra) decideSymmetric(n *Node) bool {
	z.work.add(1)
	all := func() bool {
		return !slices.ContainsFunc(n.Args(), func(a *Node) bool { return !z.isSymmetric(a) })
	}
	switch {
	case n.Atom().Turns:
		return all()
	case n.Ein() != nil || n.Is(atom.Add):
		// as sums of products, whose factors are what they are but for their own symmetry
		sum := &algebra{s: z.s, theory: theory{sums: true, symmetric: true}, signs: newSigns(nil, z.work), work: z.work,
			until: z.work.done + fewVisits, frozen: inner(n), symmetric: z.symmetric}
		turned := z.s.Ein(einsum.Plain([][]int{{0, 1}}, []int{1, 0}, n.Shape()), n)
		return sum.related(n, turned, sameForm(n.Shape()))
	}
	return false
}

// inner are the factors of the products that n is a sum of, and those of sums among these.
func inner(n *Node) map[*Node]bool {
	frozen := map[*Node]bool{}
	depth := map[*Node]int{n: 0} // products above
	for _, m := range slices.Backward(combinators.Topo(n)) {
		d, ok := depth[m]
		switch {
		case !ok:
			continue
		case d == 3 || m.Ein() == nil && !m.Is(atom.Add):
			frozen[m] = true
			continue
		case m.Ein() != nil:
			d++
		}
		for _, a := range m.Args() {
			depth[a] = max(depth[a], d)
		}
	}
	return frozen
}
