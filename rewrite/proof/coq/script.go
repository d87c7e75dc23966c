package coq

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/rewrite/proof"
)

// A script is the file that is printed.
type script struct {
	printer
	strings.Builder
	defined     map[*Node]bool
	laws        map[[2]*Node][]*Node // equalities that are lemmas, with their explicit parameters
	general     bool                 // equalities hold for all parameters, and not only for those that hypotheses are about
	part        int                  // in which the derivative is derived
	tangent     map[*Node]*Node      // of each value, while its derivative is derived
	moved       at                   // the parameters along the line
	assumed     map[string]bool      // names of hypotheses
	rules       *proof.Rules
	isSymmetric func(*Node) bool
	signOf      func(*Node) atom.Signs
	facts       map[string][]*Node // lemmas about values, with their explicit parameters
	alter       bool               // state wrong gradients, too
	altered     int                // how many
	theorems    []string
}

func (s *script) linef(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// define defines values, and what they are made of.
func (s *script) define(ns ...*Node) {
	for _, n := range combinators.Topo(ns...) {
		if s.defined[n] || leaf(n) {
			continue
		}
		s.defined[n] = true
		ix := s.fresh(n.Order(), nil)
		s.linef("Definition %s%s%s : R := %s.", name(n), s.typed(s.of(n)), indices(ix), s.body(n, ix, func(a *Node, at []string) string { return s.ref(a, at, nil) }))
	}
}

// leaf: the value has no definition.
func leaf(n *Node) bool { return n.Is(atom.Var) || n.Is(atom.Const) || n.Is(atom.Pi) }

// typed are parameters with their types.
func (s *script) typed(params []*Node) (out string) {
	for _, x := range params {
		out += fmt.Sprintf(" (%s : %s)", s.names[x], tensorType(x))
	}
	return out
}

// tensorType is the type of a tensor.
func tensorType(x *Node) string { return strings.Repeat("nat -> ", x.Order()) + "R" }

func indices(ix []string) string {
	if len(ix) == 0 {
		return ""
	}
	return " (" + strings.Join(ix, " ") + " : nat)"
}

// bounds say that indices are below the sizes of a value.
func (s *script) bounds(n *Node, ix []string) (out string) {
	for k, d := range n.Shape() {
		out += fmt.Sprintf(" (H%s : (%s < %s)%%N)", ix[k], ix[k], s.size(d))
	}
	return out
}

// quantified are indices below the sizes of a value.
func (s *script) quantified(n *Node, ix []string) string {
	if len(ix) == 0 {
		return ""
	}
	out := "forall" + spaced(ix) + ", "
	for k, i := range ix {
		out += fmt.Sprintf("(%s < %s)%%N -> ", i, s.size(n.Shape()[k]))
	}
	return out
}

// A place is where a proof stands: the indices of an entry with the proofs that they are below their sizes.
type place map[string]string

func placeOf(ix []string) place {
	p := place{}
	for _, i := range ix {
		p[i] = "H" + i
	}
	return p
}

// under is the place below a binder of an index; in a sum it is an ordinal.
func (p place) under(i, proof string) place {
	out := place{i: proof}
	for j, h := range p {
		if j != i {
			out[j] = h
		}
	}
	return out
}

// below are proofs that indices are below their sizes.
func (p place) below(ix []string) (out []string) {
	for _, i := range ix {
		h, ok := p[i]
		if !ok {
			panic(withheld("an equality, or a condition, at the index %s", i))
		}
		out = append(out, h)
	}
	return out
}

// equality states that two values are equal below their sizes, with a proof.
func (s *script) equality(a, b *Node, proof string) {
	ix := s.fresh(a.Order(), nil)
	var params []*Node
	if s.general {
		params = slices.DeleteFunc(slices.Clone(s.params), func(x *Node) bool {
			return !slices.Contains(s.of(a), x) && !slices.Contains(s.of(b), x)
		})
	}
	s.laws[[2]*Node{a, b}] = params
	s.linef("Lemma %s%s%s%s : %s = %s.\nProof. %s Qed.", law(a, b), s.typed(params), indices(ix), s.bounds(a, ix),
		s.ref(a, ix, nil), s.ref(b, ix, nil), proof)
}

func law(a, b *Node) string { return fmt.Sprintf("E%d_%d", a.ID(), b.ID()) }

// equal is the proof that entries of two values are equal.
func (s *script) equal(a, b *Node, ix []string, p place, v at) string {
	if a == b {
		return "erefl"
	}
	words := []string{law(a, b)}
	words = lists.Append(words, s.laws[[2]*Node{a, b}], func(x *Node) string { return s.variable(x, v) })
	words = append(append(words, ix...), p.below(ix)...)
	if len(words) == 1 {
		return words[0]
	}
	return "(" + strings.Join(words, " ") + ")"
}

// unfold is the tactic that replaces values by their operations, down to those that are kept.
func (s *script) unfold(keep func(*Node) bool, roots ...*Node) string {
	seen := map[*Node]bool{}
	var names []string
	var visit func(n *Node)
	visit = func(n *Node) {
		if seen[n] || leaf(n) {
			return
		}
		seen[n] = true
		names = append(names, name(n))
		for _, a := range n.Args() {
			if !keep(a) {
				visit(a)
			}
		}
	}
	for _, n := range roots {
		visit(n)
	}
	if len(names) == 0 {
		return ""
	}
	return "cbv beta delta [" + strings.Join(names, " ") + "]; "
}
