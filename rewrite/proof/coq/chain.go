package coq

import (
	"fmt"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/rewrite/proof"
)

// chain proves that the last line of a part equals its first one, line by line. A step is an equality of two values; what they
// are operands of is equal by congruence.
func (s *script) chain(p *proof.Part) {
	s.define(p.Start.Nodes...)
	now := p.Start.Nodes
	lines := [][]*Node{now}
	for range maxPasses {
		changed := false
		for i := range p.Steps {
			t := &p.Steps[i]
			before, after := t.Before.Nodes[0], t.After.Nodes[0]
			next := combinators.Replace(now, before, after)
			if sameNodes(next, now) || sameNodes(now, p.End.Nodes) && i > 0 {
				continue
			}
			s.step(t)
			for k := range now {
				s.congruent(now[k], next[k], before, after)
			}
			now, changed = next, true
			lines = append(lines, now)
		}
		if sameNodes(now, p.End.Nodes) || !changed {
			break
		}
	}
	if !sameNodes(now, p.End.Nodes) {
		panic(withheld("the steps of the part %s are not made in its line one after the other", p.Kind))
	}
	for k := range now {
		s.joined(lines, k)
	}
}

// maxPasses bounds how often the steps of a part are made again.
const maxPasses = 3

func sameNodes(a, b []*Node) bool {
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// joined is the equality of the first and the last of lines.
func (s *script) joined(lines [][]*Node, k int) {
	first := lines[0][k]
	last := first
	ix := s.fresh(first.Order(), nil)
	proof := ""
	for _, l := range lines {
		if l[k] == last {
			continue
		}
		e := s.equal(last, l[k], ix, placeOf(ix), nil)
		if proof != "" {
			e = "(etrans " + proof + " " + e + ")"
		}
		proof, last = e, l[k]
	}
	if first == last {
		return
	}
	if _, ok := s.laws[[2]*Node{first, last}]; !ok {
		s.equality(first, last, "exact: "+proof+".")
	}
}

// congruent proves that a value and what it is with one value replaced in it are equal.
func (s *script) congruent(old, now, before, after *Node) {
	if old == now || old == before && now == after {
		return
	}
	image := map[*Node]*Node{before: after}
	for _, n := range combinators.Topo(old) {
		if n == before {
			continue
		}
		changed := false
		args := make([]*Node, len(n.Args()))
		for k, a := range n.Args() {
			if args[k] = a; image[a] != nil {
				args[k], changed = image[a], true
			}
		}
		if !changed {
			continue
		}
		m := n.With(args)
		image[n] = m
		if _, ok := s.laws[[2]*Node{n, m}]; ok {
			continue
		}
		s.define(m)
		ix := s.fresh(n.Order(), nil)
		middle := s.body(n, ix, func(a *Node, at []string) string { return s.ref(or(image[a], a), at, nil) })
		by := s.congruence(n, image, ix, placeOf(ix))
		if s.body(m, ix, func(a *Node, at []string) string { return s.ref(a, at, nil) }) == middle {
			s.equality(n, m, "exact: "+by+".")
			continue
		}
		kept := map[*Node]bool{}
		for _, a := range args {
			kept[a] = true
		}
		s.equality(n, m, fmt.Sprintf("apply: (@etrans _ _ %s _ %s); %ssums.", middle, by, s.unfold(func(a *Node) bool { return kept[a] }, m)))
	}
}

func or(a, b *Node) *Node {
	if a != nil {
		return a
	}
	return b
}

// congruence is the proof that an entry of a value equals the same operation of the images of its operands.
func (s *script) congruence(n *Node, image map[*Node]*Node, ix []string, at place) string {
	equal := func(a *Node, ix []string, p place) string { return s.equal(a, or(image[a], a), ix, p, nil) }
	switch {
	case n.Is(atom.Add):
		return "(f_equal2 (@GRing.add _) " + equal(n.Arg(0), ix, at) + " " + equal(n.Arg(1), ix, at) + ")"
	case n.Ein() != nil:
		return s.contracted(n, s.product(n, ix), at, equal)
	case n.Is(atom.Power):
		return "(f_equal (fun z : R => " + s.power(n.Rat(), "z") + ") " + equal(n.Arg(0), ix, at) + ")"
	}
	if f, ok := elementwise[n.Atom()]; ok {
		return "(f_equal (fun z : R => " + f.name + " z) " + equal(n.Arg(0), ix, at) + ")"
	}
	if f, ok := binary[n.Atom()]; ok {
		return "(f_equal2 (fun y z : R => " + f.name + " y z) " + equal(n.Arg(0), ix, at) + " " + equal(n.Arg(1), ix, at) + ")"
	}
	if c, ok := s.composed(n, ix); ok {
		return c.congruence(s, at, equal)
	}
	f, ok := tensorial(n)
	if !ok {
		panic(withheld("%s has no congruence in the prelude", n.Atom().Name))
	}
	batch, _ := s.axes(n)
	inner, below := s.binders(f.axes, ix, at)
	return "(eq_" + f.name + " (fun" + spaced(inner) + spacedH(inner) + " => " + equal(n.Arg(0), append(ix[:batch:batch], inner...), below) + ")" +
		spaced(at.below(ix[batch:])) + ")"
}

// binders are names for indices of axes that a function reads, and the place below them.
func (s *script) binders(k int, ix []string, at place) ([]string, place) {
	inner := s.fresh(k, append(s.inUse(ix), ix...))
	for _, i := range inner {
		at = at.under(i, "H"+i)
	}
	return inner, at
}

func spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

func spacedH(ix []string) (out string) {
	for _, i := range ix {
		out += " H" + i
	}
	return out
}

// contracted is the congruence of a sum of products.
func (s *script) contracted(n *Node, t product, at place, equal func(*Node, []string, place) string) string {
	for _, v := range t.bound {
		at = at.under(t.names[v], "(ltn_ord "+t.names[v]+")")
	}
	var factors []string
	for range t.conds {
		factors = append(factors, "erefl")
	}
	for k, a := range n.Args() {
		factors = append(factors, equal(a, t.indices[k], at))
	}
	last := len(factors) - 1
	out := factors[last]
	for last--; last >= 0; last-- {
		out = "(f_equal2 (@GRing.mul _) " + factors[last] + " " + out + ")"
	}
	for k := len(t.bound) - 1; k >= 0; k-- {
		v := t.bound[k]
		out = "(eq_bigr _ (fun (" + t.names[v] + " : 'I_" + s.size(n.Ein().Vars[v]) + ") _ => " + out + "))"
	}
	return out
}

// step proves a step as a lemma of its own: by its rule, in its context, where that is a lemma of the prelude; else as a sum of
// products.
func (s *script) step(t *proof.Step) {
	a, b := t.Before.Nodes[0], t.After.Nodes[0]
	if _, ok := s.laws[[2]*Node{a, b}]; ok {
		return
	}
	s.define(a, b)
	kept := map[*Node]bool{}
	for _, f := range t.Facts {
		s.fact(f)
		kept[f.Value] = true
	}
	if s.byRule(t, a, b, kept) {
		return
	}
	s.equality(a, b, fmt.Sprintf("(* %s *) %s", t.Rule, s.bySums(kept, t.Rule == "E-symmetric", a, b)))
}

// bySums is the proof of an equality by sums: what both sides have in common is kept, then its functions only, then nothing.
func (s *script) bySums(kept map[*Node]bool, symmetric bool, a, b *Node) string {
	known := s.symmetries(symmetric, a, b) + s.signs(kept, a, b)
	in := map[*Node]int{}
	for _, root := range []*Node{a, b} {
		for _, n := range combinators.Topo(root) {
			in[n]++
		}
	}
	power := func(n *Node) bool { return n.Is(atom.Power) && !polynomial(n) } // its base may be a factor elsewhere
	shared := s.unfold(func(n *Node) bool { return in[n] == 2 && !power(n) || kept[n] }, a, b)
	functions := s.unfold(func(n *Node) bool { return in[n] == 2 && !polynomial(n) && !power(n) || kept[n] }, a, b)
	out := []string{"(" + shared + "sums)"}
	if functions != shared {
		out = append(out, "("+functions+"sums)")
	}
	last := s.unfold(func(n *Node) bool { return kept[n] }, a, b)
	if out = append(out, "("+shared+"law)"); last != shared {
		out = append(out, "("+last+"law)")
	}
	if whole := s.unfold(func(*Node) bool { return false }, a, b); whole != last {
		out = append(out, "("+whole+"law)")
	}
	return known + "first [" + strings.Join(out, " | ") + "]."
}

// byRule proves a step by the lemma of its rule: the sides are equal, and so is their context.
func (s *script) byRule(t *proof.Step, a, b *Node, kept map[*Node]bool) bool {
	lemma := lemmas()[t.Rule]
	if lemma == "" || t.Context == nil {
		return false
	}
	left, right, err := s.rules.Sides(a.Store(), t)
	if err != nil || left == nil || right == nil {
		return false
	}
	in := func(n *Node) *Node { return combinators.Replace([]*Node{t.Context}, t.Hole, n)[0] }
	before, after := in(left), in(right)
	if t.Back {
		left, right, before, after = right, left, after, before
	}
	s.define(left, right, before, after)
	if _, ok := s.laws[[2]*Node{left, right}]; !ok && left != right {
		values := map[*Node]bool{}
		for _, v := range t.Subst.Values {
			values[v] = true
		}
		s.equality(left, right, fmt.Sprintf("(* %s *) intros; %srule (@%s R).", t.Rule, s.unfold(func(n *Node) bool { return values[n] }, left, right), lemma))
	}
	s.congruent(before, after, left, right)
	same := func(x, y *Node) {
		if _, ok := s.laws[[2]*Node{x, y}]; x != y && !ok {
			s.equality(x, y, s.bySums(kept, false, x, y))
		}
	}
	same(a, before)
	same(after, b)
	s.joined([][]*Node{{a}, {before}, {after}, {b}}, 0)
	return true
}

// polynomial: the operation is one of a ring.
func polynomial(n *Node) bool {
	return n.Ein() != nil || n.Is(atom.Add) || n.Is(atom.Power) && n.Rat().IsInt() && n.Rat().Sign() > 0
}

// fact assumes what a step presumes.
func (s *script) fact(f proof.Fact) {
	switch f.Sign {
	case proof.Positive:
		s.assume(positive, f.Value)
	case proof.Nonzero:
		s.assume(nonzero, f.Value)
	case proof.Invertible:
		s.assume(invertible, f.Value)
	default:
		panic(withheld("the fact that a value is %s", f.Sign))
	}
}
