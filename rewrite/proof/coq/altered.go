package coq

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/rewrite/proof"
)

// alterations states of wrong gradients that the first line of an adjoint equals them: of each the proof must fail by the tactic that
// proves it of the right one.
func (s *script) alterations(p *proof.Part) {
	for k, a := range p.Start.Nodes {
		b := p.End.Nodes[k]
		if combinators.IsZero(b) {
			continue
		}
		ix := s.fresh(a.Order(), nil)
		try := func(claim *Node, command, end string) {
			s.define(claim)
			s.linef("Goal %s%s = %s.\nProof. intros%s%s. %s %s", s.quantified(a, ix), s.ref(a, ix, nil), s.ref(claim, ix, nil), spaced(ix), spacedH(ix), command, end)
		}
		tactic := func(claim *Node) string {
			return "solve [" + s.unfold(func(*Node) bool { return false }, a, claim) + "derived]."
		}
		try(b, tactic(b), "Qed.")
		for _, w := range wrong(b) {
			try(w, "Fail "+tactic(w), "Abort.")
			s.altered++
		}
	}
}

// wrong are what a gradient is mistaken for: with another sign, a factor 2, a transpose, or without a term or a factor.
func wrong(b *Node) []*Node {
	s := b.Store()
	out := []*Node{s.Neg(b), s.Scale(s.Int(2), b)}
	if n := b.Order(); n >= 2 && b.Shape()[n-1] == b.Shape()[n-2] {
		axes := lists.Make(n, func(i int) int { return i })
		turned := slices.Clone(axes)
		turned[n-1], turned[n-2] = turned[n-2], turned[n-1]
		out = append(out, s.Contract([][]int{axes}, turned, b.Shape(), b))
	}
	if b.Is(atom.Add) {
		out = append(out, b.Args()...)
	}
	return slices.DeleteFunc(out, func(w *Node) bool { return w == b })
}
