package coq

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// known is a proof of what is known of a value, a lemma that is stated where it is needed first: of a variable a hypothesis.
func (s *script) known(prefix string, n *Node, claim, proof string) string {
	h := fmt.Sprint(prefix, n.ID())
	params, ok := s.facts[h]
	if !ok {
		s.define(n)
		if s.general {
			params = s.of(n)
		}
		s.facts[h] = params
		switch {
		case proof != "":
			s.linef("Lemma %s%s : %s.\nProof. %s Qed.", h, s.typed(params), claim, proof)
		case len(params) == 0:
			s.linef("Hypothesis %s : %s.", h, claim)
		default:
			panic(withheld("a condition on the program itself"))
		}
	}
	for _, x := range params {
		h += " " + s.variable(x, nil)
	}
	return "(" + h + ")"
}

// symmetric is the proof that a matrix equals its transpose, by its form.
func (s *script) symmetric(n *Node) string {
	ix, by := s.fresh(2, nil), ""
	if !n.Is(atom.Var) {
		by = s.turn(n)
	}
	return s.known("S", n, fmt.Sprintf("forall%s, %s = %s", spaced(ix), s.ref(n, ix, nil), s.ref(n, []string{ix[1], ix[0]}, nil)), by)
}

func (s *script) turn(n *Node) string {
	f, elementary := elementwise[n.Atom()]
	switch {
	case n.Is(atom.Inv):
		return "exact: (sym_inv _ " + s.symmetric(n.Arg(0)) + ")."
	case n.Is(atom.Minor):
		return "exact: (sym_cof _ " + s.symmetric(n.Arg(0)) + ")."
	case elementary:
		return "move=> ? ?; exact: (f_equal (fun z : R => " + f.name + " z) (" + s.symmetric(n.Arg(0)) + " _ _))."
	}
	return s.symmetries(false, n.Args()...) + "move=> i j; have ? := ltnSn i; have ? := ltnSn j; " + s.unfold(func(a *Node) bool { return !polynomial(a) }, n) + "sums."
}

// symmetries puts among the hypotheses which matrices below roots are symmetric; of sums and products these need not be said.
func (s *script) symmetries(all bool, roots ...*Node) (out string) {
	for _, n := range combinators.Topo(roots...) {
		if n.Order() == 2 && !n.Is(atom.Var) && len(n.Args()) > 0 && (all || !polynomial(n)) && s.isSymmetric(n) && !(s.general && slices.ContainsFunc(s.of(n), s.isSymmetric)) {
			out += "have ? := " + s.symmetric(n) + "; "
		}
	}
	return out
}

// signs puts among the hypotheses that the bases of inverses and roots below roots are not 0 where their form or what is
// assumed says it, and that a root has its square. These bases are kept as they are.
func (s *script) signs(kept map[*Node]bool, roots ...*Node) (out string) {
	seen := map[[2]any]bool{}
	for _, n := range combinators.Topo(roots...) {
		if !n.Is(atom.Power) || polynomial(n) || n.Rat().Sign() == 0 || n.Arg(0).Is(atom.Const) {
			continue
		}
		a := n.Arg(0)
		is := s.sign(a)
		root := !n.Rat().IsInt() && n.Rat().Denom().Cmp(big.NewInt(2)) == 0
		ix := s.fresh(a.Order(), nil)
		entry := s.ref(a, ix, nil)
		open := "intros; first [solve [match goal with H : _ |- _ => apply: H => // end] | " + s.unfold(func(*Node) bool { return false }, a)
		add := func(prefix, claim, by string) {
			if kept[a] = true; seen[[2]any{prefix, a}] {
				return
			}
			seen[[2]any{prefix, a}] = true
			out += "have ? := " + s.known(prefix, a, s.quantified(a, ix)+claim, "intros; "+by) + "; "
		}
		if is.Positive && !s.assumed[s.hypothesis(positive, a)] {
			add("P", entry+" != 0", "apply: lt0r_neq0; "+open+"positive].")
		}
		if root && is.Positive {
			add("Q", "Num.sqrt "+entry+" != 0", "apply: sqrt_neq0; "+open+"positive].")
		}
		if root && is.Nonneg {
			add("R", "Num.sqrt "+entry+" * Num.sqrt "+entry+" = "+entry, "rewrite -expr2 sqr_sqrtr //; "+strings.Replace(open, "apply: H", "apply: ltW; apply: H", 1)+"nonneg].")
		}
	}
	return out
}

// sign is what the form of a value says of its sign, or what is assumed.
func (s *script) sign(n *Node) atom.Signs {
	is := s.signOf(n)
	if s.assumed[s.hypothesis(positive, n)] {
		is.Positive, is.Nonneg = true, true
	}
	return is
}
