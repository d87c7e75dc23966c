package coq

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/atom"
)

// A composite is an operation that is stated by others: |x| by the sum of squares, a solution by the inverse. One shape of
// term serves its value, the congruence of its operands and its derivative.
type composite struct {
	bound []string // indices of sums
	sizes []string
	terms []factor // of the product in them
	root  bool     // the norm of that
}

// A factor is an operand, or its inverse, at indices.
type factor struct {
	n       *Node
	ix      []string
	inverse string // the size of the matrix
}

// composed is the composite of a value at indices of its result.
func (p *printer) composed(n *Node, ix []string) (c composite, ok bool) {
	a := n.Args()
	switch {
	case n.Is(atom.Norm2):
		c.root, c.bound = true, p.fresh(a[0].Order(), ix)
		for _, d := range a[0].Shape() {
			c.sizes = append(c.sizes, p.size(d))
		}
		c.terms = []factor{{a[0], c.bound, ""}, {a[0], c.bound, ""}}
	case n.Is(atom.Solve):
		c.bound = p.fresh(1, append(p.inUse(ix), ix...))
		c.sizes = []string{p.size(a[0].Shape()[0])}
		c.terms = []factor{{a[0], []string{ix[0], c.bound[0]}, c.sizes[0]}, {a[1], append(slices.Clone(c.bound), ix[1:]...), ""}}
	default:
		return c, false
	}
	return c, true
}

// value is the term of a composite.
func (c composite) value(ref operand) string {
	var factors []string
	for _, t := range c.terms {
		if t.inverse != "" {
			factors = append(factors, fmt.Sprintf("(inv %s %s%s)", t.inverse, ref(t.n, nil), spaced(t.ix)))
		} else {
			factors = append(factors, ref(t.n, t.ix))
		}
	}
	out := "(" + strings.Join(factors, " * ") + ")"
	for k, i := range slices.Backward(c.bound) {
		out = fmt.Sprintf("(\\sum_(%s < %s) %s)", i, c.sizes[k], out)
	}
	if c.root {
		return "(norm2 " + out + ")"
	}
	return out
}

// congruence is the proof that the composite equals that of the images of its operands.
func (c composite) congruence(s *script, at place, equal func(*Node, []string, place) string) string {
	for _, i := range c.bound {
		at = at.under(i, "(ltn_ord "+i+")")
	}
	var factors []string
	for _, t := range c.terms {
		if t.inverse == "" {
			factors = append(factors, equal(t.n, t.ix, at))
			continue
		}
		inner, below := s.binders(2, t.ix, at)
		factors = append(factors, fmt.Sprintf("(eq_inv (fun%s%s => %s)%s)", spaced(inner), spacedH(inner), equal(t.n, inner, below),
			spaced(at.below(t.ix))))
	}
	out := "(f_equal2 (@GRing.mul _) " + strings.Join(factors, " ") + ")"
	for k, i := range slices.Backward(c.bound) {
		out = fmt.Sprintf("(eq_bigr _ (fun (%s : 'I_%s) _ => %s))", i, c.sizes[k], out)
	}
	if c.root {
		return "(f_equal (fun z : R => norm2 z) " + out + ")"
	}
	return out
}

// derivative is the law of a composite at its operands.
func (c composite) derivative(s *script, n *Node, at place) string {
	for _, i := range c.bound {
		at = at.under(i, "H"+i)
	}
	var factors []string
	for _, t := range c.terms {
		if t.inverse == "" {
			factors = append(factors, s.entry(t.n, t.ix, at))
			continue
		}
		factors = append(factors, s.onMatrix("D_inv_mx", s.condition(invertible, n, nil, at), t.n, nil, t.ix, []string{t.inverse}, 2, at))
	}
	out := "(D_mul " + strings.Join(factors, " ") + ")"
	for k, i := range slices.Backward(c.bound) {
		out = fmt.Sprintf("(D_sum (fun (%s : nat) (H%s : (%s < %s)%%N) => %s))", i, i, i, c.sizes[k], out)
	}
	if c.root {
		return "(D_norm2" + s.condition(nonzero, n, nil, at) + " " + out + ")"
	}
	return out
}
