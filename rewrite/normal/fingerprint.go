package normal

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// Choices between equally good forms must not depend on the order in which nodes were built,
// or a sum with its operands exchanged would have another normal form. Nodes are therefore
// ordered by a hash of their structure: fingerprint is a number that depends on neither the order of
// commutative operands, nor the association of sums, nor the names of bound indices.
func (z *Simplifier) fingerprint(n *Node) uint64 {
	if r := z.fingerprints.Get(n); r != 0 {
		return r
	}
	stack := []*Node{n}
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		waiting := len(stack)
		for _, a := range m.Args() {
			if z.fingerprints.Get(a) == 0 {
				stack = append(stack, a)
			}
		}
		if len(stack) > waiting {
			continue
		}
		stack = stack[:len(stack)-1]
		*z.fingerprints.At(m) = z.structure(m) | 1 // 0 is no fingerprint
	}
	return z.fingerprints.Get(n)
}

// structure is the fingerprint of n from those of its operands.
func (z *Simplifier) structure(n *Node) uint64 {
	h := einsum.Mix(text(n.Atom().Name), uint64(n.Attr())<<8|uint64(n.Guard()))
	if n.Rat() != nil {
		h = einsum.Mix(h, text(n.Rat().RatString()))
	}
	switch n.Atom().Class {
	case atom.ClassVariable:
		h = einsum.Mix(h, text(n.Name()))
		for _, d := range n.Shape() {
			h = einsum.Mix(h, d.Hash())
		}
		return h
	case atom.ClassContraction:
		labels := make([]uint64, len(n.Args()))
		for k, a := range n.Args() {
			labels[k] = z.fingerprint(a)
		}
		return einsum.Mix(h, n.Ein().Invariant(labels))
	case atom.ClassSum:
		// A sum of sums has the fingerprint of the sum of all terms.
		part := func(a *Node) uint64 {
			if a.Is(atom.Add) {
				return z.addends.Get(a)
			}
			return einsum.Mix(z.fingerprint(a), 1)
		}
		total := part(n.Arg(0)) + part(n.Arg(1))
		*z.addends.At(n) = total
		return einsum.Mix(h, total)
	}
	for _, d := range n.Sizes() {
		h = einsum.Mix(h, d.Hash())
	}
	if n.Atom().Commutes {
		return einsum.Mix(h, einsum.Mix(z.fingerprint(n.Arg(0)), 1)+einsum.Mix(z.fingerprint(n.Arg(1)), 1))
	}
	for _, a := range n.Args() {
		h = einsum.Mix(h, z.fingerprint(a))
	}
	return h
}

func text(s string) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// form is the contraction of p with the operands in the order of their fingerprints.
func (z *Simplifier) form(p *product) *einsum.Contraction {
	c, _ := z.s.Plain(p.in, p.out, p.vars).Canon(z.Labels(p.ops))
	return c
}

// Labels numbers operands by their structure: not by when they were built, nor by how they were written.
func (z *Simplifier) Labels(ops []*Node) []int {
	byFingerprint := lists.Map(ops, z.fingerprint)
	slices.Sort(byFingerprint)
	labels := make([]int, len(ops))
	for k, a := range ops {
		labels[k], _ = slices.BinarySearch(byFingerprint, z.fingerprint(a))
	}
	return labels
}
