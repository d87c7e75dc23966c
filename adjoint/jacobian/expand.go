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

// Bounds on what is multiplied out.
const (
	maxExpanded = 200 // steps of a value
	maxAddends  = 48
)

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
		e := expanded(n, long)
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

// sums counts the sums of two operands in a value.
func sums(n *Node) (k int) {
	for _, m := range combinators.Topo(n) {
		if m.Is(atom.Add) {
			k++
		}
	}
	return k
}

// expanded is n with the products above its functions multiplied out, but by numbers; nil where there is
// nothing to multiply out, or it would become too long. A product of several sums is only where all are. A
// sum beside a weakly guarded factor stays: where that is infinite, the sum may be exactly 0 and its
// addends are not, (exp(x) - 1)/sqrt(x) at 0.
func expanded(n *Node, all bool) *Node {
	s := n.Store()
	addends := map[*Node][]*Node{}
	found := false
	total := 0
	linear := map[*Node]bool{n: true} // n is linear in these
	topo := combinators.Topo(n)
	for i := len(topo) - 1; i >= 0; i-- {
		if m := topo[i]; linear[m] && (m.Is(atom.Add) || m.Ein() != nil) {
			for _, a := range m.Args() {
				linear[a] = linear[a] || a.Order() > 0
			}
		}
	}
	weak := map[*Node]bool{} // such a factor, or a product or sum with one
	for _, m := range topo {
		product := m.Is(atom.Add) || m.Ein() != nil
		weak[m] = m.Guard() == combinators.GuardWeak || product && slices.ContainsFunc(m.Args(), func(a *Node) bool { return weak[a] })
		switch {
		case !linear[m] || !m.Is(atom.Add) && m.Ein() == nil:
			addends[m] = []*Node{m}
			continue
		case m.Ein() != nil && besideWeak(m.Args(), weak, addends):
			addends[m] = []*Node{m}
		case m.Is(atom.Add):
			addends[m] = slices.Concat(addends[m.Arg(0)], addends[m.Arg(1)])
		default:
			terms := [][]*Node{nil}
			for _, a := range m.Args() {
				if !all && len(terms) > 1 && len(addends[a]) > 1 {
					return nil
				}
				var next [][]*Node
				for _, t := range terms {
					for _, b := range addends[a] {
						next = append(next, append(slices.Clip(t), b))
					}
				}
				if terms = next; len(terms) > maxAddends {
					return nil
				}
			}
			found = found || len(terms) > 1
			for _, t := range terms {
				addends[m] = append(addends[m], s.Ein(m.Ein(), t...))
			}
		}
		if total += len(addends[m]); total > 8*maxAddends {
			return nil
		}
	}
	if !found {
		return nil
	}
	sum := addends[n][0]
	for _, a := range addends[n][1:] {
		sum = s.Add(sum, a)
	}
	return sum
}

// besideWeak reports whether one of the factors has several addends, and another one is weak.
func besideWeak(factors []*Node, weak map[*Node]bool, addends map[*Node][]*Node) bool {
	for i, a := range factors {
		for j, b := range factors {
			if i != j && len(addends[a]) > 1 && weak[b] {
				return true
			}
		}
	}
	return false
}
