package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/internal/lists"
)

// maxExpansion bounds the addends of what is multiplied out.
const maxExpansion = 48

// Expanded is n with the products above its functions multiplied out, by scalars only where numbers is set; nil where
// there is nothing to multiply out, or it would become too long. A product of several sums is only where all are. A
// sum beside a weakly guarded factor stays: where that is infinite, the sum may be exactly 0 and its
// addends are not, (exp(x) - 1)/sqrt(x) at 0.
func Expanded(n *Node, all, numbers bool) *Node {
	s := n.Store()
	addends := map[*Node][]*Node{}
	found := false
	total := 0
	linear := map[*Node]bool{n: true} // n is linear in these
	topo := combinators.Topo(n)
	for i := len(topo) - 1; i >= 0; i-- {
		if m := topo[i]; linear[m] && (m.Is(atom.Add) || m.Ein() != nil) {
			for _, a := range m.Args() {
				linear[a] = linear[a] || numbers || a.Order() > 0
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
					next = lists.Append(next, addends[a], func(b *Node) []*Node { return append(slices.Clip(t), b) })
				}
				if terms = next; len(terms) > maxExpansion {
					return nil
				}
			}
			found = found || len(terms) > 1
			for _, t := range terms {
				addends[m] = append(addends[m], s.Ein(m.Ein(), t...))
			}
		}
		if total += len(addends[m]); total > 8*maxExpansion {
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
