package coq

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/rewrite/proof"
)

// derive proves, value by value, that the derivative along the line is the tangent of the walk of part i: by the law of the
// operation, whose result is that tangent as a sum of products.
func (s *script) derive(d *proof.Derivation, i int) {
	p := &d.Parts[i]
	s.part = i
	outs := d.Parts[i-1].End.Nodes
	s.tangent = map[*Node]*Node{}
	for k, x := range p.Point {
		s.tangent[x] = p.Fresh[k]
	}
	for _, w := range p.Walk {
		s.tangent[w.Node] = w.Gets
	}
	for _, n := range combinators.Topo(outs...) {
		if leaf(n) || !s.moves(n) {
			continue
		}
		t, walked := s.tangent[n]
		if !walked {
			panic(withheld("a derivative of a map"))
		}
		if t != nil {
			s.define(t)
		}
		ix := s.fresh(n.Order(), nil)
		kept := map[*Node]bool{}
		for _, a := range n.Args() {
			kept[a], kept[s.tangent[a]] = true, true
		}
		roots := []*Node{}
		if t != nil && !kept[t] {
			roots = append(roots, t)
		}
		roots = append(roots, n)
		term := s.derivative(n, ix, placeOf(ix))
		s.linef("Lemma %s%s%s : D (fun s => %s) %s %s.\nProof. refine (@D_eq _ _ _ _ _ %s _); %s%s Qed.", s.derived(n), indices(ix), s.bounds(n, ix),
			s.ref(n, ix, s.moved), s.ref(n, ix, nil), s.tangentAt(n, ix), term, s.unfold(func(a *Node) bool { return kept[a] }, roots...), "derived.")
	}
}

// derived is the name of the law of a value in this part.
func (s *script) derived(n *Node) string { return fmt.Sprintf("D%d_%d", s.part, n.ID()) }

// moves: the value depends on what is moved along the line.
func (s *script) moves(n *Node) bool {
	return slices.ContainsFunc(s.of(n), func(x *Node) bool { _, ok := s.moved[x]; return ok })
}

// tangentAt is the entry of the tangent of a value; 0 where it has none.
func (s *script) tangentAt(n *Node, ix []string) string {
	if t := s.tangent[n]; t != nil {
		return s.ref(t, ix, nil)
	}
	return "0"
}

// entry is the proof that an entry of a value has the derivative that is its tangent.
func (s *script) entry(n *Node, ix []string, at place) string {
	switch {
	case !s.moves(n):
		return "(D_const " + s.ref(n, ix, nil) + ")"
	case n.Is(atom.Var):
		return "(D_line " + s.ref(n, ix, nil) + " " + s.tangentAt(n, ix) + ")"
	}
	return "(" + strings.Join(append(append([]string{s.derived(n)}, ix...), at.below(ix)...), " ") + ")"
}

// derivative is the law of an operation at its operands.
func (s *script) derivative(n *Node, ix []string, at place) string {
	switch {
	case n.Is(atom.Add):
		return "(D_add " + s.entry(n.Arg(0), ix, at) + " " + s.entry(n.Arg(1), ix, at) + ")"
	case n.Ein() != nil:
		return s.derivedProduct(n, s.product(n, ix), at)
	case n.Is(atom.Power):
		return s.derivedPower(n, ix, at)
	}
	if f, ok := elementwise[n.Atom()]; ok {
		return "(" + f.law + s.condition(f.needs, n, ix, at) + " " + s.entry(n.Arg(0), ix, at) + ")"
	}
	if f, ok := binary[n.Atom()]; ok {
		return "(" + f.law + s.condition(f.needs, n, ix, at) + " " + s.entry(n.Arg(0), ix, at) + " " + s.entry(n.Arg(1), ix, at) + ")"
	}
	if c, ok := s.composed(n, ix); ok {
		return c.derivative(s, n, at)
	}
	f, ok := tensorial(n)
	if !ok || f.law == "" {
		panic(withheld("%s has no derivative in the prelude", n.Atom().Name))
	}
	batch, sizes := s.axes(n)
	return s.onMatrix(f.law, s.condition(f.needs, n, ix, at), n.Arg(0), ix[:batch], ix[batch:], sizes, f.axes, at)
}

// onMatrix is the law of a function of the last axes of a value, at indices of its result.
func (s *script) onMatrix(law, condition string, a *Node, batch, rest, sizes []string, axes int, at place) string {
	inner, below := s.binders(axes, slices.Concat(batch, rest), at)
	operand := slices.Concat(batch, inner)
	along := "(fun s => " + s.ref(a, batch, s.moved) + ")"
	by := "(fun" + spaced(inner) + " => " + s.tangentAt(a, operand) + ")"
	entries := "(fun" + spaced(inner) + spacedH(inner) + " => " + s.entry(a, operand, below) + ")"
	return "(@" + law + " _" + spaced(sizes) + " " + along + " " + s.ref(a, batch, nil) + " " + by + condition + " " + entries +
		spaced(rest) + spaced(at.below(rest)) + ")"
}

