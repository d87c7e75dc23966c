package confluence

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// Forms tells normal forms of different stores apart. Nodes are sorted by their numbers, which
// say when they were built; so forms are copied into one store, in which equal forms are one
// node, and sums are compared as sums of all their terms.
type Forms struct {
	s *combinators.Store
}

// NewForms makes an empty collection of forms.
func NewForms() *Forms { return &Forms{combinators.NewStore()} }

// maxTerms bounds how far nested sums are taken apart.
const maxTerms = 200

// Of is the form of n: two values are equal up to the order of commutative operands, the
// association of sums and the names of bound indices exactly where their forms are one node.
func (f *Forms) Of(n *Node) *Node {
	image := map[*Node]*Node{}
	terms := map[*Node][]*Node{} // of the sums
	for _, m := range combinators.Topo(n) {
		if m.Is(atom.Add) {
			all := slices.Concat(f.terms(m.Arg(0), image, terms), f.terms(m.Arg(1), image, terms))
			slices.SortFunc(all, func(a, b *Node) int { return a.ID() - b.ID() })
			terms[m] = all
			sum := all[0]
			for _, t := range all[1:] {
				sum = f.s.Add(sum, t)
			}
			image[m] = sum
			continue
		}
		args := make([]*Node, len(m.Args()))
		for k, a := range m.Args() {
			args[k] = image[a]
		}
		image[m] = f.s.Copy(m, args, m.Ein())
	}
	return image[n]
}

func (f *Forms) terms(n *Node, image map[*Node]*Node, terms map[*Node][]*Node) []*Node {
	if ts := terms[n]; ts != nil && len(ts) < maxTerms {
		return ts
	}
	return []*Node{image[n]}
}
