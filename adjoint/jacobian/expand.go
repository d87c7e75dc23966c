package jacobian

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/rewrite/normal"
)

// The normal form takes common factors out of sums and multiplies nothing out. So a derivative of a
// product of factored sums, as the Hessian of x/norm2(x), may keep terms apart that are multiples of one
// another. Multiplied out and brought to normal form again it is often shorter.

// maxExpanded bounds the steps of a value that is multiplied out.
const maxExpanded = 200

// shorter gives values multiplied out, where that makes them shorter and costs no more multiplications. Below
// order 3 terms have to cancel, of two sums at least, and no product of two sums is multiplied out: (1 - x)(1 + x) is more accurate
// than 1 - x^2, and diag(1 - u)*X reads better than X - diag(u)*X.
func (p *Planner) shorter(z *normal.Simplifier, values []*Node) []*Node {
	out := slices.Clone(values)
	for i, n := range values {
		long := n.Order() >= 3
		if Length(n) > maxExpanded || !long && sums(n) < 2 {
			continue
		}
		e := normal.Expanded(n, long, false)
		if e == nil {
			continue
		}
		m := z.Further(e)[0]
		if Length(m) >= Length(n) || !long && sums(m) >= sums(n) {
			continue
		}
		if out[i] = m; !p.noDearer(out, values) {
			out[i] = values[i]
		}
	}
	return out
}

// noDearer compares what values cost together: what one of them shares with others counts once.
func (p *Planner) noDearer(values, others []*Node) bool {
	if p.Cost == nil || !p.known(values) {
		return true
	}
	a, err := p.Cost(values)
	if err != nil {
		return false
	}
	b, err := p.Cost(others)
	return err == nil && a <= b
}

// Length counts the steps that values take, a product of many operands as several.
func Length(values ...*Node) (steps int) {
	for _, m := range combinators.Topo(values...) {
		steps += max(1, len(m.Args())-1)
	}
	return steps
}

// sums counts the sums of two operands in a value, without those of numbers.
func sums(n *Node) (k int) {
	order := combinators.Topo(n)
	add := func(m *Node) bool { return m.Is(atom.Add) }
	if !slices.ContainsFunc(order, add) {
		return 0
	}
	open := combinators.Symbolic(order)
	for _, m := range order {
		if add(m) && open[m] {
			k++
		}
	}
	return k
}