// derivedProduct is the derivative of a sum of products.
func (s *script) derivedProduct(n *Node, t product, at place) string {
	for _, v := range t.bound {
		at = at.under(t.names[v], "H"+t.names[v])
	}
	var factors []string
	factors = lists.Append(factors, t.conds, func(c string) string { return "(D_const " + c + ")" })
	for k, a := range n.Args() {
		factors = append(factors, s.entry(a, t.indices[k], at))
	}
	last := len(factors) - 1
	out := factors[last]
	for last--; last >= 0; last-- {
		out = "(D_mul " + factors[last] + " " + out + ")"
	}
	for _, v := range slices.Backward(t.bound) {
		i := t.names[v]
		out = fmt.Sprintf("(D_sum (fun (%s : nat) (H%s : (%s < %s)%%N) => %s))", i, i, i, s.size(n.Ein().Vars[v]), out)
	}
	return out
}

func (s *script) derivedPower(n *Node, ix []string, at place) string {
	q, x := n.Rat(), s.entry(n.Arg(0), ix, at)
	k := new(big.Int).Abs(q.Num())
	of := ""
	switch {
	case q.Sign() == 0:
		return "(D_const 1)"
	case q.IsInt() && q.Sign() < 0:
		of = s.condition(nonzero, n, ix, at)
	case !q.IsInt():
		of = s.condition(positive, n, ix, at)
		if q.Denom().Cmp(big.NewInt(2)) == 0 {
			x = "(D_sqrt" + of + " " + x + ")"
			of = " (sqrt_neq0" + of + ")"
		} else {
			x = "(D_rpow (1 / " + q.Denom().String() + ")" + of + " " + x + ")"
			of = " (rpow_neq0 _" + of + ")"
		}
	}
	if q.Sign() < 0 {
		x = "(D_inv" + of + " " + x + ")"
	}
	if k.Cmp(big.NewInt(1)) == 0 {
		return x
	}
	return "(D_pow " + new(big.Int).Sub(k, big.NewInt(1)).String() + " " + x + ")"
}

// condition is the proof of what a law presumes, a hypothesis.
func (s *script) condition(c needs, n *Node, ix []string, at place) string {
	a := n.Args()
	switch c {
	case nothing:
		return ""
	case filled:
		batch, _ := s.axes(n)
		return " " + s.assumeFilled(a[0], batch)
	case invertible, above:
		a, ix = a[:1], ix[:a[0].Order()-2]
	case positive, inside, cosine:
		a = a[:1]
	case nonzero:
		if a = a[:1]; n.Is(atom.Norm2) {
			a = []*Node{n}
		}
	}
	h := s.assume(c, a...)
	if len(ix) == 0 {
		return " " + h
	}
	return " (" + strings.Join(append(append([]string{h}, ix...), at.below(ix)...), " ") + ")"
}

// hypothesis is the name of an assumption about values.
func (s *script) hypothesis(c needs, about ...*Node) string {
	h := labels[c]
	for _, n := range about {
		if n.Is(atom.Var) {
			h += "_" + s.names[n]
		} else {
			h += fmt.Sprint("_", n.ID())
		}
	}
	return h
}

// assume is the name of a hypothesis about values.
func (s *script) assume(c needs, about ...*Node) string {
	h := s.hypothesis(c, about...)
	if s.assumed[h] {
		return h
	}
	if s.general {
		panic(withheld("a condition on the program itself"))
	}
	for _, n := range about {
		s.define(n)
	}
	n := about[0]
	ix := s.fresh(n.Order(), nil)
	var args []any
	switch c {
	case invertible, above:
		last := n.Order() - 2
		ix = ix[:last]
		args = append(args, s.size(n.Shape()[last]))
	}
	args = lists.Append(args, about, func(a *Node) any { return s.ref(a, ix, nil) })
	all := s.quantified(n, ix)
	s.assumed[h] = true
	if n.Is(atom.Const) && c == positive {
		s.linef("Let %s : (0 : R) < %s.\nProof. by rewrite ?divr_gt0 ?ltr0n. Qed.", h, s.number(n.Rat()))
		return h
	}
	s.linef("Hypothesis %s : %s%s.", h, all, fmt.Sprintf(string(c), args...))
	if c == positive { // what is positive cancels
		value := fmt.Sprintf(string(nonzero), s.ref(n, ix, nil))
		s.linef("Let nz_%s : %s%s.\nProof. by intros%s%s; rewrite lt0r_neq0 ?%s. Qed.", h, all, value, spaced(ix), spacedH(ix), h)
	}
	return h
}

// assumeFilled is the hypothesis that the axis of a value has entries.
func (s *script) assumeFilled(a *Node, axis int) string {
	d := a.Shape()[axis]
	if _, ok := d.Int(); ok {
		return "isT"
	}
	h := "n0_" + strings.Join(strings.FieldsFunc(s.size(d), func(r rune) bool { return strings.ContainsRune("()+-* %", r) }), "_")
	if !s.assumed[h] {
		s.assumed[h] = true
		s.linef("Hypothesis %s : (0 < %s)%%N.", h, s.size(d))
	}
	return h
}
